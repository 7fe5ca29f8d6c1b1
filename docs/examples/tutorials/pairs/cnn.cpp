// Two convolutions.
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlc/dlc.h>

using namespace dlc;

struct Net : nn::Module {
  nn::Conv2d conv1 = register_module("conv1", nn::Conv2d(1, 16, 3, {.padding = 1}));
  nn::Conv2d conv2 = register_module("conv2", nn::Conv2d(16, 32, 3, {.padding = 1}));
  nn::MaxPool2d pool = register_module("pool", nn::MaxPool2d(2));
  nn::Linear head = register_module("head", nn::Linear(32 * 7 * 7, 10));
  Tensor forward(Tensor x) override {
    x = pool(relu(conv1(x)));
    x = pool(relu(conv2(x)));
    return head(x.flatten(1));
  }
};

DLC_MODEL(cnn) {
  manual_seed(0);
  Net net;
  Tensor image = input("image", {Dim("batch", 64), 1, 28, 28});
  return program(net, nn::CrossEntropyLoss(), optim::Adam({.lr = 1e-3}), image);
}
