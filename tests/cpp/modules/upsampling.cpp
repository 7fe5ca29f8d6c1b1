// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Images of another size, and their windows as columns.
#include "tests/cpp/modules/cases.h"

using namespace cases;

static void addUpsampling(Cases &c) {
  c.add("nn.Upsample(scale_factor=2)", nn::Upsample({.scale_factor = 2}), {{{2, 3, 4}}});
  c.add("nn.Upsample(size=(3, 7))", nn::Upsample({.size = {3, 7}}), {{{1, 2, 5, 4}}});
  c.add("nn.Upsample(scale_factor=(1.5, 0.7, 2))", nn::Upsample({.scale_factor = {1.5, 0.7, 2}}),
        {{{1, 2, 3, 5, 2}}});
  c.add("nn.Upsample(size=14)", nn::Upsample({.size = 14}), {{{2, 1, 6}}});
  c.add("nn.Upsample(size=7, mode='nearest-exact')", nn::Upsample({.size = 7, .mode = "nearest-exact"}),
        {{{2, 1, 3}}});
  c.add("nn.Upsample(scale_factor=0.4, mode='nearest-exact')",
        nn::Upsample({.scale_factor = 0.4, .mode = "nearest-exact"}), {{{1, 1, 9, 7}}});
  c.add("nn.Upsample(scale_factor=(2.3,), mode='linear')",
        nn::Upsample({.scale_factor = {2.3}, .mode = "linear"}), {{{2, 3, 4}}});
  c.add("nn.Upsample(size=1, mode='linear', align_corners=True)",
        nn::Upsample({.size = 1, .mode = "linear", .align_corners = true}), {{{2, 3, 4}}});
  c.add("nn.Upsample(size=5, mode='linear', align_corners=True)",
        nn::Upsample({.size = 5, .mode = "linear", .align_corners = true}), {{{2, 3, 1}}});
  c.add("nn.Upsample(scale_factor=2, mode='bilinear', align_corners=False)",
        nn::Upsample({.scale_factor = 2, .mode = "bilinear", .align_corners = false}), {{{2, 1, 3, 4}}});
  c.add("nn.Upsample(scale_factor=2.5, mode='bilinear', align_corners=True)",
        nn::Upsample({.scale_factor = 2.5, .mode = "bilinear", .align_corners = true}), {{{1, 2, 3, 5}}});
  c.add("nn.Upsample(size=(2, 9), mode='bilinear')", nn::Upsample({.size = {2, 9}, .mode = "bilinear"}),
        {{{1, 2, 5, 4}}});
  c.add("nn.Upsample(scale_factor=1.7, mode='bicubic')",
        nn::Upsample({.scale_factor = 1.7, .mode = "bicubic"}), {{{1, 2, 3, 5}}});
  c.add("nn.Upsample(size=(3, 4), mode='bicubic')", nn::Upsample({.size = {3, 4}, .mode = "bicubic"}),
        {{{2, 1, 5, 2}}});
  c.add("nn.Upsample(size=(6, 3), mode='bicubic', align_corners=True)",
        nn::Upsample({.size = {6, 3}, .mode = "bicubic", .align_corners = true}), {{{2, 1, 4, 1}}});
  c.add("nn.Upsample(scale_factor=1.3, mode='bicubic', recompute_scale_factor=True)",
        nn::Upsample({.scale_factor = 1.3, .mode = "bicubic", .recompute_scale_factor = true}),
        {{{2, 1, 5, 4}}});
  c.add("nn.Upsample(scale_factor=2, mode='trilinear')",
        nn::Upsample({.scale_factor = 2, .mode = "trilinear"}), {{{1, 2, 2, 3, 1}}});
  c.add("nn.Upsample(size=(3, 1, 4), mode='trilinear', align_corners=True)",
        nn::Upsample({.size = {3, 1, 4}, .mode = "trilinear", .align_corners = true}), {{{1, 1, 2, 3, 5}}});
  c.add("nn.UpsamplingNearest2d(scale_factor=3)", nn::UpsamplingNearest2d({.scale_factor = 3}),
        {{{2, 2, 1, 3}}});
  c.add("nn.UpsamplingNearest2d(size=(4, 5))", nn::UpsamplingNearest2d({.size = {4, 5}}), {{{1, 1, 3, 7}}});
  c.add("nn.UpsamplingNearest2d(scale_factor=(1.5, 2.0))",
        nn::UpsamplingNearest2d({.scale_factor = {1.5, 2}}), {{{1, 3, 3, 3}}});
  c.add("nn.UpsamplingBilinear2d(scale_factor=2)", nn::UpsamplingBilinear2d({.scale_factor = 2}),
        {{{2, 2, 3, 2}}});
  c.add("nn.UpsamplingBilinear2d(size=(4, 1))", nn::UpsamplingBilinear2d({.size = {4, 1}}), {{{1, 1, 3, 7}}});
  c.add("nn.UpsamplingBilinear2d(size=5)", nn::UpsamplingBilinear2d({.size = 5}), {{{1, 2, 1, 4}}});
}

