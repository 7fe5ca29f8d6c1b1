//===- Padding.cpp - padding of images, and channels that become places --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/nn/padding.h"
#include "frontends/cpp/api/Init.h"
#include "frontends/cpp/api/Text.h"
#include <algorithm>

namespace dlc::nn {
using namespace detail;

/// PyTorch's names, and those of nn.pad.
static constexpr std::pair<const char *, const char *> modes[] = {
    {"constant", "constant"}, {"reflect", "reflect"}, {"replicate", "edge"}, {"circular", "wrap"}};

static const char *modeNamed(const std::string &name, const Where &where) {
  for (auto [ours, theirs] : modes)
    if (name == ours)
      return theirs;
  fail("padding mode: expected constant, reflect, replicate or circular, got '" + name + "'", where);
}

Tensor functional::pad(const Tensor &x, const std::vector<int64_t> &around, const std::string &mode,
                       double value, Where where) {
  const char *nnMode = modeNamed(mode, where);
  if (around.size() % 2 || int64_t(around.size()) > 2 * x.dim())
    fail("pad: expected two numbers for each of at most " + std::to_string(x.dim()) + " dims, got " +
             std::to_string(around.size()),
         where);
  std::vector<int64_t> low(x.dim(), 0), high = low, none = low;
  for (size_t i = 0; i < around.size(); ++i) {
    if (around[i] < 0)
      fail("pad: expected no negative numbers, got " + std::to_string(around[i]) + "; slice() takes parts",
           where);
    (i % 2 ? high : low)[x.dim() - 1 - i / 2] = around[i];
  }
  return apply("nn.pad", {x},
               {{"mode", record::Spelled{std::string("#nn<pad_mode ") + nnMode + ">"}},
                {"low", low},
                {"high", high},
                {"interior", none},
                {"value", value}},
               where);
}

PaddingModule::PaddingModule(int64_t spatial, const Sizes &sides, const char *mode,
                             std::optional<double> value, const Where &where)
    : mode(mode), value(value.value_or(0)) {
  around = sides.each.size() == 1 ? std::vector<int64_t>(2 * spatial, sides.each[0]) : sides.each;
  if (int64_t(around.size()) != 2 * spatial)
    fail("padding: expected one number, or " + std::to_string(2 * spatial) + ", got " +
             std::to_string(sides.each.size()),
         where);
  set_description(value ? "padding=" + pythonTuple(around) + ", value=" + pythonNumber(*value)
                        : pythonTuple(around));
}

Tensor PaddingModule::computed(Tensor x) { return functional::pad(x, around, mode, value, caller()); }

#define DLC_PADDING(Name, spatial, mode)                                                                     \
  Name::Name(Sizes padding, Where where) : PaddingModule(spatial, padding, mode, std::nullopt, where) {}     \
  Name::~Name() = default;
DLC_PADDING(ZeroPad1d, 1, "constant")
DLC_PADDING(ZeroPad2d, 2, "constant")
DLC_PADDING(ZeroPad3d, 3, "constant")
DLC_PADDING(ReflectionPad1d, 1, "reflect")
DLC_PADDING(ReflectionPad2d, 2, "reflect")
DLC_PADDING(ReflectionPad3d, 3, "reflect")
DLC_PADDING(ReplicationPad1d, 1, "replicate")
DLC_PADDING(ReplicationPad2d, 2, "replicate")
DLC_PADDING(ReplicationPad3d, 3, "replicate")
DLC_PADDING(CircularPad1d, 1, "circular")
DLC_PADDING(CircularPad2d, 2, "circular")
DLC_PADDING(CircularPad3d, 3, "circular")
#undef DLC_PADDING

#define DLC_PADDING(Name, spatial)                                                                           \
  Name::Name(Sizes padding, double value, Where where)                                                       \
      : PaddingModule(spatial, padding, "constant", value, where) {}                                         \
  Name::~Name() = default;
DLC_PADDING(ConstantPad1d, 1)
DLC_PADDING(ConstantPad2d, 2)
DLC_PADDING(ConstantPad3d, 3)
#undef DLC_PADDING

//===-- Channels and places ----------------------------------------------------------------===//

static Dim times(const Dim &dim, int64_t factor) { return dim * Dim(factor); }

Tensor functional::pixel_shuffle(const Tensor &x, int64_t factor, Where where) {
  At at(where);
  requirePositive("upscale_factor", factor, where);
  int64_t rank = x.dim();
  if (rank < 3)
    fail("pixel_shuffle: expected [..., channels, height, width], got " + str(x.shape()), where);
  Shape shape = x.shape(), split(shape.begin(), shape.end() - 3), whole = split;
  Dim channels = shape[rank - 3], height = shape[rank - 2], width = shape[rank - 1];
  if (channels.is_static() && channels.factor % (factor * factor) != 0)
    fail("pixel_shuffle: expected channels that " + std::to_string(factor * factor) + " divides, got " +
             str(shape),
         where);
  split.insert(split.end(), {channels / Dim(factor * factor), factor, factor, height, width});
  whole.insert(whole.end(), {channels / Dim(factor * factor), times(height, factor), times(width, factor)});
  Axes order;
  for (int64_t i = 0; i < rank - 3; ++i)
    order.push_back(i);
  for (int64_t i : {0, 3, 1, 4, 2})
    order.push_back(rank - 3 + i);
  return x.reshape(split).permute(order).reshape(whole);
}

Tensor functional::pixel_unshuffle(const Tensor &x, int64_t factor, Where where) {
  At at(where);
  requirePositive("downscale_factor", factor, where);
  int64_t rank = x.dim();
  if (rank < 3)
    fail("pixel_unshuffle: expected [..., channels, height, width], got " + str(x.shape()), where);
  Shape shape = x.shape(), split(shape.begin(), shape.end() - 3), whole = split;
  Dim channels = shape[rank - 3], height = shape[rank - 2] / Dim(factor),
      width = shape[rank - 1] / Dim(factor);
  split.insert(split.end(), {channels, height, factor, width, factor});
  whole.insert(whole.end(), {times(channels, factor * factor), height, width});
  Axes order;
  for (int64_t i = 0; i < rank - 3; ++i)
    order.push_back(i);
  for (int64_t i : {0, 2, 4, 1, 3})
    order.push_back(rank - 3 + i);
  return x.reshape(split).permute(order).reshape(whole);
}

Tensor functional::channel_shuffle(const Tensor &x, int64_t groups, Where where) {
  At at(where);
  requirePositive("groups", groups, where);
  if (x.dim() < 3)
    fail("channel_shuffle: expected [batch, channels, ...], got " + str(x.shape()), where);
  Shape shape = x.shape(), split{shape[0], groups, shape[1] / Dim(groups)};
  split.insert(split.end(), shape.begin() + 2, shape.end());
  return x.reshape(split).transpose(1, 2).reshape(shape);
}

PixelShuffle::PixelShuffle(int64_t upscale_factor, Where where) : factor(upscale_factor) {
  requirePositive("upscale_factor", factor, where);
  set_description("upscale_factor=" + std::to_string(factor));
}
PixelUnshuffle::PixelUnshuffle(int64_t downscale_factor, Where where) : factor(downscale_factor) {
  requirePositive("downscale_factor", factor, where);
  set_description("downscale_factor=" + std::to_string(factor));
}
ChannelShuffle::ChannelShuffle(int64_t groups, Where where) : groups(groups) {
  requirePositive("groups", groups, where);
  set_description("groups=" + std::to_string(groups));
}

Tensor PixelShuffle::computed(Tensor x) { return functional::pixel_shuffle(x, factor, caller()); }
Tensor PixelUnshuffle::computed(Tensor x) { return functional::pixel_unshuffle(x, factor, caller()); }
Tensor ChannelShuffle::computed(Tensor x) { return functional::channel_shuffle(x, groups, caller()); }

} // namespace dlc::nn
