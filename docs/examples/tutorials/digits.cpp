// A perceptron for images of 28x28 pixels, as for the digits of MNIST: 101,770 parameters.
//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlc/dlc.h>

struct Net : dlc::nn::Module {
  dlc::nn::Linear fc1 = register_module("fc1", dlc::nn::Linear(784, 128));
  dlc::nn::Linear fc2 = register_module("fc2", dlc::nn::Linear(128, 10));

  dlc::Tensor forward(dlc::Tensor image) override { return fc2(relu(fc1(image))); }
};

DLC_MODEL(digits) {
  dlc::manual_seed(0);
  Net net;
  dlc::Tensor image = dlc::input("image", {dlc::Dim("batch", 64), 784});
  return dlc::program(net, dlc::loss::CrossEntropy(), dlc::optim::Adam({.lr = 1e-3}), image);
}
