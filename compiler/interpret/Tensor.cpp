//===- Tensor.cpp - shapes, strides, rounding -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shapes, strides and rounding of the interpreter's values.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Tensor.h"

#include "llvm/ADT/APFloat.h"

namespace dlc::interpret {

std::optional<DType> dtypeOf(mlir::Type type) {
  if (type.isF64())
    return DType::F64;
  if (type.isF32())
    return DType::F32;
  if (type.isTF32())
    return DType::TF32;
  if (type.isF16())
    return DType::F16;
  if (type.isBF16())
    return DType::BF16;
  if (type.isInteger(64) || type.isIndex())
    return DType::I64;
  if (type.isInteger(32))
    return DType::I32;
  if (type.isUnsignedInteger(8))
    return DType::UI8;
  if (type.isInteger(1))
    return DType::I1;
  return std::nullopt;
}

llvm::StringRef str(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return "f64";
  case DType::F32:
    return "f32";
  case DType::TF32:
    return "tf32";
  case DType::F16:
    return "f16";
  case DType::BF16:
    return "bf16";
  case DType::I64:
    return "i64";
  case DType::I32:
    return "i32";
  case DType::UI8:
    return "ui8";
  case DType::I1:
    return "i1";
  }
  llvm_unreachable("unknown dtype");
}

int64_t product(llvm::ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

Tensor Tensor::zeros(DType dtype, llvm::ArrayRef<int64_t> shape) {
  Tensor tensor;
  tensor.dtype = dtype;
  tensor.shape.assign(shape.begin(), shape.end());
  if (tensor.isFloat())
    tensor.floats.assign(tensor.size(), 0.0);
  else
    tensor.ints.assign(tensor.size(), 0);
  return tensor;
}

Tensor Tensor::scalar(double number, DType dtype) {
  Tensor tensor = zeros(dtype, {});
  if (tensor.isFloat())
    tensor.floats[0] = number;
  else
    tensor.ints[0] = static_cast<int64_t>(number);
  return tensor;
}

int64_t Tensor::size() const { return product(shape); }

std::string Tensor::typeStr() const {
  std::string text;
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + str(dtype).str();
}

double roundTo(DType dtype, double number) {
  if (dtype == DType::F64)
    return number;
  if (dtype == DType::F32)
    return static_cast<float>(number);
  llvm::APFloat value(number);
  bool losesInfo = false;
  if (dtype == DType::TF32) {
    value.convert(llvm::APFloat::FloatTF32(), llvm::APFloat::rmNearestTiesToAway, &losesInfo);
    return value.convertToDouble();
  }
  value.convert(dtype == DType::F16 ? llvm::APFloat::IEEEhalf() : llvm::APFloat::BFloat(),
                llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

void Tensor::roundToDType() {
  if (dtype != DType::F64)
    for (double &number : floats)
      number = roundTo(dtype, number);
  if (dtype == DType::I32)
    for (int64_t &number : ints)
      number = static_cast<int32_t>(number);
  if (dtype == DType::UI8)
    for (int64_t &number : ints)
      number = static_cast<uint8_t>(number);
}

llvm::SmallVector<int64_t, 4> stridesOf(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t, 4> strides(shape.size(), 1);
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 2; dim >= 0; --dim)
    strides[dim] = strides[dim + 1] * shape[dim + 1];
  return strides;
}

llvm::SmallVector<int64_t, 4> broadcastStrides(llvm::ArrayRef<int64_t> shape,
                                               llvm::ArrayRef<int64_t> result) {
  assert(shape.size() <= result.size() && "a result of broadcasting has the larger rank");
  llvm::SmallVector<int64_t, 4> own = stridesOf(shape), strides(result.size(), 0);
  size_t lead = result.size() - shape.size();
  for (size_t dim = 0; dim < shape.size(); ++dim)
    strides[lead + dim] = shape[dim] == 1 && result[lead + dim] != 1 ? 0 : own[dim];
  return strides;
}

int64_t offsetOf(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> strides) {
  int64_t offset = 0;
  for (size_t dim = 0; dim < index.size(); ++dim)
    offset += index[dim] * strides[dim];
  return offset;
}

void copyElement(const Tensor &from, int64_t source, Tensor &to, int64_t destination) {
  if (to.isFloat())
    to.floats[destination] = from.floats[source];
  else
    to.ints[destination] = from.ints[source];
}

void forEachIndex(llvm::ArrayRef<int64_t> shape, llvm::function_ref<void(llvm::ArrayRef<int64_t>)> body) {
  if (product(shape) == 0)
    return;
  llvm::SmallVector<int64_t, 4> index(shape.size(), 0);
  while (true) {
    body(index);
    int64_t dim = static_cast<int64_t>(shape.size()) - 1;
    while (dim >= 0 && ++index[dim] == shape[dim])
      index[dim--] = 0;
    if (dim < 0)
      return;
  }
}

} // namespace dlc::interpret
