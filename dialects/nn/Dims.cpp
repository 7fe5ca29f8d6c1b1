//===- Dims.cpp - static and named dims of nn types
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Named dims are kept as a sorted list of names and a factor, so that equal products compare equal
// whatever the order in which they were multiplied.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Dims.h"
#include "dialects/nn/NN.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;

namespace nn {

/// How a dynamic dim without a name reads.
static constexpr llvm::StringLiteral unknownName = "?";

static bool isName(StringRef text) {
  if (text.empty() || !(llvm::isAlpha(text[0]) || text[0] == '_') || text == "_")
    return false;
  return llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; });
}

std::string Dim::str() const {
  if (isStatic())
    return std::to_string(factor);
  std::string product = llvm::join(names, "*");
  return factor == 1 ? product : std::to_string(factor) + "*" + product;
}

std::optional<Dim> Dim::parse(StringRef text) {
  Dim dim;
  SmallVector<StringRef> parts;
  text.split(parts, '*');
  for (auto [i, part] : llvm::enumerate(parts)) {
    int64_t number;
    if (i == 0 && !part.getAsInteger(10, number))
      dim.factor = number;
    else if (isName(part))
      dim.names.push_back(part.str());
    else
      return std::nullopt;
  }
  // One text for one dim: a factor of 1 is left out, names are in order.
  llvm::sort(dim.names);
  if (dim.factor < (dim.isStatic() ? 0 : 1) || dim.str() != text)
    return std::nullopt;
  return dim;
}

/// Sizes that do not exist must not wrap around to some that do.
static constexpr int64_t largest = std::numeric_limits<int64_t>::max();

int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  return llvm::AddOverflow(a, b, sum) ? largest : sum;
}

int64_t saturatingMultiply(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? largest : product;
}

Dim operator*(const Dim &a, const Dim &b) {
  Dim product;
  product.factor = saturatingMultiply(a.factor, b.factor);
  if (product.factor == 0)
    return product; // nothing times anything
  product.names = a.names;
  product.names.append(b.names.begin(), b.names.end());
  llvm::sort(product.names);
  return product;
}

std::optional<Dim> divide(const Dim &a, const Dim &b) {
  if (b.factor == 0 || a.factor % b.factor != 0)
    return std::nullopt;
  Dim quotient(a.factor / b.factor);
  quotient.names = a.names;
  for (const std::string &name : b.names) {
    auto found = llvm::find(quotient.names, name);
    if (found == quotient.names.end())
      return std::nullopt;
    quotient.names.erase(found);
  }
  return quotient;
}

Shape shapeOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  auto dims = dyn_cast_or_null<DimsAttr>(tensor.getEncoding());
  Shape shape;
  for (auto [i, size] : llvm::enumerate(tensor.getShape())) {
    if (!ShapedType::isDynamic(size)) {
      shape.push_back(size);
      continue;
    }
    std::optional<Dim> named = dims ? Dim::parse(dims.getNames()[i].getValue()) : std::nullopt;
    if (!named) {
      named.emplace();
      named->names.push_back(unknownName.str());
    }
    shape.push_back(*named);
  }
  return shape;
}

RankedTensorType tensorType(ArrayRef<Dim> shape, Type elementType) {
  MLIRContext *context = elementType.getContext();
  SmallVector<int64_t> sizes;
  SmallVector<StringAttr> names;
  bool anyNamed = false, anyUnknown = false;
  for (const Dim &dim : shape) {
    sizes.push_back(dim.isStatic() ? dim.factor : ShapedType::kDynamic);
    names.push_back(StringAttr::get(context, dim.isStatic() ? std::string("_") : dim.str()));
    anyNamed |= !dim.isStatic();
    anyUnknown |= llvm::is_contained(dim.names, unknownName);
  }
  Attribute encoding = anyNamed && !anyUnknown ? DimsAttr::get(context, names) : Attribute();
  return RankedTensorType::get(sizes, elementType, encoding);
}

bool isTooLarge(ArrayRef<Dim> shape, llvm::function_ref<int64_t(StringRef)> sizeOf) {
  int64_t count = 1;
  auto multiply = [&](int64_t size) { count = saturatingMultiply(count, std::max<int64_t>(size, 1)); };
  for (const Dim &dim : shape) {
    multiply(dim.factor);
    if (sizeOf)
      for (const std::string &name : dim.names)
        multiply(sizeOf(name));
  }
  return count > maxElements || int64_t(shape.size()) > maxRank;
}

std::optional<Shape> broadcast(ArrayRef<Dim> a, ArrayRef<Dim> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  size_t leading = a.size() - b.size();
  Shape shape(a.begin(), a.begin() + leading);
  for (auto [x, y] : llvm::zip_equal(a.drop_front(leading), b)) {
    if (x != y && !x.isOne() && !y.isOne())
      return std::nullopt;
    shape.push_back(x.isOne() ? y : x);
  }
  return shape;
}

std::string str(ArrayRef<Dim> shape) {
  return "[" + llvm::join(llvm::map_range(shape, [](const Dim &dim) { return dim.str(); }), ", ") + "]";
}

Dim elementCount(ArrayRef<Dim> shape) {
  Dim count(1);
  for (const Dim &dim : shape)
    count = count * dim;
  return count;
}

} // namespace nn
