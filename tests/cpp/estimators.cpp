// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// estimators() of tests/e2e/trajectories/small_nets.py: the same seed gives the same weights.
#include <dlc/dlc.h>

using namespace dlc;

struct Binary : Function<Binary> {
  static Tensor forward(Context &context, Tensor x) {
    context.save_for_backward({x});
    return dlc::where(x > 0, ones_like(x), -1);
  }
  static Tensor backward(Context &context, Tensor gradient) {
    return gradient * (context.saved_tensors()[0].abs() <= 1).to(float32);
  }
};

/// x scaled; the gradient is reversed and reads the result.
struct Scaled : Function<Scaled> {
  static Tensor forward(Context &context, Tensor x, Tensor scale) {
    Tensor y = tanh(x * scale);
    context.save_for_backward({y, scale});
    return y;
  }
  static std::vector<Tensor> backward(Context &context, Tensor gradient) {
    Tensor y = context.saved_tensors()[0];
    return {-0.5 * gradient * (1 - y * y), (gradient * y).sum(0)};
  }
};

struct Estimators : nn::Module {
  nn::Linear fc1 = register_module("fc1", nn::Linear(6, 16)),
             fc2 = register_module("fc2", nn::Linear(16, 16)),
             fc3 = register_module("fc3", nn::Linear(16, 3));
  Tensor scale = register_parameter("scale", full({16}, 0.5));

  Tensor forward(Tensor x) override {
    Tensor a = fc1(x), h = Binary::apply(a) + 0.3 * a;
    h.register_hook([](Tensor gradient) { return gradient.clamp(-1e-3, 1e-3); });
    Tensor y = Scaled::apply(fc2(h), scale);
    return fc3(y + h) + (y.detach() * h).sum(1, true) * 0.1;
  }
};

DLC_MODEL(estimators) {
  manual_seed(0);
  Estimators net;
  return program(net, loss::MSE(), optim::SGD({.lr = 0.02, .momentum = 0.9}),
                 input("x", {Dim("batch", 17), 6}));
}
