//===- TensorFile.h - safetensors files -----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors in safetensors files: a length, a JSON header, raw little-endian numbers.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_INTERPRET_TENSORFILE_H
#define DLC_COMPILER_INTERPRET_TENSORFILE_H

#include "compiler/interpret/Tensor.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace dlc::interpret {

llvm::Expected<llvm::StringMap<Tensor>> readTensorFile(llvm::StringRef path);
/// Writes the tensors in order of their names.
llvm::Error writeTensorFile(llvm::StringRef path, const llvm::StringMap<Tensor> &tensors);

} // namespace dlc::interpret

#endif // DLC_COMPILER_INTERPRET_TENSORFILE_H
