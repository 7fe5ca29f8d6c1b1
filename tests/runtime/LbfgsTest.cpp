//===- LbfgsTest.cpp ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// L-BFGS against torch.optim.LBFGS, step by step; what it remembers, and what it does where it cannot go on.
//===----------------------------------------------------------------------===//
#include "dlc/lbfgs.h"
#include "tests/runtime/TempFolder.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace {

using Numbers = std::vector<double>;

double rosenbrock(const Numbers &x, Numbers &gradient) {
  double loss = 0;
  for (size_t i = 0; i + 1 < x.size(); ++i) {
    const double bend = x[i + 1] - x[i] * x[i], rest = 1 - x[i];
    loss += 100 * bend * bend + rest * rest;
    gradient[i] += -400 * bend * x[i] - 2 * rest;
    gradient[i + 1] += 200 * bend;
  }
  return loss;
}

double logistic(const Numbers &x, Numbers &gradient) {
  double loss = 0;
  for (size_t j = 0; j < x.size(); ++j) {
    loss += 0.01 * x[j] * x[j];
    gradient[j] = 0.02 * x[j];
  }
  for (int i = 0; i < 12; ++i) {
    const double sign = i % 3 == 0 ? -1 : 1;
    double score = 0;
    auto element = [&](size_t j) { return std::sin(1 + 3 * i + (7 + 2 * i) * static_cast<double>(j)); };
    for (size_t j = 0; j < x.size(); ++j)
      score += element(j) * x[j];
    const double odds = std::exp(-sign * score);
    loss += std::log1p(odds) / 12;
    for (size_t j = 0; j < x.size(); ++j)
      gradient[j] -= sign * odds / (1 + odds) / 12 * element(j);
  }
  return loss;
}

using Function = double(const Numbers &x, Numbers &gradient);

struct Problem {
  Function *function;
  size_t count;
  int64_t calls = 0;
  int64_t failing = -1; ///< the call that fails
  double replaced = 0;  ///< by this loss, where it is not 0, else by a status
};

dlc_status evaluate(void *context, const double *values, double *loss, double *gradient) {
  auto &problem = *static_cast<Problem *>(context);
  Numbers x(values, values + problem.count), slope(problem.count, 0);
  *loss = problem.function(x, slope);
  std::copy(slope.begin(), slope.end(), gradient);
  if (problem.calls++ != problem.failing)
    return DLC_OK;
  if (problem.replaced == 0)
    return DLC_IO_ERROR;
  *loss = problem.replaced;
  return DLC_OK;
}

struct Lbfgs {
  explicit Lbfgs(size_t count, const dlc_lbfgs_options *options = nullptr) {
    EXPECT_EQ(dlc_lbfgs_create(static_cast<int64_t>(count), options, &handle), DLC_OK);
  }
  ~Lbfgs() { dlc_lbfgs_destroy(handle); }
  Lbfgs(const Lbfgs &) = delete;
  dlc_lbfgs *handle = nullptr;
};

struct Case {
  const char *text;
  Function *function;
  dlc_lbfgs_options options;
  Numbers first, losses, last;
};

