//===- Attention.cpp - ATen operators of attention ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Attention.h"
#include "frontends/pt2/Node.h"
#include "frontends/pt2/OperatorTables.h"

using namespace mlir;

namespace dlc::pt2 {

/// [batch, places, size] has one head.
static Value withHeads(Node &node, Value x) {
  if (!x)
    return {};
  nn::Shape shape = nn::shapeOf(x);
  if (shape.size() < 2 || shape.size() > 4) {
    node.error("expects queries, keys, values and masks of 2 to 4 dims, got shape " + nn::str(shape));
    return {};
  }
  if (shape.size() < 4)
    shape.insert(shape.end() - 2, nn::Dim(1));
  if (shape.size() < 4)
    shape.insert(shape.begin(), nn::Dim(1));
  return node.reshape(x, shape);
}

static void addMask(Node &node, frontend::Attention &attention) {
  Value given = node.value("attn_mask");
  if (!given)
    return;
  // A mask of fewer dims than the queries is aligned at the last one.
  nn::Shape shape = nn::shapeOf(given);
  if (node.rank("query") == 4) {
    while (shape.size() < 4)
      shape.insert(shape.begin(), nn::Dim(1));
    given = node.reshape(given, shape);
  } else {
    given = withHeads(node, given);
  }
  if (!given)
    return;
  bool hides = nn::elementTypeOf(given).isInteger(1);
  (hides ? attention.masks : attention.biases).push_back(hides ? given : node.cast(given, node.resultType()));
  attention.mayHaveNoKey = true;
}

static void attend(Node &node) {
  frontend::Attention attention;
  if (!(attention.q = withHeads(node, node.value("query"))) ||
      !(attention.k = withHeads(node, node.value("key"))) ||
      !(attention.v = withHeads(node, node.value("value"))))
    return;
  if (node.has("scale"))
    attention.scale = node.number("scale", 1);
  addMask(node, attention);
  nn::Expr none(node.b, node.scalar(0, node.b.getI64Type()));
  if (node.boolean("is_causal", false) && !frontend::hideOutside(node, attention, none, -1, 0))
    return;
  double ratio = node.number("dropout_p", 0);
  if (!(ratio >= 0 && ratio < 1))
    return node.error("dropout_p must be in [0, 1), got " + str(ratio));
  if (ratio > 0) // PyTorch's modules give 0 in evaluation mode
    node.countMode(/*isTraining=*/true, /*isNorm=*/false);
  if (ratio > 0 && !node.predictOnly())
    attention.drop = [&, ratio](Value shares) {
      return node.make<nn::DropoutOp>({shares, node.rng()},
                                      {node.attr("ratio", ratio), node.attr("stream", node.nextStream())});
    };
  frontend::Attended result = frontend::attend(node, attention);
  if (!result.mixed)
    return;
  nn::Shape shape = nn::shapeOf(result.mixed);
  int64_t rank = node.rank("query");
  if (rank < 4)
    shape.erase(shape.begin() + 1);
  if (rank < 3)
    shape.erase(shape.begin());
  node.give(node.reshape(result.mixed, shape));
}

static const Operator attentionOperators[] = {
    {"aten.scaled_dot_product_attention", attend,
     "query key value attn_mask dropout_p is_causal scale enable_gqa"},
};

ArrayRef<Operator> operatorsOfAttention() { return attentionOperators; }

} // namespace dlc::pt2
