//===- Einsum.h - sums of products over labelled dims ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_EINSUM_H
#define DLC_FRONTENDS_COMMON_EINSUM_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dlc::frontend {

/// "ij,jk->ik" of two matrices is their product; as NumPy's einsum. Null after a call of `error`.
mlir::Value einsum(mlir::ImplicitLocOpBuilder &builder, llvm::StringRef equation, mlir::ValueRange operands,
                   llvm::function_ref<void(const llvm::Twine &)> error);

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_EINSUM_H
