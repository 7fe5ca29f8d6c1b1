// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// hamiltonian() of tests/e2e/trajectories/small_nets.py: the same seed gives the same weights.
#include <dlc/dlc.h>

using namespace dlc;

struct Hamiltonian : nn::Module {
  nn::Linear fc1 = register_module("fc1", nn::Linear(2, 24));
  nn::Linear fc2 = register_module("fc2", nn::Linear(24, 1, {.bias = false}));

  Tensor forward(Tensor x) override {
    x.requires_grad_();
    Tensor energy = fc2(tanh(fc1(x))).sum();
    Tensor slope = grad(energy, x, {.create_graph = true});
    return cat({slope.slice(1, {1, 2}), -slope.slice(1, {0, 1})}, 1);
  }
};

DLC_MODEL(hamiltonian) {
  manual_seed(0);
  Hamiltonian net;
  return program(net, loss::MSE(), optim::Adam({.lr = 1e-2}), input("point", {Dim("batch", 33), 2}));
}
