// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// mlp() of tests/e2e/trajectories/small_nets.py: the same seed gives the same weights.
#include <dlc/dlc.h>

namespace {

struct Net : dlc::nn::Module {
  dlc::nn::Linear fc1 = register_module("fc1", dlc::nn::Linear(784, 256));
  dlc::nn::Linear fc2 = register_module("fc2", dlc::nn::Linear(256, 128));
  dlc::nn::Linear fc3 = register_module("fc3", dlc::nn::Linear(128, 10));

  dlc::Tensor forward(dlc::Tensor x) override { return fc3(relu(fc2(relu(fc1(x))))); }
};

} // namespace

DLC_MODEL(mlp) {
  dlc::manual_seed(0);
  Net net;
  dlc::Tensor image = dlc::input("image", {dlc::Dim("batch", 64), 784});
  return dlc::program(net, dlc::loss::CrossEntropy(), dlc::optim::Adam({.lr = 1e-3}), image);
}
