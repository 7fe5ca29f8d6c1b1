//===- batch_norm_test.cpp - batch normalization in a session, across training and evaluation
//-------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of torch 2.13 on a CPU: after torch.manual_seed(5), the test's Sequential, such as
// Sequential(Linear(3, 4), BatchNorm1d(4), Tanh(), Linear(4, 2), BatchNorm1d(2)), with MSELoss and
// SGD(lr=0.1), called in the order of the test.
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "dlc/session.h"
#include "tests/cpp/Expect.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace dlc;

namespace {

using Numbers = std::vector<float>;
using Named = std::vector<std::pair<std::string, Numbers>>;

nn::Sequential makeNet() {
  manual_seed(5);
  return nn::Sequential{nn::Linear(3, 4), nn::BatchNorm1d(4), nn::Tanh(), nn::Linear(4, 2),
                        nn::BatchNorm1d(2)};
}

Program describe(nn::Sequential &net) {
  return program(net, loss::MSE(), optim::SGD({.lr = 0.1}), input("x", {Dim("batch", 4), 3}));
}

/// Inputs and targets.
std::vector<View> rows(int64_t count, int64_t first, std::vector<Array> &storage) {
  Numbers x, y;
  for (int64_t i = 0; i < count * 3; ++i)
    x.push_back(float((first + i) * 7 % 13 / 6.5 - 1));
  for (int64_t i = 0; i < count * 2; ++i)
    y.push_back(float((first + i) * 5 % 11 / 5.5 - 1));
  storage = {Array(x, {count, 3}), Array(y, {count, 2})};
  return {storage[0], storage[1]};
}

void expectNear(const Array &found, const Numbers &expected, const std::string &what) {
  auto values = found.values<float>();
  ASSERT_EQ(values.size(), expected.size()) << what;
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(values[i], expected[i], 2e-6) << what << ", element " << i;
}
void expectGradients(const Session &session, const Named &expected) {
  for (const auto &[name, numbers] : expected)
    expectNear(session.gradient(name), numbers, "the gradient of " + name);
}
void expectTensors(const Session &session, const Named &expected) {
  for (const auto &[name, numbers] : expected)
    expectNear(session.parameter(name), numbers, name);
}

TEST(BatchNorm, LearnsAndEvaluatesAsInPyTorch) {
  std::vector<Array> storage[3];
  std::vector<View> four = rows(4, 0, storage[0]), three = rows(3, 5, storage[1]),
                    five = rows(5, 9, storage[2]);
  nn::Sequential net = makeNet();
  Session session(describe(net), {.threads = 1});
  auto evaluates = [&](double loss, const Numbers &outputs) {
    EXPECT_NEAR(session.evaluate(five).loss(), loss, 1e-6);
    expectNear(session.predict({five[0]})[0], outputs, "the outputs");
  };

  EXPECT_NEAR(session.grad_step(four), 1.0097852945327759, 1e-6);
  expectGradients(session,
                  {{"0.weight",
                    {-0.0080628451, -0.015909405, -0.008062847, -0.077208951, -0.01165759, -0.077208959,
                     0.0011779219, 0.003972874, 0.0011779219, 0.0064015761, -0.03360495, 0.0064015798}},
                   {"0.bias", {0, 0, 0, 0}}, // a normalization takes it out
                   {"1.weight", {0.01202593, -0.0014802126, 0.0067964722, 0.0070017534}},
                   {"1.bias", {-0.024518024, 0.021278495, 0.035547599, -0.070656449}},
                   {"3.weight",
                    {0.027197108, -0.082331687, -0.017566152, -0.020228572, -0.0022338629, 0.051964991,
                     -0.0056686252, 0.035741203}},
                   {"3.bias", {0, 0}},
                   {"4.weight", {0.53045034, 1.10742}},
                   {"4.bias", {-0.22727272, 0.36363637}}});
  const Named once = {{"1.running_mean", {-0.05191939, 0.0089840032, 0.028675407, -0.00056437775}},
                      {"1.running_var", {0.96478176, 0.90835899, 0.96390963, 0.92050159}},
                      {"4.running_mean", {0.047516134, -0.040965579}},
                      {"4.running_var", {1.0026914, 0.98848259}}};
  expectTensors(session, once);
  session.evaluate(five);
  session.predict({five[0]});
  expectTensors(session, once);

  EXPECT_NEAR(session.accumulate(three), 1.1263128519058228, 1e-6);
  expectGradients(session,
                  {{"0.weight",
                    {0.068749294, -0.04135707, -0.093670323, -0.092436463, 0.0021294681, -0.074808203,
                     -0.11379498, 0.054031011, 0.10936919, 0.0067007765, 0.059994973, -0.15009697}},
                   {"1.weight", {-0.0018178467, -0.0024362232, -0.016165987, 0.032353111}},
                   {"1.bias", {0.012402009, 0.026653955, -0.0065918863, -0.088605389}},
                   {"3.weight",
                    {-0.020557009, 0.033523992, 0.045272492, 0.059384815, -0.0058080405, 0.13884205,
                     0.013544545, 0.14160454}},
                   {"4.weight", {1.4858066, 2.0166483}},
                   {"4.bias", {0.40909097, 0.090909094}}});
  session.apply();
  expectTensors(session, {{"1.running_mean", {-0.097310051, 0.048363075, 0.052845821, 0.023341348}},
                          {"1.running_var", {0.90429407, 0.84688157, 0.89723414, 0.83618838}},
                          {"4.running_mean", {0.087010287, -0.081940427}},
                          {"4.running_var", {0.9894163, 0.95366967}}});
  evaluates(0.6983081102371216, {0.8262794, 0.11573384, 0.26000291, -0.1685577, -0.47593021, -0.83058012,
                                 0.6173504, 0.017167963, -0.23046856, -0.71718025});
  EXPECT_NEAR(session.train_step(four), 0.7438540458679199, 1e-6);
  EXPECT_NEAR(session.train_step(three), 0.7389254570007324, 1e-6);
  evaluates(0.6445613503456116, {0.67873621, 0.1716911, 0.16757917, -0.062736578, -0.52487683, -0.64659315,
                                 0.49346951, 0.09371724, -0.29557365, -0.5525884});
  expectTensors(session, {{"1.running_mean", {-0.17645699, 0.087537363, 0.096088454, 0.041923061}},
                          {"1.running_var", {0.82676476, 0.72148031, 0.81367719, 0.70435047}},
                          {"4.running_mean", {0.15786357, -0.14792682}},
                          {"4.running_var", {0.98323828, 0.91771191}}});

  // Fine-tuning: the first normalization keeps its statistics, and computes with them in training, too.
  nn::Sequential tuned = makeNet();
  tuned.load_state_dict(session.state_dict());
  tuned[1].eval();
  session.reload(describe(tuned));
  EXPECT_NEAR(session.grad_step(three), 0.5715201497077942, 1e-6);
  expectGradients(session,
                  {{"0.weight",
                    {0.041184366, -0.0022965395, -0.062099956, -0.0053720814, 0.0064658429, -0.0014834708,
                     -0.065488823, 0.016566891, 0.078290164, 0.052746814, -0.019631419, -0.058724057}},
                   {"0.bias", {0.0096191317, 0.0012035597, -0.01150994, -0.012521613}},
                   {"1.weight", {-0.017110325, 0.0018060637, -0.016885566, 0.02138132}},
                   {"1.bias", {0.0087446794, 0.0010219523, -0.010355085, -0.010568608}},
                   {"3.weight",
                    {-0.024302816, 0.067054689, 0.030898364, 0.03912295, 0.0031670406, 0.03287166,
                     0.0020742081, 0.03473758}},
                   {"3.bias", {0, 0}},
                   {"4.weight", {0.65939504, 0.53593349}},
                   {"4.bias", {0.56004548, -0.28554547}}});
  expectTensors(session, {{"1.running_mean", {-0.17645699, 0.087537363, 0.096088454, 0.041923061}},
                          {"1.running_var", {0.82676476, 0.72148031, 0.81367719, 0.70435047}},
                          {"4.running_mean", {0.18069094, -0.18916598}},
                          {"4.running_var", {0.91312087, 0.85136008}}});
}

/// A hook that reads what a normalization makes of its tensor computes it once more: the running statistics
/// do not notice.
TEST(BatchNorm, IsReadByHooks) {
  struct Net : nn::Module {
    nn::Linear fc = register_module("fc", nn::Linear(3, 2));
    nn::BatchNorm1d norm = register_module("norm", nn::BatchNorm1d(2));
    explicit Net(bool hooks) : hooks(hooks) {}
    Tensor forward(Tensor x) override {
      Tensor h = fc(x), y = norm(h);
      if (hooks)
        h.register_hook([&](Tensor gradient) { return gradient * (1 + (y * y).mean().detach()); });
      return y;
    }
    bool hooks;
  };
  std::vector<Array> storage;
  std::vector<View> four = rows(4, 0, storage);
  std::vector<Session> sessions;
  for (bool hooks : {false, true}) {
    manual_seed(5);
    Net net(hooks);
    sessions.emplace_back(
        program(net, loss::MSE(), optim::SGD({.lr = 0.1}), input("x", {Dim("batch", 4), 3})));
    sessions.back().grad_step(four);
  }
  for (const char *name : {"norm.running_mean", "norm.running_var"})
    EXPECT_EQ(sessions[0].parameter(name), sessions[1].parameter(name)) << name;
  EXPECT_EQ(sessions[0].gradient("norm.weight"), sessions[1].gradient("norm.weight"));
  EXPECT_NE(sessions[0].gradient("fc.weight"), sessions[1].gradient("fc.weight")); // about twice as large
}

/// (first + i) * mul % mod, from -1 to 1.
Array numbers(int64_t first, int64_t mul, int64_t mod, std::vector<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  Numbers values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(float((first + i) * mul % mod) / (float(mod) / 2) - 1);
  return Array(values, shape);
}

/// Three steps of 4, 3 and 4 rows of this shape, and an evaluation.
void expectLosses(Session &session, std::vector<int64_t> shape, const std::vector<double> &losses,
                  double evaluated) {
  auto batch = [&](int64_t rows, int64_t x, int64_t y) {
    shape[0] = rows;
    return std::pair(numbers(x, 7, 13, shape), numbers(y, 5, 11, {rows, 2}));
  };
  for (int64_t step = 0; step < 3; ++step) {
    auto [x, y] = batch(step == 1 ? 3 : 4, 5 * step, 3 * step);
    EXPECT_NEAR(session.train_step({x, y}), losses[size_t(step)], 1e-6) << step;
  }
  auto [x, y] = batch(4, 9, 9);
  EXPECT_NEAR(session.evaluate({x, y}).loss(), evaluated, 1e-6);
}

TEST(BatchNorm, WithoutMomentumKeepsTheMeanOfAllBatches) {
  manual_seed(5);
  nn::Sequential net{nn::Linear(3, 4), nn::BatchNorm1d(4, {.momentum = std::nullopt}), nn::Tanh(),
                     nn::Linear(4, 2)};
  Session session(program(net, loss::MSE(), optim::SGD({.lr = 0.1}), input("x", {Dim("batch", 4), 3})));
  expectLosses(session, {0, 3}, {0.7040959, 1.08775711, 0.741677344}, 0.976545513);
  expectTensors(session, {{"1.running_mean", {-0.617817044f, 0.238709137f, 0.375683188f, 0.0453504026f}},
                          {"1.running_var", {0.462274045f, 0.15792805f, 0.421828032f, 0.117875405f}},
                          {"1.bias", {-0.02040755f, -0.0202787202f, -0.00290265982f, -0.0171109289f}}});
  EXPECT_EQ(session.parameter("1.num_batches_tracked").values<int64_t>()[0], 3);
}

/// PyTorch: "Expected more than 1 value per channel when training".
TEST(BatchNorm, RefusesToTrainWithOneRow) {
  std::vector<Array> storage[2];
  std::vector<View> one = rows(1, 0, storage[0]), two = rows(2, 0, storage[1]);
  nn::Sequential net = makeNet();
  Session session(describe(net), {.threads = 1});
  const Array before = session.parameter("1.running_var");
  for (bool trains : {true, false}) {
    Error error = errorOf([&] { trains ? session.train_step(one) : session.grad_step(one); });
    EXPECT_NE(error.message().find("size 1 of 'batch', expected 2 to 4 in a training step: batch normalization"),
              std::string::npos)
        << error.what();
  }
  const auto kept = before.values<float>();
  expectNear(session.parameter("1.running_var"), {kept.begin(), kept.end()}, "the running variance");
  EXPECT_EQ(session.evaluate(one).count, 1);
  EXPECT_TRUE(std::isfinite(session.train_step(two)));
  // Each channel of one image has several values.
  nn::Sequential images{nn::Conv2d(1, 2, 3), nn::BatchNorm2d(2), nn::Flatten(), nn::Linear(8, 2)};
  Session ofImages(program(images, loss::MSE(), optim::SGD({.lr = 0.1}), input("x", {Dim("batch", 4), 1, 4, 4})));
  Array image(Numbers(16, 0.5f), {1, 1, 4, 4}), target(Numbers(2, 1), {1, 2});
  EXPECT_TRUE(std::isfinite(ofImages.train_step({image, target})));
}

TEST(InstanceNorm, EvaluatesWithRunningStatistics) {
  manual_seed(5);
  nn::Sequential net{nn::Conv1d(1, 2, 2),
                     nn::InstanceNorm1d(2, {.momentum = 0.3, .affine = true, .track_running_stats = true}),
                     nn::Flatten(), nn::Linear(4, 2)};
  Session session(program(net, loss::MSE(), optim::SGD({.lr = 0.1}), input("x", {Dim("batch", 4), 1, 3})));
  expectLosses(session, {0, 1, 3}, {2.27225566, 0.529031813, 0.683722854}, 0.394447923);
  expectTensors(session, {{"1.running_mean", {0.401416421f, -0.380359769f}},
                          {"1.running_var", {0.633477211f, 0.379122645f}},
                          {"1.weight", {0.878205717f, 0.696511805f}},
                          {"1.bias", {-0.00335570844f, 0.0208299663f}}});
}

} // namespace
