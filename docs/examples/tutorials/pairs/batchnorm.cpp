// The perceptron of the digits, with a batch normalization before each activation.
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlc/dlc.h>

using namespace dlc;

DLC_MODEL(batchnorm) {
  manual_seed(0);
  nn::Sequential net{nn::Linear(784, 256), nn::BatchNorm1d(256), nn::ReLU(),         nn::Linear(256, 128),
                     nn::BatchNorm1d(128), nn::ReLU(),           nn::Linear(128, 10)};
  Tensor image = input("image", {Dim("batch", 64), 784});
  return program(net, nn::CrossEntropyLoss(), optim::Adam({.lr = 1e-3}), image);
}
