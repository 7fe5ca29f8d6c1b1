// Clothes by a wider perceptron, of normalized pixels.
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlc/dlc.h>

using namespace dlc;

struct Net : nn::Module {
  nn::Linear fc1 = register_module("fc1", nn::Linear(784, 256));
  nn::Linear fc2 = register_module("fc2", nn::Linear(256, 256));
  nn::Linear fc3 = register_module("fc3", nn::Linear(256, 10));
  Tensor forward(Tensor x) override { return fc3(relu(fc2(relu(fc1(x))))); }
};

DLC_MODEL(clothes) {
  manual_seed(0);
  Net net;
  Tensor image = input("image", {Dim("batch", 64), 784});
  return program(net, nn::CrossEntropyLoss(), optim::Adam({.lr = 1e-3}), image);
}
