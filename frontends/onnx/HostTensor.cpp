//===- HostTensor.cpp - tensors known at import
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/HostTensor.h"
#include "compiler/support/Elements.h"
#include "frontends/common/DenseElements.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace dlc::onnx {

template <typename T> static T load(const HostTensor &tensor, int64_t i) {
  T value;
  std::memcpy(&value, tensor.data.data() + (tensor.splat ? 0 : i * sizeof(T)), sizeof(T));
  return value;
}

double HostTensor::number(int64_t i) const {
  Type element = type.getElementType();
  if (element.isF32())
    return load<float>(*this, i);
  if (element.isF64())
    return load<double>(*this, i);
  return double(integer(i));
}

int64_t HostTensor::integer(int64_t i) const {
  Type element = type.getElementType();
  if (element.isInteger(64))
    return load<int64_t>(*this, i);
  if (element.isInteger(32))
    return load<int32_t>(*this, i);
  if (element.isUnsignedInteger(8))
    return load<uint8_t>(*this, i);
  assert(element.isInteger(1) && "not a tensor of integers");
  return load<char>(*this, i) != 0;
}

DenseElementsAttr HostTensor::denseAttribute() const { return frontend::denseElements(type, data, splat); }

ElementsAttr HostTensor::attribute(StringRef name) const {
  return frontend::storedElements(type, data, splat, name);
}

template <typename T> static frontend::TensorBytes bytesOf(T value) {
  return frontend::TensorBytes::copy({reinterpret_cast<const char *>(&value), sizeof(T)});
}

HostTensor splatTensor(RankedTensorType type, double value) {
  Type element = type.getElementType();
  frontend::TensorBytes bytes = element.isF32()         ? bytesOf(float(value))
                                : element.isF64()       ? bytesOf(value)
                                : element.isInteger(64) ? bytesOf(int64_t(value))
                                : element.isInteger(32) ? bytesOf(int32_t(value))
                                : element.isInteger(8)  ? bytesOf(uint8_t(value))
                                                        : bytesOf(char(value != 0));
  if (type.getNumElements() == 0)
    return {type, {}, false};
  return {type, std::move(bytes), true};
}

HostTensor hostTensor(DenseElementsAttr constant) {
  HostTensor tensor{cast<RankedTensorType>(constant.getType()), {}, constant.isSplat()};
  if (tensor.type.getElementType().isInteger(1)) {
    SmallVector<char> bytes;
    for (bool value : constant.getValues<bool>()) {
      bytes.push_back(value);
      if (tensor.splat)
        break;
    }
    tensor.data = frontend::TensorBytes::copy(bytes);
    return tensor;
  }
  tensor.data = frontend::TensorBytes::copy(constant.getRawData());
  tensor.splat &= tensor.count() > 0;
  return tensor;
}

bool DimTensor::isStatic() const {
  return llvm::all_of(elements, [](const nn::Dim &dim) { return dim.isStatic(); });
}

HostTensor DimTensor::host() const {
  HostTensor tensor{RankedTensorType::get(shape, elementType), {}, false};
  std::vector<char> all;
  for (const nn::Dim &dim : elements) {
    frontend::TensorBytes bytes = elementType.isInteger(64)   ? bytesOf(dim.factor)
                                  : elementType.isInteger(32) ? bytesOf(int32_t(dim.factor))
                                                              : bytesOf(char(dim.factor != 0));
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  tensor.data = frontend::TensorBytes::copy(all);
  return tensor;
}

std::optional<DimTensor> asDims(const HostTensor &tensor) {
  if (tensor.isFloat() || tensor.type.getElementType().isInteger(8) || tensor.count() > maxDimElements)
    return std::nullopt;
  DimTensor dims{tensor.type.getElementType(), llvm::to_vector(tensor.type.getShape()), {}};
  for (int64_t i = 0; i < tensor.count(); ++i)
    dims.elements.push_back(tensor.integer(i));
  return dims;
}

} // namespace dlc::onnx
