// XOR: a loop with the gradients and the update as steps of its own.
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlc/dlc.h>
#include <dlc/session.h>
#include <iostream>

using namespace dlc;

int main() {
  manual_seed(0);
  std::vector<float> x = {0, 0, 0, 1, 1, 0, 1, 1}, y = {0, 1, 1, 0};
  nn::Sequential net{nn::Linear(2, 8), nn::Tanh(), nn::Linear(8, 1)};
  Session session(program(net, nn::BCEWithLogitsLoss(), optim::SGD({.lr = 0.5}), input("x", {4, 2})));
  for (int step = 1; step <= 1000; ++step) {
    float loss = session.grad_step({View(x, {4, 2}), View(y, {4, 1})});
    session.apply();
    if (step % 250 == 0)
      std::cout << "step " << step << ": loss " << loss << '\n';
  }
  for (float score : session.predict({View(x, {4, 2})})[0].values<float>())
    std::cout << (score > 0) << ' ';
}
