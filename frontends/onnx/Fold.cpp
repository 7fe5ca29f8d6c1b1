//===- Fold.cpp - shape arithmetic at import
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exporters compute shapes with nodes (Shape, Gather, Concat ... Reshape). Where all operands are small
// integer tensors known at import the result is, too: named dims are carried along as far as products go.
// What cannot be computed here is imported like any other node.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Fold.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace dlc::onnx {

//===-- Elementwise ------------------------------------------------------------------===//

/// `a op b` on numbers; nullopt where C++ has no answer.
using Arithmetic = std::optional<int64_t> (*)(int64_t, int64_t);

static std::optional<int64_t> divideNumbers(int64_t a, int64_t b) {
  if (b == 0 || (a == std::numeric_limits<int64_t>::min() && b == -1))
    return std::nullopt;
  return a / b;
}
static std::optional<int64_t> addNumbers(int64_t a, int64_t b) {
  int64_t result;
  return llvm::AddOverflow(a, b, result) ? std::nullopt : std::optional(result);
}
static std::optional<int64_t> subtractNumbers(int64_t a, int64_t b) {
  int64_t result;
  return llvm::SubOverflow(a, b, result) ? std::nullopt : std::optional(result);
}
static std::optional<int64_t> multiplyNumbers(int64_t a, int64_t b) {
  int64_t result;
  return llvm::MulOverflow(a, b, result) ? std::nullopt : std::optional(result);
}

static Arithmetic arithmeticOf(StringRef op) {
  return llvm::StringSwitch<Arithmetic>(op)
      .Case("Add", addNumbers)
      .Case("Sub", subtractNumbers)
      .Case("Mul", multiplyNumbers)
      .Case("Div", divideNumbers)
      .Case("Max", [](int64_t a, int64_t b) { return std::optional(std::max(a, b)); })
      .Case("Min", [](int64_t a, int64_t b) { return std::optional(std::min(a, b)); })
      .Case("Equal", [](int64_t a, int64_t b) { return std::optional<int64_t>(a == b); })
      .Case("Less", [](int64_t a, int64_t b) { return std::optional<int64_t>(a < b); })
      .Case("Greater", [](int64_t a, int64_t b) { return std::optional<int64_t>(a > b); })
      .Case("And", [](int64_t a, int64_t b) { return std::optional<int64_t>(a && b); })
      .Case("Or", [](int64_t a, int64_t b) { return std::optional<int64_t>(a || b); })
      .Default(nullptr);
}

/// Nullopt where it is no size: without this, squaring a named dim again and again would take all memory.
static std::optional<nn::Dim> multiply(const nn::Dim &a, const nn::Dim &b) {
  auto isLarge = [](const nn::Dim &dim) { return dim.factor < -maxDim || dim.factor > maxDim; };
  if (isLarge(a) || isLarge(b) || int64_t(a.names.size() + b.names.size()) > maxDimNames)
    return std::nullopt;
  return a * b;
}

/// One element, perhaps with named dims: products, exact quotients and some comparisons exist for them.
static std::optional<nn::Dim> combine(StringRef op, Arithmetic rule, const nn::Dim &a, const nn::Dim &b) {
  if (a.isStatic() && b.isStatic()) {
    std::optional<int64_t> result = rule(a.factor, b.factor);
    return result ? std::optional<nn::Dim>(*result) : std::nullopt;
  }
  if (op == "Mul")
    return multiply(a, b);
  if (op == "Div")
    return nn::divide(a, b);
  if ((op == "Add" && b == nn::Dim(0)) || (op == "Sub" && b == nn::Dim(0)))
    return a;
  if (op == "Add" && a == nn::Dim(0))
    return b;
  if (op == "Equal") {
    if (a == b)
      return nn::Dim(1);
    // A size is never negative.
    const nn::Dim &number = a.isStatic() ? a : b;
    if (number.isStatic() && number.factor < 0)
      return nn::Dim(0);
  }
  return std::nullopt;
}

