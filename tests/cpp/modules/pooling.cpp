// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Pooling over windows.
#include "tests/cpp/modules/cases.h"

using namespace cases;

static Program pooling(DType dtype) {
  Cases c(dtype);
  c.add("nn.MaxPool1d(3)", nn::MaxPool1d(3), {{{2, 3, 11}}});
  c.add("nn.MaxPool1d(3, stride=2, padding=1, dilation=2, ceil_mode=True)",
        nn::MaxPool1d(3, {.stride = 2, .padding = 1, .dilation = 2, .ceil_mode = true}), {{{2, 3, 10}}});
  c.add("nn.MaxPool1d(1)", nn::MaxPool1d(1), {{{3, 1}}});
  c.add("nn.MaxPool2d(2)", nn::MaxPool2d(2), {{{2, 3, 5, 7}}});
  c.add("nn.MaxPool2d((3, 2), stride=(2, 1), padding=(1, 0), ceil_mode=True)",
        nn::MaxPool2d({3, 2}, {.stride = {2, 1}, .padding = {1, 0}, .ceil_mode = true}), {{{1, 3, 6, 5}}});
  c.add("nn.MaxPool2d(2, 1, dilation=2)", nn::MaxPool2d(2, {.stride = 1, .dilation = 2}), {{{3, 4, 5}}});
  c.add("nn.MaxPool3d(2)", nn::MaxPool3d(2), {{{1, 2, 4, 5, 3}}});
  c.add("nn.MaxPool3d((1, 2, 3), stride=(1, 2, 2), padding=(0, 1, 1))",
        nn::MaxPool3d({1, 2, 3}, {.stride = {1, 2, 2}, .padding = {0, 1, 1}}), {{{2, 2, 3, 3, 5}}});
  c.add("nn.MaxPool3d(2, stride=3, ceil_mode=True)", nn::MaxPool3d(2, {.stride = 3, .ceil_mode = true}),
        {{{2, 4, 5, 6}}});
  c.add("nn.AvgPool1d(3)", nn::AvgPool1d(3), {{{2, 3, 10}}});
  c.add("nn.AvgPool1d(3, stride=2, padding=1, ceil_mode=True)",
        nn::AvgPool1d(3, {.stride = 2, .padding = 1, .ceil_mode = true}), {{{2, 3, 8}}});
  c.add("nn.AvgPool1d(4, 3, 2, count_include_pad=False)",
        nn::AvgPool1d(4, {.stride = 3, .padding = 2, .count_include_pad = false}), {{{3, 9}}});
  c.add("nn.AvgPool2d(2)", nn::AvgPool2d(2), {{{2, 3, 5, 7}}});
  c.add("nn.AvgPool2d((3, 2), stride=(2, 3), padding=(1, 1), ceil_mode=True, count_include_pad=False)",
        nn::AvgPool2d({3, 2},
                      {.stride = {2, 3}, .padding = {1, 1}, .ceil_mode = true, .count_include_pad = false}),
        {{{1, 2, 6, 7}}});
  c.add("nn.AvgPool2d(3, 1, divisor_override=2)", nn::AvgPool2d(3, {.stride = 1, .divisor_override = 2}),
        {{{2, 4, 5}}});
  c.add("nn.AvgPool2d(3, 2, 1, ceil_mode=True)",
        nn::AvgPool2d(3, {.stride = 2, .padding = 1, .ceil_mode = true}), {{{1, 2, 6, 4}}});
  c.add("nn.AvgPool3d(2)", nn::AvgPool3d(2), {{{1, 2, 4, 5, 3}}});
  c.add("nn.AvgPool3d((1, 2, 3), stride=2, padding=(0, 1, 1), count_include_pad=False)",
        nn::AvgPool3d({1, 2, 3}, {.stride = 2, .padding = {0, 1, 1}, .count_include_pad = false}),
        {{{2, 2, 3, 3, 5}}});
  c.add("nn.AvgPool3d(3, 2, 1, ceil_mode=True, divisor_override=5)",
        nn::AvgPool3d(3, {.stride = 2, .padding = 1, .ceil_mode = true, .divisor_override = 5}),
        {{{2, 4, 4, 6}}});
  c.add("nn.AvgPool3d((2, 3, 1), stride=(1, 2, 2), padding=(1, 1, 0), ceil_mode=True)",
        nn::AvgPool3d({2, 3, 1}, {.stride = {1, 2, 2}, .padding = {1, 1, 0}, .ceil_mode = true}),
        {{{2, 1, 3, 4, 4}}});
  c.add("nn.AvgPool3d(1)", nn::AvgPool3d(1), {{{1, 1, 1, 2}}});
  c.add("nn.LPPool1d(2, 3)", nn::LPPool1d(2, 3), {{{2, 3, 8}}});
  c.add("nn.LPPool1d(1, 2, stride=1)", nn::LPPool1d(1, 2, {.stride = 1}), {{{2, 3, 6}}});
  c.add("nn.LPPool1d(4, 3, stride=2, ceil_mode=True)", nn::LPPool1d(4, 3, {.stride = 2, .ceil_mode = true}),
        {{{3, 8}}});
  c.add("nn.LPPool2d(2, 2)", nn::LPPool2d(2, 2), {{{2, 3, 4, 5}}});
  c.add("nn.LPPool2d(2, (2, 3), stride=(1, 2), ceil_mode=True)",
        nn::LPPool2d(2, {2, 3}, {.stride = {1, 2}, .ceil_mode = true}), {{{1, 2, 4, 6}}});
  c.add("lambda x: F.lp_pool2d(x, 1.5, 2)", {{{2, 3, 4, 5}, Kind::Positive}},
        [](auto &x) { return F::lp_pool2d(x[0], 1.5, 2); });
  c.add("nn.LPPool2d(1, 3, stride=2)", nn::LPPool2d(1, 3, {.stride = 2}), {{{1, 5, 4}}});
  c.add("nn.LPPool3d(2, 2)", nn::LPPool3d(2, 2), {{{1, 2, 2, 4, 3}}});
  c.add("nn.LPPool3d(4, (1, 2, 2), stride=1)", nn::LPPool3d(4, {1, 2, 2}, {.stride = 1}),
        {{{1, 1, 2, 3, 3}}});
  c.add("nn.LPPool3d(2, 2, ceil_mode=True)", nn::LPPool3d(2, 2, {.ceil_mode = true}), {{{1, 2, 3, 3, 4}}});
  c.add("nn.AdaptiveMaxPool1d(3)", nn::AdaptiveMaxPool1d(3), {{{2, 3, 9}}});
  c.add("nn.AdaptiveMaxPool1d(4)", nn::AdaptiveMaxPool1d(4), {{{2, 3, 10}}});
  c.add("nn.AdaptiveMaxPool1d(5)", nn::AdaptiveMaxPool1d(5), {{{3, 3}}});
  c.add("nn.AdaptiveMaxPool2d(1)", nn::AdaptiveMaxPool2d(1), {{{2, 3, 5, 7}}});
  c.add("nn.AdaptiveMaxPool2d((None, 3))", nn::AdaptiveMaxPool2d({std::nullopt, 3}), {{{2, 3, 4, 7}}});
  c.add("nn.AdaptiveMaxPool2d((3, 2))", nn::AdaptiveMaxPool2d({3, 2}), {{{3, 7, 5}}});
  c.add("nn.AdaptiveMaxPool3d(2)", nn::AdaptiveMaxPool3d(2), {{{1, 2, 4, 5, 2}}});
  c.add("nn.AdaptiveMaxPool3d((1, 3, 2))", nn::AdaptiveMaxPool3d({1, 3, 2}), {{{2, 3, 4, 5}}});
  c.add("nn.AdaptiveMaxPool3d((2, None, 1))", nn::AdaptiveMaxPool3d({2, std::nullopt, 1}),
        {{{1, 1, 4, 3, 6}}});
  c.add("nn.AdaptiveAvgPool1d(3)", nn::AdaptiveAvgPool1d(3), {{{2, 3, 9}}});
  c.add("nn.AdaptiveAvgPool1d(4)", nn::AdaptiveAvgPool1d(4), {{{2, 3, 10}}});
  c.add("nn.AdaptiveAvgPool1d(5)", nn::AdaptiveAvgPool1d(5), {{{3, 3}}});
  c.add("nn.AdaptiveAvgPool2d(1)", nn::AdaptiveAvgPool2d(1), {{{2, 3, 5, 7}}});
  c.add("nn.AdaptiveAvgPool2d((None, 3))", nn::AdaptiveAvgPool2d({std::nullopt, 3}), {{{2, 3, 4, 7}}});
  c.add("nn.AdaptiveAvgPool2d((3, 2))", nn::AdaptiveAvgPool2d({3, 2}), {{{3, 7, 5}}});
  c.add("nn.AdaptiveAvgPool3d(2)", nn::AdaptiveAvgPool3d(2), {{{1, 2, 4, 5, 2}}});
  c.add("nn.AdaptiveAvgPool3d((1, 3, 2))", nn::AdaptiveAvgPool3d({1, 3, 2}), {{{2, 3, 4, 5}}});
  c.add("nn.AdaptiveAvgPool3d((2, None, 1))", nn::AdaptiveAvgPool3d({2, std::nullopt, 1}),
        {{{1, 1, 4, 3, 6}}});
  c.add("lambda x: F.max_pool2d(x, 3, 1, 1)", {{{2, 1, 4, 3}}},
        [](auto &x) { return F::max_pool2d(x[0], 3, {.stride = 1, .padding = 1}); });
  c.add("lambda x: F.avg_pool1d(x, 2, padding=1)", {{{2, 2, 5}}},
        [](auto &x) { return F::avg_pool1d(x[0], 2, {.padding = 1}); });
  c.add("lambda x: F.adaptive_avg_pool2d(x, (2, 3))", {{{1, 2, 5, 4}}},
        [](auto &x) { return F::adaptive_avg_pool2d(x[0], {2, 3}); });
  c.add("lambda x: F.max_pool1d(x, 2, stride=3, dilation=2)", {{{2, 2, 9}}},
        [](auto &x) { return F::max_pool1d(x[0], 2, {.stride = 3, .dilation = 2}); });
  c.add("lambda x: F.max_pool3d(x, (1, 2, 2))", {{{1, 2, 2, 3, 4}}},
        [](auto &x) { return F::max_pool3d(x[0], {1, 2, 2}); });
  c.add("lambda x: F.avg_pool2d(x, 2, stride=1, padding=1)", {{{1, 2, 3, 4}}},
        [](auto &x) { return F::avg_pool2d(x[0], 2, {.stride = 1, .padding = 1}); });
  c.add("lambda x: F.avg_pool3d(x, (2, 1, 2), divisor_override=3)", {{{2, 1, 4, 2, 3}}},
        [](auto &x) { return F::avg_pool3d(x[0], {2, 1, 2}, {.divisor_override = 3}); });
  c.add("lambda x: F.lp_pool1d(x, 3, 2)", {{{2, 1, 5}, Kind::Positive}},
        [](auto &x) { return F::lp_pool1d(x[0], 3, 2); });
  // Of equal largest elements the first has the gradient.
  c.add("nn.MaxPool2d(3, 2, 1)", nn::MaxPool2d(3, {.stride = 2, .padding = 1}), {{{2, 2, 6, 7}, Kind::Half}});
  c.add("nn.AdaptiveMaxPool2d((3, 2))", nn::AdaptiveMaxPool2d({3, 2}), {{{2, 2, 7, 5}, Kind::Half}});
  return c.program();
}

DLC_MODEL(pooling) { return pooling(float64); }
DLC_MODEL(pooling32) { return pooling(float32); }
