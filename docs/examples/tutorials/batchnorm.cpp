// The variant of fashion.cpp with batch normalization. A bias before it would change nothing.
//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlc/dlc.h>

struct Net : dlc::nn::Module {
  dlc::nn::Linear fc1 = register_module("fc1", dlc::nn::Linear(784, 256, {.bias = false}));
  dlc::nn::BatchNorm1d bn1 = register_module("bn1", dlc::nn::BatchNorm1d(256));
  dlc::nn::Linear fc2 = register_module("fc2", dlc::nn::Linear(256, 128, {.bias = false}));
  dlc::nn::BatchNorm1d bn2 = register_module("bn2", dlc::nn::BatchNorm1d(128));
  dlc::nn::Linear head = register_module("head", dlc::nn::Linear(128, 10));

  dlc::Tensor forward(dlc::Tensor image) override { return head(relu(bn2(fc2(relu(bn1(fc1(image))))))); }
};

DLC_MODEL(batchnorm) {
  dlc::manual_seed(0);
  Net net;
  dlc::Tensor image = dlc::input("image", {dlc::Dim("batch", 64), 784});
  return dlc::program(net, dlc::loss::CrossEntropy(), dlc::optim::Adam({.lr = 1e-3}), image);
}