/// Operands of equal shape, or one of them a single number.
static Folded foldBinary(StringRef op, Arithmetic rule, const DimTensor &a, const DimTensor &b, bool isTest,
                         Type boolean) {
  size_t count = std::max(a.elements.size(), b.elements.size());
  bool aIsOne = a.elements.size() == 1, bIsOne = b.elements.size() == 1;
  if (a.elementType != b.elementType || a.elements.empty() || b.elements.empty() ||
      (a.shape != b.shape && !(aIsOne && a.shape.size() <= b.shape.size()) &&
       !(bIsOne && b.shape.size() <= a.shape.size())))
    return std::nullopt;
  DimTensor result{isTest ? boolean : a.elementType, a.shape, {}};
  if (b.elements.size() > a.elements.size() || b.shape.size() > a.shape.size())
    result.shape = b.shape;
  for (size_t i = 0; i < count; ++i) {
    auto element = combine(op, rule, a.elements[aIsOne ? 0 : i], b.elements[bIsOne ? 0 : i]);
    if (!element)
      return std::nullopt;
    result.elements.push_back(*element);
  }
  return result;
}

static Folded foldWhere(const DimTensor &condition, const DimTensor &a, const DimTensor &b) {
  if (!condition.isStatic() || a.elementType != b.elementType)
    return std::nullopt;
  size_t count = condition.elements.size();
  for (const DimTensor *operand : {&a, &b})
    if (operand->elements.size() != 1 && operand->shape != condition.shape)
      return std::nullopt;
  DimTensor result{a.elementType, condition.shape, {}};
  for (size_t i = 0; i < count; ++i) {
    const DimTensor &chosen = condition.elements[i].factor ? a : b;
    result.elements.push_back(chosen.elements[chosen.elements.size() == 1 ? 0 : i]);
  }
  return result;
}

//===-- Parts and joins --------------------------------------------------------------===//

static Folded foldConcat(Node &node) {
  DimTensor result{node.elementType(0), {0}, {}};
  for (int i = 0; i < node.inputCount(); ++i) {
    Folded part = node.dims(i);
    if (!part || part->shape.size() != 1 || part->elementType != result.elementType ||
        int64_t(result.elements.size() + part->elements.size()) > maxDimElements)
      return std::nullopt;
    result.elements.append(part->elements);
  }
  result.shape[0] = result.elements.size();
  return result;
}

static Folded foldGather(Node &node, const DimTensor &x) {
  Folded indices = node.dims(1);
  if (x.shape.size() != 1 || !indices || !indices->isStatic())
    return std::nullopt;
  DimTensor result{x.elementType, indices->shape, {}};
  int64_t size = x.elements.size();
  for (const nn::Dim &index : indices->elements) {
    if (index.factor < -size || index.factor >= size)
      return std::nullopt;
    result.elements.push_back(x.elements[index.factor + (index.factor < 0 ? size : 0)]);
  }
  return result;
}

/// A ScatterElements of rank 1: the shape that PyTorch's index_fill is exported with.
static Folded foldScatter(Node &node, DimTensor x) {
  Folded indices = node.inputCount() == 3 ? node.dims(1) : std::nullopt;
  Folded updates = indices ? node.dims(2) : std::nullopt;
  if (x.shape.size() != 1 || !updates || !indices->isStatic() || updates->elementType != x.elementType ||
      updates->shape != indices->shape || node.text("reduction", "none") != "none")
    return std::nullopt;
  int64_t size = x.elements.size();
  for (auto [index, update] : llvm::zip_equal(indices->elements, updates->elements)) {
    if (index.factor < -size || index.factor >= size)
      return std::nullopt;
    x.elements[index.factor + (index.factor < 0 ? size : 0)] = update;
  }
  return x;
}

