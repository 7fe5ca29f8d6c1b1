// A small model learns from the scores of a large one, which learns from the labels.
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlc/data.hpp>
#include <dlc/dlc.h>
#include <dlc/session.h>
#include <iostream>

using namespace dlc;

int main(int, char **argv) {
  const std::string folder = argv[1];
  const dlc_scaling bytes = {1 / 255.0, 0, 1};
  data::Array images = data::read_idx(folder + "/train-images-idx3-ubyte.gz", &bytes);
  data::Array labels = data::read_idx(folder + "/train-labels-idx1-ubyte.gz");
  data::Array test_images = data::read_idx(folder + "/t10k-images-idx3-ubyte.gz", &bytes);
  data::Array test_labels = data::read_idx(folder + "/t10k-labels-idx1-ubyte.gz");
  data::Loader loader({&images, &labels}, {.batch = 64, .shuffle = 1});

  manual_seed(0);
  Tensor image = input("image", {Dim("batch", 64), 28, 28});
  nn::Sequential large{nn::Flatten(), nn::Linear(784, 256), nn::ReLU(), nn::Linear(256, 10)};
  nn::Sequential small{nn::Flatten(), nn::Linear(784, 16), nn::ReLU(), nn::Linear(16, 10)};
  Session teacher(program(large, nn::CrossEntropyLoss(), optim::Adam({.lr = 1e-3}), image));
  Session student(program(small, nn::MSELoss(), optim::Adam({.lr = 1e-3}), image));
  for (int epoch = 1; epoch <= 3; ++epoch) {
    for (auto [x, y] : loader) {
      teacher.train_step(x, y);
      student.train_step(x, teacher.predict({x})[0]);
    }
    std::cout << "epoch " << epoch << ": teacher " << teacher.evaluate(test_images, test_labels).accuracy();
    Array scores = student.predict({test_images})[0];
    auto values = scores.values<float>();
    int correct = 0;
    for (int64_t row = 0; row < test_labels.samples(); ++row) {
      auto of = values.subspan(row * 10, 10);
      correct += std::max_element(of.begin(), of.end()) - of.begin() == test_labels.data<int64_t>()[row];
    }
    std::cout << ", student " << double(correct) / test_labels.samples() << '\n';
  }
}
