// One batch by heart: a network that cannot learn 64 images cannot learn 60,000.
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
  data::Loader loader({&images, &labels}, {.batch = 64});

  manual_seed(0);
  nn::Sequential net{nn::Flatten(), nn::Linear(784, 128), nn::ReLU(), nn::Linear(128, 10)};
  Session session(program(net, nn::CrossEntropyLoss(), optim::Adam({.lr = 1e-2}), input("x", {64, 28, 28})));
  auto [x, y] = *loader.begin();
  for (int step = 1; step <= 100; ++step) {
    float loss = session.train_step(x, y);
    if (step % 25 == 0)
      std::cout << "step " << step << ": loss " << loss << '\n';
  }
}