/// A Slice of rank 1 with positive step.
static Folded foldSlice(Node &node, const DimTensor &x) {
  auto only = [&](int input, StringRef attribute, int64_t fallback) -> std::optional<int64_t> {
    if (node.since < 10) {
      auto list = node.integerList(attribute);
      return !list               ? std::optional(fallback)
             : list->size() == 1 ? std::optional(list->front())
                                 : std::nullopt;
    }
    if (!node.has(input))
      return fallback;
    Folded known = node.dims(input);
    return known && known->isStatic() && known->elements.size() == 1
               ? std::optional(known->elements[0].factor)
               : std::nullopt;
  };
  auto start = only(1, "starts", 0), end = only(2, "ends", maxDim), step = only(4, "steps", 1);
  if (x.shape.size() != 1 || !start || !end || !step || *step <= 0)
    return std::nullopt;
  int64_t size = x.elements.size();
  auto clamp = [&](int64_t position) {
    return std::min(std::max(position < 0 ? position + size : position, int64_t(0)), size);
  };
  DimTensor result{x.elementType, {}, {}};
  for (int64_t i = clamp(*start); i < clamp(*end); i += std::min(*step, size))
    result.elements.push_back(x.elements[i]);
  result.shape.push_back(result.elements.size());
  return result;
}

static Folded foldCast(Node &node, DimTensor x) {
  Type type = elementTypeOf(node.integer("to", 0), node.b.getContext());
  if (!type || !isa<IntegerType>(type) || type.isInteger(1) || x.elementType.isInteger(1))
    return std::nullopt;
  x.elementType = type;
  return x;
}

static Folded foldProduct(Node &node, const DimTensor &x) {
  if (x.shape.size() > 1)
    return std::nullopt;
  if (node.hasAttribute("axes") || node.has(1)) {
    std::optional<SmallVector<int64_t>> axes = knownAxes(node, x.shape.size());
    if (!axes || axes->size() != 1)
      return std::nullopt;
  } else if (node.integer("noop_with_empty_axes", 0) != 0) {
    return x;
  }
  std::optional<nn::Dim> product(1);
  for (const nn::Dim &dim : x.elements)
    if (product = multiply(*product, dim); !product)
      return std::nullopt;
  bool keeps = node.integer("keepdims", 1) != 0 && x.shape.size() == 1;
  return DimTensor{x.elementType, keeps ? SmallVector<int64_t>{1} : SmallVector<int64_t>(), {*product}};
}

//===-- Which ------------------------------------------------------------------------===//

static Folded tryFold(Node &node, StringRef op) {
  if (node.inputCount() == 0 || !node.has(0))
    return std::nullopt;
  if (op == "Concat")
    return foldConcat(node);
  Folded x = node.dims(0);
  if (!x)
    return std::nullopt;
  if (Arithmetic rule = arithmeticOf(op)) {
    Folded y = node.inputCount() == 2 ? node.dims(1) : std::nullopt;
    bool isTest = llvm::is_contained({"Equal", "Less", "Greater"}, op);
    return y ? foldBinary(op, rule, *x, *y, isTest, node.b.getI1Type()) : std::nullopt;
  }
  if (op == "Where") {
    Folded a = node.dims(1), b = node.dims(2);
    return a && b ? foldWhere(*x, *a, *b) : std::nullopt;
  }
  if (op == "Gather")
    return foldGather(node, *x);
  if (op == "ScatterElements")
    return foldScatter(node, *x);
  if (op == "Slice")
    return foldSlice(node, *x);
  if (op == "Reshape")
    return foldReshape(node, *x);
  if (op == "Squeeze")
    return foldSqueeze(node, *x);
  if (op == "Unsqueeze")
    return foldUnsqueeze(node, *x);
  if (op == "Cast")
    return foldCast(node, *x);
  if (op == "ReduceProd")
    return foldProduct(node, *x);
  return std::nullopt;
}

bool foldDims(Node &node, StringRef op) {
  Folded result = tryFold(node, op);
  if (!result)
    return false;
  node.give(0, std::move(*result));
  return true;
}

} // namespace dlc::onnx
