//===- session_test.cpp - training in the process that describes the model ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "dlc/session.h"
#include "tests/cpp/Expect.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <thread>

using namespace dlc;

namespace {

struct Net : nn::Module {
  explicit Net(int64_t hidden = 8)
      : fc1(register_module("fc1", nn::Linear(4, hidden))),
        fc2(register_module("fc2", nn::Linear(hidden, 3))) {}
  Tensor forward(Tensor x) override { return fc2(relu(fc1(x))); }
  nn::Linear fc1, fc2;
};

Program classifier(int64_t batch = 8, int64_t hidden = 8,
                   const Optimizer &optimizer = optim::Adam({.lr = 0.01})) {
  manual_seed(1);
  Net net(hidden);
  return program(net, loss::CrossEntropy(), optimizer, input("x", {Dim("batch", batch), 4}));
}

/// Rows whose class is where the largest of the first three numbers stands.
std::pair<Array, Array> rows(int64_t count, unsigned seed = 7) {
  std::mt19937 random(seed);
  std::vector<float> x;
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < count; ++i) {
    for (int k = 0; k < 4; ++k)
      x.push_back(float(random() % 1000) / 500 - 1);
    const float *row = &x[i * 4];
    labels.push_back(std::max_element(row, row + 3) - row);
  }
  return {Array(x, {count, 4}), Array(labels, {count})};
}

std::string bytesOfFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A name in the folder of the test's own files.
std::string temporary(const std::string &name) { return testing::TempDir() + "session_" + name; }

TEST(Session, LearnsAndEvaluates) {
  Session session(classifier(), {.threads = 2});
  auto [x, labels] = rows(64);
  Evaluation before = session.evaluate({x, labels});
  EXPECT_EQ(before.count, 64);
  EXPECT_EQ(before.loss_weight, 64);
  for (int step = 0; step < 300; ++step) {
    auto [bx, by] = rows(8, step % 20);
    EXPECT_TRUE(std::isfinite(session.train_step({bx, by})));
  }
  EXPECT_EQ(session.step_count(), 300);
  Evaluation after = session.evaluate({x, labels});
  EXPECT_LT(after.loss(), before.loss() / 2);
  EXPECT_GT(after.accuracy(), 0.9);
  std::vector<Array> scores = session.predict({x});
  ASSERT_EQ(scores.size(), 1u);
  EXPECT_EQ(scores[0].shape(), (std::vector<int64_t>{64, 3}));
  auto values = scores[0].values<float>();
  int64_t correct = 0;
  for (int64_t i = 0; i < 64; ++i)
    correct +=
        std::max_element(&values[i * 3], &values[i * 3] + 3) - &values[i * 3] == labels.values<int64_t>()[i];
  EXPECT_EQ(correct, after.correct);
}

/// How far the first step of SGD with the rate 1 moves the parameters: as far as the gradients are long.
double lengthOfStep(const Optimizer &optimizer, double max_grad_norm = 0) {
  Session session(classifier(8, 8, optimizer), {.max_grad_norm = max_grad_norm});
  StateDict before = session.state_dict();
  auto [x, labels] = rows(8);
  session.train_step({x, labels});
  double squares = 0;
  for (const auto &[name, tensor] : before) {
    const Array after = session.parameter(name);
    for (size_t i = 0; i < tensor.size(); ++i)
      squares += std::pow(tensor.values<float>()[i] - after.values<float>()[i], 2);
  }
  return std::sqrt(squares);
}

TEST(Session, ClipsGradients) {
  const optim::SGD sgd({.lr = 1});
  EXPECT_GT(lengthOfStep(sgd), 0.3);
  EXPECT_NEAR(lengthOfStep(optim::SGD(sgd).clip_grad_norm(0.01)), 0.01, 1e-5);
  EXPECT_NEAR(lengthOfStep(sgd, 0.02), 0.02, 1e-5);
  EXPECT_NEAR(lengthOfStep(optim::SGD(sgd).clip_grad_norm(0.01), 0.02), 0.02, 1e-5);
  const double byValue = lengthOfStep(optim::SGD(sgd).clip_grad_value(0.001));
  EXPECT_LT(byValue, 0.009); // of 67 numbers
  EXPECT_NEAR(lengthOfStep(optim::SGD(sgd).clip_grad_value(0.001), 0.02), 0.02, 1e-5);
  EXPECT_MESSAGE(Session(classifier(), {.max_grad_norm = -1}),
                 "max_grad_norm: expected a number of at least 0");
}