static void addFunctions(Cases &c) {
  c.add("lambda x: F.interpolate(x, size=3, mode='area')", {{{2, 2, 7}}},
        [](auto &x) { return F::interpolate(x[0], {.size = 3, .mode = "area"}); });
  c.add("lambda x: F.interpolate(x, scale_factor=1.5, mode='area')", {{{1, 2, 3, 4}}},
        [](auto &x) { return F::interpolate(x[0], {.scale_factor = 1.5, .mode = "area"}); });
  c.add(
      "lambda x: F.interpolate(x, size=(3, 4), mode='bilinear', antialias=True)", {{{1, 2, 9, 7}}},
      [](auto &x) { return F::interpolate(x[0], {.size = {3, 4}, .mode = "bilinear", .antialias = true}); });
  c.add("lambda x: F.interpolate(x, scale_factor=0.45, mode='bicubic', antialias=True)", {{{1, 1, 11, 8}}},
        [](auto &x) {
          return F::interpolate(x[0], {.scale_factor = 0.45, .mode = "bicubic", .antialias = true});
        });
  c.add("lambda x: F.interpolate(x, size=(5, 9), mode='bicubic', antialias=True)", {{{1, 1, 3, 4}}},
        [](auto &x) { return F::interpolate(x[0], {.size = {5, 9}, .mode = "bicubic", .antialias = true}); });
}

static void addFolding(Cases &c) {
  c.add("nn.Unfold(kernel_size=2)", nn::Unfold(2), {{{2, 3, 4, 5}}});
  c.add("nn.Unfold(kernel_size=(2, 3), dilation=2, padding=1, stride=(1, 2))",
        nn::Unfold({2, 3}, {.dilation = 2, .padding = 1, .stride = {1, 2}}), {{{1, 2, 5, 7}}});
  c.add("nn.Unfold(kernel_size=(1, 1), stride=3)", nn::Unfold({1, 1}, {.stride = 3}), {{{2, 4, 4}}});
  c.add("nn.Fold(output_size=(4, 5), kernel_size=2)", nn::Fold({4, 5}, 2), {{{2, 12, 12}}});
  c.add("nn.Fold(output_size=(5, 7), kernel_size=(2, 3), dilation=2, padding=1, stride=(1, 2))",
        nn::Fold({5, 7}, {2, 3}, {.dilation = 2, .padding = 1, .stride = {1, 2}}), {{{1, 12, 15}}});
  c.add("nn.Fold(output_size=3, kernel_size=3, padding=(1, 0))", nn::Fold(3, 3, {.padding = {1, 0}}),
        {{{9, 3}}});
}

static Program upsampling(DType dtype) {
  Cases c(dtype);
  addUpsampling(c);
  addFunctions(c);
  addFolding(c);
  return c.program();
}

DLC_MODEL(upsampling) { return upsampling(float64); }
DLC_MODEL(upsampling32) { return upsampling(float32); }
