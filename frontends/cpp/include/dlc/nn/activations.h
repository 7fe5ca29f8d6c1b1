//===- dlc/nn/activations.h - functions between layers, as modules ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What they compute stands with the functions (dlc/activations.h), which they are named after.
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_ACTIVATIONS_H
#define DLC_NN_ACTIVATIONS_H

#include "dlc/activations.h"
#include "dlc/nn/module.h"

namespace dlc::nn {

namespace functional {
// As torch.nn.functional has them, too.
using dlc::celu, dlc::elu, dlc::gelu, dlc::glu, dlc::hardshrink, dlc::hardsigmoid, dlc::hardswish,
    dlc::hardtanh, dlc::leaky_relu, dlc::log_softmax, dlc::logsigmoid, dlc::mish, dlc::prelu, dlc::relu,
    dlc::relu6, dlc::rrelu, dlc::selu, dlc::sigmoid, dlc::silu, dlc::softmax, dlc::softmin, dlc::softplus,
    dlc::softshrink, dlc::softsign, dlc::tanh, dlc::tanhshrink, dlc::threshold;
} // namespace functional

#define DLC_ACTIVATION(Name)                                                                                 \
  class DLC_API Name : public Layer {                                                                        \
  public:                                                                                                    \
    Tensor computed(Tensor x) override;                                                                      \
  };
/// max(0, x).
DLC_ACTIVATION(ReLU)
/// 1 / (1 + e^-x).
DLC_ACTIVATION(Sigmoid)
/// The hyperbolic tangent.
DLC_ACTIVATION(Tanh)
/// x sigmoid(x). Elfwing et al. 2017.
DLC_ACTIVATION(SiLU)
/// x / (1 + |x|).
DLC_ACTIVATION(Softsign)
/// dlc::hardsigmoid().
DLC_ACTIVATION(Hardsigmoid)
/// dlc::hardswish().
DLC_ACTIVATION(Hardswish)
/// dlc::logsigmoid().
DLC_ACTIVATION(LogSigmoid)
/// dlc::mish().
DLC_ACTIVATION(Mish)
/// dlc::selu().
DLC_ACTIVATION(SELU)
/// dlc::relu6().
DLC_ACTIVATION(ReLU6)
/// dlc::tanhshrink().
DLC_ACTIVATION(Tanhshrink)
#undef DLC_ACTIVATION

/// dlc::gelu().
class DLC_API GELU : public Layer {
public:
  explicit GELU(const char *approximate = "none", Where where = Where::current());
  Tensor computed(Tensor x) override;

private:
  const char *approximate; ///< one of the library's texts
};

/// dlc::leaky_relu().
class DLC_API LeakyReLU : public Layer {
public:
  explicit LeakyReLU(double slope = 0.01);
  Tensor computed(Tensor x) override;

private:
  double slope;
};

/// dlc::rrelu() in training mode.
class DLC_API RReLU : public Layer {
public:
  explicit RReLU(double lower = 1.0 / 8, double upper = 1.0 / 3, Where where = Where::current());
  Tensor computed(Tensor x) override;

private:
  double lower, upper;
};

/// dlc::elu().
class DLC_API ELU : public Layer {
public:
  explicit ELU(double alpha = 1);
  Tensor computed(Tensor x) override;

private:
  double alpha;
};

/// ln(1 + e^(beta x)) / beta; x where beta x is above `threshold`.
class DLC_API Softplus : public Layer {
public:
  explicit Softplus(double beta = 1, double threshold = 20, Where where = Where::current());
  Tensor computed(Tensor x) override;

private:
  double beta, limit;
};

/// dlc::celu(). Barron 2017.
class DLC_API CELU : public Layer {
public:
  explicit CELU(double alpha = 1);
  Tensor computed(Tensor x) override;

private:
  double alpha;
};

/// dlc::hardtanh().
class DLC_API Hardtanh : public Layer {
public:
  explicit Hardtanh(double min_val = -1, double max_val = 1);
  Tensor computed(Tensor x) override;

private:
  double low, high;
};

/// dlc::hardshrink().
class DLC_API Hardshrink : public Layer {
public:
  explicit Hardshrink(double lambda = 0.5);
  Tensor computed(Tensor x) override;

private:
  double lambda;
};

/// dlc::softshrink().
class DLC_API Softshrink : public Layer {
public:
  explicit Softshrink(double lambda = 0.5);
  Tensor computed(Tensor x) override;

private:
  double lambda;
};

/// dlc::threshold().
class DLC_API Threshold : public Layer {
public:
  Threshold(double threshold, double value);
  Tensor computed(Tensor x) override;

private:
  double limit, value;
};

/// dlc::prelu() with a parameter: weight [num_parameters], `init` at first.
class DLC_API PReLU : public Layer {
public:
  explicit PReLU(int64_t num_parameters = 1, double init = 0.25, Where where = Where::current());
  Tensor computed(Tensor x) override;
};

/// dlc::glu().
class DLC_API GLU : public Layer {
public:
  explicit GLU(int64_t dim = -1);
  Tensor computed(Tensor x) override;

private:
  int64_t dim;
};

/// dlc::softmin().
class DLC_API Softmin : public Layer {
public:
  explicit Softmin(int64_t dim);
  Tensor computed(Tensor x) override;

private:
  int64_t dim;
};

/// dlc::softmax().
class DLC_API Softmax : public Layer {
public:
  explicit Softmax(int64_t dim);
  Tensor computed(Tensor x) override;

private:
  int64_t dim;
};

/// softmax() of the channels of images, [batch, channels, height, width] or without a batch.
class DLC_API Softmax2d : public Layer {
public:
  Tensor computed(Tensor x) override;
};

/// dlc::log_softmax().
class DLC_API LogSoftmax : public Layer {
public:
  explicit LogSoftmax(int64_t dim);
  Tensor computed(Tensor x) override;

private:
  int64_t dim;
};

} // namespace dlc::nn

#endif // DLC_NN_ACTIVATIONS_H
