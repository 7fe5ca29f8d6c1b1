// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// The net of docs/examples/lenet, with the names of its parameters.
#include <dlc/dlc.h>

using namespace dlc;

namespace {

struct LeNet : nn::Module {
  nn::Conv2d conv1 = register_module("conv1", nn::Conv2d(1, 32, 3));
  nn::Conv2d conv2 = register_module("conv2", nn::Conv2d(32, 64, 3));
  nn::MaxPool2d pool = register_module("pool", nn::MaxPool2d(2));
  nn::Linear fc1 = register_module("fc1", nn::Linear(9216, 128));
  nn::Linear fc2 = register_module("fc2", nn::Linear(128, 10));

  Tensor forward(Tensor x) override {
    x = pool(relu(conv2(relu(conv1(x)))));
    return fc2(relu(fc1(x.flatten(1))));
  }
};

} // namespace

DLC_MODEL(lenet) {
  LeNet net;
  Tensor image = input("image", {Dim("batch", 64), 1, 28, 28});
  return program(net, nn::CrossEntropyLoss(), optim::SGD({.lr = 0.003, .momentum = 0.9}), image);
}
