// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Normalizations, in training and in evaluation.
#include "tests/cpp/modules/cases.h"

using namespace cases;

static Program normalization(DType dtype) {
  Cases c(dtype);
  c.add("nn.BatchNorm1d(3)", nn::BatchNorm1d(3), {{{5, 3}}});
  c.add("nn.BatchNorm1d(3, eps=1e-3, momentum=0.3, affine=False)",
        nn::BatchNorm1d(3, {.eps = 1e-3, .momentum = 0.3, .affine = false}), {{{2, 3, 4}}});
  c.add("nn.BatchNorm1d(4, bias=False)", nn::BatchNorm1d(4, {.bias = false}), {{{3, 4, 1}}});
  c.add("nn.BatchNorm1d(2).eval()", evaluated(nn::BatchNorm1d(2)), {{{3, 2}}});
  c.add("nn.BatchNorm2d(3)", nn::BatchNorm2d(3), {{{2, 3, 4, 5}}});
  c.add("nn.BatchNorm2d(3, track_running_stats=False).eval()",
        evaluated(nn::BatchNorm2d(3, {.track_running_stats = false})), {{{2, 3, 1, 5}}});
  c.add("nn.BatchNorm2d(1, affine=False)", nn::BatchNorm2d(1, {.affine = false}), {{{3, 1, 2, 2}}});
  c.add("nn.BatchNorm3d(2)", nn::BatchNorm3d(2), {{{2, 2, 3, 2, 1}}});
  c.add("nn.BatchNorm3d(2, eps=0.1)", nn::BatchNorm3d(2, {.eps = 0.1}), {{{1, 2, 2, 1, 3}}});
  c.add("nn.BatchNorm3d(2).eval()", evaluated(nn::BatchNorm3d(2)), {{{1, 2, 1, 1, 1}}});
  c.add("nn.LayerNorm(5)", nn::LayerNorm(5), {{{3, 5}}});
  c.add("nn.LayerNorm((3, 4), eps=1e-3, bias=False)", nn::LayerNorm({3, 4}, {.eps = 1e-3, .bias = false}),
        {{{2, 3, 4}}});
  c.add("nn.LayerNorm(7, elementwise_affine=False)", nn::LayerNorm(7, {.elementwise_affine = false}),
        {{{2, 1, 3, 7}}});
  c.add("nn.LayerNorm(6)", nn::LayerNorm(6), {{{6}}});
  c.add("nn.GroupNorm(2, 4)", nn::GroupNorm(2, 4), {{{2, 4, 3, 5}}});
  c.add("nn.GroupNorm(1, 3, eps=0.01, affine=False)", nn::GroupNorm(1, 3, {.eps = 0.01, .affine = false}),
        {{{2, 3, 7}}});
  c.add("nn.GroupNorm(3, 6, bias=False)", nn::GroupNorm(3, 6, {.bias = false}), {{{4, 6}}});
  c.add("nn.GroupNorm(4, 4)", nn::GroupNorm(4, 4), {{{1, 4, 2, 1, 2}}});
  c.add("nn.InstanceNorm1d(3)", nn::InstanceNorm1d(3), {{{2, 3, 5}}});
  c.add("nn.InstanceNorm1d(3, affine=True, eps=0.01)", nn::InstanceNorm1d(3, {.eps = 0.01, .affine = true}),
        {{{3, 4}}});
  c.add("nn.InstanceNorm1d(2, affine=True, bias=False)",
        nn::InstanceNorm1d(2, {.affine = true, .bias = false}), {{{1, 2, 3}}});
  c.add("nn.InstanceNorm2d(3)", nn::InstanceNorm2d(3), {{{2, 3, 4, 5}}});
  c.add("nn.InstanceNorm2d(3, affine=True)", nn::InstanceNorm2d(3, {.affine = true}), {{{3, 2, 3}}});
  c.add("nn.InstanceNorm2d(1, eps=1e-3)", nn::InstanceNorm2d(1, {.eps = 1e-3}), {{{2, 1, 1, 4}}});
  c.add("nn.InstanceNorm3d(2)", nn::InstanceNorm3d(2), {{{1, 2, 3, 2, 2}}});
  c.add("nn.InstanceNorm3d(2, affine=True)", nn::InstanceNorm3d(2, {.affine = true}), {{{2, 1, 3, 2}}});
  c.add("nn.InstanceNorm3d(1, affine=True, eps=0.1)", nn::InstanceNorm3d(1, {.eps = 0.1, .affine = true}),
        {{{2, 1, 2, 1, 3}}});
  c.add("nn.RMSNorm(5)", nn::RMSNorm(5), {{{3, 5}}});
  c.add("nn.RMSNorm((2, 3), eps=1e-2)", nn::RMSNorm({2, 3}, {.eps = 1e-2}), {{{4, 2, 3}}});
  c.add("nn.RMSNorm(1, eps=0.1, elementwise_affine=False)",
        nn::RMSNorm(1, {.eps = 0.1, .elementwise_affine = false}), {{{2, 3, 1}}});
  c.add("nn.LocalResponseNorm(2)", nn::LocalResponseNorm(2), {{{2, 5, 3}}});
  c.add("nn.LocalResponseNorm(3, alpha=0.5, beta=0.9, k=2.0)", nn::LocalResponseNorm(3, 0.5, 0.9, 2),
        {{{2, 4, 3, 2}}});
  c.add("nn.LocalResponseNorm(4, alpha=1.0)", nn::LocalResponseNorm(4, 1), {{{1, 3, 2, 2, 2}}});
  c.add("lambda x, w, b: F.layer_norm(x, (3,), w, b)", {{{4, 3}}, {{3}}, {{3}}},
        [](auto &x) { return F::layer_norm(x[0], 3, x[1], x[2]); });
  c.add("lambda x: F.normalize(x)", {{{3, 4}}}, [](auto &x) { return F::normalize(x[0]); });
  c.add("lambda x: F.normalize(x, p=1, dim=0)", {{{3, 4}}}, [](auto &x) { return F::normalize(x[0], 1, 0); });
  c.add("lambda x: F.normalize(x, p=3.0, dim=-1)", {{{2, 3, 4}}},
        [](auto &x) { return F::normalize(x[0], 3, -1); });
  c.add("lambda x, w: F.group_norm(x, 2, w)", {{{2, 4, 3}}, {{4}}},
        [](auto &x) { return F::group_norm(x[0], 2, x[1]); });
  return c.program();
}

DLC_MODEL(normalization) { return normalization(float64); }
DLC_MODEL(normalization32) { return normalization(float32); }
