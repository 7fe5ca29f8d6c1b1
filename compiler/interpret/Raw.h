//===- Raw.h - numbers as bytes -------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers as bytes: little-endian, packed, a byte for a truth value.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_INTERPRET_RAW_H
#define DLC_COMPILER_INTERPRET_RAW_H

#include "compiler/interpret/Tensor.h"

namespace dlc::interpret {

size_t bytesOf(DType dtype);
/// Fills a tensor from tensor.size() * bytesOf(tensor.dtype) bytes, which need not be aligned.
void fromBytes(llvm::ArrayRef<char> bytes, Tensor &tensor);
/// The elements, rounded to the dtype.
std::vector<char> toBytes(const Tensor &tensor);

} // namespace dlc::interpret

#endif // DLC_COMPILER_INTERPRET_RAW_H
