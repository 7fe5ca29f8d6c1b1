// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Convolutions and transposed ones.
#include "tests/cpp/modules/cases.h"

using namespace cases;

static Program convolutions(DType dtype) {
  Cases c(dtype);
  c.add("nn.Conv1d(3, 4, 3)", nn::Conv1d(3, 4, 3), {{{2, 3, 7}}});
  c.add("nn.Conv1d(4, 6, 4, padding='same', dilation=3, groups=2)",
        nn::Conv1d(4, 6, 4, {.padding = "same", .dilation = 3, .groups = 2}), {{{1, 4, 11}}});
  c.add("nn.Conv1d(2, 3, 5, stride=2, padding=4, padding_mode='circular', bias=False)",
        nn::Conv1d(2, 3, 5, {.stride = 2, .padding = 4, .bias = false, .padding_mode = "circular"}),
        {{{3, 2, 9}}});
  c.add("nn.Conv1d(2, 1, 1)", nn::Conv1d(2, 1, 1), {{{2, 1}}});
  c.add("nn.Conv2d(3, 5, 3, padding=1)", nn::Conv2d(3, 5, 3, {.padding = 1}), {{{2, 3, 5, 7}}});
  c.add("nn.Conv2d(4, 6, (3, 2), stride=(2, 3), padding=(1, 0), dilation=(1, 2), groups=2)",
        nn::Conv2d(4, 6, {3, 2}, {.stride = {2, 3}, .padding = {1, 0}, .dilation = {1, 2}, .groups = 2}),
        {{{2, 4, 7, 9}}});
  c.add("nn.Conv2d(3, 3, 3, padding='same', padding_mode='reflect', groups=3)",
        nn::Conv2d(3, 3, 3, {.padding = "same", .groups = 3, .padding_mode = "reflect"}), {{{1, 3, 4, 5}}});
  c.add("nn.Conv2d(2, 3, (2, 4), padding=(1, 2), padding_mode='replicate')",
        nn::Conv2d(2, 3, {2, 4}, {.padding = {1, 2}, .padding_mode = "replicate"}), {{{2, 3, 1}}});
  c.add("nn.Conv2d(5, 7, 1, bias=False)", nn::Conv2d(5, 7, 1, {.bias = false}), {{{3, 5, 1, 1}}});
  c.add("nn.Conv2d(2, 2, 3, padding='valid')", nn::Conv2d(2, 2, 3, {.padding = "valid"}), {{{1, 2, 3, 8}}});
  c.add("nn.Conv3d(2, 3, 2)", nn::Conv3d(2, 3, 2), {{{2, 2, 3, 4, 2}}});
  c.add("nn.Conv3d(2, 4, (1, 3, 2), stride=(1, 2, 1), padding=(0, 1, 1), groups=2)",
        nn::Conv3d(2, 4, {1, 3, 2}, {.stride = {1, 2, 1}, .padding = {0, 1, 1}, .groups = 2}),
        {{{1, 2, 2, 5, 3}}});
  c.add("nn.Conv3d(1, 2, 3, padding='same', dilation=2)",
        nn::Conv3d(1, 2, 3, {.padding = "same", .dilation = 2}), {{{1, 3, 4, 5}}});
  c.add("nn.Conv3d(2, 3, (2, 3, 1), padding=(1, 2, 0), padding_mode='replicate', bias=False)",
        nn::Conv3d(2, 3, {2, 3, 1}, {.padding = {1, 2, 0}, .bias = false, .padding_mode = "replicate"}),
        {{{2, 2, 3, 4, 2}}});
  c.add("nn.Conv3d(4, 4, 2, stride=2, padding='valid', groups=4)",
        nn::Conv3d(4, 4, 2, {.stride = 2, .padding = "valid", .groups = 4}), {{{1, 4, 5, 4, 3}}});
  c.add("nn.Conv3d(2, 1, (1, 2, 3), padding='same', padding_mode='circular')",
        nn::Conv3d(2, 1, {1, 2, 3}, {.padding = "same", .padding_mode = "circular"}), {{{2, 1, 4, 5}}});
  c.add("nn.ConvTranspose1d(3, 2, 3)", nn::ConvTranspose1d(3, 2, 3), {{{2, 3, 5}}});
  c.add("nn.ConvTranspose1d(4, 6, 4, stride=3, padding=1, output_padding=2, groups=2, dilation=2)",
        nn::ConvTranspose1d(4, 6, 4,
                            {.stride = 3, .padding = 1, .output_padding = 2, .groups = 2, .dilation = 2}),
        {{{2, 4, 3}}});
  c.add("nn.ConvTranspose1d(2, 3, 1, stride=2, output_padding=1, bias=False)",
        nn::ConvTranspose1d(2, 3, 1, {.stride = 2, .output_padding = 1, .bias = false}), {{{2, 4}}});
  c.add("nn.ConvTranspose2d(3, 2, 2, stride=2)", nn::ConvTranspose2d(3, 2, 2, {.stride = 2}),
        {{{2, 3, 3, 4}}});
  c.add("nn.ConvTranspose2d(2, 4, (3, 2), stride=(2, 1), padding=(1, 0), output_padding=(1, 0))",
        nn::ConvTranspose2d(2, 4, {3, 2}, {.stride = {2, 1}, .padding = {1, 0}, .output_padding = {1, 0}}),
        {{{1, 2, 4, 1}}});
  c.add("nn.ConvTranspose2d(4, 4, 3, groups=4, dilation=2)",
        nn::ConvTranspose2d(4, 4, 3, {.groups = 4, .dilation = 2}), {{{4, 1, 5}}});
  c.add("nn.ConvTranspose2d(4, 6, (2, 3), stride=(3, 2), padding=(1, 2), output_padding=(2, 1), groups=2, "
        "dilation=(2, 1), bias=False)",
        nn::ConvTranspose2d(4, 6, {2, 3},
                            {.stride = {3, 2},
                             .padding = {1, 2},
                             .output_padding = {2, 1},
                             .groups = 2,
                             .bias = false,
                             .dilation = {2, 1}}),
        {{{2, 4, 3, 4}}});
  c.add("nn.ConvTranspose2d(1, 1, 1)", nn::ConvTranspose2d(1, 1, 1), {{{3, 1, 1, 1}}});
  c.add("nn.ConvTranspose3d(2, 2, 2, stride=2)", nn::ConvTranspose3d(2, 2, 2, {.stride = 2}),
        {{{1, 2, 2, 3, 1}}});
  c.add("nn.ConvTranspose3d(2, 2, (1, 2, 3), padding=(0, 1, 1))",
        nn::ConvTranspose3d(2, 2, {1, 2, 3}, {.padding = {0, 1, 1}}), {{{1, 2, 2, 3, 4}}});
  c.add("nn.ConvTranspose3d(1, 3, 3, stride=(1, 2, 3), output_padding=(0, 1, 2))",
        nn::ConvTranspose3d(1, 3, 3, {.stride = {1, 2, 3}, .output_padding = {0, 1, 2}}),
        {{{2, 1, 1, 2, 2}}});
  c.add("nn.ConvTranspose3d(4, 2, 2, stride=(2, 1, 2), padding=1, groups=2, dilation=(1, 2, 1), bias=False)",
        nn::ConvTranspose3d(
            4, 2, 2, {.stride = {2, 1, 2}, .padding = 1, .groups = 2, .bias = false, .dilation = {1, 2, 1}}),
        {{{1, 4, 2, 3, 3}}});
  c.add("lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=(1, 2))",
        {{{2, 3, 5, 5}}, {{4, 3, 3, 2}}, {{4}}},
        [](auto &x) { return F::conv2d(x[0], x[1], x[2], {.stride = 2, .padding = {1, 2}}); });
  c.add("lambda x, w: F.conv1d(x, w, groups=3)", {{{2, 3, 5}}, {{6, 1, 2}}},
        [](auto &x) { return F::conv1d(x[0], x[1], {}, {.groups = 3}); });
  c.add("lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1)", {{{1, 3, 4, 2}}, {{3, 2, 3, 3}}},
        [](auto &x) { return F::conv_transpose2d(x[0], x[1], {}, {.stride = 2, .padding = 1}); });
  c.add("lambda x, w: F.conv3d(x, w, padding=1, dilation=2)", {{{1, 2, 4, 5, 3}}, {{3, 2, 2, 1, 2}}},
        [](auto &x) { return F::conv3d(x[0], x[1], {}, {.padding = 1, .dilation = 2}); });
  c.add("lambda x, w, b: F.conv_transpose1d(x, w, b, stride=3, output_padding=1)",
        {{{2, 3, 4}}, {{3, 2, 2}}, {{2}}},
        [](auto &x) { return F::conv_transpose1d(x[0], x[1], x[2], {.stride = 3, .output_padding = 1}); });
  c.add("lambda x, w: F.conv_transpose3d(x, w, groups=2)", {{{1, 2, 2, 2, 3}}, {{2, 2, 1, 2, 2}}},
        [](auto &x) { return F::conv_transpose3d(x[0], x[1], {}, {.groups = 2}); });
  return c.program();
}

DLC_MODEL(convolutions) { return convolutions(float64); }
DLC_MODEL(convolutions32) { return convolutions(float32); }
