// Which points lie inside of the circle? Trained, saved, and loaded by another session.
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlc/dlc.h>
#include <dlc/session.h>
#include <iostream>

using namespace dlc;

Program describe() {
  nn::Sequential net{nn::Linear(2, 16), nn::ReLU(),       nn::Linear(16, 8),
                     nn::ReLU(),        nn::Linear(8, 1), nn::Sigmoid()};
  return program(net, nn::BCELoss(), optim::Adam({.lr = 0.01}), input("point", {Dim("batch", 500), 2}));
}

int main() {
  manual_seed(0);
  Tensor points = randn(500, 2), inside = (points.pow(2).sum(1) < 1).to<float>();
  std::vector<double> p = points.values(), q = inside.values();
  std::vector<float> x(p.begin(), p.end()), y(q.begin(), q.end());

  Session session(describe());
  for (int epoch = 1; epoch <= 500; ++epoch) {
    float loss = session.train_step(View(x, {500, 2}), View(y, {500, 1}));
    if (epoch % 100 == 0)
      std::cout << "epoch " << epoch << ": loss " << loss << '\n';
  }
  std::cout << "accuracy " << session.evaluate(View(x, {500, 2}), View(y, {500, 1})).accuracy() << '\n';

  session.save_weights("circle.safetensors");
  Session copy(describe());
  copy.load_state_dict("circle.safetensors");
  bool same = copy.predict({View(x, {500, 2})}) == session.predict({View(x, {500, 2})});
  std::cout << (same ? "the copy predicts the same\n" : "the copy predicts something else\n");
}
