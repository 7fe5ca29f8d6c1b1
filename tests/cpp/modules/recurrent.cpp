// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Recurrent layers and cells: outputs, and states.
#include "tests/cpp/modules/cases.h"

using namespace cases;

/// Outputs and last states in one row, as `cat` of make_references.py has them.
static Tensor all(const nn::RecurrentResult &result) {
  std::vector<Tensor> parts{result.output.flatten(), result.h.flatten()};
  if (result.c.defined())
    parts.push_back(result.c.flatten());
  return cat(parts);
}

static Program recurrent(DType dtype) {
  Cases c(dtype);
  auto run = [](auto &m, std::vector<Tensor> &x) { return all(m.run(x[0])); };
  auto runFrom = [](auto &m, std::vector<Tensor> &x) { return all(m.run(x[0], x[1])); };
  auto runFromBoth = [](auto &m, std::vector<Tensor> &x) { return all(m.run(x[0], x[1], x[2])); };
  c.add("nn.RNN(3, 4)", "m(x[0])[0]", nn::RNN(3, 4), {{{5, 2, 3}}}, [](auto &m, auto &x) { return m(x[0]); });
  c.add("nn.RNN(2, 3, 2, nonlinearity='relu', bias=False, batch_first=True)", "cat(m(x[0]))",
        nn::RNN(2, 3, {.num_layers = 2, .nonlinearity = "relu", .bias = false, .batch_first = true}),
        {{{2, 3, 2}}}, run);
  c.add("nn.RNN(2, 1, bidirectional=True)", "cat(m(x[0], x[1]))", nn::RNN(2, 1, {.bidirectional = true}),
        {{{3, 2}}, {{2, 1}}}, runFrom);
  c.add("nn.LSTM(3, 4)", "cat(m(x[0]))", nn::LSTM(3, 4), {{{4, 2, 3}}}, run);
  c.add("nn.LSTM(2, 3, 2, batch_first=True, bidirectional=True)", "cat(m(x[0], (x[1], x[2])))",
        nn::LSTM(2, 3, {.num_layers = 2, .batch_first = true, .bidirectional = true}),
        {{{2, 3, 2}}, {{4, 2, 3}}, {{4, 2, 3}}}, runFromBoth);
  c.add("nn.LSTM(1, 2, 3, bias=False, dropout=0.5).eval()", "cat(m(x[0]))",
        evaluated(nn::LSTM(1, 2, {.num_layers = 3, .bias = false, .dropout = 0.5})), {{{2, 1}}}, run);
  c.add("nn.LSTM(3, 4, proj_size=2)", "cat(m(x[0]))", nn::LSTM(3, 4, {.proj_size = 2}), {{{4, 2, 3}}}, run);
  c.add(
      "nn.LSTM(2, 3, 2, bias=False, batch_first=True, bidirectional=True, proj_size=1)",
      "cat(m(x[0], (x[1], x[2])))",
      nn::LSTM(2, 3,
               {.num_layers = 2, .bias = false, .batch_first = true, .bidirectional = true, .proj_size = 1}),
      {{{2, 3, 2}}, {{4, 2, 1}}, {{4, 2, 3}}}, runFromBoth);
  c.add("nn.GRU(3, 4)", "cat(m(x[0]))", nn::GRU(3, 4), {{{4, 2, 3}}}, run);
  c.add("nn.GRU(2, 3, 2, batch_first=True, bidirectional=True)", "cat(m(x[0], x[1]))",
        nn::GRU(2, 3, {.num_layers = 2, .batch_first = true, .bidirectional = true}),
        {{{2, 3, 2}}, {{4, 2, 3}}}, runFrom);
  c.add("nn.GRU(1, 1, bias=False)", "cat(m(x[0]))", nn::GRU(1, 1, {.bias = false}), {{{1, 1}}}, run);

  auto step = [](auto &m, std::vector<Tensor> &x) { return m(x[0], x.size() > 1 ? x[1] : Tensor()); };
  c.add("nn.RNNCell(3, 4)", "m(x[0], x[1])", nn::RNNCell(3, 4), {{{2, 3}}, {{2, 4}}}, step);
  c.add("nn.RNNCell(2, 3, bias=False, nonlinearity='relu')", "m(x[0])",
        nn::RNNCell(2, 3, {.bias = false, .nonlinearity = "relu"}), {{{3, 2}}}, step);
  c.add("nn.RNNCell(2, 1)", "m(x[0], x[1])", nn::RNNCell(2, 1), {{{2}}, {{1}}}, step);
  c.add("nn.GRUCell(3, 4)", "m(x[0], x[1])", nn::GRUCell(3, 4), {{{2, 3}}, {{2, 4}}}, step);
  c.add("nn.GRUCell(2, 3, bias=False)", "m(x[0])", nn::GRUCell(2, 3, {.bias = false}), {{{1, 2}}}, step);
  c.add("nn.GRUCell(2, 1)", "m(x[0], x[1])", nn::GRUCell(2, 1), {{{2}}, {{1}}}, step);
  auto both = [](nn::LSTMCell &m, std::vector<Tensor> &x) {
    auto [h, c] = x.size() > 1 ? m(x[0], x[1], x[2]) : m(x[0]);
    return cat({h.flatten(), c.flatten()});
  };
  c.add("nn.LSTMCell(3, 4)", "cat(m(x[0], (x[1], x[2])))", nn::LSTMCell(3, 4), {{{2, 3}}, {{2, 4}}, {{2, 4}}},
        both);
  c.add("nn.LSTMCell(2, 3, bias=False)", "cat(m(x[0]))", nn::LSTMCell(2, 3, {.bias = false}), {{{3, 2}}},
        both);
  c.add("nn.LSTMCell(1, 2)", "cat(m(x[0], (x[1], x[2])))", nn::LSTMCell(1, 2), {{{1}}, {{2}}, {{2}}}, both);
  return c.program();
}

DLC_MODEL(recurrent) { return recurrent(float64); }
DLC_MODEL(recurrent32) { return recurrent(float32); }
