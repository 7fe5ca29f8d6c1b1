//===- RecurrentCell.cpp - one step of recurrent layers, and cells -----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/RecurrentCell.h"
#include "frontends/cpp/api/Init.h"
#include "frontends/cpp/api/ModuleState.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace dlc {

namespace detail {
using namespace nn;

Tensor cellProduct(const Tensor &x, const Tensor &weight, const Tensor &bias, const Where &where) {
  Tensor y = apply("nn.matmul", {x, weight}, {{"transpose_b", true}}, where);
  return bias.defined() ? y + bias : y;
}

CellState nextState(CellKind kind, const Tensor &x, const CellState &state, const CellWeights &weights,
                    int64_t hidden, const Where &where) {
  auto next = record::Recorder::get().step({kind, hidden, x.id(), state.h.id(), state.c.id(), weights.hh.id(),
                                            weights.biasHh.id(), weights.hr.id()},
                                           placeOf(where));
  const auto [h, c] = unwrap(std::move(next), where);
  return {unlessNoGrad(Tensor::of(h), where), c ? unlessNoGrad(Tensor::of(c), where) : Tensor()};
}

bool isReluNamed(const char *nonlinearity, const Where &where) {
  if (std::strcmp(nonlinearity, "tanh") != 0 && std::strcmp(nonlinearity, "relu") != 0)
    fail(std::string("nonlinearity: expected tanh or relu, got '") + nonlinearity + "'", where);
  return std::strcmp(nonlinearity, "relu") == 0;
}

void registerCell(Module &module, int64_t features, int64_t hidden, int64_t width, int64_t gates, bool bias,
                  const std::string &suffix, const Where &where) {
  double bound = 1 / std::sqrt(double(hidden));
  module.register_parameter("weight_ih" + suffix, uniformTensor({gates * hidden, features}, bound, where),
                            where);
  module.register_parameter("weight_hh" + suffix, uniformTensor({gates * hidden, width}, bound, where),
                            where);
  for (const char *name : {"bias_ih", "bias_hh"})
    if (bias)
      module.register_parameter(name + suffix, uniformTensor({gates * hidden}, bound, where), where);
  if (width != hidden)
    module.register_parameter("weight_hr" + suffix, uniformTensor({width, hidden}, bound, where), where);
}

CellWeights weightsOf(const Module &module, bool bias, const std::string &suffix) {
  return {module.parameter("weight_ih" + suffix), module.parameter("weight_hh" + suffix),
          bias ? module.parameter("bias_ih" + suffix) : Tensor(),
          bias ? module.parameter("bias_hh" + suffix) : Tensor()};
}

} // namespace detail

namespace nn {
using namespace detail;

//===-- Cells ------------------------------------------------------------------------------===//

static void makeCell(Module &module, int64_t features, int64_t hidden, int64_t gates,
                     const RNNCellOptions &options, const Where &where) {
  At at(where);
  requirePositive("input_size", features, where);
  requirePositive("hidden_size", hidden, where);
  registerCell(module, features, hidden, hidden, gates, options.bias, "", where);
  module.set_description(std::to_string(features) + ", " + std::to_string(hidden) +
                         (options.bias ? "" : ", bias=False") +
                         (std::strcmp(options.nonlinearity, "tanh") == 0
                              ? ""
                              : std::string(", nonlinearity=") + options.nonlinearity));
}

static CellState stepCell(const Module &module, CellKind kind, const Tensor &x, CellState state,
                          const Where &where) {
  bool isAlone = x.dim() == 1;
  const auto &entries = module.state().entries; // a class that derives from a cell may add some
  const bool hasBias =
      std::any_of(entries.begin(), entries.end(), [](const Entry &entry) { return entry.name == "bias_ih"; });
  CellWeights weights = weightsOf(module, hasBias, "");
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
  CellState next =
      nextState(kind, cellProduct(rows, weights.ih, weights.biasIh, where), state, weights, hidden, where);
  if (isAlone)
    return {next.h.squeeze(0), next.c.defined() ? next.c.squeeze(0) : Tensor()};
  return next;
}

RNNCell::RNNCell(int64_t input_size, int64_t hidden_size, RNNCellOptions options, Where where)
    : isRelu(isReluNamed(options.nonlinearity, where)) {
  makeCell(*this, input_size, hidden_size, 1, options, where);
}
Tensor RNNCell::operator()(const Tensor &x, const Tensor &h, Where where) {
  return called(*this, where, x, h);
}
Tensor RNNCell::forward(Tensor x) { return forward(x, {}); }
Tensor RNNCell::forward(Tensor x, Tensor h) {
  At at(caller());
  return stepCell(*this, isRelu ? CellKind::Relu : CellKind::Tanh, x, {h, {}}, caller()).h;
}

GRUCell::GRUCell(int64_t input_size, int64_t hidden_size, CellOptions options, Where where) {
  makeCell(*this, input_size, hidden_size, 3, {.bias = options.bias}, where);
}
Tensor GRUCell::operator()(const Tensor &x, const Tensor &h, Where where) {
  return called(*this, where, x, h);
}
Tensor GRUCell::forward(Tensor x) { return forward(x, {}); }
Tensor GRUCell::forward(Tensor x, Tensor h) {
  At at(caller());
  return stepCell(*this, CellKind::Gru, x, {h, {}}, caller()).h;
}

LSTMCell::LSTMCell(int64_t input_size, int64_t hidden_size, CellOptions options, Where where) {
  makeCell(*this, input_size, hidden_size, 4, {.bias = options.bias}, where);
}
LSTMCell::~LSTMCell() = default;
std::pair<Tensor, Tensor> LSTMCell::operator()(const Tensor &x, const Tensor &h, const Tensor &c,
                                               Where where) {
  return called(*this, where, x, h, c);
}
std::pair<Tensor, Tensor> LSTMCell::forward(Tensor x, Tensor h, Tensor c) {
  At at(caller());
  CellState next = stepCell(*this, CellKind::Lstm, x, {h, c}, caller());
  return {next.h, next.c};
}

} // namespace nn
} // namespace dlc
