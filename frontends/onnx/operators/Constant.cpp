//===- Constant.cpp - ONNX operators that give constants
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

/// The tensor of an attribute; nullopt after an error.
static std::optional<HostTensor> tensorAttribute(Node &node, StringRef name) {
  const ::onnx::AttributeProto *attribute = node.attribute(name);
  if (!attribute->has_t()) {
    node.error("attribute '" + name + "' must be a tensor");
    return std::nullopt;
  }
  llvm::Expected<HostTensor> tensor = readTensor(attribute->t(), node.file(), node.b.getContext());
  if (tensor)
    return std::move(*tensor);
  node.error("attribute '" + name + "': " + llvm::toString(tensor.takeError()));
  return std::nullopt;
}

template <typename T>
static HostTensor hostTensor(ArrayRef<T> values, ArrayRef<int64_t> shape, Type elementType) {
  HostTensor tensor{RankedTensorType::get(shape, elementType), {}, false};
  tensor.data =
      frontend::TensorBytes::copy({reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T)});
  return tensor;
}

static void constant(Node &node) {
  if (node.hasAttribute("value")) {
    if (auto tensor = tensorAttribute(node, "value"))
      node.give(0, std::move(*tensor));
  } else if (node.hasAttribute("value_int")) {
    node.give(0, hostTensor<int64_t>(node.integer("value_int", 0), {}, node.b.getI64Type()));
  } else if (node.hasAttribute("value_float")) {
    node.give(0, hostTensor<float>(float(node.anyNumber("value_float", 0)), {}, node.b.getF32Type()));
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

/// The elements of a Range, which is made at compile time.
static double rangeCount(double start, double limit, double delta) {
  return std::max(0.0, std::ceil((limit - start) / delta));
}
static double rangeCount(int64_t start, int64_t limit, int64_t delta) {
  // In steps of the delta's size, so that nothing overflows.
  bool up = delta > 0;
  if (up ? start >= limit : start <= limit)
    return 0;
  uint64_t distance = up ? uint64_t(limit) - uint64_t(start) : uint64_t(start) - uint64_t(limit);
  return double((distance - 1) / (up ? uint64_t(delta) : -uint64_t(delta)) + 1);
}
static double rangeElement(double start, double delta, int64_t i) { return start + double(i) * delta; }
static int64_t rangeElement(int64_t start, int64_t delta, int64_t i) {
  return int64_t(uint64_t(start) + uint64_t(i) * uint64_t(delta));
}

template <typename Stored, typename Number>
static void giveRange(Node &node, Number start, Number limit, Number delta) {
  if (delta == 0)
    return node.error("the delta is 0");
  double count = rangeCount(start, limit, delta);
  if (!(count <= double(1 << 22)))
    return node.error("from " + str(double(start)) + " to " + str(double(limit)) + " by " +
                      str(double(delta)) + " is too long");
  std::vector<Stored> values;
  for (int64_t i = 0; i < int64_t(count); ++i)
    values.push_back(Stored(rangeElement(start, delta, i)));
  node.give(0, hostTensor<Stored>(values, int64_t(values.size()), node.elementType(0)));
}

/// 0, delta, 2 delta ... before the size of a named dim, of which delta is a divisor: positions along what is
/// left, times delta.
static bool givePositions(Node &node) {
  std::optional<DimTensor> start = node.dims(0), limit = node.dims(1), delta = node.dims(2);
  auto isOne = [](const std::optional<DimTensor> &tensor) { return tensor && tensor->elements.size() == 1; };
  if (!isOne(start) || !isOne(limit) || !isOne(delta) || start->elements[0] != nn::Dim(0) ||
      limit->elements[0].isStatic() || !delta->elements[0].isStatic() || delta->elements[0].factor < 1)
    return false;
  std::optional<nn::Dim> count = nn::divide(limit->elements[0], delta->elements[0]);
  if (!count || !node.checkSize(*count))
    return false;
  nn::Expr positions(node.b,
                     nn::IotaOp::create(node.b, nn::tensorType(*count, limit->elementType), 0).getY());
  node.give(0, delta->elements[0].isOne() ? positions : positions * double(delta->elements[0].factor));
  return true;
}

/// start, start + delta, ... before limit
static void range(Node &node) {
  if (givePositions(node))
    return;
  const HostTensor *bounds[3];
  for (int i : {0, 1, 2}) {
    bounds[i] = node.constant(i);
    if (!bounds[i] || bounds[i]->count() != 1)
      return node.error("start, limit and delta must be known at compile time, but '" + node.inputName(i) +
                        "' is computed or an input");
    if (bounds[i]->type.getElementType() != node.elementType(0))
      return node.error("start, limit and delta have different types");
  }
  Type element = node.elementType(0);
  auto give = [&](auto stored, auto get) {
    giveRange<decltype(stored)>(node, get(*bounds[0]), get(*bounds[1]), get(*bounds[2]));
  };
  auto number = [](const HostTensor &tensor) { return tensor.number(0); };
  auto integer = [](const HostTensor &tensor) { return tensor.integer(0); };
  if (element.isF32())
    give(float(), number);
  else if (element.isF64())
    give(double(), number);
  else if (element.isInteger(32))
    give(int32_t(), integer);
  else if (element.isInteger(64))
    give(int64_t(), integer);
  else
    node.error("expects numbers, got truth values");
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

static const Operator constantOperators[] = {
    {"Constant", 1, constant, 0, 0, "value"},
    {"Constant", 12, constant, 0, 0, "value value_int value_ints value_float value_floats"},
    {"ConstantOfShape", 9, constantOfShape, 1, 1, "value"},
    {"Range", 11, range, 3, 3, ""},
    {"Shape", 1, shape, 1, 1, ""},
    {"Shape", 15, shape, 1, 1, "start end"},
    {"Size", 1, size, 1, 1, ""},
};

ArrayRef<Operator> operatorsOfConstant() { return constantOperators; }

} // namespace dlc::onnx
