//===- Fourier.cpp - ONNX operator DFT ---------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transform of known length is a product with a constant matrix of cosines and sines, whose rows are the
// signal's places and whose columns are the frequencies, both with their real and imaginary parts. A length
// beyond the signal's, or before it, is rows that are not there.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"
#include <cmath>

using namespace mlir;

namespace dlc::onnx {

namespace {
/// The sizes of one transform: positions before and after it, and how many numbers each position has (1:
/// real, 2: complex).
struct Transform {
  int64_t length; ///< of the whole signal
  int64_t from, to, partsFrom, partsTo;
  bool isInverse, isOneSided;
};
} // namespace

/// The cosine and sine of 2 pi i / length. Multiples of a quarter are exact.
static std::pair<double, double> onCircle(int64_t i, int64_t length) {
  i %= length;
  if (4 * i % length == 0) {
    constexpr double cosines[] = {1, 0, -1, 0}, sines[] = {0, 1, 0, -1};
    return {cosines[4 * i / length], sines[4 * i / length]};
  }
  double angle = 2 * 3.14159265358979323846 * double(i) / double(length);
  return {std::cos(angle), std::sin(angle)};
}

/// Row-major, [from * partsFrom, to * partsTo].
static std::vector<double> matrixOf(const Transform &t) {
  int64_t columns = t.to * t.partsTo;
  std::vector<double> matrix(t.from * t.partsFrom * columns, 0);
  // The inverse of a one-sided transform counts each frequency twice, which stands for its conjugate too, but
  // for the two that have none.
  bool isDoubled = t.isInverse && t.isOneSided;
  int64_t places = std::min(t.from, isDoubled ? t.length / 2 + 1 : t.length);
  for (int64_t n = 0; n < places; ++n) {
    double weight =
        (t.isInverse ? 1 / double(t.length) : 1.0) * (isDoubled && n && 2 * n != t.length ? 2 : 1);
    for (int64_t k = 0; k < t.to; ++k) {
      auto [cosine, sine] = onCircle(n * k, t.length);
      double parts[2][2] = {{cosine, t.isInverse ? sine : -sine}, {t.isInverse ? -sine : sine, cosine}};
      for (int64_t in = 0; in < t.partsFrom; ++in)
        for (int64_t out = 0; out < t.partsTo; ++out)
          matrix[(n * t.partsFrom + in) * columns + k * t.partsTo + out] = weight * parts[in][out];
    }
  }
  return matrix;
}

/// x times the matrix along `axis` and the last dim, which is that of the parts.
static Value transformed(Node &node, Value x, int64_t axis, const Transform &t) {
  nn::Shape shape = nn::shapeOf(x);
  int64_t rank = shape.size();
  SmallVector<int64_t> there, back(rank);
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis && dim != rank - 1)
      there.push_back(dim);
  there.append({axis, rank - 1});
  for (auto [to, from] : llvm::enumerate(there))
    back[from] = to;
  nn::Shape rows;
  for (int64_t dim : ArrayRef(there).drop_back(2))
    rows.push_back(shape[dim]);
  nn::Shape wide = rows, narrow = rows;
  wide.push_back(t.from * t.partsFrom);
  narrow.append({nn::Dim(t.to), nn::Dim(t.partsTo)});
  std::vector<double> numbers = matrixOf(t);
  Type element = nn::elementTypeOf(x);
  auto type = RankedTensorType::get({t.from * t.partsFrom, t.to * t.partsTo}, element);
  SmallVector<Attribute> elements;
  for (double number : numbers)
    elements.push_back(node.b.getFloatAttr(element, number));
  Value matrix = nn::ConstantOp::create(node.b, DenseElementsAttr::get(type, elements));
  Value moved = node.make<nn::TransposeOp>({x}, node.attr("permutation", there));
  Value product = node.make<nn::MatMulOp>({node.reshape(moved, wide), matrix});
  return node.make<nn::TransposeOp>({node.reshape(product, narrow)}, node.attr("permutation", back));
}

/// One integer that must be known; `fallback` where it is not given, nullopt after an error.
static std::optional<int64_t> oneInteger(Node &node, int input, StringRef what, int64_t fallback) {
  if (!node.has(input))
    return fallback;
  std::optional<SmallVector<int64_t>> known = node.integers(input, what);
  if (known && known->size() != 1)
    node.error(what + " must be one number, got " + Twine(known->size()));
  return known && known->size() == 1 ? std::optional(known->front()) : std::nullopt;
}

/// Up to opset 19 the axis is an attribute, then an input.
static void dft(Node &node) {
  constexpr int64_t mostElements = int64_t(1) << 22; // of the matrix
  nn::Shape shape = node.shape(0);
  int64_t rank = shape.size();
  if (rank < 2 || !isa<FloatType>(node.elementType(0)) ||
      (shape.back() != nn::Dim(1) && shape.back() != nn::Dim(2)))
    return node.error(
        "expects floats whose last dim has 1 element (real) or 2 (real and imaginary part), got " +
        typeName(node.elementType(0)) + " " + nn::str(shape));
  std::optional<int64_t> given =
      node.since < 20 ? node.integer("axis", 1) : oneInteger(node, 2, "the axis", -2);
  std::optional<int64_t> axis = given ? node.axis(*given, rank) : std::nullopt;
  if (!axis)
    return;
  if (*axis == rank - 1)
    return node.error("the axis is the last one, which holds the real and imaginary parts");
  if (!shape[*axis].isStatic())
    return node.error("expects a static size along axis " + Twine(*axis) + ", got " + nn::str(shape));
  Transform t{};
  t.isInverse = node.integer("inverse", 0) != 0;
  t.isOneSided = node.integer("onesided", 0) != 0;
  t.from = shape[*axis].factor;
  t.partsFrom = shape.back().factor;
  bool isToReal = t.isInverse && t.isOneSided;
  std::optional<int64_t> length = oneInteger(node, 1, "the length", isToReal ? 2 * (t.from - 1) : t.from);
  if (!length)
    return;
  if (t.isOneSided && t.partsFrom != (t.isInverse ? 2 : 1))
    return node.error(Twine("a one-sided transform takes ") +
                      (t.isInverse ? "complex numbers when it is inverse" : "real numbers") + ", got " +
                      nn::str(shape));
  if (*length < 1 || t.from < 1 || *length > maxDim)
    return node.error("expects a length of 1 or more and a signal that is not empty, got the length " +
                      Twine(*length) + " and " + nn::str(shape));
  t.length = *length;
  t.to = t.isOneSided && !t.isInverse ? t.length / 2 + 1 : t.length;
  t.partsTo = isToReal ? 1 : 2;
  if (t.from * t.partsFrom > mostElements / t.to / t.partsTo)
    return node.error("a transform of " + Twine(t.from) + " to " + Twine(t.to) +
                      " places would take a matrix of more than " + Twine(mostElements) + " numbers");
  node.give(0, transformed(node, node.value(0), *axis, t));
}

static const Operator fourierOperators[] = {
    {"DFT", 17, dft, 1, 2, "axis inverse onesided"},
    {"DFT", 20, dft, 1, 3, "inverse onesided"},
};

ArrayRef<Operator> operatorsOfFourier() { return fourierOperators; }

} // namespace dlc::onnx
