//===- Fused.cpp - operators that ONNX Runtime's optimizers write
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The domain com.microsoft: what several of ONNX's own operators compute, as one. Here they are those
// operators again, so that they are trained, and fused, like others. Attention is in Attention.cpp.
//===----------------------------------------------------------------------===//
#include "frontends/common/Attention.h"
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

using frontend::Attended, frontend::Attention;

static void giveGelu(Node &node, Value x, bool approximate) {
  if (x)
    node.give(0, Value(nn::GeluOp::create(node.b, x, approximate)));
}

static void gelu(Node &node) { giveGelu(node, node.value(0), false); }
static void biasGelu(Node &node) {
  giveGelu(node, node.make<nn::AddOp>({node.value(0), node.value(1)}), false);
}
static void fastGelu(Node &node) {
  giveGelu(node, node.has(1) ? node.make<nn::AddOp>({node.value(0), node.value(1)}) : node.value(0), true);
}
static void gemmFastGelu(Node &node) {
  Value product = node.make<nn::MatMulOp>({node.value(0), node.value(1)});
  giveGelu(node, node.has(2) ? node.make<nn::AddOp>({product, node.value(2)}) : product, true);
}

static void quickGelu(Node &node) {
  nn::Expr x = node.expr(0);
  node.give(0, x * nn::sigmoid(node.number("alpha", 1.702f) * x));
}

/// alpha * A * B, with A or B transposed.
static void fusedMatMul(Node &node) {
  for (const char *name : {"transBatchA", "transBatchB"})
    if (node.integer(name, 0) != 0)
      return node.error(Twine("attribute '") + name + "' other than 0 is not supported");
  SmallVector<NamedAttribute> flags;
  if (node.integer("transA", 0) != 0)
    flags.push_back(node.flag("transpose_a"));
  if (node.integer("transB", 0) != 0)
    flags.push_back(node.flag("transpose_b"));
  for (int i : {0, 1})
    if (node.rank(i) < 2)
      return node.error("expects matrices, got an operand of shape " + nn::str(node.shape(i)));
  double alpha = node.number("alpha", 1);
  Value product = node.make<nn::MatMulOp>({node.value(0), node.value(1)}, flags);
  if (product)
    node.give(0, alpha == 1 ? product : Value(nn::Expr(node.b, product) * alpha));
}

/// The layer norm of input + skip + bias, and that sum.
static void skipLayerNorm(Node &node) {
  Value sum = node.make<nn::AddOp>({node.value(0), node.value(1)});
  if (node.has(4))
    sum = node.make<nn::AddOp>({sum, node.value(4)});
  if (!sum)
    return;
  nn::Shape shape = nn::shapeOf(sum);
  if (shape.empty())
    return node.error("expects an input of rank 1 or more");
  Value shift =
      node.has(3) ? node.value(3) : node.expand(node.scalar(0, node.elementType(0)), {shape.back()});
  auto op = node.makeOp<nn::LayerNormOp>({sum, node.value(2), shift},
                                         {node.attr("axis", int64_t(shape.size()) - 1),
                                          node.attr("epsilon", node.number("epsilon", 1e-12f, 0))});
  if (!op)
    return;
  node.give(0, op.getY());
  node.give(1, op.getMean());
  node.give(2, op.getRstd());
  node.give(3, sum);
}

/// x / sqrt(mean of x^2 + epsilon) * scale over the last dim, of input + skip + bias; and that sum.
static void skipRmsNorm(Node &node) {
  Value sum = node.make<nn::AddOp>({node.value(0), node.value(1)});
  if (node.has(3))
    sum = node.make<nn::AddOp>({sum, node.value(3)});
  if (!sum)
    return;
  nn::Expr x(node.b, sum);
  if (x.rank() == 0)
    return node.error("expects an input of rank 1 or more");
  nn::Expr meanSquare = nn::mean(x * x, {x.rank() - 1}, /*keepdims=*/true);
  nn::Expr rstd = nn::rsqrt(meanSquare + node.number("epsilon", 1e-12f, 0));
  node.give(0, node.make<nn::MulOp>({x * rstd, node.value(2)}));
  node.give(2, rstd);
  node.give(3, sum);
}

