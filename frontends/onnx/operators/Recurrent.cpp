//===- Recurrent.cpp - ONNX operators RNN, GRU and LSTM
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recurrent layers are written out: a copy of the cell for each place of a sequence of known length. The
// inputs' products of all places are one matrix product; each place adds that of the state before it. Names
// are those of ONNX's formulas: x, h, c; W and R; gates i, o, f, c of an LSTM, z, r, h of a GRU.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/Node.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace dlc::onnx {

using Function = std::function<nn::Expr(nn::Expr)>;

//===-- Activations ----------------------------------------------------------------===//

/// Numbers of `activation_alpha` or `activation_beta`, in the order of the functions that have one.
struct Parameters {
  SmallVector<float> given;
  size_t used = 0;
  double next(double fallback) { return used < given.size() ? given[used++] : fallback; }
};

template <typename Op, typename... Numbers> static nn::Expr made(nn::Expr x, Numbers... numbers) {
  return {x.getBuilder(), Op::create(x.getBuilder(), x.get(), numbers...).getY()};
}

/// Null where there is none of this name.
static Function functionOf(StringRef name, Parameters &alphas, Parameters &betas) {
  if (name == "relu")
    return nn::relu;
  if (name == "tanh")
    return nn::tanh;
  if (name == "sigmoid")
    return nn::sigmoid;
  if (name == "softsign")
    return [](nn::Expr x) { return x / (1 + nn::abs(x)); };
  if (name == "softplus")
    return [](nn::Expr x) { return made<nn::SoftplusOp>(x); };
  bool hasBeta = name == "affine" || name == "scaledtanh" || name == "hardsigmoid";
  if (!hasBeta && name != "leakyrelu" && name != "elu" && name != "thresholdedrelu")
    return nullptr;
  double alpha = alphas.next(name == "leakyrelu" ? 0.01 : name == "hardsigmoid" ? 0.2 : 1);
  double beta = hasBeta ? betas.next(name == "hardsigmoid" ? 0.5 : name == "affine" ? 0 : 1) : 0;
  if (name == "affine")
    return [=](nn::Expr x) { return alpha * x + beta; };
  if (name == "scaledtanh")
    return [=](nn::Expr x) { return alpha * nn::tanh(beta * x); };
  if (name == "thresholdedrelu")
    return [=](nn::Expr x) { return nn::select(nn::greater(x, x.scalar(alpha)), x, 0.0); };
  if (name == "leakyrelu")
    return [=](nn::Expr x) { return made<nn::LeakyReluOp>(x, APFloat(alpha)); };
  if (name == "elu")
    return [=](nn::Expr x) { return made<nn::EluOp>(x, APFloat(alpha)); };
  return [=](nn::Expr x) { return made<nn::HardSigmoidOp>(x, APFloat(alpha), APFloat(beta)); };
}

/// `count` functions for each direction, given or the defaults; nullopt after an error.
static std::optional<std::vector<Function>> functions(Node &node, ArrayRef<StringRef> defaults,
                                                      size_t directions) {
  std::vector<std::string> names;
  if (const ::onnx::AttributeProto *given = node.attribute("activations"))
    names.assign(given->strings().begin(), given->strings().end());
  if (names.empty())
    for (size_t i = 0; i < directions; ++i)
      names.insert(names.end(), defaults.begin(), defaults.end());
  if (names.size() != directions * defaults.size()) {
    node.error("expects " + Twine(directions * defaults.size()) + " activations, got " + Twine(names.size()));
    return std::nullopt;
  }
  Parameters alphas{node.numberList("activation_alpha").value_or(SmallVector<float>())},
      betas{node.numberList("activation_beta").value_or(SmallVector<float>())};
  for (float number : llvm::concat<float>(alphas.given, betas.given))
    if (!std::isfinite(number)) {
      node.error("activation_alpha and activation_beta must be finite");
      return std::nullopt;
    }
  std::vector<Function> functions;
  for (const std::string &name : names) {
    functions.push_back(functionOf(StringRef(name).lower(), alphas, betas));
    if (functions.back())
      continue;
    node.error("activation '" + name + "' is not supported");
    return std::nullopt;
  }
  double clip = node.hasAttribute("clip") ? node.number("clip", 0, 0) : 0;
  if (clip > 0)
    for (Function &function : functions)
      function = [=](nn::Expr x) { return function(made<nn::ClipOp>(x, APFloat(-clip), APFloat(clip))); };
  return functions;
}