TEST(Session, TellsTheNormOfGradientsWithoutClipping) {
  auto [x, labels] = rows(8);
  const optim::SGD sgd({.lr = 1});
  const double expected = lengthOfStep(sgd);
  Session session(classifier(8, 8, sgd));
  session.grad_step({x, labels});
  EXPECT_NEAR(session.grad_norm(), expected, 1e-5); // computed now
  // The weight of the labels, which is kept beside the gradients, is none of them.
  Session joining(classifier(8, 8, optim::SGD(sgd).accumulate("mean")));
  joining.grad_step({x, labels});
  EXPECT_NEAR(joining.grad_norm(), expected, 1e-5);
  session.apply();
  session.train_step({x, labels});
  EXPECT_MESSAGE(session.grad_norm(), "call grad_step before, as train_step keeps none");

  Session measuring(classifier(8, 8, sgd), {.grad_norm = true});
  EXPECT_MESSAGE(measuring.grad_norm(), "no train_step or apply has computed a norm yet");
  measuring.train_step({x, labels});
  EXPECT_NEAR(measuring.grad_norm(), expected, 1e-5);
  EXPECT_EQ(std::ranges::count(measuring.hyperparameters(), "max_grad_norm"), 0);
  // Before each number of it is clipped, and with the same parameters afterwards as without.
  Session byValue(classifier(8, 8, optim::SGD(sgd).clip_grad_value(0.001)), {.grad_norm = true});
  byValue.train_step({x, labels});
  EXPECT_NEAR(byValue.grad_norm(), expected, 1e-5);
  Session plain(classifier(8, 8, sgd));
  plain.train_step({x, labels});
  for (const auto &[name, tensor] : plain.state_dict())
    EXPECT_EQ(measuring.parameter(name), tensor) << name;
}

TEST(Session, ComputesProductsInLowPrecision) {
  auto [x, labels] = rows(8);
  auto firstLoss = [&, x = x, labels = labels](const char *precision) {
    Session session(classifier(), {.precision = precision});
    return session.train_step({x, labels});
  };
  const float exact = firstLoss("fp32");
  for (const char *precision : {"tf32", "bf16", "fp16"}) {
    EXPECT_NEAR(firstLoss(precision), exact, 1e-2) << precision;
    EXPECT_NE(firstLoss(precision), exact) << precision;
  }

  Session adjusting(classifier(), {.precision = "fp16"}), fixed(classifier(), {.loss_scale = 8});
  EXPECT_EQ(fixed.hyperparameter("loss_scale"), 8);
  EXPECT_EQ(adjusting.hyperparameter("loss_scale"), 65536);
  adjusting.set_hyperparameter("loss_scale", 0x1p100);
  adjusting.train_step({x, labels});
  EXPECT_EQ(adjusting.hyperparameter("loss_scale"), 0x1p99);
  EXPECT_EQ(adjusting.step_count(), 0); // skipped
  adjusting.set_hyperparameter("loss_scale", 16);
  adjusting.train_step({x, labels});
  EXPECT_EQ(adjusting.step_count(), 1);

  EXPECT_MESSAGE(Session(classifier(), {.precision = "half"}),
                 "precision: expected \"fp32\", \"tf32\", \"bf16\" or \"fp16\", got \"half\"");
  EXPECT_MESSAGE(Session(classifier(), {.loss_scale = 0}),
                 "loss_scale: expected a number from 2^-100 to 2^100, got 0");
}

