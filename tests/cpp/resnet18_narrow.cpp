// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// ResNet-18 (He et al. 2015) for images of 32x32 pixels, with a quarter of its channels.
#include <dlc/dlc.h>

using namespace dlc;

namespace {

nn::Conv2d conv(int64_t in, int64_t out, int64_t kernel, int64_t stride = 1) {
  return nn::Conv2d(in, out, kernel, {.stride = stride, .padding = kernel / 2, .bias = false});
}

struct BasicBlock : nn::Module {
  nn::Conv2d conv1, conv2;
  nn::BatchNorm2d bn1, bn2;
  std::optional<nn::Sequential> downsample;

  BasicBlock(int64_t in, int64_t out, int64_t stride)
      : conv1(register_module("conv1", conv(in, out, 3, stride))),
        conv2(register_module("conv2", conv(out, out, 3))), bn1(register_module("bn1", nn::BatchNorm2d(out))),
        bn2(register_module("bn2", nn::BatchNorm2d(out))) {
    if (stride != 1 || in != out)
      downsample =
          register_module("downsample", nn::Sequential{conv(in, out, 1, stride), nn::BatchNorm2d(out)});
  }
  Tensor forward(Tensor x) override {
    Tensor y = bn2(conv2(relu(bn1(conv1(x)))));
    return relu(y + (downsample ? (*downsample)(x) : x));
  }
};

struct ResNet : nn::Module {
  static constexpr int64_t width = 16;
  nn::Conv2d conv1 = register_module("conv1", conv(3, width, 3));
  nn::BatchNorm2d bn1 = register_module("bn1", nn::BatchNorm2d(width));
  std::vector<nn::Sequential> layers;
  nn::AdaptiveAvgPool2d avgpool = register_module("avgpool", nn::AdaptiveAvgPool2d(1));
  nn::Linear fc = register_module("fc", nn::Linear(8 * width, 10));

  ResNet() {
    int64_t channels = width;
    for (int64_t i = 0; i < 4; ++i) {
      int64_t filters = width << i;
      nn::Sequential layer{BasicBlock(channels, filters, i ? 2 : 1), BasicBlock(filters, filters, 1)};
      layers.push_back(register_module("layer" + std::to_string(i + 1), layer));
      channels = filters;
    }
  }
  Tensor forward(Tensor x) override {
    x = relu(bn1(conv1(x)));
    for (nn::Sequential &layer : layers)
      x = layer(x);
    return fc(avgpool(x).flatten(1));
  }
};

} // namespace

DLC_MODEL(resnet18_narrow) {
  ResNet net;
  Tensor image = input("image", {Dim("batch", 16), 3, 32, 32});
  return program(net, loss::CrossEntropy(), optim::SGD({.lr = 0.001, .momentum = 0.9}), image);
}
