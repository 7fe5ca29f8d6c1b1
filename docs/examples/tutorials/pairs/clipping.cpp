// Gradients clipped to the norm 1, and what their norms were.
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlc/data.hpp>
#include <dlc/dlc.h>
#include <dlc/session.h>
#include <iostream>

using namespace dlc;

int main(int, char **argv) {
  const dlc_scaling bytes = {1 / 255.0, 0, 1};
  data::Array images = data::read_idx(argv[1] + std::string("/train-images-idx3-ubyte.gz"), &bytes);
  data::Array labels = data::read_idx(argv[1] + std::string("/train-labels-idx1-ubyte.gz"));
  data::Loader loader({&images, &labels}, {.batch = 64, .shuffle = 1});

  manual_seed(0);
  nn::Sequential net{nn::Flatten(), nn::Linear(784, 128), nn::ReLU(), nn::Linear(128, 10)};
  Tensor image = input("image", {Dim("batch", 64), 28, 28});
  Session session(program(net, nn::CrossEntropyLoss(), optim::SGD({.lr = 0.1}).clip_grad_norm(1), image));
  for (int epoch = 1; epoch <= 3; ++epoch) {
    double loss = 0, norms = 0, clipped = 0;
    for (auto [x, y] : loader) {
      loss += session.train_step(x, y);
      norms += session.grad_norm();
      clipped += session.grad_norm() > 1;
    }
    std::cout << "epoch " << epoch << ": loss " << loss / loader.batches() << ", norm "
              << norms / loader.batches() << ", " << clipped << " of " << loader.batches() << " clipped\n";
  }
}
