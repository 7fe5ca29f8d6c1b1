//===- SessionModels.h - a small classifier for the tests of sessions -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_CPP_SESSIONMODELS_H
#define DLC_TESTS_CPP_SESSIONMODELS_H

#include "dlc/dlc.h"
#include "dlc/session.h"
#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace models {

struct Net : dlc::nn::Module {
  explicit Net(int64_t hidden = 8)
      : fc1(register_module("fc1", dlc::nn::Linear(4, hidden))),
        fc2(register_module("fc2", dlc::nn::Linear(hidden, 3))) {}
  dlc::Tensor forward(dlc::Tensor x) override { return fc2(dlc::relu(fc1(x))); }
  dlc::nn::Linear fc1, fc2;
};

/// Trained by cross entropy.
inline dlc::Program classifier(int64_t batch = 8, int64_t hidden = 8,
                               const dlc::Optimizer &optimizer = dlc::optim::Adam({.lr = 0.01})) {
  dlc::manual_seed(1);
  Net net(hidden);
  return dlc::program(net, dlc::loss::CrossEntropy(), optimizer,
                      dlc::input("x", {dlc::Dim("batch", batch), 4}));
}

/// Rows whose class is where the largest of the first three numbers stands.
inline std::pair<dlc::Array, dlc::Array> rows(int64_t count, unsigned seed = 7) {
  std::mt19937 random(seed);
  std::vector<float> x;
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < count; ++i) {
    for (int k = 0; k < 4; ++k)
      x.push_back(float(random() % 1000) / 500 - 1);
    const float *row = &x[i * 4];
    labels.push_back(std::max_element(row, row + 3) - row);
  }
  return {dlc::Array(x, {count, 4}), dlc::Array(labels, {count})};
}

} // namespace models

#endif // DLC_TESTS_CPP_SESSIONMODELS_H
