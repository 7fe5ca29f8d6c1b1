//===- session_state_test.cpp - what a session has, saves and goes on from ---===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/cpp/Expect.h"
#include "tests/cpp/SessionModels.h"
#include <algorithm>
#include <fstream>

using namespace dlc;
using namespace models;

namespace {

std::string bytesOfFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A name in the folder of the test's own files.
std::string temporary(const std::string &name) { return testing::TempDir() + "session_" + name; }

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

TEST(Session, NamesThePrefixOfAStateDict) {
  Session session(classifier());
  const StateDict own = session.state_dict();
  StateDict given = own;
  for (auto &[name, tensor] : given)
    name = "module." + name; // as of DataParallel
  EXPECT_MESSAGE(
      session.load_state_dict(given),
      "; take the prefix 'module.' off the names, in Python by {k.removeprefix('module.'): v for k, v "
      "in weights.items()}; strict = false takes");
  given[3].first = "net.fc2.bias";
  EXPECT_EQ(errorOf([&] { session.load_state_dict(given); }).message().find("prefix"), std::string::npos);
  EXPECT_EQ(session.state_dict(), own);
}

/// As in PyTorch; set_parameter() converts nothing.
TEST(Session, ConvertsFloatsOfAStateDict) {
  Session session(classifier());
  StateDict given = session.state_dict();
  given[1].second = Array(DType::Float16, {8});
  given[1].second.bytes()[1] = std::byte(0x3e); // 1.5
  session.load_state_dict(given);
  EXPECT_EQ(session.parameter("fc1.bias"), Array(std::vector<float>{1.5, 0, 0, 0, 0, 0, 0, 0}, {8}));
  EXPECT_EQ(session.parameter("fc1.weight"), given[0].second);
  EXPECT_MESSAGE(session.set_parameter("fc1.bias", given[1].second),
                 "'fc1.bias' is float32 [8]; got float16 [8]");
  given[1].second = Array(DType::Int64, {8});
  EXPECT_MESSAGE(session.load_state_dict(given), "'fc1.bias' is float32 [8]; got int64 [8]");
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

} // namespace
