// A network with mistakes: each of the first three models has one, the last one has none.
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlc/dlc.h>

using namespace dlc;

const Dim batch("batch", 64);

DLC_MODEL(sizes) { // the second layer does not take what the first one gives
  nn::Sequential net{nn::Linear(784, 128), nn::ReLU(), nn::Linear(64, 10)};
  return program(net, nn::CrossEntropyLoss(), optim::Adam({.lr = 1e-3}), input("image", {batch, 784}));
}

struct Forgotten : nn::Module { // a layer that is not registered
  nn::Linear fc1 = register_module("fc1", nn::Linear(784, 128));
  nn::Linear fc2 = nn::Linear(128, 10);
  Tensor forward(Tensor x) override { return fc2(relu(fc1(x))); }
};

DLC_MODEL(forgotten) {
  Forgotten net;
  return program(net, nn::CrossEntropyLoss(), optim::Adam({.lr = 1e-3}), input("image", {batch, 784}));
}

DLC_MODEL(softmax) { // probabilities, where the loss takes scores
  nn::Sequential net{nn::Linear(784, 128), nn::ReLU(), nn::Linear(128, 10), nn::Softmax(1)};
  return program(net, nn::CrossEntropyLoss(), optim::Adam({.lr = 1e-3}), input("image", {batch, 784}));
}
