// A table of customers: who will not pay back?
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlc/dlc.h>

using namespace dlc;

DLC_MODEL(credit) {
  manual_seed(0);
  nn::Sequential net{nn::Linear(4, 32), nn::ReLU(), nn::Linear(32, 16), nn::ReLU(), nn::Linear(16, 1)};
  Tensor customer = input("customer", {Dim("batch", 50), 4});
  return program(net, loss::BCEWithLogits(), optim::Adam({.lr = 1e-3}), customer);
}
