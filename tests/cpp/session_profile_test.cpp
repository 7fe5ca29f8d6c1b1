//===- session_profile_test.cpp - where the time of a session goes ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/cpp/Expect.h"
#include "tests/cpp/SessionModels.h"
#include <cmath>
#include <sstream>

using namespace dlc;
using namespace models;

namespace {

TEST(SessionProfile, HasTheKernelsOfAStep) {
  Session session(classifier(), {.threads = 1});
  session.train_step({rows(8).first, rows(8).second});
  const StateDict before = session.state_dict();
  const Profile profile = session.profile({.steps = 3});
  EXPECT_EQ(session.state_dict(), before) << "a profile trains a copy";
  EXPECT_EQ(session.step_count(), 1);
  EXPECT_EQ(profile.calls, 3);
  EXPECT_EQ(profile.threads, 1);
  EXPECT_GT(profile.microseconds, 0);
  ASSERT_GE(profile.lines.size(), 3u);
  double last = INFINITY;
  bool hasProduct = false;
  for (const Profile::Line &line : profile.lines) {
    EXPECT_GE(line.launches, 1) << line.name;
    EXPECT_LE(line.microseconds, last) << line.name;
    last = line.microseconds;
    hasProduct |= line.name.find("matmul") != std::string::npos;
    EXPECT_NE(profile.text.find("\n" + line.name + " "), std::string::npos) << line.name << profile.text;
  }
  EXPECT_TRUE(hasProduct) << profile.text;
  const std::string printed = (std::ostringstream() << profile).str();
  EXPECT_EQ(printed.find("train_step of "), 0u) << printed;
  EXPECT_NE(printed.find(" on 1 thread, the median of 3 calls\n"), std::string::npos) << printed;
  EXPECT_NE(printed.find("\nall "), std::string::npos) << printed;
  EXPECT_NE(profile.trace.find("\"traceEvents\""), std::string::npos);
  EXPECT_NE(profile.trace.find("matmul"), std::string::npos);
}

TEST(SessionProfile, OfAnotherFunctionByLines) {
  Session session(classifier(), {.threads = 1});
  const Profile profile = session.profile({.function = "predict", .steps = 2, .by_node = true});
  EXPECT_EQ(profile.text.find("predict of "), 0u) << profile.text;
  EXPECT_NE(profile.text.find("\nnode "), std::string::npos) << profile.text;
  bool hasLayer = false;
  for (const Profile::Line &line : profile.lines)
    hasLayer |= line.name.find("fc1") != std::string::npos;
  EXPECT_TRUE(hasLayer) << profile.text;
}

TEST(SessionProfile, SaysWhatThereIsNot) {
  Session session(classifier(), {.threads = 1});
  EXPECT_MESSAGE(session.profile({.function = "step"}),
                 "profile: expected a function of \"train_step\", \"grad_step\", \"accumulate\", \"apply\", "
                 "\"eval_step\", \"predict\", got \"step\"");
  EXPECT_MESSAGE(session.profile({.steps = -1}), "profile: expected a number of steps of at least 0, got -1");
  manual_seed(1);
  nn::Linear net(3, 2);
  Session predicting(program(net, loss::None(), optim::SGD({.lr = 0.1}), input("x", {Dim("batch", 4), 3})));
  EXPECT_EQ(predicting.profile({.steps = 1}).text.find("predict of "), 0u);
  EXPECT_MESSAGE(predicting.profile({.function = "train_step"}),
                 "profile: the program has no loss, so that there is no train_step");
}

} // namespace
