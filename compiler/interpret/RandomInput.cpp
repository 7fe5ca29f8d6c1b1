//===- RandomInput.cpp - numbers for inputs -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/interpret/RandomInput.h"

namespace dlc::interpret {

Tensor randomInput(train::InputOp input, llvm::ArrayRef<int64_t> shape, std::mt19937_64 &engine, double low) {
  auto type = mlir::cast<mlir::RankedTensorType>(input.getType());
  Tensor tensor = Tensor::zeros(*dtypeOf(type.getElementType()), shape);
  for (double &number : tensor.floats)
    number = low + (1 - low) * 0x1p-53 * static_cast<double>(engine() >> 11);
  const bool isByte = tensor.dtype == DType::UI8; // a pixel may be any
  int64_t first = input.getLow().value_or(isByte ? 0 : 1),
          limit = input.getLimit().value_or(first + (isByte ? 256 : 2));
  for (int64_t &number : tensor.ints)
    number = tensor.dtype == DType::I1
                 ? static_cast<int64_t>(engine() % 2)
                 : first + static_cast<int64_t>(engine() %
                                                static_cast<uint64_t>(std::max<int64_t>(limit - first, 1)));
  tensor.roundToDType();
  return tensor;
}

} // namespace dlc::interpret