/// What is computed of a loss may be nothing: it is evaluated as the loss itself then.
TEST(Session, EvaluatesLossesThatNothingIsDoneTo) {
  auto [x, labels] = rows(5);
  auto evaluated = [&, x = x, labels = labels](auto lossOf) {
    manual_seed(1);
    Net net;
    Tensor scores = net(input("x", {Dim("batch", 8), 4})),
           classes = input("labels", {Dim("batch", 8)}, int64);
    Session session(program(net, scores, lossOf(scores, classes), optim::SGD({.lr = 0})));
    double mean = session.train_step({x, labels});
    Evaluation evaluation = session.evaluate({x, labels});
    EXPECT_NEAR(evaluation.loss(), mean, 1e-6);
    return evaluation;
  };
  namespace F = nn::functional;
  auto direct = [](const Tensor &x, const Tensor &y) { return F::cross_entropy(x, y); };
  EXPECT_EQ(evaluated(direct).loss_weight, 5);
  evaluated([&](const Tensor &x, const Tensor &y) { return 1.0 * direct(x, y); });
  evaluated([&](const Tensor &x, const Tensor &y) { return direct(x, y).mean(); });
  evaluated(
      [&](const Tensor &x, const Tensor &y) { return by_mode(direct(x, y) + 0 * x.mean(), direct(x, y)); });
  evaluated([&](const Tensor &x, const Tensor &y) {
    Tensor loss = direct(x, y);
    loss.register_hook([](Tensor gradient) { return gradient * 2; });
    return loss;
  });
  evaluated(
      [&](const Tensor &x, const Tensor &y) { return F::smooth_l1_loss(x, F::one_hot(y, 3).to(float32)); });
}

/// The accuracy is that of the labels that count.
TEST(Session, IgnoredLabelsAreNoMistakes) {
  manual_seed(1);
  Net net;
  Session session(program(net, loss::CrossEntropy({.ignore_index = -1}), optim::SGD({.lr = 0}),
                          input("x", {Dim("batch", 8), 4})));
  auto [x, labels] = rows(8);
  Array scores = session.predict({x})[0];
  auto row = scores.values<float>();
  auto classes = labels.values<int64_t>();
  for (int64_t i = 0; i < 8; ++i) // right in the first half, ignored in the other
    classes[i] = i < 4 ? std::max_element(&row[i * 3], &row[i * 3] + 3) - &row[i * 3] : -1;
  Evaluation evaluation = session.evaluate({x, labels});
  EXPECT_EQ(evaluation.count, 4);
  EXPECT_EQ(evaluation.accuracy(), 1);
}

/// More rows than the bound go through in parts, with the results of the parts.
TEST(Session, PartsOfAnEvaluation) {
  Session session(classifier());
  auto [x, labels] = rows(21);
  Array all = session.predict({x})[0];
  Evaluation sum;
  for (int64_t first : {0, 8, 16}) {
    int64_t count = std::min<int64_t>(8, 21 - first);
    std::span<const float> px = std::as_const(x).values<float>().subspan(first * 4, count * 4);
    std::span<const int64_t> py = std::as_const(labels).values<int64_t>().subspan(first, count);
    sum += session.evaluate({View(px, {count, 4}), View(py, {count})});
    Array part = session.predict({View(px, {count, 4})})[0];
    EXPECT_TRUE(std::equal(part.bytes().begin(), part.bytes().end(), all.bytes().begin() + first * 3 * 4));
  }
  Evaluation whole = session.evaluate({x, labels});
  EXPECT_EQ(whole.loss_sum, sum.loss_sum);
  EXPECT_EQ(whole.correct, sum.correct);
  EXPECT_EQ(whole.count, 21);
}

/// A step on fewer rows is that of the model described for so many.
TEST(Session, PartialBatches) {
  Session open(classifier(8)), fixed(classifier(3), {.any_size = false});
  auto [x, labels] = rows(3);
  EXPECT_NEAR(open.train_step({x, labels}), fixed.train_step({x, labels}), 1e-6);
  auto a = open.state_dict(), b = fixed.state_dict();
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t k = 0; k < a[i].second.size(); ++k)
      EXPECT_NEAR(a[i].second.values<float>()[k], b[i].second.values<float>()[k], 1e-6) << a[i].first;
  EXPECT_MESSAGE(fixed.train_step({rows(2).first, rows(2).second}), "any_size is off; this batch has 2");
}