//===-- Layers ---------------------------------------------------------------------===//

/// A layer in one direction.
struct Direction {
  bool isReverse;
  ArrayRef<Function> functions;
  Value w, r;   ///< [gates * hidden, features], [gates * hidden, hidden]
  Value wb, rb; ///< [gates * hidden]; may be null
  Value p;      ///< [3 * hidden]; may be null
  Value h, c;   ///< [batch, hidden]; c of an LSTM
};

/// What a place's step reads, and the state that it changes.
struct Step {
  nn::Expr x; ///< product with W, and its bias: [batch, gates * hidden]
  nn::Expr h;
  std::optional<nn::Expr> c;
};

struct Layer {
  Node &node;
  nn::Dim steps, batch;
  int64_t hidden;

  /// Gate `i` of [..., gates * hidden].
  nn::Expr gate(Value x, int64_t i, int64_t count = 1) const {
    return {node.b, node.part(x, nn::shapeOf(x).size() - 1, i * hidden, (i + count) * hidden)};
  }
  nn::Expr expr(Value value) const { return {node.b, value}; }
  nn::Expr product(nn::Expr x, Value matrix) const { return nn::matmul(x, expr(matrix), false, true); }
};

using Cell = void (*)(const Layer &, const Direction &, Step &);

static void stepRnn(const Layer &layer, const Direction &d, Step &step) {
  nn::Expr recurrent = layer.product(step.h, d.r);
  if (d.rb)
    recurrent = recurrent + layer.expr(d.rb);
  step.h = d.functions[0](step.x + recurrent);
}

static void stepGru(const Layer &layer, const Direction &d, Step &step) {
  bool isLinearBefore = layer.node.integer("linear_before_reset", 0) != 0;
  nn::Expr h = step.h;
  nn::Expr turned = nn::transpose(layer.expr(d.r), {1, 0});
  nn::Expr ofBoth = layer.gate(turned, 0, 2), ofCandidate = layer.gate(turned, 2);
  nn::Expr both = nn::matmul(h, ofBoth);
  if (d.rb)
    both = both + layer.gate(d.rb, 0, 2);
  nn::Expr ofZ = layer.gate(step.x, 0), ofR = layer.gate(step.x, 1);
  nn::Expr z = d.functions[0](ofZ + layer.gate(both, 0));
  nn::Expr r = d.functions[0](ofR + layer.gate(both, 1));
  nn::Expr candidate = layer.gate(step.x, 2);
  nn::Expr recurrent = nn::matmul(isLinearBefore ? h : r * h, ofCandidate);
  if (d.rb)
    recurrent = recurrent + layer.gate(d.rb, 2);
  candidate = d.functions[1](candidate + (isLinearBefore ? r * recurrent : recurrent));
  nn::Expr fresh = (1 - z) * candidate;
  step.h = fresh + z * h;
}

static void stepLstm(const Layer &layer, const Direction &d, Step &step) {
  nn::Expr gates = step.x + layer.product(step.h, d.r);
  if (d.rb)
    gates = gates + layer.expr(d.rb);
  nn::Expr c = *step.c, i = layer.gate(gates, 0), o = layer.gate(gates, 1), f = layer.gate(gates, 2),
           candidate = layer.gate(gates, 3);
  if (d.p) {
    nn::Expr ofI = layer.gate(d.p, 0), ofF = layer.gate(d.p, 2);
    i = i + ofI * c;
    f = f + ofF * c;
  }
  i = d.functions[0](i);
  f = layer.node.integer("input_forget", 0) != 0 ? 1 - i : d.functions[0](f);
  nn::Expr kept = f * c, fresh = i * d.functions[1](candidate);
  step.c = kept + fresh;
  if (d.p)
    o = o + layer.gate(d.p, 1) * *step.c;
  nn::Expr open = d.functions[0](o);
  step.h = open * d.functions[2](*step.c);
}

