// A sine by L-BFGS: each step computes loss and gradient several times.
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <dlc/dlc.h>
#include <dlc/lbfgs.hpp>
#include <iostream>

using namespace dlc;

int main() {
  manual_seed(0);
  std::vector<float> x, y;
  for (int i = 0; i < 64; ++i) {
    x.push_back(i / 32.0f - 1);
    y.push_back(std::sin(3 * x[i]));
  }
  nn::Sequential net{nn::Linear(1, 16), nn::Tanh(), nn::Linear(16, 1)};
  Session session(program(net, nn::MSELoss(), optim::SGD({}), input("x", {64, 1})));
  LBFGS lbfgs({.max_iter = 20, .strong_wolfe = true});
  for (int step = 1; step <= 5; ++step)
    std::cout << "loss " << lbfgs.step(session, {View(x, {64, 1}), View(y, {64, 1})}) << '\n';
}
