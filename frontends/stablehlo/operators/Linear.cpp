//===- Linear.cpp - products of StableHLO ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Einsum.h"
#include "frontends/stablehlo/Node.h"

using namespace mlir;

namespace dlc::stablehlo {

/// Dims of both operands that belong together; false after an error.
static bool dimPairs(Node &node, StringRef kind, Numbers &left, Numbers &right) {
  constexpr StringLiteral within = "dot_dimension_numbers";
  auto lhs = node.dims(("lhs_" + kind).str(), node.rank(0), within);
  auto rhs = node.dims(("rhs_" + kind).str(), node.rank(1), within);
  if (!lhs || !rhs)
    return false;
  left = *lhs;
  right = *rhs;
  if (left.size() == right.size())
    return true;
  node.error("expects as many " + kind + " of both operands, got " + Twine(left.size()) + " and " +
             Twine(right.size()));
  return false;
}

/// The result has the batching dims, then the other dims of the left operand, then those of the right one.
static void dotGeneral(Node &node) {
  Value a = node.value(0), b = a ? node.value(1) : Value();
  Numbers leftBatch, rightBatch, leftSummed, rightSummed;
  if (!b || !dimPairs(node, "batching_dimensions", leftBatch, rightBatch) ||
      !dimPairs(node, "contracting_dimensions", leftSummed, rightSummed))
    return;
  nn::Shape left = nn::shapeOf(a), right = nn::shapeOf(b);
  if (left.size() + right.size() > 52)
    return node.unsupported("more than 52 dims");
  std::string leftLabels(left.size(), ' '), rightLabels(right.size(), ' '), result;
  char next = 'a';
  auto label = [&] {
    char letter = next;
    next = next == 'z' ? 'A' : char(next + 1);
    return letter;
  };
  for (bool isBatch : {true, false})
    for (auto [i, j] :
         llvm::zip_equal(isBatch ? leftBatch : leftSummed, isBatch ? rightBatch : rightSummed)) {
      if (leftLabels[i] != ' ' || rightLabels[j] != ' ')
        return node.error("has a dim in two roles");
      if (left[i] != right[j])
        return node.error("dim " + Twine(i) + " of " + nn::str(left) + " and dim " + Twine(j) + " of " +
                          nn::str(right) + " differ");
      leftLabels[i] = rightLabels[j] = label();
      if (isBatch)
        result += leftLabels[i];
    }
  for (std::string *labels : {&leftLabels, &rightLabels})
    for (char &each : *labels)
      if (each == ' ')
        result += each = label();
  if (nn::elementTypeOf(a).isInteger(1))
    return node.unsupported("truth values");
  std::string equation = leftLabels + "," + rightLabels + "->" + result;
  Value y = frontend::einsum(node.b, equation, {a, b}, [&](const Twine &message) { node.error(message); });
  node.give(node.cast(y, node.resultType()));
}

static const Operator linearOperators[] = {
    {"stablehlo.dot_general", dotGeneral, 2},
};

ArrayRef<Operator> operatorsOfLinear() { return linearOperators; }

} // namespace dlc::stablehlo
