//===- Messages.h - messages for users of a model --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifiers and shape inference speak of operations and types of the compiler's program. Whoever has only the
// model does not know these: a message about a model's node is said without them.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SUPPORT_MESSAGES_H
#define DLC_COMPILER_SUPPORT_MESSAGES_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace dlc {

/// Leaves out the operation that a message begins with ("'nn.matmul' op expects ..." becomes "expects ..."),
/// and writes types as "float32 [batch, 16]" instead of 'tensor<?x16xf32, #nn.dims<batch, _>>',
/// and "got float32 and int64" instead of "got 'f32' and 'i64'".
std::string forUsersOfModels(llvm::StringRef message);

/// "integers" for what MLIR says of an operand's type by its names in C++: "32-bit signless integer or ...".
llvm::StringRef kindOfValues(llvm::StringRef inMlir);
/// "expects integers as operand 1, got float32 [2]" for "operand #1 must be ranked tensor of 32-bit signless
/// integer or 64-bit signless integer values, but got float32 [2]"; other sentences stay.
std::string withKindOfValues(llvm::StringRef sentence);

/// "float32 [batch, 16]" of a tensor's type.
std::string typeForUsers(mlir::Type type);

} // namespace dlc

#endif // DLC_COMPILER_SUPPORT_MESSAGES_H