#define UNPACK(...) __VA_ARGS__
#define CASE(function, options, first, losses, last)                                                         \
  {#function " " #options, function, UNPACK options, UNPACK first, UNPACK losses, UNPACK last},
const Case cases[] = {
#include "tests/runtime/lbfgs.inc"
};

TEST(Lbfgs, StepsAsPyTorchDoes) {
  for (const Case &test : cases) {
    Problem problem{test.function, test.first.size()};
    Lbfgs lbfgs(problem.count, &test.options);
    Numbers x = test.first;
    for (size_t step = 0; step < test.losses.size(); ++step) {
      double loss;
      ASSERT_EQ(dlc_lbfgs_step(lbfgs.handle, x.data(), evaluate, &problem, &loss), DLC_OK) << test.text;
      EXPECT_NEAR(loss, test.losses[step], 1e-9 * std::max(1.0, std::fabs(test.losses[step])))
          << test.text << ", step " << step;
    }
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(x[i], test.last[i], 1e-7) << test.text << ", " << i;
  }
}

TEST(Lbfgs, GoesOnFromItsFile) {
  TempFolder folder;
  const std::string path = folder.path + "/lbfgs.safetensors";
  char error[200] = "";
  for (const Case &test : cases)
    for (int before : {0, 1, 4}) { // of 8 steps; a short history is full and has turned then
      Problem problem{test.function, test.first.size()};
      Lbfgs whole(problem.count, &test.options), half(problem.count, &test.options),
          other(problem.count, &test.options);
      Numbers x = test.first, y = test.first;
      for (int step = 0; step < 8; ++step)
        ASSERT_EQ(dlc_lbfgs_step(whole.handle, x.data(), evaluate, &problem, nullptr), DLC_OK);
      for (int step = 0; step < before; ++step)
        ASSERT_EQ(dlc_lbfgs_step(half.handle, y.data(), evaluate, &problem, nullptr), DLC_OK);
      ASSERT_EQ(dlc_lbfgs_save(half.handle, path.c_str(), error, sizeof error), DLC_OK) << error;
      ASSERT_EQ(dlc_lbfgs_load(other.handle, path.c_str(), error, sizeof error), DLC_OK) << error;
      EXPECT_STREQ(error, "");
      for (int step = before; step < 8; ++step)
        ASSERT_EQ(dlc_lbfgs_step(other.handle, y.data(), evaluate, &problem, nullptr), DLC_OK);
      EXPECT_EQ(x, y) << test.text << " after " << before;
    }
}

TEST(Lbfgs, RefusesFilesThatDoNotFit) {
  TempFolder folder;
  const std::string path = folder.path + "/lbfgs.safetensors";
  Problem problem{rosenbrock, 2};
  Lbfgs lbfgs(2), wider(3);
  dlc_lbfgs_options options = dlc_lbfgs_defaults();
  options.history = 3;
  Lbfgs shorter(2, &options);
  Numbers x = {-1.2, 1}, y = x;
  ASSERT_EQ(dlc_lbfgs_step(lbfgs.handle, x.data(), evaluate, &problem, nullptr), DLC_OK);
  ASSERT_EQ(dlc_lbfgs_save(lbfgs.handle, path.c_str(), nullptr, 0), DLC_OK);
  char error[300] = "";
  auto refused = [&](Lbfgs &into, const char *text, dlc_status status = DLC_BAD_FILE) {
    EXPECT_EQ(dlc_lbfgs_load(into.handle, path.c_str(), error, sizeof error), status);
    EXPECT_NE(std::string(error).find(path + ": " + text), std::string::npos) << error;
  };
  refused(wider, "tensor 'd' is F64 [2], expected F64 [3]");
  refused(shorter, "has a history of ");

  const std::string content = TempFolder::readAll(path);
  const size_t begin = 8 + *reinterpret_cast<const uint64_t *>(content.data());
  auto changed = [&](size_t offset, auto value) {
    std::string other = content;
    memcpy(&other[offset], &value, sizeof value);
    folder.write("lbfgs.safetensors", other);
  };
  changed(begin, int64_t{1});
  refused(lbfgs, "tensor 'n_iter' is 1, expected at least the length of the history, ");
  changed(begin + 8, double(NAN));
  refused(lbfgs, "value 0 of 't' is not finite");
  changed(begin + 24, double(INFINITY));
  refused(lbfgs, "value 0 of 'd' is not finite");
  changed(content.find("H_diag"), 'h');
  refused(lbfgs, "no state of L-BFGS: it lacks the tensor 'H_diag'");
  folder.write("lbfgs.safetensors", content.substr(0, content.size() - 8));
  refused(lbfgs, "");
  // None of that has changed it: it goes on as one that read the whole file, and whose history has more room.
  folder.write("lbfgs.safetensors", content);
  options.history = 200;
  Lbfgs same(2, &options);
  ASSERT_EQ(dlc_lbfgs_load(same.handle, path.c_str(), nullptr, 0), DLC_OK);
  y = x;
  ASSERT_EQ(dlc_lbfgs_step(same.handle, y.data(), evaluate, &problem, nullptr), DLC_OK);
  ASSERT_EQ(dlc_lbfgs_step(lbfgs.handle, x.data(), evaluate, &problem, nullptr), DLC_OK);
  EXPECT_EQ(x, y);

  EXPECT_EQ(dlc_lbfgs_load(nullptr, path.c_str(), error, sizeof error), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_lbfgs_save(lbfgs.handle, "", error, sizeof error), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_lbfgs_save(lbfgs.handle, (folder.path + "/none/x").c_str(), error, sizeof error),
            DLC_IO_ERROR);
}

TEST(Lbfgs, LeavesTheValuesWhereItFails) {
  for (double replaced : {0.0, static_cast<double>(NAN)})
    for (int64_t failing : {0, 3}) {
      const Numbers first = {-1.2, 1};
      Problem problem{rosenbrock, 2, 0, failing, replaced};
      dlc_lbfgs_options options = dlc_lbfgs_defaults();
      options.learning_rate = 0.01;
      Lbfgs lbfgs(2, &options), fresh(2, &options);
      Numbers x = first, y = first;
      EXPECT_EQ(dlc_lbfgs_step(lbfgs.handle, x.data(), evaluate, &problem, nullptr),
                replaced == 0 ? DLC_IO_ERROR : DLC_NOT_FINITE);
      EXPECT_EQ(x, first);
      ASSERT_EQ(dlc_lbfgs_step(lbfgs.handle, x.data(), evaluate, &problem, nullptr), DLC_OK);
      ASSERT_EQ(dlc_lbfgs_step(fresh.handle, y.data(), evaluate, &problem, nullptr), DLC_OK);
      EXPECT_EQ(x, y) << "something was remembered";
    }
}

TEST(Lbfgs, SearchesBackFromWhereTheLossIsInfinite) {
  // log(x) has no value below 0, where a long first step leads.
  Function *barrier = [](const Numbers &x, Numbers &gradient) {
    gradient[0] = 1 - 1 / x[0];
    return x[0] - std::log(x[0]);
  };
  Problem problem{barrier, 1};
  dlc_lbfgs_options options = dlc_lbfgs_defaults();
  options.strong_wolfe = 1;
  options.learning_rate = 50;
  Lbfgs lbfgs(1, &options);
  double x = 3;
  ASSERT_EQ(dlc_lbfgs_step(lbfgs.handle, &x, evaluate, &problem, nullptr), DLC_OK);
  EXPECT_NEAR(x, 1, 1e-4);
}

TEST(Lbfgs, RefusesWhatMakesNoSense) {
  dlc_lbfgs *lbfgs = nullptr;
  EXPECT_EQ(dlc_lbfgs_create(0, nullptr, &lbfgs), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_lbfgs_create(3, nullptr, nullptr), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_lbfgs_create(INT64_MAX, nullptr, &lbfgs), DLC_OUT_OF_MEMORY);
  EXPECT_EQ(lbfgs, nullptr);
  auto with = [&](auto change) {
    dlc_lbfgs_options options = dlc_lbfgs_defaults();
    change(options);
    return dlc_lbfgs_create(3, &options, &lbfgs);
  };
  EXPECT_EQ(with([](auto &o) { o.learning_rate = 0; }), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(with([](auto &o) { o.learning_rate = INFINITY; }), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(with([](auto &o) { o.gradient_tolerance = NAN; }), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(with([](auto &o) { o.change_tolerance = -1; }), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(with([](auto &o) { o.iterations = 0; }), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(with([](auto &o) { o.evaluations = 0; }), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(with([](auto &o) { o.history = 0; }), DLC_INVALID_ARGUMENT);

  Problem problem{rosenbrock, 2};
  Lbfgs good(2);
  Numbers x = {1, 2};
  EXPECT_EQ(dlc_lbfgs_step(good.handle, nullptr, evaluate, &problem, nullptr), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_lbfgs_step(good.handle, x.data(), nullptr, &problem, nullptr), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(x, (Numbers{1, 2}));
}

} // namespace
