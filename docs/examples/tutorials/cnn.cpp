// The convolutional variant of fashion.cpp, with fewer parameters: 20,490.
//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlc/dlc.h>

struct Net : dlc::nn::Module {
  dlc::nn::Conv2d conv1 = register_module("conv1", dlc::nn::Conv2d(1, 16, 3, {.padding = 1}));
  dlc::nn::Conv2d conv2 = register_module("conv2", dlc::nn::Conv2d(16, 32, 3, {.padding = 1}));
  dlc::nn::MaxPool2d pool = register_module("pool", dlc::nn::MaxPool2d(2));
  dlc::nn::Linear head = register_module("head", dlc::nn::Linear(32 * 7 * 7, 10));

  dlc::Tensor forward(dlc::Tensor image) override {
    dlc::Tensor x = pool(relu(conv1(image)));
    return head(pool(relu(conv2(x))).flatten(1));
  }
};

DLC_MODEL(cnn) {
  dlc::manual_seed(0);
  Net net;
  dlc::Tensor image = dlc::input("image", {dlc::Dim("batch", 64), 1, 28, 28});
  return dlc::program(net, dlc::loss::CrossEntropy(), dlc::optim::Adam({.lr = 1e-3}), image);
}
