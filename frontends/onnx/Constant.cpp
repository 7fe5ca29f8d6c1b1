//===- Constant.cpp - ONNX operators that give constants
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/Node.h"

using namespace mlir;

namespace dlc::onnx {

/// The tensor of an attribute; nullopt after an error.
static std::optional<HostTensor> tensorAttribute(Node &node, StringRef name) {
  const ::onnx::AttributeProto *attribute = node.attribute(name);
  if (!attribute->has_t()) {
    node.error("attribute '" + name + "' must be a tensor");
    return std::nullopt;
  }
  llvm::Expected<HostTensor> tensor = readTensor(attribute->t(), node.folder(), node.b.getContext());
  if (tensor)
    return std::move(*tensor);
  node.error("attribute '" + name + "': " + llvm::toString(tensor.takeError()));
  return std::nullopt;
}

template <typename T>
static HostTensor hostTensor(ArrayRef<T> values, ArrayRef<int64_t> shape, Type elementType) {
  HostTensor tensor{RankedTensorType::get(shape, elementType), {}, false};
  tensor.data.resize(values.size() * sizeof(T));
  if (!values.empty())
    std::memcpy(tensor.data.data(), values.data(), tensor.data.size());
  return tensor;
}

static void constant(Node &node) {
  if (node.hasAttribute("value")) {
    if (auto tensor = tensorAttribute(node, "value"))
      node.give(0, std::move(*tensor));
  } else if (node.hasAttribute("value_int")) {
    node.give(0, hostTensor<int64_t>(node.integer("value_int", 0), {}, node.b.getI64Type()));
  } else if (node.hasAttribute("value_float")) {
    node.give(0, hostTensor<float>(float(node.number("value_float", 0)), {}, node.b.getF32Type()));
  } else if (auto integers = node.integerList("value_ints")) {
    node.give(0, hostTensor<int64_t>(*integers, int64_t(integers->size()), node.b.getI64Type()));
  } else if (auto numbers = node.numberList("value_floats")) {
    node.give(0, hostTensor<float>(*numbers, int64_t(numbers->size()), node.b.getF32Type()));
  } else {
    node.error("has no value that is supported (strings and sparse tensors are not)");
  }
}

static void constantOfShape(Node &node) {
  std::optional<DimTensor> target = node.dims(0);
  if (!target) {
    (void)node.integers(0, "the shape");
    return;
  }
  HostTensor value = splatTensor(RankedTensorType::get({}, node.b.getF32Type()), 0);
  if (node.hasAttribute("value")) {
    std::optional<HostTensor> given = tensorAttribute(node, "value");
    if (!given)
      return;
    if (given->count() != 1)
      return node.error("the value must be one number");
    value = std::move(*given);
  }
  Type element = value.type.getElementType();
  if (!node.checkSize(target->elements))
    return;
  if (!target->isStatic()) {
    value.type = RankedTensorType::get({}, element);
    return node.give(0,
                     node.expand(nn::ConstantOp::create(node.b, value.denseAttribute()), target->elements));
  }
  auto type = RankedTensorType::get(
      llvm::map_to_vector(target->elements, [](const nn::Dim &dim) { return dim.factor; }), element);
  if (type.getNumElements() == 0)
    return node.give(0, HostTensor{type, {}, false});
  node.give(0, HostTensor{type, std::move(value.data), /*splat=*/true});
}

/// start, start + delta, ... before limit
static void range(Node &node) {
  double bounds[3];
  for (int i : {0, 1, 2}) {
    const HostTensor *known = node.constant(i);
    if (!known || known->count() != 1)
      return node.error("start, limit and delta must be known at compile time, but '" + node.inputName(i) +
                        "' is computed or an input");
    if (known->type.getElementType() != node.elementType(0))
      return node.error("start, limit and delta have different types");
    bounds[i] = known->number(0);
  }
  auto [start, limit, delta] = bounds;
  double count = std::max(0.0, std::ceil((limit - start) / delta));
  if (!(count <= double(1 << 22)))
    return node.error("from " + str(start) + " to " + str(limit) + " by " + str(delta) + " is too long");
  Type element = node.elementType(0);
  HostTensor tensor{RankedTensorType::get({int64_t(count)}, element), {}, false};
  for (int64_t i = 0; i < int64_t(count); ++i) {
    HostTensor one = splatTensor(RankedTensorType::get({}, element), start + double(i) * delta);
    tensor.data.insert(tensor.data.end(), one.data.begin(), one.data.end());
  }
  node.give(0, std::move(tensor));
}

/// The dims from `start` to `end` (opset 15), as numbers.
static void shape(Node &node) {
  nn::Shape shape = node.shape(0);
  int64_t rank = shape.size();
  auto position = [&](StringRef name, int64_t fallback) {
    int64_t given = node.integer(name, fallback);
    return std::min(std::max(given < 0 ? given + rank : given, int64_t(0)), rank);
  };
  int64_t start = position("start", 0), end = std::max(position("end", rank), start);
  DimTensor result{node.b.getI64Type(), {end - start}, {}};
  result.elements.append(shape.begin() + start, shape.begin() + end);
  node.give(0, std::move(result));
}

static void size(Node &node) {
  node.give(0, DimTensor{node.b.getI64Type(), {}, {nn::elementCount(node.shape(0))}});
}

static const Row rows[] = {
    {"Constant", 1, constant, 0, 0, "value"},
    {"Constant", 12, constant, 0, 0, "value value_int value_ints value_float value_floats"},
    {"ConstantOfShape", 9, constantOfShape, 1, 1, "value"},
    {"Range", 11, range, 3, 3, ""},
    {"Shape", 1, shape, 1, 1, ""},
    {"Shape", 15, shape, 1, 1, "start end"},
    {"Size", 1, size, 1, 1, ""},
};

ArrayRef<Row> constantRows() { return rows; }

} // namespace dlc::onnx
