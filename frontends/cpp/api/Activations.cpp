//===- Activations.cpp - functions between layers
//--------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/nn/activations.h"
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/Init.h"
#include "frontends/cpp/api/Text.h"
#include <algorithm>
#include <cmath>
#include <cstring>

namespace dlc {
using namespace detail;

static Tensor elementwise(const char *operation, const Tensor &x, const record::Attributes &attributes,
                          const Where &where) {
  return apply(operation, {x}, attributes, where, {{x.shape(), x.dtype()}});
}

/// The text itself, as one of the library's.
static const char *approximation(const char *text, const Where &where) {
  for (const char *known : {"none", "tanh"})
    if (text && std::strcmp(text, known) == 0)
      return known;
  fail(std::string("gelu: expected the approximation \"none\" or \"tanh\", got ") +
           (text ? '"' + std::string(text) + '"' : "no text"),
       where);
}
Tensor gelu(const Tensor &x, const char *approximate, Where where) {
  const bool tanh = std::strcmp(approximation(approximate, where), "tanh") == 0;
  return elementwise("nn.gelu", x, {{"tanh", tanh}}, where);
}
Tensor leaky_relu(const Tensor &x, double slope, Where where) {
  return elementwise("nn.leaky_relu", x, {{"alpha", slope}}, where);
}
static void requireSlopes(const char *function, double lower, double upper, const Where &where) {
  if (!(lower <= upper) || !std::isfinite(lower) || !std::isfinite(upper))
    fail(std::string(function) + ": expected a lower slope that is not above the upper one, got " +
             pythonNumber(lower) + " and " + pythonNumber(upper),
         where);
}
Tensor rrelu(const Tensor &x, double lower, double upper, bool training, Where where) {
  At at(where);
  requireSlopes("rrelu", lower, upper, where);
  Tensor known = leaky_relu(x, (lower + upper) / 2);
  if (!training || lower == upper)
    return known;
  Tensor slopes = rand_like(x) * (upper - lower) + lower;
  return by_mode(dlc::where(x > 0, x, x * slopes), known);
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
Tensor celu(const Tensor &x, double alpha, Where where) {
  At at(where);
  if (alpha == 0)
    fail("celu: expected an alpha other than 0", where);
  return alpha == 1 ? elu(x, 1) : elu(x / alpha, 1) * alpha;
}
Tensor hardtanh(const Tensor &x, double low, double high, Where where) {
  if (!(low < high))
    fail("hardtanh: expected a range, got " + pythonNumber(low) + " to " + pythonNumber(high), where);
  At at(where);
  // Not clamp(), whose derivative at both ends is 1.
  return x.masked_fill(x <= low, low).masked_fill(x >= high, high);
}
Tensor relu6(const Tensor &x, Where where) { return hardtanh(x, 0, 6, where); }
Tensor hardshrink(const Tensor &x, double lambda, Where where) {
  At at(where);
  return x.masked_fill(x.abs() <= lambda, 0);
}
Tensor softshrink(const Tensor &x, double lambda, Where where) {
  At at(where);
  if (!(lambda >= 0))
    fail("softshrink: expected a lambda that is not negative, got " + pythonNumber(lambda), where);
  return x - x.clamp(-lambda, lambda);
}
Tensor tanhshrink(const Tensor &x, Where where) {
  At at(where);
  return x - tanh(x);
}
Tensor threshold(const Tensor &x, double threshold, double value, Where where) {
  At at(where);
  return x.masked_fill(x <= threshold, value);
}
Tensor prelu(const Tensor &x, const Tensor &weight, Where where) {
  At at(where);
  Shape column(std::max<int64_t>(x.dim() - 1, 0), Dim(1));
  if (weight.dim() == 1 && x.dim() > 1)
    column[0] = weight.size(0);
  if (weight.dim() != 1 || (weight.size(0) != Dim(1) && (x.dim() < 2 || weight.size(0) != x.size(1))))
    fail("prelu: expected one weight, or one for each channel (dim 1) of " + str(x.shape()) + ", got " +
             str(weight.shape()),
         where);
  return dlc::where(x > 0, x, x * weight.reshape(column));
}
Tensor glu(const Tensor &x, int64_t dim, Where where) {
  At at(where);
  dim = frontDim(dim, x.dim(), where);
  Dim size = x.size(dim);
  if (!size.is_static() || size.factor % 2)
    fail("glu: expected an even number of elements along dim " + std::to_string(dim) + ", got " +
             str(x.shape()),
         where);
  int64_t half = size.factor / 2;
  return x.slice(dim, {0, half}) * sigmoid(x.slice(dim, {half, size.factor}));
}
Tensor softmin(const Tensor &x, int64_t dim, Where where) {
  At at(where);
  return (-x).softmax(dim);
}
Tensor softmax(const Tensor &x, int64_t dim, Where where) { return x.softmax(dim, where); }
Tensor log_softmax(const Tensor &x, int64_t dim, Where where) { return x.log_softmax(dim, where); }

namespace nn {

GELU::GELU(const char *approximate, Where where) : approximate(approximation(approximate, where)) {
  set_description(std::string("approximate='") + this->approximate + "'");
}
LeakyReLU::LeakyReLU(double slope) : slope(slope) {
  set_description("negative_slope=" + pythonNumber(slope));
}
RReLU::RReLU(double lower, double upper, Where where) : lower(lower), upper(upper) {
  requireSlopes("RReLU", lower, upper, where);
  set_description("lower=" + pythonNumber(lower) + ", upper=" + pythonNumber(upper));
}
ELU::ELU(double alpha) : alpha(alpha) { set_description("alpha=" + pythonNumber(alpha)); }
Softmax::Softmax(int64_t dim) : dim(dim) { set_description("dim=" + std::to_string(dim)); }
Softplus::Softplus(double beta, double threshold, Where where) : beta(beta), limit(threshold) {
  if (!(beta > 0))
    fail("Softplus: expected a beta above 0, got " + pythonNumber(beta), where);
  set_description("beta=" + pythonNumber(beta) + ", threshold=" + pythonNumber(limit));
}
Tensor Softplus::computed(Tensor x) {
  At at(caller());
  Tensor scaled = beta == 1 ? x : x * beta, y = beta == 1 ? softplus(x) : softplus(scaled) / beta;
  return limit >= 20 ? y : dlc::where(scaled > limit, x, y); // above 20 they are the same float
}

CELU::CELU(double alpha) : alpha(alpha) { set_description("alpha=" + pythonNumber(alpha)); }
Hardtanh::Hardtanh(double min_val, double max_val) : low(min_val), high(max_val) {
  set_description("min_val=" + pythonNumber(low) + ", max_val=" + pythonNumber(high));
}
Hardshrink::Hardshrink(double lambda) : lambda(lambda) { set_description(pythonNumber(lambda)); }
Softshrink::Softshrink(double lambda) : lambda(lambda) { set_description(pythonNumber(lambda)); }
Threshold::Threshold(double threshold, double value) : limit(threshold), value(value) {
  set_description("threshold=" + pythonNumber(limit) + ", value=" + pythonNumber(value));
}
PReLU::PReLU(int64_t num_parameters, double init, Where where) {
  At at(where);
  requirePositive("num_parameters", num_parameters, where);
  register_parameter("weight", filledTensor({num_parameters}, init, where));
  set_description("num_parameters=" + std::to_string(num_parameters));
}
GLU::GLU(int64_t dim) : dim(dim) { set_description("dim=" + std::to_string(dim)); }
Softmin::Softmin(int64_t dim) : dim(dim) { set_description("dim=" + std::to_string(dim)); }
Tensor Softmax2d::computed(Tensor x) {
  if (x.dim() != 3 && x.dim() != 4)
    fail("Softmax2d: expected [batch, channels, height, width], or the same without a batch, got " +
             dlc::detail::describe(x),
         caller());
  return softmax(x, -3, caller());
}
LogSoftmax::LogSoftmax(int64_t dim) : dim(dim) { set_description("dim=" + std::to_string(dim)); }

#define DLC_ACTIVATION(Name, call)                                                                           \
  Tensor Name::computed(Tensor x) { return dlc::call; }
DLC_ACTIVATION(ReLU, relu(x, caller()))
DLC_ACTIVATION(Sigmoid, sigmoid(x, caller()))
DLC_ACTIVATION(Tanh, tanh(x, caller()))
DLC_ACTIVATION(SiLU, silu(x, caller()))
DLC_ACTIVATION(Softsign, softsign(x, caller()))
DLC_ACTIVATION(Hardsigmoid, hardsigmoid(x, caller()))
DLC_ACTIVATION(Hardswish, hardswish(x, caller()))
DLC_ACTIVATION(LogSigmoid, logsigmoid(x, caller()))
DLC_ACTIVATION(Mish, mish(x, caller()))
DLC_ACTIVATION(SELU, selu(x, caller()))
DLC_ACTIVATION(ReLU6, relu6(x, caller()))
DLC_ACTIVATION(Tanhshrink, tanhshrink(x, caller()))
DLC_ACTIVATION(GELU, gelu(x, approximate, caller()))
DLC_ACTIVATION(LeakyReLU, leaky_relu(x, slope, caller()))
DLC_ACTIVATION(RReLU, rrelu(x, lower, upper, is_training(), caller()))
DLC_ACTIVATION(ELU, elu(x, alpha, caller()))
DLC_ACTIVATION(CELU, celu(x, alpha, caller()))
DLC_ACTIVATION(Hardtanh, hardtanh(x, low, high, caller()))
DLC_ACTIVATION(Hardshrink, hardshrink(x, lambda, caller()))
DLC_ACTIVATION(Softshrink, softshrink(x, lambda, caller()))
DLC_ACTIVATION(Threshold, threshold(x, limit, value, caller()))
DLC_ACTIVATION(PReLU, prelu(x, parameter("weight"), caller()))
DLC_ACTIVATION(GLU, glu(x, dim, caller()))
DLC_ACTIVATION(Softmin, softmin(x, dim, caller()))
DLC_ACTIVATION(Softmax, softmax(x, dim, caller()))
DLC_ACTIVATION(LogSoftmax, log_softmax(x, dim, caller()))
#undef DLC_ACTIVATION

} // namespace nn
} // namespace dlc
