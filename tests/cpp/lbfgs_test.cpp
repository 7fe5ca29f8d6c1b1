//===- lbfgs_test.cpp - L-BFGS around sessions ------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The losses are those of torch.optim.LBFGS (PyTorch 2.13, float64) for the same net and data:
//
//   net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1)).double()
//   for k, p in enumerate(net.parameters()): p.data = (torch.arange(p.numel()) + 3 * k + 1.).sin().view_as(p)
//   x = (torch.arange(24.).double() * 0.7).sin().view(12, 2); y = (x[:, :1] * x[:, 1:]).double()
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "dlc/lbfgs.hpp"
#include "tests/cpp/Expect.h"
#include <cmath>
#include <filesystem>
#include <unistd.h>

using namespace dlc;

namespace {

struct Data {
  Data() : x(DType::Float32, {12, 2}), y(DType::Float32, {12, 1}) {
    for (int i = 0; i < 24; ++i)
      x.values<float>()[i] = float(std::sin(0.7 * i));
    for (int i = 0; i < 12; ++i)
      y.values<float>()[i] = x.values<float>()[2 * i] * x.values<float>()[2 * i + 1];
  }
  std::vector<View> batch() const { return {x, y}; }
  Array x, y;
};

Session makeSession(const char *frozen = nullptr, int64_t hidden = 3) {
  manual_seed(0);
  nn::Sequential net{nn::Linear(2, hidden), nn::Tanh(), nn::Linear(hidden, 1)};
  if (frozen)
    net.freeze(frozen);
  Session session(program(net, loss::MSE(), optim::SGD({}), input("x", {Dim("batch", 12), 2})));
  int64_t k = 0;
  for (auto &[name, value] : session.state_dict()) {
    auto numbers = value.values<float>();
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = float(std::sin(double(i) + 3 * double(k) + 1));
    session.set_parameter(name, value);
    ++k;
  }
  return session;
}

void expectLosses(const LBFGS::Options &options, const std::vector<double> &losses) {
  const Data data;
  Session session = makeSession();
  LBFGS lbfgs(options);
  for (size_t step = 0; step < losses.size(); ++step)
    EXPECT_NEAR(lbfgs.step(session, data.batch()), losses[step], 1e-5 * losses[0]) << step;
}

TEST(Lbfgs, TrainsSessionsAsPyTorchDoes) {
  expectLosses({.max_iter = 5}, {3.5539631, 0.0638671, 0.0051971, 0.0031693, 0.0016783});
  expectLosses({.max_iter = 4, .history_size = 3, .strong_wolfe = true},
               {3.5539631, 0.0727118, 0.0080940, 0.0040365, 0.0032985});
}

/// A file that goes with the test.
struct File {
  explicit File(const char *name)
      : path(std::filesystem::temp_directory_path() / (std::to_string(getpid()) + name)) {}
  ~File() { std::filesystem::remove(path); }
  const std::string path;
};

TEST(Lbfgs, GoesOnFromItsFile) {
  const File weights("weights.safetensors"), history("history.safetensors");
  const LBFGS::Options options = {.max_iter = 4, .history_size = 3, .strong_wolfe = true};
  const Data data;
  Session whole = makeSession();
  LBFGS lbfgs(options);
  for (int step = 0; step < 5; ++step) {
    if (step == 2) {
      whole.save(weights.path);
      lbfgs.save(history.path);
    }
    lbfgs.step(whole, data.batch());
  }
  Session session = makeSession();
  session.load(weights.path);
  LBFGS same(options), forgetful(options);
  same.load(session, history.path);
  for (int step = 2; step < 5; ++step)
    same.step(session, data.batch());
  EXPECT_EQ(session.state_dict(), whole.state_dict());

  session.load(weights.path);
  for (int step = 2; step < 5; ++step)
    forgetful.step(session, data.batch());
  EXPECT_FALSE(session.state_dict() == whole.state_dict());

  EXPECT_MESSAGE(LBFGS().save(history.path), "nothing can be saved before the first step");
  EXPECT_MESSAGE(LBFGS().load(session, weights.path), ": no state of L-BFGS: it lacks the tensor 'n_iter'");
  Session larger = makeSession(nullptr, 4);
  EXPECT_MESSAGE(LBFGS().load(larger, history.path), "tensor 'd' is F64 [13], expected F64 [17]");
}

TEST(Lbfgs, LeavesFrozenParameters) {
  const Data data;
  Session session = makeSession("0.*");
  const Array before = session.parameter("0.weight"), last = session.parameter("2.weight");
  LBFGS lbfgs;
  const double loss = lbfgs.step(session, data.batch());
  EXPECT_LT(lbfgs.step(session, data.batch()), loss);
  EXPECT_EQ(session.parameter("0.weight"), before);
  EXPECT_FALSE(session.parameter("2.weight") == last);
}

TEST(Lbfgs, SaysWhatIsWrong) {
  Data data;
  Session session = makeSession();
  LBFGS lbfgs;
  lbfgs.step(session, data.batch());
  Session larger = makeSession(nullptr, 4), frozen = makeSession("*.weight");
  EXPECT_MESSAGE(lbfgs.step(larger, data.batch()),
                 "has begun with a model of 13 trained numbers; the session has 17");
  EXPECT_MESSAGE(LBFGS({.lr = -1}).step(session, data.batch()), "the options of LBFGS are not possible");
  EXPECT_MESSAGE(LBFGS({.history_size = 2000000000}).step(session, data.batch()),
                 "choose a smaller history_size");
  EXPECT_MESSAGE(lbfgs.step(session, {data.x}), "expected 2 arrays");
  const StateDict before = session.state_dict();
  data.y.values<float>()[3] = NAN;
  EXPECT_MESSAGE(lbfgs.step(session, data.batch()), "the loss or a gradient is not finite");
  EXPECT_EQ(session.state_dict(), before);
  EXPECT_LT(LBFGS().step(frozen, Data().batch()), 10);
}

} // namespace
