//===- training_test.cpp - initial values, losses and optimizers of programs -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include <gtest/gtest.h>

using namespace dlc;

/// The values that `fill` gives a parameter [3, 2] after the seed 5.
template <typename Fill> static std::vector<double> valuesOf(Fill fill) {
  nn::Linear layer(2, 3);
  manual_seed(5);
  return fill(layer.parameter("weight")).values();
}

static void expectNear(const std::vector<double> &found, const std::vector<double> &expected,
                       double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], tolerance) << i;
}

// torch 2.13 on a CPU: torch.manual_seed(5); torch.nn.init.NAME_(torch.empty(3, 2), ...)
TEST(Init, GivesPyTorchsNumbers) {
  using namespace nn::init;
  expectNear(valuesOf([](auto w) { return uniform_(w, -1, 3); }),
             {2.321007490158081, -0.4955563545227051, 2.6298787593841553, 2.27970814704895,
              2.6804137229919434, -0.533419132232666},
             0);
  expectNear(valuesOf([](auto w) { return xavier_uniform_(w, 2); }),
             {1.4470912218093872, -1.6382999420166016, 1.78544282913208, 1.4018501043319702,
              1.8408011198043823, -1.6797765493392944},
             0);
  expectNear(
      valuesOf([](auto w) { return kaiming_uniform_(w, {.mode = "fan_out", .nonlinearity = "relu"}); }),
      {0.9340933561325073, -1.0575180053710938, 1.1524982452392578, 0.9048902988433838, 1.1882319450378418,
       -1.0842911005020142},
      0);
  expectNear(valuesOf([](auto w) { return normal_(w, 1, 2); }),
             {0.026438498869538307, -0.20764318108558655, -0.11619246006011963, 2.3350486755371094,
              0.6051698327064514, 4.8855671882629395},
             1e-5);
  expectNear(valuesOf([](auto w) { return xavier_normal_(w); }),
             {-0.307867169380188, -0.38189029693603516, -0.35297104716300964, 0.4221794307231903,
              -0.12485627084970474, 1.2287242412567139},
             1e-6);
  expectNear(valuesOf([](auto w) { return kaiming_normal_(w, {.a = 0.2}); }),
             {-0.47732779383659363, -0.5920957922935486, -0.5472583770751953, 0.654561460018158,
              -0.19358143210411072, 1.9050559997558594},
             1e-6);
  expectNear(valuesOf([](auto w) { return trunc_normal_(w, 1, 2, 0, 2); }),
             {0.026438498869538307, 0.8323757648468018, 1.4778923988342285, 1.93977689743042,
              0.6051698327064514, 1.4231423139572144},
             1e-5);
  EXPECT_THROW(
      valuesOf([](auto w) { return trunc_normal_(w, 0, 1, 5, std::numeric_limits<double>::infinity()); }),
      Error);
  for (double number : valuesOf([](auto w) { return trunc_normal_(w, 0, 1, 5, 6); }))
    EXPECT_TRUE(number >= 5 && number <= 6) << number;
  EXPECT_DOUBLE_EQ(calculate_gain("tanh"), 5.0 / 3);
  EXPECT_DOUBLE_EQ(calculate_gain("leaky_relu"), 1.4141428569978354);
}

TEST(Init, OfMatrices) {
  using namespace nn::init;
  expectNear(valuesOf([](auto w) { return orthogonal_(w, 1.5); }),
             {-0.9527036547660828, -0.7204702496528625, -1.0922788381576538, 0.16677772998809814,
              -0.3863712549209595, 1.3050318956375122},
             1e-5);
  nn::Linear wide(5, 2);
  manual_seed(5);
  expectNear(orthogonal_(wide.parameter("weight"), 1.5).values(),
             {-0.617639422416687, -0.7661435604095459, -0.7081261873245239, 0.8469711542129517,
              -0.2504851222038269, 1.291982650756836, -0.5715627074241638, -0.22425086796283722,
              0.10801394283771515, -0.4383396506309509},
             1e-5);
  EXPECT_THROW(orthogonal_(wide.parameter("bias")), Error);

  // Where torch 2.13 puts the ones of an empty(6, 2, 3, 3).
  nn::Conv2d conv(2, 6, 3);
  std::vector<double> ones = dirac_(conv.parameter("weight"), 2).values();
  for (size_t i = 0; i < ones.size(); ++i)
    EXPECT_EQ(ones[i], i == 4 || i == 31 || i == 58 || i == 85) << i;
  EXPECT_THROW(dirac_(conv.parameter("weight"), 4), Error);
  EXPECT_THROW(dirac_(wide.parameter("weight")), Error);
}

