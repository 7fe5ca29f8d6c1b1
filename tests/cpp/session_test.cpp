//===- session_test.cpp - training in the process that describes the model ---===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/cpp/Expect.h"
#include "tests/cpp/SessionModels.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

using namespace dlc;
using namespace models;

namespace {

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

/// By a loss of values no prediction is right or wrong, which is an error and no number.
TEST(Session, KnowsNoAccuracyOfValues) {
  auto [x, labels] = rows(5);
  auto evaluated = [&, x = x](auto &&loss, const View &target, bool inSteps = false) {
    Tensor point = input("x", {Dim("batch", 8), 4});
    Session session(program(nn::Linear(4, 3), loss, optim::SGD({.lr = 0}), point), {.step_metrics = inSteps});
    session.train_step({x, target});
    Evaluation sum;
    sum += inSteps ? session.step_metrics() : session.evaluate({x, target});
    return sum;
  };
  const Array values(std::vector<float>(15, 1), {5, 3});
  const char *mse =
      "accuracy: the loss mse has no classes, so that no prediction is right or wrong; loss() is its "
      "mean, and dlc_mean_absolute_error and dlc_r2 of dlc/metrics.h measure what predict() gives";
  EXPECT_MESSAGE(evaluated(loss::MSE(), values).accuracy(), mse);
  EXPECT_MESSAGE(evaluated(loss::MSE(), values, true).accuracy(), mse);
  nn::L1Loss own;
  EXPECT_MESSAGE(
      evaluated(own, values).accuracy(),
      "accuracy: by the loss that the program computes no prediction is known to be right or wrong; "
      "loss() is its mean, and predict() gives what can be counted");
  nn::CrossEntropyLoss classes;
  nn::BCEWithLogitsLoss sides;
  EXPECT_LE(evaluated(classes, labels).accuracy(), 1);
  EXPECT_LE(evaluated(sides, values).accuracy(), 1);
  EXPECT_LE(evaluated(loss::CrossEntropy(), labels, true).accuracy(), 1);
}

/// A program holds what it needs: the model may be made in the call, and may be gone before the session is
/// made.
TEST(Session, NeedsNoModelAnyMore) {
  auto [x, labels] = rows(8);
  manual_seed(1);
  Program made =
      program(Net(), loss::CrossEntropy(), optim::SGD({.lr = 0.1}), input("x", {Dim("batch", 8), 4}));
  std::optional<Program> kept;
  {
    manual_seed(1);
    Net net;
    kept = program(net, loss::CrossEntropy(), optim::SGD({.lr = 0.1}), input("x", {Dim("batch", 8), 4}));
  }
  Session one(made), other(*kept);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(one.train_step({x, labels}), other.train_step({x, labels}));
  Tensor scores;
  {
    Net gone;
    scores = gone(input("x", {Dim("batch", 8), 4}));
  }
  Error error = errorOf([&] { (void)program(Net(), scores, scores.mean(), optim::SGD({.lr = 0.1})); });
  EXPECT_NE(error.message().find("which is no part of Net"), std::string::npos) << error.what();
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

TEST(Session, StepsTellWhatEvaluationsDo) {
  Session session(classifier(), {.step_metrics = true}), plain(classifier());
  EXPECT_MESSAGE(plain.step_metrics(), "with its option step_metrics");
  EXPECT_MESSAGE(session.step_metrics(), "no training step has run yet");
  Evaluation epoch;
  for (int64_t count : {8, 3, 8}) {
    auto [x, labels] = rows(count, count);
    const Evaluation expected = session.evaluate({x, labels});
    const float loss = session.train_step({x, labels});
    const Evaluation told = session.step_metrics();
    EXPECT_EQ(told.count, count);
    EXPECT_EQ(told.correct, expected.correct);
    EXPECT_EQ(told.loss_weight, expected.loss_weight);
    EXPECT_NEAR(told.loss(), loss, 1e-6);
    EXPECT_NEAR(told.loss_sum, expected.loss_sum, 1e-5);
    epoch += told;
  }
  EXPECT_EQ(epoch.count, 19);
}

TEST(Session, EntriesOfCheckpoints) {
  Session session(classifier()), other(classifier());
  session.set_extra("epoch", 7);
  session.set_extra("note", "first \"run\"");
  session.set_extra("wrong", 1.5);
  session.remove_extra("wrong");
  const std::string path = testing::TempDir() + "entries.safetensors";
  session.save(path);
  other.set_extra("old", 1);
  other.load(path);
  EXPECT_EQ(other.extras(), (std::vector<std::string>{"epoch", "note"}));
  EXPECT_EQ(other.extra_number("epoch"), 7);
  EXPECT_EQ(other.extra_text("note"), "first \"run\"");
  EXPECT_MESSAGE(other.extra_number("note"), "the entry 'note' is a text");
  EXPECT_MESSAGE(other.extra_text("old"), "there is no entry 'old'");
  EXPECT_MESSAGE(other.set_extra("nul", std::string("a\0b", 3)), "a text ends at its first NUL");
  EXPECT_MESSAGE(other.set_extra("", 1), "the name of an entry");
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

TEST(Session, OfAProgramWithoutALoss) {
  EXPECT_MESSAGE(Session(Program()), "the program is empty");
  manual_seed(1);
  Net net;
  Session session(program(net, loss::None(), optim::SGD({.lr = 1}), input("x", {Dim("batch", 8), 4})));
  EXPECT_EQ(session.predict({rows(5).first})[0].shape(), (std::vector<int64_t>{5, 3}));
  EXPECT_MESSAGE(session.train_step({rows(8).first}), "the program has no loss");
  EXPECT_EQ(session.step_count(), 0);
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
        EXPECT_NE(std::string(error.what()).find("another thread is in a call of this session"),
                  std::string::npos)
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
                 "expected float32 [batch, 4], batch from 1 to 8; got float32 [9, 4]; raise the bound: "
                 "Dim(\"batch\", 9)");
  for (const Array &other : {Array(DType::Float64, {9, 4}), Array(DType::Float32, {9, 5})})
    EXPECT_EQ(errorOf([&] { session.train_step({other, rows(9).second}); }).message().find("raise the bound"),
              std::string::npos)
        << "the bound is not all that is wrong";
  EXPECT_MESSAGE(session.train_step({Array(DType::Float32, {0, 4}), Array(DType::Int64, {0})}),
                 "from 1 to 8");
  EXPECT_MESSAGE(session.train_step({x, Array(std::vector<int64_t>(8, 3), {8})}), "value 3 at position 0");
  EXPECT_MESSAGE(Array(std::vector<float>(5), {2, 3}), "expected 6 elements for the shape [2, 3], got 5");
  EXPECT_MESSAGE(session.grad_norm(), "");
  EXPECT_MESSAGE(Session(classifier(), {.cpu = "z80"}), "unknown CPU 'z80'");
  Error error = errorOf([] { classifier(8, 8, optim::Adam({.lr = -1})); }); // at the line that calls program()
  EXPECT_NE(error.message().find("hyperparameter 'learning_rate': expected"), std::string::npos) << error.what();
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

/// What the author wrote holds: a softmax before a loss that applies one is applied twice, as in PyTorch.
TEST(Session, KeepsTheSoftmaxThatTheModelEndsIn) {
  auto [x, labels] = rows(8);
  auto trained = [&](auto last, auto loss, const View &points, const View &target) {
    manual_seed(1);
    nn::Sequential net(nn::Linear(4, 3), last);
    testing::internal::CaptureStderr();
    Session session(program(net, loss, optim::SGD({.lr = 0.1}), input("x", {Dim("batch", 8), 4})));
    const float first = session.train_step({points, target});
    return std::pair(first, testing::internal::GetCapturedStderr());
  };
  const Array truth(std::vector<float>(24, 1), {8, 3});
  for (const auto &[own, module] : {std::pair(trained(nn::Softmax(1), loss::CrossEntropy(), x, labels),
                                              trained(nn::Softmax(1), nn::CrossEntropyLoss(), x, labels)),
                                    std::pair(trained(nn::Sigmoid(), loss::BCEWithLogits(), x, truth),
                                              trained(nn::Sigmoid(), nn::BCEWithLogitsLoss(), x, truth))}) {
    EXPECT_EQ(own.first, module.first);
    EXPECT_NE(own.second.find("warning: "), std::string::npos) << own.second;
    EXPECT_NE(own.second.find("takes scores of any size"), std::string::npos) << own.second;
  }
}

} // namespace
