// A straight line by hand: gradients of two tensors, and an update that is written out.
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlc/dlc.h>
#include <iostream>

int main() {
  dlc::manual_seed(0);
  dlc::Tensor x = dlc::linspace(-1, 1, 50), y = 2 * x + 1 + 0.1 * dlc::randn(50);
  dlc::Tensor w = dlc::tensor(0.0).requires_grad_(), b = dlc::tensor(0.0).requires_grad_();
  for (int step = 0; step < 200; ++step) {
    dlc::Tensor loss = (w * x + b - y).pow(2).mean();
    loss.backward();
    dlc::NoGrad off;
    w -= 0.1 * w.grad();
    b -= 0.1 * b.grad();
    w.grad().zero_();
    b.grad().zero_();
  }
  std::cout << "w " << w.item() << ", b " << b.item() << '\n';
}
