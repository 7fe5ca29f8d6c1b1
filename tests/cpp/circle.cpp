// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// circle() of tests/e2e/trajectories/small_nets.py: the same seed gives the same weights.
#include <dlc/dlc.h>

using namespace dlc;

DLC_MODEL(circle) {
  manual_seed(0);
  nn::Sequential net{nn::Linear(2, 16), nn::ReLU(),       nn::Linear(16, 8),
                     nn::ReLU(),        nn::Linear(8, 1), nn::Sigmoid()};
  Tensor point = input("point", {Dim("batch", 500), 2});
  return program(net, loss::BCE(), optim::AdamW({.lr = 1e-2, .weight_decay = 0.01}), point);
}
