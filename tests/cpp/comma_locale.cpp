//===- comma_locale.cpp - models in a program whose language writes 0,5 -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The locale is set before anything of dlc is called, in C and in C++. What is described, compiled, trained
// and printed is what it is in all other programs. CMake gives the locale in LOCPATH.
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "dlc/session.h"
#include "tests/cpp/Expect.h"
#include <clocale>
#include <fstream>
#include <locale>
#include <sstream>
#include <unistd.h>

using namespace dlc;

namespace {

Program classifier() {
  manual_seed(3);
  nn::Sequential net{nn::Linear(4, 8), nn::Dropout(0.25), nn::Linear(8, 3)};
  Tensor x = input("x", {Dim("batch", 1024), 4});
  return program(net, loss::CrossEntropy({.label_smoothing = 0.125}),
                 optim::SGD({.lr = 0.0625, .momentum = 0.75, .weight_decay = 0.001}).clip_grad_norm(0.5), x);
}

TEST(CommaLocale, IsSet) {
  std::ostringstream text;
  text << 1234.5;
  EXPECT_EQ(text.str(), "1.234,5") << "the test itself runs in another language";
}

TEST(CommaLocale, ModelsAreDescribedAsElsewhere) {
  const std::string text = classifier().str();
  for (const char *setting : {"label_smoothing = 0.125", "learning_rate = 0.0625", "momentum = 0.75",
                              "clip <norm 0.5>", "2.500000e-01"})
    EXPECT_NE(text.find(setting), std::string::npos) << setting << " is not in\n" << text;
}

struct Scaled : nn::Module {
  std::string file;
  explicit Scaled(const std::string &file) : file(file) {}
  Tensor forward(Tensor x) override { return custom(file, "Scale", {x})[0]; }
};

TEST(CommaLocale, FilesOfCustomOperationsAreReadAsElsewhere) {
  const std::string folder = testing::TempDir() + "dlc-comma-" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/scale.c") << "";
  const std::string file = folder + "/ops.json";
  std::ofstream(file) << R"({"domain": "my.ops", "ops": [{"name": "Scale", "source": "scale.c",
    "function": "scale", "inputs": [{"name": "x", "type": "float32", "shape": ["n..."]}],
    "outputs": [{"name": "y", "type": "float32", "shape": ["n..."]}],
    "attributes": [{"name": "factor", "type": "float", "default": 0.375}]}]})";
  nn::Sequential net{Scaled(file), nn::Linear(4, 3)};
  const Program made = program(net, loss::MSE(), optim::SGD({}), input("x", {Dim("batch", 8), 4}));
  EXPECT_NE(made.str().find("3.750000e-01"), std::string::npos) << made.str();
  std::filesystem::remove_all(folder);
}

TEST(CommaLocale, SessionsTrainAsElsewhere) {
  Session session(classifier(), {.precision = "fp32"});
  EXPECT_EQ(session.learning_rate(), 0.0625);
  EXPECT_EQ(session.hyperparameter("momentum"), 0.75);
  EXPECT_EQ(session.hyperparameter("max_grad_norm"), 0.5);
  EXPECT_MESSAGE(session.set_learning_rate(-0.5), "is -0.5, expected at least 0 and less than 3.40282e+38");
  EXPECT_MESSAGE(Session(classifier(), {.max_grad_norm = -0.5}),
                 "max_grad_norm: expected a number of at least 0, got -0.5");
  const Array x(std::vector<float>(1024 * 4, 0.5f), {1024, 4}), labels(DType::Int64, {1024});
  const float first = session.train_step({x, labels});
  for (int i = 0; i < 20; ++i)
    session.train_step({x, labels});
  EXPECT_LT(session.evaluate({x, labels}).loss(), first);
}

TEST(CommaLocale, TextsAreAsElsewhere) {
  std::ostringstream text;
  text << nn::Dropout(0.25) << ' ' << tensor({0.5f, 1.25f}) << ' ' << tensor({1234.0, 5});
  EXPECT_EQ(text.str(), "Dropout(p=0.25, inplace=False) tensor([0.5000, 1.2500]) tensor([1234.,    5.])");
}

} // namespace

int main(int argc, char **argv) {
  std::setlocale(LC_ALL, "de_DE.UTF-8");
  std::locale::global(std::locale("de_DE.UTF-8"));
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
