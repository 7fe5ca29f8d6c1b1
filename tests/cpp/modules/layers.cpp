// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// The basic layers.
#include "tests/cpp/modules/cases.h"

using namespace cases;

static Program layers(DType dtype) {
  Cases c(dtype);
  c.add("nn.Linear(3, 4)", nn::Linear(3, 4), {{{2, 3}}});
  c.add("nn.Linear(5, 1, bias=False)", nn::Linear(5, 1, {.bias = false}), {{{2, 3, 5}}});
  c.add("nn.Linear(1, 2)", nn::Linear(1, 2), {{{1}}});
  c.add("nn.Flatten()", nn::Flatten(), {{{2, 3, 4}}});
  c.add("nn.Flatten(0)", nn::Flatten(0), {{{2, 1, 3}}});
  c.add("nn.Flatten(1, 2)", nn::Flatten(1, 2), {{{2, 3, 4, 5}}});
  c.add("nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))",
        nn::Sequential{nn::Linear(3, 4), nn::ReLU(), nn::Linear(4, 2)}, {{{5, 3}}});
  c.add("nn.Sequential(nn.Flatten(), nn.Linear(6, 2, bias=False))",
        nn::Sequential{nn::Flatten(), nn::Linear(6, 2, {.bias = false})}, {{{3, 2, 3}}});
  c.add("nn.Sequential(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3), nn.Tanh())",
        nn::Sequential{nn::Conv2d(2, 3, 3), nn::BatchNorm2d(3), nn::Tanh()}, {{{2, 2, 4, 5}}});
  auto two = [](auto &m, std::vector<Tensor> &x) { return m(x[0], x[1]); };
  c.add("nn.Bilinear(2, 3, 4)", "m(x[0], x[1])", nn::Bilinear(2, 3, 4), {{{5, 2}}, {{5, 3}}}, two);
  c.add("nn.Bilinear(1, 3, 2, bias=False)", "m(x[0], x[1])", nn::Bilinear(1, 3, 2, {.bias = false}),
        {{{2, 3, 1}}, {{2, 3, 3}}}, two);
  c.add("nn.Bilinear(3, 1, 1)", "m(x[0], x[1])", nn::Bilinear(3, 1, 1), {{{3}}, {{1}}}, two);
  c.add("nn.Unflatten(1, (2, 3))", nn::Unflatten(1, {2, 3}), {{{2, 6, 2}}});
  c.add("nn.Unflatten(-1, (-1, 2))", nn::Unflatten(-1, {-1, 2}), {{{3, 4}}});
  c.add("nn.Unflatten(0, (1, 1, 2))", nn::Unflatten(0, {1, 1, 2}), {{{2}}});
  return c.program();
}

DLC_MODEL(layers) { return layers(float64); }
DLC_MODEL(layers32) { return layers(float32); }