/// Rows of a table at indices; null after an error.
static Value rowsOf(Node &node, int table, int indices) {
  nn::Shape shape = node.shape(table);
  if (shape.size() != 2) {
    node.error("expects a table of 2 dims, got '" + node.inputName(table) + "' of shape " + nn::str(shape));
    return {};
  }
  if (shape[0].isStatic())
    node.limitIndices(node.value(indices), -shape[0].factor, shape[0]);
  return node.make<nn::GatherOp>({node.value(table), node.value(indices)}, node.attr("axis", int64_t(0)));
}

/// The layer norm of the sum of words', places' and segments' embeddings; the words of each row that count;
/// that sum.
static void embedLayerNorm(Node &node) {
  for (int input : {2, 3, 5, 6}) // segments, inputs 1 and 4, may be left out
    if (!node.has(input))
      return node.error("input " + Twine(input) + " is missing");
  nn::Shape ids = node.shape(0), places = node.shape(3);
  if (ids.size() != 2 || places.size() != 2)
    return node.error("expects ids of shape [batch, places] and a table of places, got " + nn::str(ids) +
                      " and " + nn::str(places));
  Value position;
  if (node.has(8)) {
    position = rowsOf(node, 3, 8);
  } else {
    if (!ids[1].isStatic() || !places[0].isStatic() || ids[1].factor > places[0].factor)
      return node.error(
          "expects a known number of places and a table that has a row for each, got ids of shape " +
          nn::str(ids) + " and a table of shape " + nn::str(places));
    position = part(node, node.value(3), 2, 0, ids[1].factor);
  }
  Value sum = node.make<nn::AddOp>({rowsOf(node, 2, 0), position});
  if (node.has(1) && node.has(4))
    sum = node.make<nn::AddOp>({sum, rowsOf(node, 4, 1)});
  if (!sum)
    return;
  auto op = node.makeOp<nn::LayerNormOp>({sum, node.value(5), node.value(6)},
                                         {node.attr("axis", nn::tensorOf(sum).getRank() - 1),
                                          node.attr("epsilon", node.number("epsilon", 1e-12f, 0))});
  if (!op)
    return;
  node.give(0, op.getY());
  Type i32 = node.b.getI32Type();
  if (node.has(7)) {
    nn::Expr mask = node.expr(7);
    nn::Expr counts = nn::cast(nn::equal(mask, mask.scalar(1)), i32);
    node.give(1, nn::sum(counts, {counts.rank() - 1}, /*keepdims=*/false));
  } else {
    node.give(1, node.expand(node.scalar(0, i32), {ids[0]}));
  }
  node.give(2, sum);
}

static const Operator fusedOperators[] = {
    {"com.microsoft.Gelu", 1, gelu, 1, 1, ""},
    {"com.microsoft.BiasGelu", 1, biasGelu, 2, 2, ""},
    {"com.microsoft.FastGelu", 1, fastGelu, 1, 2, ""},
    {"com.microsoft.GemmFastGelu", 1, gemmFastGelu, 2, 3, ""},
    {"com.microsoft.QuickGelu", 1, quickGelu, 1, 1, "alpha"},
    {"com.microsoft.FusedMatMul", 1, fusedMatMul, 2, 2, "alpha transA transB transBatchA transBatchB"},
    {"com.microsoft.SkipLayerNormalization", 1, skipLayerNorm, 3, 5, "epsilon", {2, 2}},
    {"com.microsoft.SkipSimplifiedLayerNormalization", 1, skipRmsNorm, 3, 4, "epsilon", {2, 1}},
    {"com.microsoft.EmbedLayerNormalization", 1, embedLayerNorm, 1, 9, "epsilon"},
};

ArrayRef<Operator> operatorsOfFused() { return fusedOperators; }

} // namespace dlc::onnx

