// A variational autoencoder: reconstruction and divergence as a loss of its own.
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlc/dlc.h>

using namespace dlc;

struct Autoencoder : nn::Module {
  nn::Linear encode = register_module("encode", nn::Linear(784, 400));
  nn::Linear mean = register_module("mean", nn::Linear(400, 20));
  nn::Linear spread = register_module("spread", nn::Linear(400, 20));
  nn::Linear widen = register_module("widen", nn::Linear(20, 400));
  nn::Linear decode = register_module("decode", nn::Linear(400, 784));
  Tensor mu, logvar;
  Tensor forward(Tensor x) override {
    Tensor hidden = relu(encode(x));
    mu = mean(hidden);
    logvar = spread(hidden);
    Tensor z = by_mode(mu + randn_like(mu) * exp(0.5 * logvar), mu);
    return decode(relu(widen(z)));
  }
};

DLC_MODEL(vae) {
  manual_seed(0);
  Autoencoder net;
  Tensor x = input("image", {Dim("batch", 64), 784});
  Tensor y = net(x);
  Tensor reconstruction = 784 * nn::functional::binary_cross_entropy_with_logits(y, x);
  Tensor divergence = -0.5 * (1 + net.logvar - net.mu.pow(2) - exp(net.logvar)).sum(1).mean();
  return program(net, y, reconstruction + divergence, optim::Adam({.lr = 1e-3}));
}
