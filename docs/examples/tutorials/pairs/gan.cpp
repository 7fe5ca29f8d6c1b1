// Two networks against each other, as two programs in turn: points on a ring.
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dlc/dlc.h>
#include <dlc/session.h>
#include <iostream>

using namespace dlc;

nn::Sequential layers(int64_t in, int64_t out) {
  return nn::Sequential{nn::Linear(in, 64), nn::LeakyReLU(0.2), nn::Linear(64, 64), nn::LeakyReLU(0.2),
                        nn::Linear(64, out)};
}

struct Generator : nn::Module {
  nn::Sequential draw = register_module("draw", layers(4, 2)),
                 critic = register_module("critic", layers(2, 1));
  Tensor forward(Tensor) override { return draw(randn(128, 4)); } // anew in each step
};

int main() {
  manual_seed(0);
  nn::BCEWithLogitsLoss bce;
  optim::Adam adam({.lr = 1e-3, .beta1 = 0.5});
  Tensor angle = linspace(0, 6.2831853, 128), real = stack({cos(angle), sin(angle)}, 1);
  Tensor yes = ones(128, 1), no = zeros(128, 1);
  nn::Sequential judge = layers(2, 1);
  Tensor given = input("point", {128, 2}), score = judge(given);
  Session critic(program(judge, score, bce(judge(real), yes) + bce(score, no), adam));
  Generator artist;
  artist.freeze("critic.*");
  Tensor fake = artist(yes), radius = fake.pow(2).sum(1).sqrt().mean();
  Session generator(
      make_program(artist, {{"points", fake}, {"radius", radius}}, bce(artist.critic(fake), yes), adam));
  for (int step = 1; step <= 3000; ++step) {
    float critic_loss = critic.train_step({generator.predict({})[0]});
    for (auto &[name, value] : critic.state_dict())
      generator.set_parameter("critic." + name, value);
    float generator_loss = generator.train_step({});
    if (step % 1000 == 0)
      std::cout << "step " << step << ": critic " << critic_loss << ", generator " << generator_loss
                << ", mean radius " << generator.predict({})[1].values<float>()[0] << '\n';
  }
}