TEST(Session, SavedTrainingGoesOnWithTheSameBits) {
  Session one(classifier());
  for (int step = 0; step < 5; ++step)
    one.train_step({rows(8, step).first, rows(8, step).second});
  one.save(temporary("state"));
  Session other(classifier());
  other.load(temporary("state"));
  EXPECT_EQ(other.step_count(), 5);
  for (int step = 5; step < 9; ++step)
    EXPECT_EQ(one.train_step({rows(8, step).first, rows(8, step).second}),
              other.train_step({rows(8, step).first, rows(8, step).second}));
  EXPECT_EQ(one.state_dict(), other.state_dict());
  EXPECT_MESSAGE(other.load(temporary("nowhere")), "session_nowhere");
}

TEST(Session, HalvesOfAStep) {
  Session whole(classifier()), halves(classifier());
  auto [x, labels] = rows(8);
  EXPECT_EQ(whole.train_step({x, labels}), halves.grad_step({x, labels}));
  EXPECT_EQ(halves.gradient("fc1.weight").shape(), (std::vector<int64_t>{8, 4}));
  halves.apply();
  EXPECT_EQ(whole.state_dict(), halves.state_dict());
  halves.grad_step({x, labels});
  Array once = halves.gradient("fc2.bias");
  halves.accumulate({x, labels});
  for (size_t i = 0; i < once.size(); ++i)
    EXPECT_EQ(halves.gradient("fc2.bias").values<float>()[i], 2 * once.values<float>()[i]);
}

/// Rows [from, to) of an array.
template <typename T> View part(const Array &array, int64_t from, int64_t to) {
  std::vector<int64_t> shape = array.shape();
  int64_t row = int64_t(array.size()) / shape[0];
  shape[0] = to - from;
  return View(array.values<T>().subspan(from * row, shape[0] * row), shape);
}

/// Several batches whose gradients are averaged are one batch: with labels that are ignored, of other sizes,
/// and with losses of the model's own.
TEST(Session, JoinsBatches) {
  namespace F = nn::functional;
  using LossOf = std::function<Tensor(const Tensor &, const Tensor &)>;
  const std::pair<double, LossOf> losses[] = {
      {13, [](const Tensor &x, const Tensor &y) { return F::cross_entropy(x, y); }},
      {13,
       [](const Tensor &x, const Tensor &y) {
         return 0.5 * F::cross_entropy(x, y) + F::cross_entropy(2 * x, y);
       }},
      {16, [](const Tensor &x, const Tensor &) { return (x * x).mean(); }},
      {16, [](const Tensor &x, const Tensor &) { return (x * x).sum(-1).mean(); }},
      {0, [](const Tensor &x, const Tensor &) { return (x * x).sum(); }},
      {16, [](const Tensor &x, const Tensor &) {
         return F::kl_div(log_softmax(x, -1), full({x.size(0), 3}, 1 / 3.0), {.reduction = "batchmean"});
       }}};
  auto [x, labels] = rows(16);
  for (int i : {0, 3, 11})
    labels.values<int64_t>()[i] = -100;
  for (const auto &[weight, lossOf] : losses) {
    auto described = [lossOf = lossOf] {
      manual_seed(1);
      Net net;
      Tensor scores = net(input("x", {Dim("batch", 16), 4}));
      return program(net, scores, lossOf(scores, input("labels", {Dim("batch", 16)}, int64)),
                     optim::SGD({.lr = 0.01}).accumulate("mean"));
    };
    auto batch = [&, x = x, labels = labels, hasLabels = weight == 13](int64_t from, int64_t to) {
      std::vector<View> views = {part<float>(x, from, to)};
      if (hasLabels)
        views.push_back(part<int64_t>(labels, from, to));
      return views;
    };
    Session whole(described()), apart(described());
    for (int step = 0; step < 5; ++step) {
      whole.train_step(batch(0, 16));
      apart.grad_step(batch(0, 4));
      apart.accumulate(batch(4, 5));
      apart.accumulate(batch(5, 16));
      if (weight == 0)
        EXPECT_MESSAGE(apart.gradient_weight(), "no gradient of 'gradient_weight'");
      else
        EXPECT_EQ(std::fmod(apart.gradient_weight(), weight), 0); // of elements, there are more than rows
      apart.apply();
    }
    StateDict a = apart.state_dict(), b = whole.state_dict();
    for (size_t i = 0; i < a.size(); ++i)
      for (size_t k = 0; k < a[i].second.size(); ++k)
        EXPECT_NEAR(a[i].second.values<float>()[k], b[i].second.values<float>()[k], 1e-6) << a[i].first;
  }
  Net net;
  Tensor scores = net(input("x", {Dim("batch", 16), 4})), mean = (scores * scores).mean();
  Optimizer sgd = optim::SGD({.lr = 0.1}).accumulate("mean");
  EXPECT_MESSAGE(Session(program(net, scores, sqrt(mean), sgd)),
                 "'sqrt' computes with a number of the whole batch");
}

