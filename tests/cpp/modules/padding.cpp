// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Padding, and channels that become places.
#include "tests/cpp/modules/cases.h"

using namespace cases;

static Program padding(DType dtype) {
  Cases c(dtype);
  c.add("nn.ZeroPad1d(2)", nn::ZeroPad1d(2), {{{2, 3, 5}}});
  c.add("nn.ZeroPad1d((1, 0))", nn::ZeroPad1d({1, 0}), {{{3, 4}}});
  c.add("nn.ZeroPad1d((0, 3))", nn::ZeroPad1d({0, 3}), {{{1, 2, 4}}});
  c.add("nn.ZeroPad2d(1)", nn::ZeroPad2d(1), {{{2, 3, 3, 4}}});
  c.add("nn.ZeroPad2d((2, 0, 1, 3))", nn::ZeroPad2d({2, 0, 1, 3}), {{{2, 4, 5}}});
  c.add("nn.ZeroPad2d((0, 1, 0, 0))", nn::ZeroPad2d({0, 1, 0, 0}), {{{1, 1, 2, 2}}});
  c.add("nn.ZeroPad3d(1)", nn::ZeroPad3d(1), {{{1, 2, 2, 3, 4}}});
  c.add("nn.ZeroPad3d((1, 0, 0, 2, 1, 1))", nn::ZeroPad3d({1, 0, 0, 2, 1, 1}), {{{2, 2, 3, 4}}});
  c.add("nn.ZeroPad3d((0, 0, 1, 0, 0, 1))", nn::ZeroPad3d({0, 0, 1, 0, 0, 1}), {{{1, 1, 2, 2, 1}}});
  c.add("nn.ReflectionPad1d(2)", nn::ReflectionPad1d(2), {{{2, 3, 5}}});
  c.add("nn.ReflectionPad1d((1, 0))", nn::ReflectionPad1d({1, 0}), {{{3, 4}}});
  c.add("nn.ReflectionPad1d((0, 3))", nn::ReflectionPad1d({0, 3}), {{{1, 2, 4}}});
  c.add("nn.ReflectionPad2d(1)", nn::ReflectionPad2d(1), {{{2, 3, 3, 4}}});
  c.add("nn.ReflectionPad2d((2, 0, 1, 3))", nn::ReflectionPad2d({2, 0, 1, 3}), {{{2, 4, 5}}});
  c.add("nn.ReflectionPad2d((0, 1, 0, 0))", nn::ReflectionPad2d({0, 1, 0, 0}), {{{1, 1, 2, 2}}});
  c.add("nn.ReflectionPad3d(1)", nn::ReflectionPad3d(1), {{{1, 2, 2, 3, 4}}});
  c.add("nn.ReflectionPad3d((1, 0, 0, 2, 1, 1))", nn::ReflectionPad3d({1, 0, 0, 2, 1, 1}), {{{2, 2, 3, 4}}});
  c.add("nn.ReflectionPad3d((0, 0, 1, 0, 0, 1))", nn::ReflectionPad3d({0, 0, 1, 0, 0, 1}),
        {{{1, 1, 2, 2, 1}}});
  c.add("nn.ReplicationPad1d(2)", nn::ReplicationPad1d(2), {{{2, 3, 5}}});
  c.add("nn.ReplicationPad1d((1, 0))", nn::ReplicationPad1d({1, 0}), {{{3, 4}}});
  c.add("nn.ReplicationPad1d((0, 3))", nn::ReplicationPad1d({0, 3}), {{{1, 2, 4}}});
  c.add("nn.ReplicationPad2d(1)", nn::ReplicationPad2d(1), {{{2, 3, 3, 4}}});
  c.add("nn.ReplicationPad2d((2, 0, 1, 3))", nn::ReplicationPad2d({2, 0, 1, 3}), {{{2, 4, 5}}});
  c.add("nn.ReplicationPad2d((0, 1, 0, 0))", nn::ReplicationPad2d({0, 1, 0, 0}), {{{1, 1, 2, 2}}});
  c.add("nn.ReplicationPad3d(1)", nn::ReplicationPad3d(1), {{{1, 2, 2, 3, 4}}});
  c.add("nn.ReplicationPad3d((1, 0, 0, 2, 1, 1))", nn::ReplicationPad3d({1, 0, 0, 2, 1, 1}),
        {{{2, 2, 3, 4}}});
  c.add("nn.ReplicationPad3d((0, 0, 1, 0, 0, 1))", nn::ReplicationPad3d({0, 0, 1, 0, 0, 1}),
        {{{1, 1, 2, 2, 1}}});
  c.add("nn.CircularPad1d(2)", nn::CircularPad1d(2), {{{2, 3, 5}}});
  c.add("nn.CircularPad1d((1, 0))", nn::CircularPad1d({1, 0}), {{{3, 4}}});
  c.add("nn.CircularPad1d((0, 3))", nn::CircularPad1d({0, 3}), {{{1, 2, 4}}});
  c.add("nn.CircularPad2d(1)", nn::CircularPad2d(1), {{{2, 3, 3, 4}}});
  c.add("nn.CircularPad2d((2, 0, 1, 3))", nn::CircularPad2d({2, 0, 1, 3}), {{{2, 4, 5}}});
  c.add("nn.CircularPad2d((0, 1, 0, 0))", nn::CircularPad2d({0, 1, 0, 0}), {{{1, 1, 2, 2}}});
  c.add("nn.CircularPad3d(1)", nn::CircularPad3d(1), {{{1, 2, 2, 3, 4}}});
  c.add("nn.CircularPad3d((1, 0, 0, 2, 1, 1))", nn::CircularPad3d({1, 0, 0, 2, 1, 1}), {{{2, 2, 3, 4}}});
  c.add("nn.CircularPad3d((0, 0, 1, 0, 0, 1))", nn::CircularPad3d({0, 0, 1, 0, 0, 1}), {{{1, 1, 2, 2, 1}}});
  c.add("nn.ConstantPad1d(2, 3.5)", nn::ConstantPad1d(2, 3.5), {{{2, 3, 5}}});
  c.add("nn.ConstantPad1d((0, 1), -1.0)", nn::ConstantPad1d({0, 1}, -1), {{{3, 1}}});
  c.add("nn.ConstantPad1d((2, 1), 0.0)", nn::ConstantPad1d({2, 1}, 0), {{{1, 2, 3}}});
  c.add("nn.ConstantPad2d(1, 0.5)", nn::ConstantPad2d(1, 0.5), {{{2, 3, 2}}});
  c.add("nn.ConstantPad2d((1, 2, 0, 3), 1e-05)", nn::ConstantPad2d({1, 2, 0, 3}, 1e-5), {{{1, 2, 3, 2}}});
  c.add("nn.ConstantPad2d((1, 0, 0, 0), 2.0)", nn::ConstantPad2d({1, 0, 0, 0}, 2), {{{1, 1, 1, 1}}});
  c.add("nn.ConstantPad3d(1, 0.25)", nn::ConstantPad3d(1, 0.25), {{{1, 2, 1, 3, 2}}});
  c.add("nn.ConstantPad3d((1, 2, 0, 1, 2, 0), -0.5)", nn::ConstantPad3d({1, 2, 0, 1, 2, 0}, -0.5),
        {{{2, 2, 1, 2}}});
  c.add("nn.ConstantPad3d((0, 0, 0, 0, 1, 0), 7.0)", nn::ConstantPad3d({0, 0, 0, 0, 1, 0}, 7),
        {{{1, 1, 2, 2, 2}}});
  c.add("nn.PixelShuffle(2)", nn::PixelShuffle(2), {{{2, 8, 3, 2}}});
  c.add("nn.PixelShuffle(3)", nn::PixelShuffle(3), {{{9, 1, 2}}});
  c.add("nn.PixelShuffle(1)", nn::PixelShuffle(1), {{{1, 2, 3, 3}}});
  c.add("nn.PixelUnshuffle(2)", nn::PixelUnshuffle(2), {{{2, 1, 4, 6}}});
  c.add("nn.PixelUnshuffle(3)", nn::PixelUnshuffle(3), {{{2, 3, 3}}});
  c.add("nn.PixelUnshuffle(1)", nn::PixelUnshuffle(1), {{{1, 2, 3, 1}}});
  c.add("nn.ChannelShuffle(2)", nn::ChannelShuffle(2), {{{2, 4, 3, 2}}});
  c.add("nn.ChannelShuffle(3)", nn::ChannelShuffle(3), {{{1, 9, 2, 1}}});
  c.add("nn.ChannelShuffle(1)", nn::ChannelShuffle(1), {{{1, 2, 2, 2}}});
  c.add("lambda x: F.pad(x, (1, 2, 0, 1))", {{{2, 3}}}, [](auto &x) { return F::pad(x[0], {1, 2, 0, 1}); });
  c.add("lambda x: F.pad(x, (2, 1), mode='reflect')", {{{2, 4}}},
        [](auto &x) { return F::pad(x[0], {2, 1}, "reflect"); });
  c.add("lambda x: F.pad(x, (0, 1), value=0.5)", {{{3}}},
        [](auto &x) { return F::pad(x[0], {0, 1}, "constant", 0.5); });
  return c.program();
}

DLC_MODEL(padding) { return padding(float64); }
DLC_MODEL(padding32) { return padding(float32); }
