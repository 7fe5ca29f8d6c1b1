//===- dlc/nn/activations.h - functions between layers -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each as a function and as a module; x has any shape, y the same.
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_ACTIVATIONS_H
#define DLC_NN_ACTIVATIONS_H

#include "dlc/nn/module.h"

namespace dlc {

/// x/2 (1 + erf(x/sqrt 2)); with `tanh` the approximation by it.
DLC_API Tensor gelu(const Tensor &x, bool tanh = false, Where where = Where::current());
/// x > 0 ? x : slope x.
DLC_API Tensor leaky_relu(const Tensor &x, double slope = 0.01, Where where = Where::current());
/// x > 0 ? x : alpha (e^x - 1).
DLC_API Tensor elu(const Tensor &x, double alpha = 1, Where where = Where::current());
/// clamp(x/6 + 1/2, 0, 1).
DLC_API Tensor hardsigmoid(const Tensor &x, Where where = Where::current());
/// x hardsigmoid(x).
DLC_API Tensor hardswish(const Tensor &x, Where where = Where::current());
/// ln(1 / (1 + e^-x)).
DLC_API Tensor logsigmoid(const Tensor &x, Where where = Where::current());
/// x tanh(ln(1 + e^x)).
DLC_API Tensor mish(const Tensor &x, Where where = Where::current());
/// 1.0507 (max(0, x) + min(0, 1.6733 (e^x - 1))), Klambauer et al. 2017.
DLC_API Tensor selu(const Tensor &x, Where where = Where::current());
DLC_API Tensor softmax(const Tensor &x, int64_t dim, Where where = Where::current());
DLC_API Tensor log_softmax(const Tensor &x, int64_t dim, Where where = Where::current());

namespace nn {

#define DLC_ACTIVATION(Name, function)                                                                       \
  class DLC_API Name : public Module {                                                                       \
  public:                                                                                                    \
    Tensor forward(Tensor x) override { return dlc::function(x, caller()); }                                 \
  };
DLC_ACTIVATION(ReLU, relu)
DLC_ACTIVATION(Sigmoid, sigmoid)
DLC_ACTIVATION(Tanh, tanh)
DLC_ACTIVATION(SiLU, silu)
DLC_ACTIVATION(Softplus, softplus)
DLC_ACTIVATION(Softsign, softsign)
DLC_ACTIVATION(Hardsigmoid, hardsigmoid)
DLC_ACTIVATION(Hardswish, hardswish)
DLC_ACTIVATION(LogSigmoid, logsigmoid)
DLC_ACTIVATION(Mish, mish)
DLC_ACTIVATION(SELU, selu)
#undef DLC_ACTIVATION

/// gelu(); `tanh` chooses the approximation.
class DLC_API GELU : public Module {
public:
  explicit GELU(bool tanh = false);
  Tensor forward(Tensor x) override { return gelu(x, tanh, caller()); }

private:
  bool tanh;
};

class DLC_API LeakyReLU : public Module {
public:
  explicit LeakyReLU(double slope = 0.01);
  Tensor forward(Tensor x) override { return leaky_relu(x, slope, caller()); }

private:
  double slope;
};

class DLC_API ELU : public Module {
public:
  explicit ELU(double alpha = 1);
  Tensor forward(Tensor x) override { return elu(x, alpha, caller()); }

private:
  double alpha;
};

class DLC_API Softmax : public Module {
public:
  explicit Softmax(int64_t dim);
  Tensor forward(Tensor x) override { return softmax(x, dim, caller()); }

private:
  int64_t dim;
};

class DLC_API LogSoftmax : public Module {
public:
  explicit LogSoftmax(int64_t dim);
  Tensor forward(Tensor x) override { return log_softmax(x, dim, caller()); }

private:
  int64_t dim;
};

} // namespace nn
} // namespace dlc

#endif // DLC_NN_ACTIVATIONS_H