TEST(Init, OfConstants) {
  EXPECT_EQ(valuesOf([](auto w) { return nn::init::eye_(w); }), (std::vector<double>{1, 0, 0, 1, 0, 0}));
  EXPECT_EQ(valuesOf([](auto w) { return nn::init::ones_(w); }), std::vector<double>(6, 1));
  EXPECT_EQ(valuesOf([](auto w) { return nn::init::constant_(w, 2.5); }), std::vector<double>(6, 2.5));
  EXPECT_THROW(nn::init::zeros_(ones({2})), Error); // no parameter
  EXPECT_THROW(valuesOf([](auto w) { return nn::init::values_(w, {1, 2}); }), Error);
}

static std::string textOf(const Optimizer &optimizer) {
  nn::Linear net(2, 1);
  return program(net, loss::MSE(), optimizer, input("x", {Dim("batch", 4), 2})).str();
}

TEST(Optimizers, SayWhatTheyAre) {
  auto has = [](const Optimizer &optimizer, const std::string &what) {
    EXPECT_NE(textOf(optimizer).find(what), std::string::npos)
        << what << " in " << textOf(optimizer);
  };
  has(optim::Adam({.amsgrad = true}), "optimizer <adam, amsgrad>");
  has(optim::Adadelta({.rho = 0.5}), "optimizer <adadelta, rho = 0.5>");
  has(optim::Adamax({.beta1 = 0.5}), "optimizer <adamax, beta1 = 0.5>");
  has(optim::NAdam({.momentum_decay = 0.5}), "optimizer <nadam, momentum_decay = 0.5>");
  has(optim::RAdam({}), "optimizer <radam>");
  has(optim::Lamb({}), "optimizer <lamb>");
  has(optim::Lion({.beta2 = 0.5}), "optimizer <lion, beta2 = 0.5>");
  has(optim::Muon({.momentum = 0.5}), "optimizer <muon, momentum = 0.5>");
  has(optim::Rprop({.step_size_max = 0.5}), "optimizer <rprop, step_size_max = 0.5>");
  has(optim::ASGD({.t0 = 2}), "optimizer <asgd, t0 = 2.0>");
  has(optim::Adafactor({.eps2 = 0.5}), "optimizer <adafactor, epsilon2 = 0.5>");
  has(optim::Adafactor({.d = 2}), "optimizer <adafactor, clip_threshold = 2.0>");
  has(optim::SparseAdam({.beta1 = 0.5}), "optimizer <sparseadam, beta1 = 0.5>");
  has(optim::SGD({}).clip_grad_norm(1), "optimizer <sgd> clip <norm 1.0>");
  has(optim::SGD({}).clip_grad_value(0.5), "optimizer <sgd> clip <value 0.5>");
  has(optim::SGD({}).ema(0.5), "optimizer <sgd> ema_decay 0.5");
  has(optim::SGD({}).no_decay("*.bias|norm*"), "optimizer <sgd> groups [#train.group<\"*.bias|norm*:weight_decay=0\">]");
  has(optim::SGD({}).group("*.bias", {{"lr_scale", 0.5}}), "optimizer <sgd> groups [#train.group<\"*.bias:lr_scale=0.5\">]");
  has(optim::SGD({}).accumulate("mean"), "optimizer <sgd> accumulate mean");
}

TEST(Losses, OfTheDescription) {
  nn::Linear net(2, 3);
  Tensor x = input("x", {Dim("batch", 4), 2});
  std::string text = program(net, nn::CrossEntropyLoss(), optim::SGD({}), x).str();
  EXPECT_NE(text.find("train.input target @labels"), std::string::npos) << text;
  EXPECT_NE(text.find("train.loss"), std::string::npos) << text;
  Tensor y = net(x);
  try {
    (void)program(net, y, nn::functional::mse_loss(y, y, {"none"}), optim::SGD({}));
    ADD_FAILURE() << "no error";
  } catch (const Error &error) {
    EXPECT_EQ(error.message(),
              "the loss: expected one floating-point number, got float32 [batch, 3]; sum() or mean() "
              "makes one");
  }
}
