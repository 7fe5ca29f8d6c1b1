//===- CustomOps.h - files of operations that users bring themselves -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/custom-ops.md says what stands in such a file. Nothing in it is trusted.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_CUSTOMOPS_H
#define DLC_FRONTENDS_COMMON_CUSTOMOPS_H

#include "dialects/train/Custom.h"
#include "llvm/Support/Error.h"

namespace dlc::frontend {

/// Adds a declaration for each operation of the file, whose symbol is "domain.Name". The error says all that
/// is wrong with the first operation that is not as it should be.
llvm::Error addCustomOps(llvm::StringRef path, train::ProgramOp program, mlir::OpBuilder &builder);

/// Removes the declarations that no operation uses, themselves or as a gradient, but for those whose source
/// is compiled anyway. Whether one is left.
bool dropUnusedCustomOps(train::ProgramOp program);

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_CUSTOMOPS_H
