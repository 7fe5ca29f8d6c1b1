//===- UserCall.h - a kernel's call of a user's function -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function gets a pointer to each input and each output, the sizes and the numbers, as UserSources.h
// declares it. For some of its rows, pointers to tensors that have these move, and the size is the number
// of these rows.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_KERNEL_USERCALL_H
#define DLC_COMPILER_CODEGEN_KERNEL_USERCALL_H

#include "compiler/codegen/kernel/KernelFunction.h"
#include "dialects/train/Custom.h"

namespace dlc::codegen {

class UserCall {
public:
  /// `symbol`: of the function that the kernel is one call of.
  UserCall(KernelFunction &kernel, llvm::StringRef symbol);

  /// The number of all rows, if the function has rows.
  Index rows() { return sizeOf(*function.getRows()); }
  /// Calls it for all rows; or for rows [first, first + count).
  void emit() { emit(Index(0), std::nullopt); }
  void emit(Index first, std::optional<Index> count);

private:
  mlir::Value pointer(mlir::Value tensor, train::CustomTensorAttr declared, Index first, bool moves);
  Index sizeOf(llvm::StringRef name);

  KernelFunction &kernel;
  Builder &b;
  train::CustomCallOp op;
  train::CustomFunctionOp function;
  std::string symbol;
};

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_KERNEL_USERCALL_H
