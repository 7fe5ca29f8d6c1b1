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

/// What follows the sizes of an LSTM or a GRU.
struct RecurrentOptions {
  int64_t num_layers = 1;     ///< layers, of which each takes the outputs of the one before
  bool bias = true;           ///< whether they have some
  bool batch_first = false;   ///< the batch is dim 0, otherwise dim 1
  double dropout = 0;         ///< between the layers
  bool bidirectional = false; ///< a second layer goes from the last place to the first
  int64_t proj_size = 0;      ///< of an LSTM: what h is projected to, fewer than hidden; 0: it is not
};
/// What follows the sizes of an RNN.
struct RNNOptions {
  int64_t num_layers = 1;            ///< as of RecurrentOptions
  const char *nonlinearity = "tanh"; ///< or "relu"
  bool bias = true;                  ///< whether they have some
  bool batch_first = false;          ///< the batch is dim 0, otherwise dim 1
  double dropout = 0;                ///< between the layers
  bool bidirectional = false;        ///< a second layer goes from the last place to the first
};

/// What a recurrent layer computes.
struct RecurrentResult {
  /// The states h of the last layer at all places: [places, batch, directions * width], or batch first. The
  /// width is proj_size where there is one, else hidden.
  Tensor output;
  Tensor h; ///< the last state of each layer and direction: [layers * directions, batch, width]
  Tensor c; ///< the last cell state of an LSTM: [layers * directions, batch, hidden]; of others none
};

/// What the recurrent layers share. For each layer and direction: weight_ih_l0 [gates * hidden, features],
/// weight_hh_l0 [gates * hidden, width], bias_ih_l0, bias_hh_l0, with proj_size weight_hr_l0 [width, hidden];
/// those of the way back end in "_reverse".
class DLC_API Recurrent : public Layer {
public:
  /// The outputs for x [places, batch, features], with batch_first [batch, places, features], or without a
  /// batch.
  Tensor computed(Tensor x) override;
  /// The states, too; h and c are the first ones, of the shapes of the last ones, or zero.
  RecurrentResult run(const Tensor &x, const Tensor &h = {}, const Tensor &c = {},
                      Where where = Where::current());

protected:
  enum class Kind { Tanh, Relu, Lstm, Gru };
  Recurrent(Kind kind, int64_t input_size, int64_t hidden_size, const RecurrentOptions &options,
            const Where &where);

private:
  RecurrentResult compute(Tensor x, Tensor h, Tensor c, const Where &where);
  Kind kind;
  int64_t features, hidden, width; ///< of h: proj_size, or hidden
  RecurrentOptions options;
};

/// h' = tanh(W x + b + R h + d), or relu.
class DLC_API RNN : public Recurrent {
public:
  RNN(int64_t input_size, int64_t hidden_size, RNNOptions options = {}, Where where = Where::current());
  ~RNN() override;
  /// One that is made later.
  ///@{
  RNN() = delete;               // write nn::RNN rnn = register_module("rnn", nn::RNN(4, 8))
  RNN(std::nullptr_t) = delete; // write nn::RNN rnn = register_module("rnn", nn::RNN(4, 8))
  ///@}
};
/// i, f, o = sigmoid(W x + b + R h + d), g = tanh(...) of parts i, f, g, o; c' = f c + i g, h' = o tanh(c').
/// Hochreiter and Schmidhuber 1997. With proj_size h' = P (o tanh(c')), Sak et al. 2014.
class DLC_API LSTM : public Recurrent {
public:
  LSTM(int64_t input_size, int64_t hidden_size, RecurrentOptions options = {},
       Where where = Where::current());
  ~LSTM() override;
  /// One that is made later.
  ///@{
  LSTM() = delete;               // write nn::LSTM lstm = register_module("lstm", nn::LSTM(4, 8))
  LSTM(std::nullptr_t) = delete; // write nn::LSTM lstm = register_module("lstm", nn::LSTM(4, 8))
  ///@}
};
/// r, z = sigmoid(W x + b + R h + d), n = tanh(W x + b + r (R h + d)) of parts r, z, n; h' = (1 - z) n + z h.
/// Cho et al. 2014, with PyTorch's place of the reset gate.
class DLC_API GRU : public Recurrent {
public:
  GRU(int64_t input_size, int64_t hidden_size, RecurrentOptions options = {}, Where where = Where::current());
  ~GRU() override;
  /// One that is made later.
  ///@{
  GRU() = delete;               // write nn::GRU gru = register_module("gru", nn::GRU(4, 8))
  GRU(std::nullptr_t) = delete; // write nn::GRU gru = register_module("gru", nn::GRU(4, 8))
  ///@}
};

/// What follows the sizes of a cell.
struct CellOptions {
  bool bias = true; ///< whether it has two
};
/// The same of an RNN.
struct RNNCellOptions {
  bool bias = true;                  ///< whether it has two
  const char *nonlinearity = "tanh"; ///< or "relu"
};

/// One step of an RNN: weight_ih [hidden, features], weight_hh [hidden, hidden], bias_ih, bias_hh [hidden].
class DLC_API RNNCell : public Module {
public:
  RNNCell(int64_t input_size, int64_t hidden_size, RNNCellOptions options = {},
          Where where = Where::current());
  /// Options without a name.
  template <std::convertible_to<bool> Bias, typename... More>
  RNNCell(int64_t, int64_t, Bias, More...) = delete; // write nn::RNNCell(4, 8, {.nonlinearity = "relu"})
  Tensor forward(Tensor x) override;
  /// The next state for x [batch, features] and a state [batch, hidden], which is zero where none is given.
  virtual Tensor forward(Tensor x, Tensor h);
  /// forward(); errors in it name this module.
  Tensor operator()(const Tensor &x, const Tensor &h = {}, Where where = Where::current());

private:
  bool isRelu;
};
/// One step of a GRU; the parameters have 3 hidden rows.
class DLC_API GRUCell : public Module {
public:
  GRUCell(int64_t input_size, int64_t hidden_size, CellOptions options = {}, Where where = Where::current());
  /// Options without a name.
  template <std::convertible_to<bool> Bias, typename... More>
  GRUCell(int64_t, int64_t, Bias, More...) = delete; // write nn::GRUCell(4, 8, {.bias = false})
  Tensor forward(Tensor x) override;
  /// The next state, as that of RNNCell.
  virtual Tensor forward(Tensor x, Tensor h);
  /// forward(); errors in it name this module.
  Tensor operator()(const Tensor &x, const Tensor &h = {}, Where where = Where::current());
};
/// One step of an LSTM; the parameters have 4 hidden rows.
class DLC_API LSTMCell : public Module {
public:
  LSTMCell(int64_t input_size, int64_t hidden_size, CellOptions options = {}, Where where = Where::current());
  /// Options without a name.
  template <std::convertible_to<bool> Bias, typename... More>
  LSTMCell(int64_t, int64_t, Bias, More...) = delete; // write nn::LSTMCell(4, 8, {.bias = false})
  ~LSTMCell() override;
  using Module::forward;
  /// The next h and c, [batch, hidden] both; they are zero where none are given.
  virtual std::pair<Tensor, Tensor> forward(Tensor x, Tensor h, Tensor c);
  /// forward(); errors in it name this module.
  std::pair<Tensor, Tensor> operator()(const Tensor &x, const Tensor &h = {}, const Tensor &c = {},
                                       Where where = Where::current());
};

} // namespace dlc::nn

#endif // DLC_NN_RECURRENT_H
