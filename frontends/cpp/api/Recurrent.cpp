//===- Recurrent.cpp - recurrent layers --------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs' products of all places are one matrix product; each place adds that of the state before it.
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Dropout.h"
#include "frontends/cpp/api/Init.h"
#include "frontends/cpp/api/RecurrentCell.h"
#include "frontends/cpp/api/Text.h"

namespace dlc::nn {
using namespace detail;

/// A longer sequence makes a program that nobody wants to wait for.
static constexpr int64_t maxSteps = 512;

static std::string suffixOf(int64_t layer, int64_t direction) {
  return "_l" + std::to_string(layer) + (direction ? "_reverse" : "");
}

Recurrent::Recurrent(Kind kind, int64_t input_size, int64_t hidden_size, const RecurrentOptions &options,
                     const Where &where)
    : kind(kind), features(input_size), hidden(hidden_size),
      width(options.proj_size ? options.proj_size : hidden_size), options(options) {
  At at(where);
  requirePositive("input_size", features, where);
  requirePositive("hidden_size", hidden, where);
  requirePositive("num_layers", options.num_layers, where);
  if (!(options.dropout >= 0 && options.dropout <= 1))
    fail("dropout: expected a probability from 0 to 1, got " + pythonNumber(options.dropout), where);
  if (options.proj_size && kind != Kind::Lstm)
    fail("proj_size: only an LSTM has projections", where);
  if (options.proj_size < 0 || options.proj_size >= hidden)
    fail("proj_size: expected a number from 0 to " + std::to_string(hidden - 1) +
             ", below hidden_size, got " + std::to_string(options.proj_size),
         where);
  int64_t gates = kind == Kind::Lstm  ? 4
                  : kind == Kind::Gru ? 3
                                      : 1,
          directions = options.bidirectional ? 2 : 1;
  for (int64_t layer = 0; layer < options.num_layers; ++layer)
    for (int64_t direction = 0; direction < directions; ++direction)
      registerCell(*this, layer ? directions * width : features, hidden, width, gates, options.bias,
                   suffixOf(layer, direction), where);
  set_description(std::to_string(features) + ", " + std::to_string(hidden) +
                  (options.proj_size == 0 ? "" : ", proj_size=" + std::to_string(options.proj_size)) +
                  (options.num_layers == 1 ? "" : ", num_layers=" + std::to_string(options.num_layers)) +
                  (options.bias ? "" : ", bias=False") + (options.batch_first ? ", batch_first=True" : "") +
                  (options.dropout == 0 ? "" : ", dropout=" + pythonNumber(options.dropout)) +
                  (options.bidirectional ? ", bidirectional=True" : ""));
}

Tensor Recurrent::computed(Tensor x) { return compute(x, {}, {}, caller()).output; }

RecurrentResult Recurrent::run(const Tensor &x, const Tensor &h, const Tensor &c, Where where) {
  Scope scope(*this, where);
  refuseHooks(*this, where);
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
  for (auto [state, elements] : {std::pair(h, width), std::pair(c, hidden)})
    if (Shape all{options.num_layers * directions, batch, elements}; state.defined() && state.shape() != all)
      fail(type_name() + ": expected a first state of shape " + str(all) + ", got " + str(state.shape()),
           where);
  if (kind == Kind::Lstm && h.defined() != c.defined())
    fail("LSTM: expected both h and c, or none", where);
  const CellKind cell = kind == Kind::Lstm   ? CellKind::Lstm
                        : kind == Kind::Gru  ? CellKind::Gru
                        : kind == Kind::Relu ? CellKind::Relu
                                             : CellKind::Tanh;
  std::vector<Tensor> lastH, lastC;
  auto first = [&](const Tensor &given, int64_t i, int64_t elements) {
    return given.defined() ? given.select(0, i) : full({batch, elements}, 0, x.dtype());
  };
  for (int64_t layer = 0; layer < options.num_layers; ++layer) {
    if (layer && is_training())
      x = drop(x, options.dropout, where);
    std::vector<Tensor> ofDirections;
    for (int64_t direction = 0; direction < directions; ++direction) {
      CellWeights weights = weightsOf(*this, options.bias, suffixOf(layer, direction));
      Tensor products = cellProduct(x, weights.ih, weights.biasIh, where);
      if (options.proj_size)
        weights.hr = parameter("weight_hr" + suffixOf(layer, direction));
      const int64_t number = layer * directions + direction;
      CellState state{first(h, number, width), kind == Kind::Lstm ? first(c, number, hidden) : Tensor()};
      std::vector<Tensor> outputs(places.factor);
      for (int64_t i = 0; i < places.factor; ++i) {
        int64_t place = direction ? places.factor - 1 - i : i;
        Tensor here = products.select(0, place);
        state = nextState(cell, here, state, weights, hidden, where);
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
LSTM::LSTM(int64_t input_size, int64_t hidden_size, RecurrentOptions options, Where where)
    : Recurrent(Kind::Lstm, input_size, hidden_size, options, where) {}
GRU::GRU(int64_t input_size, int64_t hidden_size, RecurrentOptions options, Where where)
    : Recurrent(Kind::Gru, input_size, hidden_size, options, where) {}

RNN::~RNN() = default;
LSTM::~LSTM() = default;
GRU::~GRU() = default;

} // namespace dlc::nn
