//===- Layers.cpp - the basic layers --------------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/nn/layers.h"
#include "frontends/cpp/api/Init.h"
#include "frontends/cpp/api/Text.h"
#include <cmath>

namespace dlc {

namespace nn {
using namespace detail;

Linear::Linear(int64_t in_features, int64_t out_features, LinearOptions options, Where where)
    : hasBias(options.bias) {
  At at(where);
  requirePositive("in_features", in_features, where);
  requirePositive("out_features", out_features, where);
  double bound = 1 / std::sqrt(double(in_features));
  register_parameter("weight", uniformTensor({out_features, in_features}, bound, where));
  if (hasBias)
    register_parameter("bias", uniformTensor({out_features}, bound, where));
  set_description("in_features=" + std::to_string(in_features) + ", out_features=" +
                  std::to_string(out_features) + ", bias=" + (hasBias ? "True" : "False"));
}

static Tensor multiply(const std::string &function, const Tensor &x, const Tensor &weight, const Tensor &bias,
                       const Where &where) {
  At at(where);
  Dim features = weight.size(-1);
  if (x.dim() == 0 || x.size(-1) != features)
    fail(function + ": expected a last dim of " + features.str() + " features, got " + detail::describe(x),
         where);
  Tensor rows = x.dim() == 1 ? x.unsqueeze(0) : x;
  Tensor y = apply("nn.matmul", {rows, weight}, {{"transpose_b", true}}, where);
  if (bias.defined())
    y = y + bias;
  return x.dim() == 1 ? y.squeeze(0) : y;
}

Tensor functional::linear(const Tensor &x, const Tensor &weight, const Tensor &bias, Where where) {
  if (weight.dim() != 2 || (bias.defined() && bias.shape() != Shape{weight.size(0)}))
    fail("linear: expected a weight [out, in] and a bias [out], got " + detail::describe(weight) +
             (bias.defined() ? " and " + detail::describe(bias) : ""),
         where);
  return multiply("linear", x, weight, bias, where);
}

Tensor Linear::computed(Tensor x) {
  return multiply("Linear", x, parameter("weight"), hasBias ? parameter("bias") : Tensor(), caller());
}

Bilinear::Bilinear(int64_t in1_features, int64_t in2_features, int64_t out_features, LinearOptions options,
                   Where where)
    : in1(in1_features), in2(in2_features), out(out_features), hasBias(options.bias) {
  At at(where);
  requirePositive("in1_features", in1, where);
  requirePositive("in2_features", in2, where);
  requirePositive("out_features", out, where);
  double bound = 1 / std::sqrt(double(in1));
  register_parameter("weight", uniformTensor({out, in1, in2}, bound, where));
  if (hasBias)
    register_parameter("bias", uniformTensor({out}, bound, where));
  set_description("in1_features=" + std::to_string(in1) + ", in2_features=" + std::to_string(in2) +
                  ", out_features=" + std::to_string(out) + ", bias=" + pythonBool(hasBias));
}

Bilinear::~Bilinear() = default;

Tensor Bilinear::operator()(const Tensor &x1, const Tensor &x2, Where where) {
  return dlc::detail::called(*this, where, x1, x2);
}

Tensor Bilinear::forward(Tensor x1, Tensor x2) {
  Where where = caller();
  At at(where);
  Shape before = x1.shape(), other = x2.shape();
  bool fits = !before.empty() && !other.empty() && before.back() == Dim(in1) && other.back() == Dim(in2);
  for (Shape *shape : {&before, &other})
    if (!shape->empty())
      shape->pop_back();
  if (!fits || before != other)
    fail("Bilinear: expected [..., " + std::to_string(in1) + "] and [..., " + std::to_string(in2) +
             "] of the same dims before, got " + describe(x1) + " and " + describe(x2),
         where);
  // The products of x1 with all matrices are one product; x2 meets the sums.
  Tensor left = parameter("weight").permute({1, 0, 2}).reshape({in1, out * in2});
  Tensor half = x1.reshape({-1, in1}).matmul(left).reshape({-1, out, in2});
  Tensor y = half.matmul(x2.reshape({-1, in2, 1}));
  Shape shape = before;
  shape.push_back(out);
  y = y.reshape(shape);
  return hasBias ? y + parameter("bias") : y;
}

Flatten::Flatten(int64_t start, int64_t end) : start(start), end(end) {
  set_description("start_dim=" + std::to_string(start) + ", end_dim=" + std::to_string(end));
}
Tensor Flatten::computed(Tensor x) { return x.flatten(start, end, caller()); }

Unflatten::Unflatten(int64_t dim, std::vector<int64_t> unflattened_size)
    : dim(dim), sizes(std::move(unflattened_size)) {
  set_description("dim=" + std::to_string(dim) + ", unflattened_size=" + pythonTuple(sizes));
}

Tensor Unflatten::computed(Tensor x) { return x.unflatten(dim, sizes, caller()); }

Tensor Identity::computed(Tensor x) { return x; }

} // namespace nn
} // namespace dlc
