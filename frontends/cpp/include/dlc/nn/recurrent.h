//===- dlc/nn/recurrent.h - recurrent layers ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences have a known length of 1 to 512: a copy of the cell is made for each place.
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_RECURRENT_H
#define DLC_NN_RECURRENT_H

#include "dlc/nn/module.h"

namespace dlc::nn {

struct RecurrentOptions {
  int64_t num_layers = 1;
  bool bias = true, batch_first = false;
  double dropout = 0; ///< between the layers
  bool bidirectional = false;
};
struct RNNOptions {
  int64_t num_layers = 1;
  const char *nonlinearity = "tanh"; ///< or "relu"
  bool bias = true, batch_first = false;
  double dropout = 0;
  bool bidirectional = false;
};

/// The outputs of the last layer at all places, and the last state of each layer and direction.
struct RecurrentResult {
  Tensor output, h, c; ///< c of an LSTM
};

/// What the recurrent layers share. For each layer and direction: weight_ih_l0 [gates * hidden, features],
/// weight_hh_l0 [gates * hidden, hidden], bias_ih_l0, bias_hh_l0; those of the way back end in "_reverse".
class DLC_API Recurrent : public Module {
public:
  /// The outputs for x [places, batch, features], with batch_first [batch, places, features], or without a
  /// batch.
  Tensor forward(Tensor x) override;
  /// The states, too; h and c are the first ones [layers * directions, batch, hidden], or zero.
  RecurrentResult run(const Tensor &x, const Tensor &h = {}, const Tensor &c = {},
                      Where where = Where::current());

protected:
  enum class Kind { Tanh, Relu, Lstm, Gru };
  Recurrent(Kind kind, int64_t input_size, int64_t hidden_size, const RecurrentOptions &options,
            const Where &where);

private:
  RecurrentResult compute(Tensor x, Tensor h, Tensor c, const Where &where);
  Kind kind;
  int64_t features, hidden;
  RecurrentOptions options;
};

/// h' = tanh(W x + b + R h + d), or relu.
class DLC_API RNN : public Recurrent {
public:
  RNN(int64_t input_size, int64_t hidden_size, RNNOptions options = {}, Where where = Where::current());
};
/// Hochreiter and Schmidhuber 1997.
class DLC_API LSTM : public Recurrent {
public:
  LSTM(int64_t input_size, int64_t hidden_size, RecurrentOptions options = {}, Where where = Where::current())
      : Recurrent(Kind::Lstm, input_size, hidden_size, options, where) {}
};
/// Cho et al. 2014, with PyTorch's place of the reset gate.
class DLC_API GRU : public Recurrent {
public:
  GRU(int64_t input_size, int64_t hidden_size, RecurrentOptions options = {}, Where where = Where::current())
      : Recurrent(Kind::Gru, input_size, hidden_size, options, where) {}
};

/// One step: weight_ih, weight_hh, bias_ih, bias_hh.
class DLC_API RNNCell : public Module {
public:
  RNNCell(int64_t input_size, int64_t hidden_size, bool bias = true, const char *nonlinearity = "tanh",
          Where where = Where::current());
  /// The next state for x [batch, features] and a state [batch, hidden], which is zero where none is given.
  Tensor forward(Tensor x) override;
  Tensor operator()(const Tensor &x, const Tensor &h = {}, Where where = Where::current());

private:
  bool isRelu;
};
class DLC_API GRUCell : public Module {
public:
  GRUCell(int64_t input_size, int64_t hidden_size, bool bias = true, Where where = Where::current());
  Tensor forward(Tensor x) override;
  Tensor operator()(const Tensor &x, const Tensor &h = {}, Where where = Where::current());
};
class DLC_API LSTMCell : public Module {
public:
  LSTMCell(int64_t input_size, int64_t hidden_size, bool bias = true, Where where = Where::current());
  using Module::forward;
  /// The next h and c.
  std::pair<Tensor, Tensor> operator()(const Tensor &x, const Tensor &h = {}, const Tensor &c = {},
                                       Where where = Where::current());
};

} // namespace dlc::nn

#endif // DLC_NN_RECURRENT_H
