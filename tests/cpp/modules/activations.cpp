// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Functions between layers.
#include "tests/cpp/modules/cases.h"

using namespace cases;

static Program activations(DType dtype) {
  Cases c(dtype);
  // At the places where formulas meet, and elsewhere.
  auto everywhere = [&](const char *python, auto make) {
    c.add(python, make(), {{{3, 5}}});
    c.add(python, make(), {{{2, 1, 7}, Kind::Half}});
    c.add(python, make(), {{{}}});
  };
  everywhere("nn.ReLU()", [] { return nn::ReLU(); });
  everywhere("nn.Sigmoid()", [] { return nn::Sigmoid(); });
  everywhere("nn.Tanh()", [] { return nn::Tanh(); });
  everywhere("nn.SiLU()", [] { return nn::SiLU(); });
  everywhere("nn.Softplus()", [] { return nn::Softplus(); });
  everywhere("nn.Softsign()", [] { return nn::Softsign(); });
  everywhere("nn.Hardsigmoid()", [] { return nn::Hardsigmoid(); });
  everywhere("nn.Hardswish()", [] { return nn::Hardswish(); });
  everywhere("nn.LogSigmoid()", [] { return nn::LogSigmoid(); });
  everywhere("nn.Mish()", [] { return nn::Mish(); });
  everywhere("nn.SELU()", [] { return nn::SELU(); });
  everywhere("nn.ReLU6()", [] { return nn::ReLU6(); });
  everywhere("nn.Tanhshrink()", [] { return nn::Tanhshrink(); });
  everywhere("nn.GELU()", [] { return nn::GELU(); });
  everywhere("nn.LeakyReLU()", [] { return nn::LeakyReLU(); });
  everywhere("nn.ELU()", [] { return nn::ELU(); });
  everywhere("nn.CELU()", [] { return nn::CELU(); });
  everywhere("nn.Hardtanh()", [] { return nn::Hardtanh(); });
  everywhere("nn.Hardshrink()", [] { return nn::Hardshrink(); });
  everywhere("nn.Softshrink()", [] { return nn::Softshrink(); });
  everywhere("nn.Identity()", [] { return nn::Identity(); });
  c.add("nn.GELU(approximate='tanh')", nn::GELU("tanh"), {{{4, 3}}});
  c.add("nn.LeakyReLU(0.2)", nn::LeakyReLU(0.2), {{{4, 3}, Kind::Half}});
  c.add("nn.RReLU().eval()", evaluated(nn::RReLU()), {{{3, 5}}});
  c.add("nn.RReLU(0.1, 0.4).eval()", evaluated(nn::RReLU(0.1, 0.4)), {{{2, 1, 7}, Kind::Half}});
  c.add("nn.RReLU(0.25, 0.25)", nn::RReLU(0.25, 0.25), {{{4, 3}, Kind::Half}});
  c.add("nn.ELU(0.5)", nn::ELU(0.5), {{{4, 3}, Kind::Half}});
  c.add("nn.Softplus(2.0, 1.0)", nn::Softplus(2, 1), {{{4, 9}, Kind::Half}});
  c.add("nn.CELU(2.5)", nn::CELU(2.5), {{{4, 3}, Kind::Half}});
  c.add("nn.Hardtanh(-0.5, 1.5)", nn::Hardtanh(-0.5, 1.5), {{{4, 9}, Kind::Half}});
  c.add("nn.Hardshrink(1.0)", nn::Hardshrink(1), {{{4, 9}, Kind::Half}});
  c.add("nn.Softshrink(1.5)", nn::Softshrink(1.5), {{{4, 9}, Kind::Half}});
  c.add("nn.Threshold(0.5, -2.0)", nn::Threshold(0.5, -2), {{{4, 9}, Kind::Half}});
  c.add("nn.Threshold(0.1, 20.0)", nn::Threshold(0.1, 20), {{{3, 2}}});
  c.add("nn.Threshold(-1.0, 0.0)", nn::Threshold(-1, 0), {{{1}}});
  c.add("nn.PReLU()", nn::PReLU(), {{{3, 5}, Kind::Half}});
  c.add("nn.PReLU(4)", nn::PReLU(4), {{{2, 4, 3}}});
  c.add("nn.PReLU(3, init=0.1)", nn::PReLU(3, 0.1), {{{2, 3}}});
  c.add("nn.GLU()", nn::GLU(), {{{3, 4}}});
  c.add("nn.GLU(dim=0)", nn::GLU(0), {{{2, 3}}});
  c.add("nn.GLU(dim=1)", nn::GLU(1), {{{2, 6, 3}}});
  c.add("nn.Softmin(dim=1)", nn::Softmin(1), {{{3, 5}}});
  c.add("nn.Softmin(dim=0)", nn::Softmin(0), {{{3, 1}}});
  c.add("nn.Softmin(dim=-1)", nn::Softmin(-1), {{{2, 3, 4}, Kind::Half}});
  c.add("nn.Softmax(dim=1)", nn::Softmax(1), {{{3, 5}}});
  c.add("nn.Softmax(dim=0)", nn::Softmax(0), {{{3, 1}}});
  c.add("nn.Softmax(dim=-1)", nn::Softmax(-1), {{{2, 3, 4}, Kind::Half}});
  c.add("nn.Softmax2d()", nn::Softmax2d(), {{{2, 3, 4, 5}}});
  c.add("nn.Softmax2d()", nn::Softmax2d(), {{{3, 1, 2}}});
  c.add("nn.Softmax2d()", nn::Softmax2d(), {{{1, 1, 3, 2}, Kind::Half}});
  c.add("nn.LogSoftmax(dim=1)", nn::LogSoftmax(1), {{{3, 5}}});
  c.add("nn.LogSoftmax(dim=0)", nn::LogSoftmax(0), {{{3, 1}}});
  c.add("nn.LogSoftmax(dim=-1)", nn::LogSoftmax(-1), {{{2, 3, 4}, Kind::Half}});
  return c.program();
}

DLC_MODEL(activations) { return activations(float64); }
DLC_MODEL(activations32) { return activations(float32); }
