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
/// max(0, x) + min(0, alpha (e^(x/alpha) - 1)).
DLC_API Tensor celu(const Tensor &x, double alpha = 1, Where where = Where::current());
/// clamp(x, low, high).
DLC_API Tensor hardtanh(const Tensor &x, double low = -1, double high = 1, Where where = Where::current());
/// clamp(x, 0, 6).
DLC_API Tensor relu6(const Tensor &x, Where where = Where::current());
/// |x| > lambda ? x : 0.
DLC_API Tensor hardshrink(const Tensor &x, double lambda = 0.5, Where where = Where::current());
/// sign(x) max(|x| - lambda, 0).
DLC_API Tensor softshrink(const Tensor &x, double lambda = 0.5, Where where = Where::current());
/// x - tanh(x).
DLC_API Tensor tanhshrink(const Tensor &x, Where where = Where::current());
/// x > threshold ? x : value.
DLC_API Tensor threshold(const Tensor &x, double threshold, double value, Where where = Where::current());
/// x > 0 ? x : weight x, with one weight, or one for each channel (dim 1).
DLC_API Tensor prelu(const Tensor &x, const Tensor &weight, Where where = Where::current());
/// The first half along a dim times the sigmoid of the second.
DLC_API Tensor glu(const Tensor &x, int64_t dim = -1, Where where = Where::current());
/// softmax(-x).
DLC_API Tensor softmin(const Tensor &x, int64_t dim, Where where = Where::current());
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
DLC_ACTIVATION(Softsign, softsign)
DLC_ACTIVATION(Hardsigmoid, hardsigmoid)
DLC_ACTIVATION(Hardswish, hardswish)
DLC_ACTIVATION(LogSigmoid, logsigmoid)
DLC_ACTIVATION(Mish, mish)
DLC_ACTIVATION(SELU, selu)
DLC_ACTIVATION(ReLU6, relu6)
DLC_ACTIVATION(Tanhshrink, tanhshrink)
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

/// ln(1 + e^(beta x)) / beta; x where beta x is above `threshold`.
class DLC_API Softplus : public Module {
public:
  explicit Softplus(double beta = 1, double threshold = 20, Where where = Where::current());
  Tensor forward(Tensor x) override;

private:
  double beta, limit;
};

class DLC_API CELU : public Module {
public:
  explicit CELU(double alpha = 1);
  Tensor forward(Tensor x) override { return celu(x, alpha, caller()); }

private:
  double alpha;
};

class DLC_API Hardtanh : public Module {
public:
  explicit Hardtanh(double min_val = -1, double max_val = 1);
  Tensor forward(Tensor x) override { return hardtanh(x, low, high, caller()); }

private:
  double low, high;
};

class DLC_API Hardshrink : public Module {
public:
  explicit Hardshrink(double lambda = 0.5);
  Tensor forward(Tensor x) override { return hardshrink(x, lambda, caller()); }

private:
  double lambda;
};

class DLC_API Softshrink : public Module {
public:
  explicit Softshrink(double lambda = 0.5);
  Tensor forward(Tensor x) override { return softshrink(x, lambda, caller()); }

private:
  double lambda;
};

class DLC_API Threshold : public Module {
public:
  Threshold(double threshold, double value);
  Tensor forward(Tensor x) override { return dlc::threshold(x, limit, value, caller()); }

private:
  double limit, value;
};

/// weight [num_parameters], `init` at first.
class DLC_API PReLU : public Module {
public:
  explicit PReLU(int64_t num_parameters = 1, double init = 0.25, Where where = Where::current());
  Tensor forward(Tensor x) override { return prelu(x, parameter("weight"), caller()); }
};

class DLC_API GLU : public Module {
public:
  explicit GLU(int64_t dim = -1);
  Tensor forward(Tensor x) override { return glu(x, dim, caller()); }

private:
  int64_t dim;
};

class DLC_API Softmin : public Module {
public:
  explicit Softmin(int64_t dim);
  Tensor forward(Tensor x) override { return softmin(x, dim, caller()); }

private:
  int64_t dim;
};

class DLC_API Softmax : public Module {
public:
  explicit Softmax(int64_t dim);
  Tensor forward(Tensor x) override { return softmax(x, dim, caller()); }

private:
  int64_t dim;
};

/// softmax() of the channels of images, [batch, channels, height, width] or without a batch.
class DLC_API Softmax2d : public Module {
public:
  Tensor forward(Tensor x) override;
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
