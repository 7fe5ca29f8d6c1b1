//===- Recurrent.cpp - recurrent layers -----------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs' products of all places are one matrix product; each place adds that of the state before it.
//===----------------------------------------------------------------------===//
#include "dlc/nn/recurrent.h"
#include "frontends/cpp/api/Dropout.h"
#include "frontends/cpp/api/Init.h"
#include "frontends/cpp/api/Text.h"
#include <cmath>
#include <cstring>

namespace dlc::nn {
using namespace detail;

/// A longer sequence makes a program that nobody wants to wait for.
static constexpr int64_t maxSteps = 512;

namespace {

/// The weights of one layer in one direction, or of a cell.
struct Weights {
  Tensor ih, hh, biasIh, biasHh;
};

struct State {
  Tensor h, c;
};

} // namespace

/// x W^T + b
static Tensor product(const Tensor &x, const Tensor &weight, const Tensor &bias, const Where &where) {
  Tensor y = apply("nn.matmul", {x, weight}, {{"transpose_b", true}}, where);
  return bias.defined() ? y + bias : y;
}

/// Gate `i` of [..., gates * hidden].
static Tensor gate(const Tensor &x, int64_t i, int64_t hidden) {
  return x.slice(-1, {i * hidden, (i + 1) * hidden});
}

static State stepLstm(const Tensor &x, const State &state, const Weights &weights, int64_t hidden,
                      const Where &where) {
  Tensor gates = x + product(state.h, weights.hh, weights.biasHh, where);
  Tensor i = sigmoid(gate(gates, 0, hidden)), f = sigmoid(gate(gates, 1, hidden)),
         g = tanh(gate(gates, 2, hidden)), o = sigmoid(gate(gates, 3, hidden));
  Tensor c = f * state.c + i * g;
  return {o * tanh(c), c};
}

static State stepGru(const Tensor &x, const State &state, const Weights &weights, int64_t hidden,
                     const Where &where) {
  Tensor recurrent = product(state.h, weights.hh, weights.biasHh, where);
  Tensor r = sigmoid(gate(x, 0, hidden) + gate(recurrent, 0, hidden)),
         z = sigmoid(gate(x, 1, hidden) + gate(recurrent, 1, hidden)),
         n = tanh(gate(x, 2, hidden) + r * gate(recurrent, 2, hidden));
  return {(1 - z) * n + z * state.h, {}};
}

static State stepRnn(const Tensor &x, const State &state, const Weights &weights, bool isRelu,
                     const Where &where) {
  Tensor sum = x + product(state.h, weights.hh, weights.biasHh, where);
  return {isRelu ? relu(sum) : tanh(sum), {}};
}

static bool isReluNamed(const char *nonlinearity, const Where &where) {
  if (std::strcmp(nonlinearity, "tanh") != 0 && std::strcmp(nonlinearity, "relu") != 0)
    fail(std::string("nonlinearity: expected tanh or relu, got '") + nonlinearity + "'", where);
  return std::strcmp(nonlinearity, "relu") == 0;
}

/// Registers a cell's parameters, whose names end in `suffix`.
static void registerCell(Module &module, int64_t features, int64_t hidden, int64_t gates, bool bias,
                         const std::string &suffix, const Where &where) {
  double bound = 1 / std::sqrt(double(hidden));
  module.register_parameter("weight_ih" + suffix, uniformTensor({gates * hidden, features}, bound, where),
                            where);
  module.register_parameter("weight_hh" + suffix, uniformTensor({gates * hidden, hidden}, bound, where),
                            where);
  for (const char *name : {"bias_ih", "bias_hh"})
    if (bias)
      module.register_parameter(name + suffix, uniformTensor({gates * hidden}, bound, where), where);
}

static Weights weightsOf(const Module &module, bool bias, const std::string &suffix) {
  return {module.parameter("weight_ih" + suffix), module.parameter("weight_hh" + suffix),
          bias ? module.parameter("bias_ih" + suffix) : Tensor(),
          bias ? module.parameter("bias_hh" + suffix) : Tensor()};
}

//===-- Layers -----------------------------------------------------------------------------===//

static std::string suffixOf(int64_t layer, int64_t direction) {
  return "_l" + std::to_string(layer) + (direction ? "_reverse" : "");
}

Recurrent::Recurrent(Kind kind, int64_t input_size, int64_t hidden_size, const RecurrentOptions &options,
                     const Where &where)
    : kind(kind), features(input_size), hidden(hidden_size), options(options) {
  At at(where);
  requirePositive("input_size", features, where);
  requirePositive("hidden_size", hidden, where);
  requirePositive("num_layers", options.num_layers, where);
  if (!(options.dropout >= 0 && options.dropout < 1))
    fail("dropout: expected a probability of at least 0 and less than 1, got " +
             pythonNumber(options.dropout),
         where);
  int64_t gates = kind == Kind::Lstm  ? 4
                  : kind == Kind::Gru ? 3
                                      : 1,
          directions = options.bidirectional ? 2 : 1;
  for (int64_t layer = 0; layer < options.num_layers; ++layer)
    for (int64_t direction = 0; direction < directions; ++direction)
      registerCell(*this, layer ? directions * hidden : features, hidden, gates, options.bias,
                   suffixOf(layer, direction), where);
  set_description(std::to_string(features) + ", " + std::to_string(hidden) +
                  (options.num_layers == 1 ? "" : ", num_layers=" + std::to_string(options.num_layers)) +
                  (options.bias ? "" : ", bias=False") + (options.batch_first ? ", batch_first=True" : "") +
                  (options.dropout == 0 ? "" : ", dropout=" + pythonNumber(options.dropout)) +
                  (options.bidirectional ? ", bidirectional=True" : ""));
}

Tensor Recurrent::forward(Tensor x) { return compute(x, {}, {}, caller()).output; }

RecurrentResult Recurrent::run(const Tensor &x, const Tensor &h, const Tensor &c, Where where) {
  Scope scope(*this, where);
  return compute(x, h, c, caller());
}

RecurrentResult Recurrent::compute(Tensor x, Tensor h, Tensor c, const Where &where) {
  At at(where);
  bool isAlone = x.dim() == 2;
  if ((!isAlone && x.dim() != 3) || x.size(-1) != Dim(features))
    fail(type_name() + ": expected " + (options.batch_first ? "[batch, places, " : "[places, batch, ") +
             std::to_string(features) + "], or the same without a batch, got " + str(x.shape()),
         where);
  if (isAlone) {
    x = x.unsqueeze(1);
    h = h.defined() ? h.unsqueeze(1) : h;
    c = c.defined() ? c.unsqueeze(1) : c;
  } else if (options.batch_first) {
    x = x.transpose(0, 1);
  }
  Dim places = x.size(0), batch = x.size(1);
  if (!places.is_static() || places.factor < 1 || places.factor > maxSteps)
    fail(type_name() + ": expected a known number of places from 1 to " + std::to_string(maxSteps) +
             " (a copy of the cell is made for each), got " + places.str(),
         where);
  int64_t directions = options.bidirectional ? 2 : 1;
  Shape all{options.num_layers * directions, batch, hidden};
  for (const Tensor &state : {h, c})
    if (state.defined() && state.shape() != all)
      fail(type_name() + ": expected a first state of shape " + str(all) + ", got " + str(state.shape()),
           where);
  if (kind == Kind::Lstm && h.defined() != c.defined())
    fail("LSTM: expected both h and c, or none", where);
  std::vector<Tensor> lastH, lastC;
  auto first = [&](const Tensor &given, int64_t i) {
    return given.defined() ? given.select(0, i) : full({batch, hidden}, 0, x.dtype());
  };
  for (int64_t layer = 0; layer < options.num_layers; ++layer) {
    if (layer && is_training())
      x = drop(x, options.dropout, where);
    std::vector<Tensor> ofDirections;
    for (int64_t direction = 0; direction < directions; ++direction) {
      Weights weights = weightsOf(*this, options.bias, suffixOf(layer, direction));
      Tensor products = product(x, weights.ih, weights.biasIh, where);
      State state{first(h, layer * directions + direction),
                  kind == Kind::Lstm ? first(c, layer * directions + direction) : Tensor()};
      std::vector<Tensor> outputs(places.factor);
      for (int64_t i = 0; i < places.factor; ++i) {
        int64_t place = direction ? places.factor - 1 - i : i;
        Tensor here = products.select(0, place);
        state = kind == Kind::Lstm  ? stepLstm(here, state, weights, hidden, where)
                : kind == Kind::Gru ? stepGru(here, state, weights, hidden, where)
                                    : stepRnn(here, state, weights, kind == Kind::Relu, where);
        outputs[place] = state.h;
      }
      ofDirections.push_back(stack(outputs));
      lastH.push_back(state.h);
      lastC.push_back(state.c);
    }
    x = directions == 1 ? ofDirections[0] : cat(ofDirections, 2);
  }
  RecurrentResult result{x, stack(lastH), kind == Kind::Lstm ? stack(lastC) : Tensor()};
  if (isAlone)
    return {result.output.squeeze(1), result.h.squeeze(1),
            result.c.defined() ? result.c.squeeze(1) : Tensor()};
  if (options.batch_first)
    result.output = result.output.transpose(0, 1);
  return result;
}

RNN::RNN(int64_t input_size, int64_t hidden_size, RNNOptions options, Where where)
    : Recurrent(
          isReluNamed(options.nonlinearity, where) ? Kind::Relu : Kind::Tanh, input_size, hidden_size,
          {options.num_layers, options.bias, options.batch_first, options.dropout, options.bidirectional},
          where) {}

//===-- Cells ------------------------------------------------------------------------------===//

static void makeCell(Module &module, int64_t features, int64_t hidden, int64_t gates, bool bias,
                     const char *nonlinearity, const Where &where) {
  At at(where);
  requirePositive("input_size", features, where);
  requirePositive("hidden_size", hidden, where);
  registerCell(module, features, hidden, gates, bias, "", where);
  module.set_description(
      std::to_string(features) + ", " + std::to_string(hidden) + (bias ? "" : ", bias=False") +
      (std::strcmp(nonlinearity, "tanh") == 0 ? "" : std::string(", nonlinearity=") + nonlinearity));
}

/// One step of a cell; `compute` has the products, the state, the weights and the hidden size.
template <typename Compute>
static State stepCell(const Module &module, const Tensor &x, State state, const Where &where,
                      Compute compute) {
  bool isAlone = x.dim() == 1;
  Weights weights = weightsOf(module, module.named_parameters().size() == 4, "");
  int64_t hidden = weights.hh.size(1).factor;
  if ((!isAlone && x.dim() != 2) || x.size(-1) != weights.ih.size(1))
    fail(module.type_name() + ": expected [batch, " + weights.ih.size(1).str() +
             "], or the same without a batch, got " + str(x.shape()),
         where);
  Tensor rows = isAlone ? x.unsqueeze(0) : x;
  Shape expected{rows.size(0), hidden};
  for (Tensor *each : {&state.h, &state.c}) {
    Tensor given = each->defined() && isAlone ? each->unsqueeze(0) : *each;
    *each = given.defined() ? given : full(expected, 0, x.dtype());
    if (each->shape() != expected)
      fail(module.type_name() + ": expected a state of shape " + str(expected) + ", got " +
               str(each->shape()),
           where);
  }
  State next = compute(product(rows, weights.ih, weights.biasIh, where), state, weights, hidden);
  if (isAlone)
    return {next.h.squeeze(0), next.c.defined() ? next.c.squeeze(0) : Tensor()};
  return next;
}

RNNCell::RNNCell(int64_t input_size, int64_t hidden_size, bool bias, const char *nonlinearity, Where where)
    : isRelu(isReluNamed(nonlinearity, where)) {
  makeCell(*this, input_size, hidden_size, 1, bias, nonlinearity, where);
}
Tensor RNNCell::forward(Tensor x) { return (*this)(x, {}, caller()); }
Tensor RNNCell::operator()(const Tensor &x, const Tensor &h, Where where) {
  Scope scope(*this, where);
  At at(caller());
  return stepCell(*this, x, {h, {}}, caller(),
                  [&](const Tensor &x, const State &state, const Weights &w, int64_t) {
                    return stepRnn(x, state, w, isRelu, caller());
                  })
      .h;
}

GRUCell::GRUCell(int64_t input_size, int64_t hidden_size, bool bias, Where where) {
  makeCell(*this, input_size, hidden_size, 3, bias, "tanh", where);
}
Tensor GRUCell::forward(Tensor x) { return (*this)(x, {}, caller()); }
Tensor GRUCell::operator()(const Tensor &x, const Tensor &h, Where where) {
  Scope scope(*this, where);
  At at(caller());
  return stepCell(*this, x, {h, {}}, caller(),
                  [&](const Tensor &x, const State &state, const Weights &w, int64_t n) {
                    return stepGru(x, state, w, n, caller());
                  })
      .h;
}

LSTMCell::LSTMCell(int64_t input_size, int64_t hidden_size, bool bias, Where where) {
  makeCell(*this, input_size, hidden_size, 4, bias, "tanh", where);
}
std::pair<Tensor, Tensor> LSTMCell::operator()(const Tensor &x, const Tensor &h, const Tensor &c,
                                               Where where) {
  Scope scope(*this, where);
  At at(caller());
  State next = stepCell(*this, x, {h, c}, caller(),
                        [&](const Tensor &x, const State &state, const Weights &w, int64_t n) {
                          return stepLstm(x, state, w, n, caller());
                        });
  return {next.h, next.c};
}

} // namespace dlc::nn
