// A function with a backward of its own: its gradient, and a network that has it.
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <dlc/dlc.h>
#include <dlc/session.h>
#include <iostream>

using namespace dlc;

struct Cube : Function<Cube> {
  static Tensor forward(Context &context, Tensor x) {
    context.save_for_backward({x});
    return x.pow(3);
  }
  static Tensor backward(Context &context, Tensor gradient) {
    return 3 * context.saved_tensors()[0].pow(2) * gradient;
  }
};

struct Net : nn::Module {
  nn::Linear inner = register_module("inner", nn::Linear(1, 8)),
             outer = register_module("outer", nn::Linear(8, 1));
  Tensor forward(Tensor x) override { return outer(Cube::apply(inner(x))); }
};

int main() {
  Tensor a = tensor({1.0, 2.0, 3.0}).requires_grad_();
  Cube::apply(a).sum().backward();
  std::cout << a.grad() << '\n';

  manual_seed(0);
  Net net;
  Session session(program(net, nn::MSELoss(), optim::Adam({.lr = 0.01}), input("x", {Dim("batch", 64), 1})));
  std::vector<float> x, y;
  for (int i = 0; i < 64; ++i) {
    x.push_back(i / 32.0f - 1);
    y.push_back(std::sin(3 * x[i]));
  }
  for (int step = 1; step <= 1000; ++step) {
    float loss = session.train_step(View(x, {64, 1}), View(y, {64, 1}));
    if (step % 250 == 0)
      std::cout << "step " << step << ": loss " << loss << '\n';
  }
}