TEST(Session, Hyperparameters) {
  Session session(classifier());
  EXPECT_EQ(session.learning_rate(), 0.01);
  session.set_learning_rate(0);
  auto before = session.state_dict();
  session.train_step({rows(8).first, rows(8).second});
  EXPECT_EQ(session.state_dict(), before);
  session.set_hyperparameter("weight_decay", 0.5);
  EXPECT_EQ(session.hyperparameter("weight_decay"), 0.5);
  EXPECT_MESSAGE(session.set_learning_rate(-1), "learning_rate");
  EXPECT_MESSAGE(session.hyperparameter("momentum"), "no hyperparameter 'momentum'");
  auto names = session.hyperparameters();
  EXPECT_NE(std::find(names.begin(), names.end(), "weight_decay"), names.end());
}

TEST(Session, ParametersByName) {
  Session session(classifier());
  Array weight = session.parameter("fc1.weight");
  EXPECT_EQ(weight.shape(), (std::vector<int64_t>{8, 4}));
  for (float &value : weight.values<float>())
    value = 0;
  session.set_parameter("fc1.weight", weight);
  EXPECT_EQ(session.parameter("fc1.weight"), weight);
  EXPECT_MESSAGE(session.parameter("fc3.weight"),
                 "the model has no parameter 'fc3.weight'; it has fc1.weight, "
                 "fc1.bias, fc2.weight, fc2.bias");
  EXPECT_MESSAGE(session.set_parameter("fc1.bias", weight), "'fc1.bias' is float32 [8]; got float32 [8, 4]");
  EXPECT_MESSAGE(weight.values<double>(), "the array is float32 [8, 4], not float64");
}

TEST(Session, StateDictsGoBothWays) {
  Session one(classifier()), other(classifier(8, 8, optim::SGD({.lr = 0.1})));
  for (int step = 0; step < 3; ++step)
    one.train_step({rows(8, step).first, rows(8, step).second});
  one.save_weights(temporary("weights"));
  StateDifference difference = other.load_state_dict(temporary("weights"));
  EXPECT_TRUE(difference.missing.empty() && difference.unexpected.empty());
  EXPECT_EQ(one.state_dict(), other.state_dict());
  other.save_weights(temporary("again"));
  EXPECT_EQ(bytesOfFile(temporary("weights")), bytesOfFile(temporary("again")));

  StateDict partly = one.state_dict();
  partly[0].first = "stem.weight";
  partly.emplace_back("norm.num_batches_tracked", Array(DType::Int64, {})); // PyTorch's, which nobody needs
  EXPECT_MESSAGE(other.load_state_dict(partly),
                 "it lacks 'fc1.weight'; the model has no 'stem.weight'; strict = "
                 "false takes");
  difference = other.load_state_dict(partly, /*strict=*/false);
  EXPECT_EQ(difference.missing, std::vector<std::string>{"fc1.weight"});
  EXPECT_EQ(difference.unexpected, std::vector<std::string>{"stem.weight"});
  partly[1].second = Array(DType::Float32, {7});
  auto before = other.state_dict();
  EXPECT_MESSAGE(other.load_state_dict(partly, false), "'fc1.bias' is float32 [8]; got float32 [7]");
  EXPECT_EQ(other.state_dict(), before);
  EXPECT_MESSAGE(other.load_state_dict(temporary("nowhere")), "session_nowhere");
}

