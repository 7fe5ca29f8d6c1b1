//===- Raw.cpp - numbers as bytes -----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion between tensors and bytes.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Raw.h"

#include "llvm/ADT/APFloat.h"
#include <cstring>

namespace dlc::interpret {
namespace {

const llvm::fltSemantics &halfSemantics(DType dtype) {
  return dtype == DType::F16 ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat();
}

template <typename Number> void readNumbers(llvm::ArrayRef<char> bytes, Tensor &tensor) {
  for (int64_t i = 0, size = tensor.size(); i < size; ++i) {
    Number number;
    std::memcpy(&number, bytes.data() + i * sizeof(Number), sizeof(Number));
    if (tensor.isFloat())
      tensor.floats[i] = static_cast<double>(number);
    else
      tensor.ints[i] = static_cast<int64_t>(number);
  }
}

template <typename Number> void writeNumbers(const Tensor &tensor, std::vector<char> &bytes) {
  for (int64_t i = 0, size = tensor.size(); i < size; ++i) {
    Number number =
        tensor.isFloat() ? static_cast<Number>(tensor.floats[i]) : static_cast<Number>(tensor.ints[i]);
    std::memcpy(bytes.data() + i * sizeof(Number), &number, sizeof(Number));
  }
}

void readHalves(llvm::ArrayRef<char> bytes, Tensor &tensor) {
  for (int64_t i = 0, size = tensor.size(); i < size; ++i) {
    uint16_t bits;
    std::memcpy(&bits, bytes.data() + i * sizeof(bits), sizeof(bits));
    tensor.floats[i] = llvm::APFloat(halfSemantics(tensor.dtype), llvm::APInt(16, bits)).convertToDouble();
  }
}

void writeHalves(const Tensor &tensor, std::vector<char> &bytes) {
  for (int64_t i = 0, size = tensor.size(); i < size; ++i) {
    llvm::APFloat number(tensor.floats[i]);
    bool losesInfo = false;
    number.convert(halfSemantics(tensor.dtype), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    auto bits = static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
    std::memcpy(bytes.data() + i * sizeof(bits), &bits, sizeof(bits));
  }
}

} // namespace

size_t bytesOf(DType dtype) {
  switch (dtype) {
  case DType::F64:
  case DType::I64:
    return 8;
  case DType::F32:
  case DType::TF32:
  case DType::I32:
    return 4;
  case DType::F16:
  case DType::BF16:
    return 2;
  case DType::UI8:
  case DType::I1:
    return 1;
  }
  llvm_unreachable("unknown dtype");
}

void fromBytes(llvm::ArrayRef<char> bytes, Tensor &tensor) {
  switch (tensor.dtype) {
  case DType::F64:
    return readNumbers<double>(bytes, tensor);
  case DType::F32:
  case DType::TF32:
    return readNumbers<float>(bytes, tensor);
  case DType::F16:
  case DType::BF16:
    return readHalves(bytes, tensor);
  case DType::I64:
    return readNumbers<int64_t>(bytes, tensor);
  case DType::I32:
    return readNumbers<int32_t>(bytes, tensor);
  case DType::UI8:
  case DType::I1:
    return readNumbers<uint8_t>(bytes, tensor);
  }
}

std::vector<char> toBytes(const Tensor &tensor) {
  std::vector<char> bytes(tensor.size() * bytesOf(tensor.dtype));
  switch (tensor.dtype) {
  case DType::F64:
    writeNumbers<double>(tensor, bytes);
    break;
  case DType::F32:
  case DType::TF32:
    writeNumbers<float>(tensor, bytes);
    break;
  case DType::F16:
  case DType::BF16:
    writeHalves(tensor, bytes);
    break;
  case DType::I64:
    writeNumbers<int64_t>(tensor, bytes);
    break;
  case DType::I32:
    writeNumbers<int32_t>(tensor, bytes);
    break;
  case DType::UI8:
  case DType::I1:
    writeNumbers<uint8_t>(tensor, bytes);
    break;
  }
  return bytes;
}

} // namespace dlc::interpret
