// Which of two circles a point lies on: 2-16-8-1, all points in one batch.
//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlc/dlc.h>

using namespace dlc;

DLC_MODEL(points) {
  manual_seed(0);
  nn::Sequential net{nn::Linear(2, 16), nn::ReLU(),       nn::Linear(16, 8),
                     nn::ReLU(),        nn::Linear(8, 1), nn::Sigmoid()};
  Tensor point = input("point", {Dim("batch", 800), 2});
  return program(net, loss::BCE(), optim::Adam({.lr = 1e-2}), point);
}
