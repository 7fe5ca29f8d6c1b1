//===- Branch.cpp - ONNX operator If: one of two graphs
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exporters write If for questions that the shapes answer. The nodes of the branch that is taken become nodes
// of the graph around it. Where the condition is known only when the program runs, both branches are
// computed, and each result is selected.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

/// The names of what the branch in an attribute gives, whose nodes are imported; nullopt after an error.
static std::optional<std::vector<std::string>> import(Node &node, StringRef branch, bool mayNotCount) {
  std::optional<::onnx::GraphProto> graph = node.graph(branch);
  return graph ? node.importBody(*graph, {}, mayNotCount) : std::nullopt;
}

/// What both branches give, selected by the condition.
static void selectResults(Node &node) {
  auto taken = import(node, "then_branch", /*mayNotCount=*/true),
       other = import(node, "else_branch", /*mayNotCount=*/true);
  if (!taken || !other)
    return;
  Value condition = node.reshape(node.value(0), {});
  for (int i = 0; i < node.outputCount(); ++i) {
    if (i >= int(taken->size()) || i >= int(other->size()))
      return node.error("has " + Twine(node.outputCount()) + " outputs, its branches have " +
                        Twine(taken->size()) + " and " + Twine(other->size()));
    Value a = node.valueOf((*taken)[i]), b = node.valueOf((*other)[i]);
    if (!a || !b)
      return; // told at their nodes
    if (a.getType() != b.getType())
      return node.error(
          "output " + Twine(i) + ": the condition '" + node.inputName(0) +
          "' is computed or an input, so both branches must give the same shape and type, got " +
          nn::str(nn::shapeOf(a)) + " of " + typeName(nn::elementTypeOf(a)) + " and " +
          nn::str(nn::shapeOf(b)) + " of " + typeName(nn::elementTypeOf(b)));
    node.give(i, node.make<nn::SelectOp>({condition, a, b}));
  }
}

static void branch(Node &node) {
  nn::Shape shape = node.shape(0);
  if (!node.elementType(0).isInteger(1) || nn::elementCount(shape) != nn::Dim(1))
    return node.error("expects one truth value as condition, got shape " + nn::str(shape) + " of " +
                      typeName(node.elementType(0)));
  const HostTensor *known = node.constant(0);
  if (!known)
    return selectResults(node);
  auto results =
      import(node, known->integer(0) ? "then_branch" : "else_branch", /*mayNotCount=*/false);
  if (!results)
    return;
  if (int(results->size()) != node.outputCount())
    return node.error("has " + Twine(node.outputCount()) + " outputs, its branch has " +
                      Twine(results->size()));
  for (auto [i, name] : llvm::enumerate(*results))
    node.giveName(int(i), name);
}

static const Operator branchOperators[] = {
    {"If", 1, branch, 1, 1, "then_branch else_branch"},
};

ArrayRef<Operator> operatorsOfBranch() { return branchOperators; }

} // namespace dlc::onnx
