//===- Recurrent.cpp - ATen operators of recurrent layers ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers are written out, a copy of the cell for each place. PyTorch's gates stand in another order than
// ONNX's.
//===----------------------------------------------------------------------===//
#include "frontends/common/Recurrent.h"
#include "frontends/pt2/Node.h"
#include "frontends/pt2/OperatorTables.h"

using namespace mlir;

namespace dlc::pt2 {

namespace {
/// What is the same for all layers of one operator.
struct Kind {
  frontend::Cell cell;
  int64_t gates;
  std::vector<frontend::Function> functions;
  bool hasCellState;
};

/// Reads the arguments and builds the layers. Reports errors.
class Recurrent {
public:
  Recurrent(Node &node, Kind kind) : node(node), kind(std::move(kind)) {}
  void import();

private:
  bool read();
  bool readStates();
  Value ofLayer(Value states, int64_t layer);
  bool runLayer(int64_t layer, Value &x);
  std::optional<frontend::Direction> direction(int64_t index, const nn::Dim &features);

  Node &node;
  Kind kind;
  SmallVector<Value> parameters;
  Value h, c; ///< [layers * directions, batch, hidden]
  int64_t layers = 1, directions = 1, hidden = 0;
  bool hasBiases = true;
  nn::Dim steps, batch;
  SmallVector<Value> lastH, lastC;
};
} // namespace

bool Recurrent::readStates() {
  if (kind.hasCellState) {
    SmallVector<Value> states = node.values("hx");
    if (states.size() != 2)
      return node.error("expects a hidden state and a cell state"), false;
    h = states[0];
    c = states[1];
  } else {
    h = node.value("hx");
  }
  for (Value state : {h, kind.hasCellState ? c : h}) {
    nn::Shape shape = state ? nn::shapeOf(state) : nn::Shape();
    if (shape.size() != 3 || shape[0] != nn::Dim(layers * directions) || shape[1] != batch ||
        !shape[2].isStatic())
      return node.error("expects states of shape [" + Twine(layers * directions) + ", " + batch.str() +
                        ", hidden], got " + nn::str(shape) +
                        (shape.size() == 3 && !shape[2].isStatic()
                             ? ""
                             : "; projections (proj_size) are not supported")),
             false;
  }
  hidden = nn::shapeOf(h)[2].factor;
  if (kind.hasCellState && nn::shapeOf(c) != nn::shapeOf(h))
    return node.unsupported("projections (proj_size)"), false;
  return hidden > 0;
}

bool Recurrent::read() {
  nn::Shape shape = node.shape("input");
  bool batchFirst = node.boolean("batch_first", false);
  if (shape.size() != 3)
    return node.error("expects an input of 3 dims, got shape " + nn::str(shape)), false;
  steps = shape[batchFirst ? 1 : 0];
  batch = shape[batchFirst ? 0 : 1];
  layers = node.integer("num_layers", 1);
  directions = node.boolean("bidirectional", false) ? 2 : 1;
  hasBiases = node.boolean("has_biases", true);
  parameters = node.values("params");
  if (!steps.isStatic() || steps.factor < 1 || steps.factor > maxCopies)
    return node.error("expects a known number of places from 1 to " + Twine(maxCopies) +
                      " (a copy of the cell is made for each), got " + steps.str()),
           false;
  if (layers < 1 || layers > maxCopies ||
      int64_t(parameters.size()) != layers * directions * (hasBiases ? 4 : 2))
    return node.error("has " + Twine(parameters.size()) + " parameters for " + Twine(layers) +
                      " layers; projections (proj_size) are not supported"),
           false;
  return readStates();
}

/// The state [batch, hidden] of a layer's direction.
Value Recurrent::ofLayer(Value states, int64_t layer) {
  return node.reshape(node.part(states, 0, layer, layer + 1), {batch, nn::Dim(hidden)});
}

std::optional<frontend::Direction> Recurrent::direction(int64_t index, const nn::Dim &features) {
  ArrayRef<Value> own = ArrayRef(parameters).slice(index * (hasBiases ? 4 : 2), hasBiases ? 4 : 2);
  nn::Dim rows(kind.gates * hidden);
  nn::Shape expected[] = {{rows, features}, {rows, nn::Dim(hidden)}, {rows}, {rows}};
  for (auto [i, parameter] : llvm::enumerate(own))
    if (!parameter || nn::shapeOf(parameter) != expected[i] ||
        nn::elementTypeOf(parameter) != nn::elementTypeOf(h)) {
      node.error("expects parameter " + Twine(i) + " of shape " + nn::str(expected[i]) +
                 " and the dtype of the state");
      return std::nullopt;
    }
  return frontend::Direction{index % directions == 1,
                             kind.functions,
                             own[0],
                             own[1],
                             hasBiases ? own[2] : Value(),
                             hasBiases ? own[3] : Value(),
                             {}};
}

/// x [places, batch, features] becomes [places, batch, directions * hidden].
bool Recurrent::runLayer(int64_t number, Value &x) {
  frontend::Layer layer{node, steps, batch, hidden};
  layer.isLinearBeforeReset = true;
  layer.gatesOfLstm = {0, 3, 1, 2};
  layer.zOfGru = 1;
  SmallVector<SmallVector<Value>> outputs;
  for (int64_t d = 0; d < directions; ++d) {
    int64_t index = number * directions + d;
    std::optional<frontend::Direction> one = direction(index, nn::shapeOf(x)[2]);
    Value first = one ? ofLayer(h, index) : Value();
    if (!first)
      return false;
    frontend::TimeStep state{{node.b, first}, {node.b, first}, std::nullopt};
    if (kind.hasCellState)
      state.c = {node.b, ofLayer(c, index)};
    outputs.push_back(frontend::runCells(layer, kind.cell, *one, x, {}, state));
    lastH.push_back(state.h);
    if (kind.hasCellState)
      lastC.push_back(*state.c);
  }
  SmallVector<Value> places;
  for (int64_t i = 0; i < steps.factor; ++i) {
    SmallVector<Value> both = llvm::map_to_vector(outputs, [&](auto &list) { return list[i]; });
    Value place = both.size() == 1 ? both[0] : node.make<nn::ConcatOp>(both, node.attr("axis", int64_t(1)));
    places.push_back(node.reshape(place, {nn::Dim(1), batch, nn::Dim(directions * hidden)}));
  }
  x = places.size() == 1 ? places[0] : node.make<nn::ConcatOp>(places, node.attr("axis", int64_t(0)));
  return bool(x);
}

void Recurrent::import() {
  if (!read())
    return;
  bool batchFirst = node.boolean("batch_first", false);
  double ratio = node.number("dropout", 0);
  bool drops = ratio > 0 && node.boolean("train", false) && !node.predictOnly();
  if (!(ratio >= 0 && ratio < 1))
    return node.error("the ratio of dropout must be in [0, 1), got " + str(ratio));
  if (ratio > 0 && layers > 1)
    node.countMode(node.boolean("train", false), /*isNorm=*/false);
  Value x = batchFirst ? node.transpose(node.value("input"), {1, 0, 2}) : node.value("input");
  for (int64_t layer = 0; layer < layers && x; ++layer) {
    if (layer > 0 && drops)
      x = node.make<nn::DropoutOp>({x, node.rng()},
                                   {node.attr("ratio", ratio), node.attr("stream", node.nextStream())});
    if (!x || !runLayer(layer, x))
      return;
  }
  node.give(0, batchFirst ? node.transpose(x, {1, 0, 2}) : x);
  auto stacked = [&](ArrayRef<Value> states) -> Value {
    SmallVector<Value> rows;
    for (Value state : states)
      rows.push_back(node.reshape(state, {nn::Dim(1), batch, nn::Dim(hidden)}));
    return rows.size() == 1 ? rows[0] : node.make<nn::ConcatOp>(rows, node.attr("axis", int64_t(0)));
  };
  if (node.wants(1))
    node.give(1, stacked(lastH));
  if (kind.hasCellState && node.wants(2))
    node.give(2, stacked(lastC));
}

static void lstm(Node &node) {
  Recurrent(node, {frontend::stepLstm, 4, {nn::sigmoid, nn::tanh, nn::tanh}, true}).import();
}
static void gru(Node &node) {
  Recurrent(node, {frontend::stepGru, 3, {nn::sigmoid, nn::tanh}, false}).import();
}
static void rnnTanh(Node &node) { Recurrent(node, {frontend::stepRnn, 1, {nn::tanh}, false}).import(); }
static void rnnRelu(Node &node) { Recurrent(node, {frontend::stepRnn, 1, {nn::relu}, false}).import(); }

static constexpr const char *arguments =
    "input hx params has_biases num_layers dropout train bidirectional batch_first";

static const Operator recurrentOperators[] = {
    {"aten.lstm.input", lstm, arguments},
    {"aten.gru.input", gru, arguments},
    {"aten.rnn_tanh.input", rnnTanh, arguments},
    {"aten.rnn_relu.input", rnnRelu, arguments},
};

ArrayRef<Operator> operatorsOfRecurrent() { return recurrentOperators; }

} // namespace dlc::pt2
