// A large perceptron, and a small one that learns from the large one's scores.
//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TUTORIALS_TWO_MODELS_H
#define TUTORIALS_TWO_MODELS_H

#include <dlc/dlc.h>

namespace two_models {

constexpr int64_t pixels = 784, classes = 10, batch = 64;

template <typename Loss> dlc::Program describe(int64_t hidden, const Loss &loss) {
  dlc::nn::Sequential net{dlc::nn::Linear(pixels, hidden), dlc::nn::ReLU(), dlc::nn::Linear(hidden, classes)};
  dlc::Tensor image = dlc::input("image", {dlc::Dim("batch", batch), pixels});
  return dlc::program(net, loss, dlc::optim::Adam({.lr = 1e-3}), image);
}

inline dlc::Program teacher() { return describe(256, dlc::loss::CrossEntropy()); }
inline dlc::Program student() { return describe(16, dlc::loss::MSE()); } // its targets are scores

} // namespace two_models

#endif // TUTORIALS_TWO_MODELS_H
