//===- Weights.h - the values of a program's parameters ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_STABLEHLO_WEIGHTS_H
#define DLC_FRONTENDS_STABLEHLO_WEIGHTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <map>

namespace dlc::stablehlo {

/// A tensor of a safetensors file.
struct WeightTensor {
  std::string dtype; ///< "F32", as the file calls it
  std::vector<int64_t> shape;
  llvm::ArrayRef<char> bytes; ///< as many as dtype and shape say
};

/// A safetensors file that nobody trusts: all it claims is checked when it is read.
class Weights {
public:
  static llvm::Expected<Weights> read(llvm::StringRef path);
  static llvm::Expected<Weights> parse(std::unique_ptr<llvm::MemoryBuffer> file);

  /// The tensors by their names, in which '/' is '.'.
  const std::map<std::string, WeightTensor> &tensors() const { return byName; }

private:
  llvm::Error addTensor(llvm::StringRef name, const void *object, llvm::StringRef data);

  std::unique_ptr<llvm::MemoryBuffer> file;
  std::map<std::string, WeightTensor> byName;
};

} // namespace dlc::stablehlo

#endif // DLC_FRONTENDS_STABLEHLO_WEIGHTS_H
