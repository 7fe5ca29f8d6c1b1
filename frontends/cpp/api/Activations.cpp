//===- Activations.cpp - functions between layers
//--------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/nn/activations.h"
#include "frontends/cpp/api/Detail.h"
#include <cstdio>

namespace dlc {
using namespace detail;

static Tensor elementwise(const char *operation, const Tensor &x, const record::Attributes &attributes,
                          const Where &where) {
  return apply(operation, {x}, attributes, where, {{x.shape(), x.dtype()}});
}

Tensor gelu(const Tensor &x, bool tanh, Where where) {
  return elementwise("nn.gelu", x, {{"tanh", tanh}}, where);
}
Tensor leaky_relu(const Tensor &x, double slope, Where where) {
  return elementwise("nn.leaky_relu", x, {{"alpha", slope}}, where);
}
Tensor elu(const Tensor &x, double alpha, Where where) {
  return elementwise("nn.elu", x, {{"alpha", alpha}}, where);
}
Tensor hardsigmoid(const Tensor &x, Where where) {
  return elementwise("nn.hard_sigmoid", x, {{"alpha", 1.0 / 6}, {"beta", 0.5}}, where);
}
Tensor hardswish(const Tensor &x, Where where) { return elementwise("nn.hard_swish", x, {}, where); }

Tensor logsigmoid(const Tensor &x, Where where) {
  At at(where);
  return -softplus(-x);
}
Tensor mish(const Tensor &x, Where where) {
  At at(where);
  return x * tanh(softplus(x));
}
Tensor selu(const Tensor &x, Where where) {
  At at(where);
  constexpr double alpha = 1.6732632423543772848170429916717, scale = 1.0507009873554804934193349852946;
  return elu(x, alpha) * scale;
}
Tensor softmax(const Tensor &x, int64_t dim, Where where) { return x.softmax(dim, where); }
Tensor log_softmax(const Tensor &x, int64_t dim, Where where) { return x.log_softmax(dim, where); }

namespace nn {

static std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", value);
  return std::string(text).find_first_of(".e") == std::string::npos ? std::string(text) + ".0" : text;
}

GELU::GELU(bool tanh) : tanh(tanh) {
  set_description(std::string("approximate='") + (tanh ? "tanh'" : "none'"));
}
LeakyReLU::LeakyReLU(double slope) : slope(slope) { set_description("negative_slope=" + number(slope)); }
ELU::ELU(double alpha) : alpha(alpha) { set_description("alpha=" + number(alpha)); }
Softmax::Softmax(int64_t dim) : dim(dim) { set_description("dim=" + std::to_string(dim)); }
LogSoftmax::LogSoftmax(int64_t dim) : dim(dim) { set_description("dim=" + std::to_string(dim)); }

} // namespace nn
} // namespace dlc