TEST(Session, ReloadKeepsWhatFits) {
  Session session(classifier());
  for (int step = 0; step < 10; ++step)
    session.train_step({rows(8, step).first, rows(8, step).second});
  StateDict trained = session.state_dict();

  // The same model with another learning rate: all is kept.
  Reloaded same = session.reload(classifier(8, 8, optim::Adam({.lr = 0.5})));
  EXPECT_EQ(same.kept.size(), 12u); // four parameters with two slots each
  EXPECT_TRUE(same.started.empty() && same.dropped.empty());
  EXPECT_EQ(session.state_dict(), trained);
  EXPECT_EQ(session.step_count(), 10);
  EXPECT_EQ(session.learning_rate(), 0.5);

  // A wider hidden layer keeps the last bias alone.
  Reloaded wider = session.reload(classifier(8, 16));
  EXPECT_EQ(wider.kept, (std::vector<std::string>{"fc2.bias", "fc2.bias.exp_avg", "fc2.bias.exp_avg_sq"}));
  EXPECT_EQ(wider.started.size(), 9u);
  EXPECT_EQ(wider.dropped.size(), 9u);
  EXPECT_EQ(session.parameter("fc2.bias"), trained[3].second);
  EXPECT_EQ(session.parameter("fc1.weight").shape(), (std::vector<int64_t>{16, 4}));

  // Another optimizer begins anew.
  Reloaded other = session.reload(classifier(8, 16, optim::SGD({.lr = 0.1, .momentum = 0.9})));
  EXPECT_EQ(other.kept.size(), 4u);
  EXPECT_EQ(session.step_count(), 0);
  session.train_step({rows(8).first, rows(8).second});
}

TEST(Session, SaysWhatIsWrongWithABatch) {
  Session session(classifier());
  auto [x, labels] = rows(8);
  EXPECT_MESSAGE(session.train_step({x}),
                 "expected 2 arrays ('x' float32 [batch, 4], 'labels' int64 [batch]), got 1");
  EXPECT_MESSAGE(session.predict({x, labels}), "expected 1 arrays");
  EXPECT_MESSAGE(session.train_step({Array(DType::Float32, {8, 5}), labels}),
                 "input 'x': expected float32 [batch, 4], batch being 8 elsewhere; got float32 [8, 5]");
  EXPECT_MESSAGE(session.train_step({Array(DType::Float64, {8, 4}), labels}), "got float64 [8, 4]");
  EXPECT_MESSAGE(session.train_step({x, rows(7).second}),
                 "input 'labels': expected int64 [batch], batch being 8 elsewhere; got int64 [7]");
  EXPECT_MESSAGE(session.train_step({rows(9).first, rows(9).second}),
                 "expected float32 [batch, 4], batch from 1 to 8; got float32 [9, 4]");
  EXPECT_MESSAGE(session.train_step({Array(DType::Float32, {0, 4}), Array(DType::Int64, {0})}),
                 "from 1 to 8");
  EXPECT_MESSAGE(session.train_step({x, Array(std::vector<int64_t>(8, 3), {8})}), "value 3 at position 0");
  EXPECT_MESSAGE(Array(std::vector<float>(5), {2, 3}), "expected 6 elements for the shape [2, 3], got 5");
  EXPECT_MESSAGE(session.grad_norm(), "");
  EXPECT_MESSAGE(Session(classifier(), {.cpu = "z80"}), "unknown CPU 'z80'");
  EXPECT_MESSAGE(Session(classifier(8, 8, optim::Adam({.lr = -1}))),
                 "hyperparameter 'learning_rate': expected");
}

TEST(Session, OfSeveralOpenSizes) {
  nn::Embedding words(11, 6);
  nn::Sequential head{nn::Linear(6, 2)};
  struct Text : nn::Module {
    nn::Embedding words = register_module("words", nn::Embedding(11, 6));
    nn::Linear head = register_module("head", nn::Linear(6, 2));
    Tensor forward(Tensor ids) override { return head(words(ids).mean(1)); }
  } model;
  Tensor ids = input("ids", {Dim("batch", 4), Dim("seq", 5)}, int64);
  Session session(program(model, loss::CrossEntropy(), optim::SGD({.lr = 0.1}), ids));
  Array batch(std::vector<int64_t>{1, 2, 3, 4, 5, 6}, {2, 3}), labels(std::vector<int64_t>{0, 1}, {2});
  float first = session.train_step({batch, labels});
  EXPECT_LT(session.train_step({batch, labels}), first);
  EXPECT_EQ(session.predict({batch})[0].shape(), (std::vector<int64_t>{2, 2}));
  EXPECT_MESSAGE(session.predict({Array(DType::Int64, {2, 6})}), "seq from 1 to 5; got int64 [2, 6]");
}

