//===- Recurrent.cpp - ONNX operators RNN, GRU and LSTM
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recurrent layers are written out: a copy of the cell (RecurrentCells.h) for each place of a sequence of
// known length. The inputs' products of all places are one matrix product; each place adds that of the state
// before it.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/OperatorTables.h"
#include "frontends/onnx/RecurrentCells.h"

using namespace mlir;

namespace dlc::onnx {

using frontend::Cell, frontend::Direction, frontend::Layer, frontend::TimeStep, frontend::stepGru,
    frontend::stepLstm, frontend::stepRnn;

static Value transposed(Node &node, Value x, ArrayRef<int64_t> permutation) {
  return node.make<nn::TransposeOp>({x}, node.attr("permutation", permutation));
}

/// Input `i`, of one direction of a tensor [directions, ...]; null where it is not given.
static Value ofDirection(Node &node, int input, int64_t direction) {
  if (!node.has(input))
    return {};
  nn::Shape shape = node.shape(input);
  Value one = node.part(node.value(input), 0, direction, direction + 1);
  shape.erase(shape.begin());
  return node.reshape(one, shape);
}

/// Whether an input has this shape, or is not given; says so where it has not.
static bool hasShape(Node &node, int input, nn::Shape expected) {
  if (!node.has(input) || node.shape(input) == expected)
    return true;
  node.error("expects '" + node.inputName(input) + "' of shape " + nn::str(expected) + ", got " +
             nn::str(node.shape(input)));
  return false;
}

/// One of the directions' tensors on top of the other, along a new dim.
static Value stack(Node &node, ArrayRef<Value> parts, int64_t axis) {
  SmallVector<Value> rows;
  for (Value part : parts) {
    if (!part)
      return {};
    nn::Shape shape = nn::shapeOf(part);
    shape.insert(shape.begin() + axis, nn::Dim(1));
    rows.push_back(node.reshape(part, shape));
  }
  return rows.size() == 1 ? rows[0] : node.make<nn::ConcatOp>(rows, node.attr("axis", axis));
}

/// PyTorch's newer exporter writes an LSTM with projections (proj_size) as one of the projection's size,
/// without the projection's weight and with parts of the others: what is left of it is the cell state's size.
static bool tellOfProjection(Node &node, int64_t hidden) {
  nn::Shape cell = node.has(6) ? node.shape(6) : nn::Shape();
  if (!node.isOfPyTorch() || cell.size() != 3 || !cell[2].isStatic() || cell[2].factor <= hidden)
    return false;
  node.error(
      "has a cell state of " + cell[2].str() + " elements and a hidden state of " + Twine(hidden) +
      ": an LSTM with projections (proj_size), which ONNX has not, and of which PyTorch's exporter leaves "
      "the projection out; write the cell as operations of its own (docs/exporting-from-pytorch.md, An LSTM "
      "with projections), or do without proj_size");
  return true;
}

static void layer(Node &node, Cell cell, int64_t gates, ArrayRef<StringRef> defaults, bool hasCell) {
  std::string direction = node.text("direction", "forward");
  bool isBidirectional = direction == "bidirectional";
  if (direction != "forward" && direction != "reverse" && !isBidirectional)
    return node.error("direction must be forward, reverse or bidirectional, got '" + direction + "'");
  int64_t directions = isBidirectional ? 2 : 1, layout = node.integer("layout", 0);
  nn::Shape shape = node.shape(0), ofR = node.shape(2);
  if (shape.size() != 3 || ofR.size() != 3 || !ofR[2].isStatic() || ofR[2].factor < 1)
    return node.error("expects input of 3 dims and R of shape [directions, gates * hidden, hidden], got " +
                      nn::str(shape) + " and " + nn::str(ofR));
  if (layout != 0 && layout != 1)
    return node.error("layout must be 0 or 1, got " + Twine(layout));
  bool batchFirst = layout == 1;
  Layer layer{node, shape[batchFirst ? 1 : 0], shape[batchFirst ? 0 : 1], ofR[2].factor};
  layer.isLinearBeforeReset = node.integer("linear_before_reset", 0) != 0;
  layer.forgetsWhatIsNotTaken = node.integer("input_forget", 0) != 0;
  int64_t hidden = layer.hidden, rows = gates * hidden;
  if (node.integer("hidden_size", hidden) != hidden)
    return node.error("hidden_size is " + Twine(node.integer("hidden_size", hidden)) +
                      ", but R has the shape " + nn::str(ofR));
  if (!layer.steps.isStatic() || layer.steps.factor < 1 || layer.steps.factor > maxCopies)
    return node.error("expects a known number of places from 1 to " + Twine(maxCopies) +
                      " (a copy of the cell is made for each), got " + layer.steps.str());
  nn::Shape state =
      batchFirst ? nn::Shape{layer.batch, directions, hidden} : nn::Shape{directions, layer.batch, hidden};
  if (hasCell && tellOfProjection(node, hidden))
    return;
  // Where the batch was opened, a state that is a constant has one row still.
  nn::Shape oneRow = state;
  oneRow[batchFirst ? 0 : 1] = nn::Dim(1);
  auto hasState = [&](int input) {
    return (node.openedBatch() && node.has(input) && node.shape(input) == oneRow) ||
           hasShape(node, input, state);
  };
  if (!hasShape(node, 1, {directions, rows, shape[2]}) || !hasShape(node, 2, {directions, rows, hidden}) ||
      !hasShape(node, 3, {directions, 2 * rows}) || !hasShape(node, 4, {layer.batch}) || !hasState(5) ||
      (hasCell && (!hasState(6) || !hasShape(node, 7, {directions, 3 * hidden}))))
    return;
  for (int input : {1, 2, 3, 5, 6, 7})
    if (node.has(input) && node.elementType(input) != node.elementType(0))
      return node.error("expects inputs of one type, got " + typeName(node.elementType(0)) + " and " +
                        typeName(node.elementType(input)) + " for input " + Twine(input));
  auto activations = functionsOf(node, defaults, directions);
  Value x = batchFirst ? transposed(node, node.value(0), {1, 0, 2}) : node.value(0), lengths;
  if (!activations || !x)
    return;
  if (node.has(4))
    lengths = node.reshape(nn::cast(node.expr(4), node.b.getI64Type()), {layer.batch, nn::Dim(1)});
  SmallVector<SmallVector<Value>> outputs;
  SmallVector<Value> lastH, lastC;
  for (int64_t d = 0; d < directions; ++d) {
    Direction one{direction == "reverse" || d == 1,
                  ArrayRef<Function>(*activations).slice(d * defaults.size(), defaults.size()),
                  ofDirection(node, 1, d),
                  ofDirection(node, 2, d),
                  {},
                  {},
                  hasCell ? ofDirection(node, 7, d) : Value()};
    if (Value bias = ofDirection(node, 3, d)) {
      one.wb = layer.gate(bias, 0, gates);
      one.rb = layer.gate(bias, gates, gates);
    }
    auto initial = [&](int input) -> nn::Expr {
      if (!node.has(input))
        return {node.b, node.expand(node.scalar(0, node.elementType(0)), {layer.batch, hidden})};
      Value part = batchFirst ? node.part(node.value(input), 1, d, d + 1) : ofDirection(node, input, d);
      part = node.reshape(part, {node.shape(input)[batchFirst ? 0 : 1], hidden});
      return {node.b, node.expand(part, {layer.batch, hidden})};
    };
    TimeStep first{initial(5), initial(5), std::nullopt};
    if (hasCell)
      first.c = initial(6);
    outputs.push_back(frontend::runCells(layer, cell, one, x, lengths, first));
    lastH.push_back(first.h);
    lastC.push_back(hasCell ? Value(*first.c) : Value());
  }
  int64_t axis = batchFirst ? 1 : 0; // of the directions, in the states
  node.give(1, stack(node, lastH, axis));
  if (hasCell)
    node.give(2, stack(node, lastC, axis));
  if (!node.wants(0))
    return;
  // [places, directions, batch, hidden], or [batch, places, directions, hidden].
  SmallVector<Value> places;
  for (int64_t i = 0; i < layer.steps.factor; ++i)
    places.push_back(stack(node, llvm::map_to_vector(outputs, [&](auto &list) { return list[i]; }), axis));
  node.give(0, stack(node, places, axis));
}

static void rnn(Node &node) { layer(node, stepRnn, 1, {"tanh"}, false); }
static void gru(Node &node) { layer(node, stepGru, 3, {"sigmoid", "tanh"}, false); }
static void lstm(Node &node) { layer(node, stepLstm, 4, {"sigmoid", "tanh", "tanh"}, true); }

#define SHARED "activation_alpha activation_beta activations clip direction hidden_size"
static const Operator recurrentOperators[] = {
    {"RNN", 1, rnn, 3, 6, SHARED " output_sequence", {1, 3}},
    {"RNN", 7, rnn, 3, 6, SHARED, {1, 3}},
    {"RNN", 14, rnn, 3, 6, SHARED " layout", {1, 3}},
    {"GRU", 3, gru, 3, 6, SHARED " linear_before_reset output_sequence", {1, 3}},
    {"GRU", 7, gru, 3, 6, SHARED " linear_before_reset", {1, 3}},
    {"GRU", 14, gru, 3, 6, SHARED " linear_before_reset layout", {1, 3}},
    {"LSTM", 1, lstm, 3, 8, SHARED " input_forget output_sequence", {1, 3}},
    {"LSTM", 7, lstm, 3, 8, SHARED " input_forget", {1, 3}},
    {"LSTM", 14, lstm, 3, 8, SHARED " input_forget layout", {1, 3}},
};
#undef SHARED

ArrayRef<Operator> operatorsOfRecurrent() { return recurrentOperators; }

} // namespace dlc::onnx
