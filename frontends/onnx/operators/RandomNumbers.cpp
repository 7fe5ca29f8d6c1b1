//===- RandomNumbers.cpp - ONNX operators of the family Random: noise
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that are drawn anew in every training step: the noise of a variational autoencoder, of stochastic
// depth and the like. Each node has streams of its own, so no two nodes draw the same. The attribute `seed`
// is not followed: the seed is the library's.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"
#include <cmath>

using namespace mlir;

namespace dlc::onnx {

/// Numbers between 0 and 1; null after an error.
static Value uniform(Node &node, ArrayRef<nn::Dim> shape, Type type) {
  if (!node.checkSize(shape))
    return {};
  Value rng = node.rng();
  int64_t stream = node.nextStream();
  node.nextStream(); // the operation draws from two
  return nn::RandomUniformOp::create(node.b, nn::tensorType(shape, type), rng, stream);
}

/// Numbers of mean 0 and deviation 1 (Box and Muller, 1958).
static Value normal(Node &node, ArrayRef<nn::Dim> shape, Type type) {
  Value first = uniform(node, shape, type);
  Value second = first ? uniform(node, shape, type) : Value();
  if (!second)
    return {};
  nn::Expr radius = nn::sqrt(-2 * nn::log({node.b, first}));
  nn::Expr angle = nn::cos(2 * M_PI * nn::Expr(node.b, second));
  return radius * angle;
}

/// The type that `dtype` says, else `fallback`; null after an error.
static Type drawnType(Node &node, Type fallback) {
  int64_t to = node.integer("dtype", 0);
  Type type = to ? elementTypeOf(to, node.b.getContext()) : fallback;
  if (isa_and_nonnull<Float32Type, Float64Type>(type))
    return type;
  node.error("draws float32 or float64, got " + (to ? dataTypeName(to) : nn::str(type)));
  return {};
}

using Draw = Value (*)(Node &, ArrayRef<nn::Dim>, Type);

/// factor * drawn + offset.
static void give(Node &node, ArrayRef<nn::Dim> shape, Type fallback, Draw draw, double factor,
                 double offset) {
  Type type = drawnType(node, fallback);
  Value drawn = type ? draw(node, shape, type) : Value();
  if (!drawn)
    return;
  node.note("evaluation and prediction draw random numbers, too: those of the seed and the number of "
            "training steps");
  nn::Expr x(node.b, drawn);
  node.give(0, offset + factor * x);
}

static void giveUniform(Node &node, ArrayRef<nn::Dim> shape, Type fallback) {
  double low = node.number("low", 0), high = node.number("high", 1);
  give(node, shape, fallback, uniform, high - low, low);
}

static void giveNormal(Node &node, ArrayRef<nn::Dim> shape, Type fallback) {
  double mean = node.number("mean", 0), scale = node.number("scale", 1);
  give(node, shape, fallback, normal, scale, mean);
}

/// The attribute `shape`, which these operators must have.
static std::optional<nn::Shape> givenShape(Node &node) {
  auto sizes = node.integerList("shape");
  if (!sizes)
    node.error("attribute 'shape' is missing");
  return sizes ? std::optional(nn::Shape(sizes->begin(), sizes->end())) : std::nullopt;
}

static void randomUniform(Node &node) {
  if (auto shape = givenShape(node))
    giveUniform(node, *shape, node.b.getF32Type());
}
static void randomNormal(Node &node) {
  if (auto shape = givenShape(node))
    giveNormal(node, *shape, node.b.getF32Type());
}
static void randomUniformLike(Node &node) { giveUniform(node, node.shape(0), node.elementType(0)); }
static void randomNormalLike(Node &node) { giveNormal(node, node.shape(0), node.elementType(0)); }

/// 1 with the probability that the input says, else 0.
static void bernoulli(Node &node) {
  Type type = node.elementType(0);
  int64_t to = node.integer("dtype", 0);
  Type result = to ? elementTypeOf(to, node.b.getContext()) : type;
  if (!result)
    return node.error("the type " + dataTypeName(to) + " is not supported");
  if (!isa<Float32Type, Float64Type>(type))
    return node.error("expects probabilities of float32 or float64, got " + nn::str(type));
  if (Value drawn = uniform(node, node.shape(0), type))
    node.give(0, nn::cast(nn::less({node.b, drawn}, node.expr(0)), result));
}

static const Operator randomNumbersOperators[] = {
    {"Bernoulli", 15, bernoulli, 1, 1, "dtype seed"},
    {"RandomNormal", 6, randomNormal, 0, 0, "dtype mean scale seed shape"},
    {"RandomNormalLike", 6, randomNormalLike, 1, 1, "dtype mean scale seed"},
    {"RandomUniform", 6, randomUniform, 0, 0, "dtype high low seed shape"},
    {"RandomUniformLike", 6, randomUniformLike, 1, 1, "dtype high low seed"},
};

ArrayRef<Operator> operatorsOfRandomNumbers() { return randomNumbersOperators; }

} // namespace dlc::onnx