/// Until two calls have met: one is done, the other says why it is not. Steps that were done are counted.
TEST(Session, ServesOneThreadAtATime) {
  Session session(classifier(), {.threads = 1});
  const auto batch = rows(8);
  const Array &x = batch.first, &labels = batch.second;
  std::atomic<int> done{0}, refused{0};
  const auto begin = std::chrono::steady_clock::now();
  auto work = [&] {
    while ((done < 100 || refused == 0) && std::chrono::steady_clock::now() - begin < std::chrono::minutes(1))
      try {
        session.train_step({x, labels});
        ++done;
      } catch (const Error &error) {
        EXPECT_NE(std::string(error.what()).find("another thread is in a call of this session"), std::string::npos)
            << error.what();
        ++refused;
      }
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
  EXPECT_GT(refused, 0);
  EXPECT_EQ(session.step_count(), done);
}

/// Compiled and trained in two threads at once: each like one that is alone.
TEST(Session, SessionsOfSeveralThreadsAreIndependent) {
  const auto batch = rows(8);
  const Array &x = batch.first, &labels = batch.second;
  auto train = [&](const Program &program) {
    Session session(program, {.threads = 1});
    std::vector<float> losses;
    for (int step = 0; step < 50; ++step)
      losses.push_back(session.train_step({x, labels}));
    return losses;
  };
  const Program programs[] = {classifier(), classifier(8, 16)};
  const std::vector<float> alone[] = {train(programs[0]), train(programs[1])};
  std::vector<float> found[2];
  std::thread first([&] { found[0] = train(programs[0]); }), second([&] { found[1] = train(programs[1]); });
  first.join();
  second.join();
  EXPECT_EQ(found[0], alone[0]);
  EXPECT_EQ(found[1], alone[1]);
}

TEST(Session, SaysWhatItCannotDo) {
  EXPECT_MESSAGE(Session(classifier(), {.device = "tpu"}),
                 "device: expected \"cpu\", \"gpu\", or \"gpu:\" and a number, got \"tpu\"");
  EXPECT_MESSAGE(Session(classifier(), {.memory_budget = -1}), "memory_budget: expected a number of bytes");
  Session from(classifier(), {.any_size = false}), to(std::move(from));
  EXPECT_EQ(to.step_count(), 0);
  EXPECT_NE(errorOf([&] { from.step_count(); }).message().find("the session was moved into another one"),
            std::string::npos);
}

/// As dlc compile prints them.
TEST(Session, WarnsOfLossesThatDoNotFit) {
  struct Twice : nn::Module {
    nn::Linear fc = register_module("fc", nn::Linear(4, 3));
    Tensor forward(Tensor x) override { return fc(x).softmax(1) * 0.5; }
  } net;
  Tensor x = input("x", {Dim("batch", 8), 4});
  for (bool isModule : {false, true}) {
    Program program = isModule ? dlc::program(net, nn::CrossEntropyLoss(), optim::SGD({.lr = 1}), x)
                               : dlc::program(net, loss::CrossEntropy(), optim::SGD({.lr = 1}), x);
    testing::internal::CaptureStderr();
    Session session(program, {.any_size = false});
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("session_test.cpp:"), std::string::npos) << text;
    EXPECT_NE(text.find("warning: "), std::string::npos) << text;
    EXPECT_NE(text.find("takes scores of any size, which it applies a softmax to"), std::string::npos)
        << text;
  }
}

TEST(Session, OfAProgramWithoutALoss) {
  EXPECT_MESSAGE(Session(Program()), "the program is empty");
  manual_seed(1);
  Net net;
  Session session(program(net, loss::None(), optim::SGD({.lr = 1}), input("x", {Dim("batch", 8), 4})));
  EXPECT_EQ(session.predict({rows(5).first})[0].shape(), (std::vector<int64_t>{5, 3}));
  EXPECT_MESSAGE(session.train_step({rows(8).first}), "the program has no loss");
  EXPECT_EQ(session.step_count(), 0);
}

} // namespace