/// All places of one direction: outputs in the order of the places, [batch, hidden] each, and the last state.
static SmallVector<Value> run(const Layer &layer, Cell cell, const Direction &direction, Value x,
                              Value lengths, Step &state) {
  Node &node = layer.node;
  nn::Expr products = layer.product(layer.expr(x), direction.w);
  if (direction.wb)
    products = products + layer.expr(direction.wb);
  nn::Shape all = nn::shapeOf(products.type());
  SmallVector<Value> outputs(layer.steps.factor);
  for (int64_t i = 0; i < layer.steps.factor; ++i) {
    int64_t place = direction.isReverse ? layer.steps.factor - 1 - i : i;
    Value here = node.part(products, 0, place, place + 1);
    Step step = state;
    step.x = layer.expr(node.reshape(here, {all[1], all[2]}));
    cell(layer, direction, step);
    outputs[place] = step.h;
    if (lengths) {
      // Behind its end a sequence keeps its state and gives zeros.
      nn::Expr isInside = nn::greater(layer.expr(lengths), layer.expr(lengths).scalar(double(place)));
      outputs[place] = nn::select(isInside, step.h, 0.0);
      step.h = nn::select(isInside, step.h, state.h);
      if (step.c)
        step.c = nn::select(isInside, *step.c, *state.c);
    }
    state = step;
  }
  return outputs;
}

//===-- Operators ------------------------------------------------------------------===//

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
  int64_t hidden = layer.hidden, rows = gates * hidden;
  if (node.integer("hidden_size", hidden) != hidden)
    return node.error("hidden_size is " + Twine(node.integer("hidden_size", hidden)) +
                      ", but R has the shape " + nn::str(ofR));
  if (!layer.steps.isStatic() || layer.steps.factor < 1 || layer.steps.factor > maxCopies)
    return node.error("expects a known number of places from 1 to " + Twine(maxCopies) +
                      " (a copy of the cell is made for each), got " + layer.steps.str());
  nn::Shape state =
      batchFirst ? nn::Shape{layer.batch, directions, hidden} : nn::Shape{directions, layer.batch, hidden};
  if (!hasShape(node, 1, {directions, rows, shape[2]}) || !hasShape(node, 2, {directions, rows, hidden}) ||
      !hasShape(node, 3, {directions, 2 * rows}) || !hasShape(node, 4, {layer.batch}) ||
      !hasShape(node, 5, state) ||
      (hasCell && (!hasShape(node, 6, state) || !hasShape(node, 7, {directions, 3 * hidden}))))
    return;
  auto activations = functions(node, defaults, directions);
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
                  hasCell ? ofDirection(node, 7, d) : Value(),
                  {},
                  {}};
    if (Value bias = ofDirection(node, 3, d)) {
      one.wb = layer.gate(bias, 0, gates);
      one.rb = layer.gate(bias, gates, gates);
    }
    auto initial = [&](int input) -> nn::Expr {
      if (!node.has(input))
        return {node.b, node.expand(node.scalar(0, node.elementType(0)), {layer.batch, hidden})};
      if (!batchFirst)
        return {node.b, ofDirection(node, input, d)};
      Value part = node.part(node.value(input), 1, d, d + 1);
      return {node.b, node.reshape(part, {layer.batch, hidden})};
    };
    Step first{initial(5), initial(5), std::nullopt};
    if (hasCell)
      first.c = initial(6);
    outputs.push_back(run(layer, cell, one, x, lengths, first));
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
static const Operator operators[] = {
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

ArrayRef<Operator> operatorsOfRecurrent() { return operators; }

} // namespace dlc::onnx
