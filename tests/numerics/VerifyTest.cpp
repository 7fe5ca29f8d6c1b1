//===- VerifyTest.cpp - what dlc verify sees ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled models that answer wrongly in one place, and finite differences beside gradients that are known.
// (Faults of the compiler itself are tests/mutations/verify.toml.)
//===----------------------------------------------------------------------===//
#include "compiler/verify/Verify.h"
#include "compiler/interpret/Exchange.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/verify/InProcess.h"
#include "compiler/verify/Rows.h"
#include "compiler/verify/Slopes.h"
#include "frontends/mlir/ReadText.h"
#include "tests/numerics/Programs.h"
#include "tools/dlc/verify/Print.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <functional>

namespace dlc::numerics {
namespace {

using verify::Check;
using verify::ProgramInstance;
using verify::Report;
using verify::Tensor;

/// Passes calls on, and changes what comes back.
struct Faulty : ProgramInstance {
  explicit Faulty(std::unique_ptr<ProgramInstance> step) : step(std::move(step)) {}
  std::string predict(int64_t rows, llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<Tensor> inputs,
                      llvm::MutableArrayRef<Tensor> outputs) override {
    std::string problem = step->predict(rows, sizes, inputs, outputs);
    if (prediction)
      prediction(outputs.front());
    return problem;
  }
  std::string differentiate(train::Derivative derivative, int64_t rows, llvm::ArrayRef<int64_t> sizes,
                            llvm::ArrayRef<Tensor> inputs, llvm::MutableArrayRef<Tensor> outputs) override {
    return step->differentiate(derivative, rows, sizes, inputs, outputs);
  }
  std::string gradStep(llvm::ArrayRef<Tensor> inputs, double &result) override {
    std::string problem = step->gradStep(inputs, result);
    result += loss;
    return problem;
  }
  std::string trainStep(llvm::ArrayRef<Tensor> inputs, double &result) override {
    std::string problem = step->trainStep(inputs, result);
    if (++trainSteps >= wrongFrom)
      result *= 1.001;
    return problem;
  }
  std::string evalStep(int64_t rows, llvm::ArrayRef<Tensor> inputs, verify::Metrics &metrics) override {
    std::string problem = step->evalStep(rows, inputs, metrics);
    metrics.lossSum += lossSum;
    return problem;
  }
  std::string gradStepOf(int64_t rows, llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<Tensor> inputs,
                         double &result) override {
    return step->gradStepOf(rows, sizes, inputs, result);
  }
  std::string accumulate(llvm::ArrayRef<Tensor> inputs, double &result) override {
    return skipsAccumulation ? "" : step->accumulate(inputs, result);
  }
  std::string apply() override { return step->apply(); }
  std::string restart() override {
    trainSteps = 0;
    return step->restart();
  }
  std::string read(llvm::StringRef name, Tensor &tensor) override {
    std::string problem = step->read(name, tensor);
    if (value && name == changed)
      value(tensor);
    return problem;
  }
  std::string readGradient(llvm::StringRef name, Tensor &tensor) override {
    std::string problem = step->readGradient(name, tensor);
    if (gradient && name == changed)
      gradient(tensor);
    return problem;
  }

  std::unique_ptr<ProgramInstance> step;
  std::string changed = "w";
  std::function<void(Tensor &)> gradient, value, prediction;
  double loss = 0, lossSum = 0;
  int trainSteps = 0, wrongFrom = 1000; ///< whose loss is another one
  bool skipsAccumulation = false;
};

class Verify : public testing::Test {
protected:
  static void SetUpTestSuite() {
    mlir::DialectRegistry registry;
    pipeline::registerDialects(registry);
    context().appendDialectRegistry(registry);
    context().loadAllAvailableDialects();
  }
  static mlir::OwningOpRef<mlir::ModuleOp> read(const std::string &name) {
    return text::readFile(DLC_NUMERICS_DIR "/../e2e/verify/" + name + ".mlir", context());
  }
  static Report verifyWith(const std::string &name, const std::function<void(Faulty &)> &fault) {
    verify::Settings settings;
    settings.steps = 3;
    return verifyWith(name, {{"loss", "mse"}}, settings, fault);
  }
  static Report verifyWith(const std::string &name, const train::RecipeSettings &recipe,
                           const verify::Settings &settings, const std::function<void(Faulty &)> &fault) {
    takeErrors();
    auto module = read(name);
    EXPECT_TRUE(module) << takeErrors();
    Program program(std::move(module));
    program.addToRecipe(recipe);
    return verifyWith(program.getModule(), settings, fault);
  }
  static Report verifyWith(mlir::ModuleOp module, const verify::Settings &settings,
                           const std::function<void(Faulty &)> &fault) {
    Report report =
        verify::verify(module, {}, settings, [&](mlir::ModuleOp program) -> std::unique_ptr<ProgramInstance> {
          auto step = verify::compileInProcess(program, {}, {"", 1});
          if (!step)
            return nullptr;
          auto faulty = std::make_unique<Faulty>(std::move(step));
          fault(*faulty);
          return faulty;
        });
    EXPECT_FALSE(report.cannot) << takeErrors();
    return report;
  }
  /// "gradient of w in the first step".
  static std::vector<std::string> differences(const Report &report) {
    std::vector<std::string> found;
    for (const Check &check : report.checks)
      if (check.differs())
        found.push_back(check.what + " of " + check.name + ", " + check.when);
    return found;
  }
  static bool has(const Report &report, llvm::StringRef what, llvm::StringRef when) {
    return llvm::any_of(report.checks,
                        [&](const Check &check) { return check.what == what && check.when == when; });
  }
};

TEST_F(Verify, FindsModelsEqual) {
  for (const char *name : {"tanh", "softmax", "layer_norm", "batch_norm"}) {
    const Report report = verifyWith(name, [](Faulty &) {});
    EXPECT_EQ(differences(report), std::vector<std::string>()) << name;
    EXPECT_EQ(report.steps, 3);
    EXPECT_EQ(report.leftOut, std::vector<std::string>());
    const std::pair<const char *, const char *> wanted[] = {{"prediction", "before training"},
                                                            {"loss_sum", "before training"},
                                                            {"loss", "first step"},
                                                            {"gradient", "first step"},
                                                            {"loss", "interpreter"},
                                                            {"slope", "interpreter"},
                                                            {"compiled slope", "interpreter"},
                                                            {"slope along itself", "interpreter"},
                                                            {"update", "first update"},
                                                            {"loss", "step 2"},
                                                            {"update", "step 3"},
                                                            {"prediction", "after 3 steps"},
                                                            {"gradient", "two batches"},
                                                            {"update", "two batches"}};
    for (auto [what, when] : wanted)
      EXPECT_TRUE(has(report, what, when)) << name << ": " << what << ", " << when;
  }
  const Report report = verifyWith("batch_norm", [](Faulty &) {});
  for (const char *when : {"interpreter", "first update", "step 3"})
    EXPECT_TRUE(has(report, "statistic", when)) << when;
}

TEST_F(Verify, SeesWhatIsWrongInOnePlace) {
  using Strings = std::vector<std::string>;
  auto scaled = [](Tensor &tensor) { tensor.floats[4] *= 1.001; };
  EXPECT_EQ(differences(verifyWith("tanh", [&](Faulty &step) { step.gradient = scaled; })),
            Strings({"gradient of w, first step", "compiled slope of w, interpreter",
                     "gradient of w, two batches"}));
  const Strings negated = differences(verifyWith("tanh", [](Faulty &step) {
    step.gradient = [](Tensor &tensor) {
      for (double &number : tensor.floats)
        number = -number;
    };
  }));
  EXPECT_TRUE(llvm::is_contained(negated, "compiled slope of w, interpreter"));
  EXPECT_EQ(differences(verifyWith("tanh",
                                   [](Faulty &step) {
                                     step.gradient = [](Tensor &tensor) { tensor.floats[0] = NAN; };
                                   }))
                .front(),
            "gradient of w, first step");
  EXPECT_EQ(differences(verifyWith("tanh", [](Faulty &step) { step.loss = 1e-4; })).front(),
            "loss of loss, first step");
  EXPECT_EQ(differences(verifyWith("tanh", [](Faulty &step) { step.lossSum = 1e-3; })),
            Strings({"loss_sum of loss_sum, before training", "loss_sum of loss_sum, after 3 steps"}));
  EXPECT_EQ(differences(verifyWith("tanh", [&](Faulty &step) { step.prediction = scaled; })),
            Strings({"prediction of y, before training", "prediction of y, after 3 steps"}));
  EXPECT_TRUE(
      llvm::is_contained(differences(verifyWith("tanh", [](Faulty &step) { step.skipsAccumulation = true; })),
                         "gradient of w, two batches"));
}

TEST_F(Verify, SaysWhatDiffersAndWhere) {
  const Report report =
      verifyWith("tanh", [](Faulty &step) { step.gradient = [](Tensor &tensor) { tensor.floats[4] *= 2; }; });
  std::string errors, table, json;
  llvm::raw_string_ostream errorStream(errors), tableStream(table), jsonStream(json);
  tool::printDifferences(report, "m.mlir", errorStream);
  EXPECT_EQ(errors.find("m.mlir: error: gradient, "), 0u) << errors;
  EXPECT_NE(errors.find(": 'w.grad', element 4 of 5x3xf32: compiled"), std::string::npos) << errors;
  EXPECT_NE(errors.find("m.mlir: note: the interpreter agrees with the model: what is wrong comes after"),
            std::string::npos)
      << errors;
  tool::printTable(report, "m.mlir", 1, tableStream);
  EXPECT_EQ(table.find("m.mlir: "), 0u);
  EXPECT_NE(table.find(" differ of 2 trained tensors over 3 steps"), std::string::npos) << table;
  EXPECT_NE(table.find("\nw  "), std::string::npos) << "the worst is not first: " << table;
  EXPECT_EQ(table.find("\nv  "), std::string::npos) << "more than one line: " << table;
  tool::printJson(report, "m.mlir", 1, nullptr, jsonStream);
  EXPECT_NE(json.find("\"result\": \"differs\""), std::string::npos) << json;
}

// Values that stay as they were at the beginning: of a parameter, and of a running statistic.
TEST_F(Verify, SeesStaleValues) {
  for (const char *name : {"w", "mean", "variance"}) {
    auto module = read("batch_norm");
    ASSERT_TRUE(module);
    auto start = interpret::Interpreter::create(*module->getOps<train::ProgramOp>().begin());
    ASSERT_TRUE(succeeded(start));
    const Tensor before = *start->state(name);
    const std::vector<std::string> found = differences(verifyWith("batch_norm", [&](Faulty &step) {
      step.changed = name;
      step.value = [&](Tensor &tensor) { tensor = before; };
    }));
    const std::string what = std::string(name) == "w" ? "update" : "statistic";
    EXPECT_EQ(found, (std::vector<std::string>{what + " of " + name + ", first update",
                                               what + " of " + name + ", step 3",
                                               what + " of " + name + ", two batches"}));
  }
}

// The parameters become large, and their sines tell apart what rounding changes of them: after
// a few, nothing that is compared says anything. What comes before is compared as ever.
TEST_F(Verify, EndsWhereTrainingDiverges) {
  const train::RecipeSettings recipe{{"loss", "mse"}, {"learning_rate", "1000"}};
  verify::Settings settings;
  const Report report = verifyWith("sine", recipe, settings, [](Faulty &) {});
  EXPECT_EQ(differences(report), std::vector<std::string>());
  EXPECT_GE(report.steps, 2);
  EXPECT_LT(report.steps, 10);
  const std::string last = "step " + std::to_string(report.steps),
                    next = "step " + std::to_string(report.steps + 1);
  EXPECT_EQ(report.ended.find(next + ": the training diverges: its loss is "), 0u) << report.ended;
  ASSERT_EQ(report.leftOut.size(), 1u);
  EXPECT_EQ(report.leftOut[0], "steps " + std::to_string(report.steps + 1) + " to 10: at " + report.ended);
  EXPECT_TRUE(has(report, "loss", last));
  EXPECT_FALSE(has(report, "loss", next));
  // What follows starts from the last step that was compared.
  for (const char *what : {"update", "loss"})
    EXPECT_TRUE(has(report, what, last)) << what;
  EXPECT_TRUE(has(report, "prediction", "after " + std::to_string(report.steps) + " steps"));
  EXPECT_TRUE(has(report, "gradient", "two batches"));
  std::string table, json;
  llvm::raw_string_ostream tableStream(table), jsonStream(json);
  tool::printTable(report, "m.mlir", 1, tableStream);
  EXPECT_NE(table.find("  not compared: steps "), std::string::npos) << table;
  tool::printJson(report, "m.mlir", 0, nullptr, jsonStream);
  EXPECT_NE(json.find("\"ended_at\": \"" + next + ": the training diverges"), std::string::npos) << json;

  // A fault is one at each step up to that one, and in what is compared behind it.
  for (int64_t from = 1; from <= report.steps; ++from) {
    const std::vector<std::string> found =
        differences(verifyWith("sine", recipe, settings, [&](Faulty &step) { step.wrongFrom = from; }));
    ASSERT_FALSE(found.empty()) << from;
    EXPECT_EQ(found.front(),
              "loss of loss, " + (from == 1 ? "first update" : "step " + std::to_string(from)));
  }
  const std::vector<std::string> behind = differences(verifyWith("sine", recipe, settings, [](Faulty &step) {
    step.prediction = [](Tensor &tensor) { tensor.floats[0] = NAN; };
  }));
  EXPECT_TRUE(
      llvm::is_contained(behind, "prediction of y, after " + std::to_string(report.steps) + " steps"));
}

// Float32 may fall on the other side of a kink that is three roundings away; but nothing else will do.
TEST_F(Verify, LetsRoundingCrossAKink) {
  const train::RecipeSettings recipe{{"loss", "mse"}};
  verify::Settings settings;
  settings.steps = 1;
  settings.evaluates = false;
  for (auto [factor, isRight] :
       {std::make_pair(1.0, true), std::make_pair(0.0, true), std::make_pair(3.0, false)}) {
    const Report report = verifyWith("kink", recipe, settings, [factor = factor](Faulty &step) {
      step.changed = "a";
      step.gradient = [factor](Tensor &tensor) { tensor.floats[0] *= factor; };
    });
    EXPECT_EQ(llvm::is_contained(differences(report), "gradient of a, first step"), !isRight) << factor;
    for (const Check &check : report.checks)
      if (factor == 0 && check.what == "gradient" && check.name == "a")
        EXPECT_EQ(check.reason, "kinks and long sums");
  }
}

/// y = v * relu(x w), with a row of ones: the numbers of a column of w cancel, in one of them all but 5
/// floats.
static std::string cancelling(int64_t column) {
  std::string numbers;
  llvm::raw_string_ostream stream(numbers);
  for (int64_t i = 0; i < 8; ++i)
    for (int64_t c = 0; c < 16; ++c) {
      const double rest = i > 0 ? 0 : c == column ? 3e-7 : 0.01 * double(c + 1);
      stream << (c ? ", " : i ? "], [" : "") << llvm::format("%.9g", (i % 2 ? -0.7 : 0.7) + rest);
    }
  return llvm::formatv(R"mlir(
train.program @cancelling {{
  train.dim @batch = 1
  train.state parameter @v : tensor<16xf32> = dense<0.9>
  train.state parameter @w : tensor<8x16xf32> = dense<[[{0}]]>
  train.input @x : tensor<?x8xf32, #nn.dims<batch, _>>
  train.output prediction @y : tensor<?x16xf32, #nn.dims<batch, _>>
  train.function forward @forward {{
    %x = train.read @x : tensor<?x8xf32, #nn.dims<batch, _>>
    %w = train.read @w : tensor<8x16xf32>
    %v = train.read @v : tensor<16xf32>
    %0 = nn.matmul %x, %w : tensor<?x8xf32, #nn.dims<batch, _>>, tensor<8x16xf32>
    %1 = nn.relu %0 : tensor<?x16xf32, #nn.dims<batch, _>>
    %2 = nn.mul %1, %v : tensor<?x16xf32, #nn.dims<batch, _>>, tensor<16xf32>
    train.write %2, @y : tensor<?x16xf32, #nn.dims<batch, _>>
  }
})mlir",
                       numbers);
}

// Whichever kink it is that rounding may cross: that does not depend on how parameters next to the model's
// own are drawn, whose roundings may cancel as well. Faults beside the kink are seen as ever.
TEST_F(Verify, LetsRoundingCrossEveryKink) {
  verify::Settings settings;
  settings.steps = 1;
  settings.evaluates = false;
  settings.inputs["x"] = Tensor::zeros(interpret::DType::F32, {1, 8});
  settings.inputs["x"].floats.assign(8, 1);
  for (int64_t column = 0; column < 16; ++column) {
    Program program(cancelling(column));
    ASSERT_TRUE(program) << takeErrors();
    program.addToRecipe({{"loss", "mse"}});
    const auto differ = [&](const std::string &name, const std::function<void(Tensor &)> &change) {
      const Report report = verifyWith(program.getModule(), settings, [&](Faulty &step) {
        step.changed = name;
        step.gradient = change;
      });
      return llvm::is_contained(differences(report), "gradient of " + name + ", first step");
    };
    EXPECT_FALSE(differ("w", [&](Tensor &gradient) {
      for (int64_t i = 0; i < 8; ++i) {
        EXPECT_GT(std::fabs(gradient.floats[i * 16 + column]), 1e-3) << "the compiled code was there, too";
        gradient.floats[i * 16 + column] = 0;
      }
    })) << column;
    if (column % 5)
      continue;
    EXPECT_TRUE(differ("w", [&](Tensor &gradient) { gradient.floats[column] *= 30; })) << column;
    EXPECT_TRUE(differ("v", [](Tensor &gradient) {
      for (double &number : gradient.floats)
        number *= 1.01;
    })) << column;
  }
}

TEST(Exchange, ReversesTheOrderWithinACell) {
  // The cells are from -1 to 1, from 1 to 3, ...
  Tensor numbers = Tensor::zeros(interpret::DType::F32, {6});
  numbers.floats = {0.3001, -0.7001, 0, 1.2001, 2.7001, 5};
  Tensor middle = numbers, between = numbers;
  interpret::exchange(middle, interpret::Cells{2, {}}, /*isBetween=*/false);
  const std::vector<double> others = {-0.3001, 0.7001, 0, 2.7999, 1.2999, 5}; // 0 and 5 are round
  for (size_t i = 0; i < others.size(); ++i)
    EXPECT_NEAR(middle.floats[i], others[i], 1e-12);
  // From -2 to 0, from 0 to 2, ...
  interpret::exchange(between, interpret::Cells{2, {}}, /*isBetween=*/true);
  const std::vector<double> next = {1.6999, -1.2999, 0, 0.7999, 3.2999, 5};
  for (size_t i = 0; i < next.size(); ++i)
    EXPECT_NEAR(between.floats[i], next[i], 1e-12);
}

TEST(Exchange, HasCellsOfWhatRoundingChangesOfSmallerNumbers) {
  Tensor once = Tensor::zeros(interpret::DType::F32, {8}), again = once, third = once;
  once.floats = {1, 2, 3, 4, 5, -1e9, -1e9, -INFINITY};
  again.floats = {1.25, 2.5, 3, 4, 5, -2e9, -1e9, -INFINITY};
  third.floats = {0.5, 2, 3, 4, 5, -1e9, -3e9, -INFINITY};
  const interpret::Cells cells = interpret::cellsOf({&once, &again, &third});
  EXPECT_EQ(cells.least, 1.5); // of 1 and 2, on both sides
  EXPECT_EQ(cells.widthAt(5), 1.5);
  EXPECT_EQ(cells.widthAt(-1e9), 4e9);
  EXPECT_EQ(interpret::cellsOf({&once, &once}).least, 0);
}

// Numbers of labels, by which a mean of several batches is divided.
TEST_F(Verify, ComparesTheWeightOfGradients) {
  const train::RecipeSettings recipe{{"loss", "mse"}, {"accumulate", "mean"}};
  verify::Settings settings;
  settings.steps = 1;
  const Report report = verifyWith("tanh", recipe, settings, [](Faulty &) {});
  EXPECT_EQ(differences(report), std::vector<std::string>());
  for (const char *when : {"first step", "two batches"})
    EXPECT_TRUE(has(report, "gradient weight", when)) << when;
  const std::vector<std::string> found = differences(verifyWith("tanh", recipe, settings, [](Faulty &step) {
    step.changed = "gradient_weight";
    step.gradient = [](Tensor &tensor) { tensor.floats[0] -= 1; };
  }));
  EXPECT_EQ(found, (std::vector<std::string>{"gradient weight of gradient_weight, first step",
                                             "gradient weight of gradient_weight, two batches"}));
}

// A batch for which there is no time is cut; the report says so. Values that were given are never cut.
TEST_F(Verify, TakesFewerRowsWhereTimeIsShort) {
  const train::RecipeSettings recipe{{"loss", "mse"}};
  verify::Settings settings;
  settings.steps = 2;
  settings.seconds = 1e-6;
  int64_t rows = 0;
  const auto noteRows = [&](Faulty &step) {
    step.prediction = [&](Tensor &tensor) { rows = tensor.shape[0]; };
  };
  Report report = verifyWith("tanh", recipe, settings, noteRows);
  EXPECT_EQ(std::make_pair(report.rows, report.rowsOfModel), std::make_pair(int64_t(2), int64_t(4)));
  EXPECT_EQ(rows, 2);
  EXPECT_EQ(differences(report), std::vector<std::string>());
  EXPECT_EQ(report.leftOut.front(),
            "more than 2 of 4 rows of a batch: the interpreter would take too long (--seconds)");
  settings.inputs["x"] = Tensor::zeros(interpret::DType::F32, {4, 3});
  report = verifyWith("tanh", recipe, settings, noteRows);
  EXPECT_EQ(std::make_pair(report.rows, report.rowsOfModel), std::make_pair(int64_t(4), int64_t(4)));
  EXPECT_EQ(rows, 4);
  settings.inputs.clear();
  settings.seconds = 60;
  report = verifyWith("tanh", recipe, settings, noteRows);
  EXPECT_EQ(report.rows, 4);
  EXPECT_EQ(report.leftOut, std::vector<std::string>());
}

// A step of the model costs what its products do, in proportion to the rows.
TEST_F(Verify, CountsWhatAStepCosts) {
  auto module = read("tanh");
  ASSERT_TRUE(module);
  train::ProgramOp program = *module->getOps<train::ProgramOp>().begin();
  EXPECT_EQ(verify::rowsOf(program), 4);
  const double parameters = verify::costOf(program, 0), four = verify::costOf(program, 4);
  EXPECT_EQ(four - parameters, (verify::costOf(program, 2) - parameters) * 2);
  EXPECT_GE(four - parameters, 4 * (3 * 5 + 5 * 2));
  EXPECT_EQ(verify::rowsFor(program, 0), 4);
  EXPECT_EQ(verify::rowsFor(program, 1), 4);
  EXPECT_EQ(verify::rowsFor(program, 1e-9), 2);
}

TEST_F(Verify, DirectionsHaveUnitLength) {
  for (int64_t size : {1, 7, 1000}) {
    const std::vector<double> direction = verify::randomDirection(size, 3);
    EXPECT_NEAR(verify::dot(direction, direction), 1, 1e-12);
    EXPECT_NE(direction, verify::randomDirection(size == 1 ? 2 : size, 4));
  }
}

/// The sum of relu(w * x).
const char *const kinked = R"mlir(
train.program @kinked {
  train.state parameter @w : tensor<4xf32> = dense<[0.0, 1.0, -1.0, 2.0]>
  train.input @x : tensor<4xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %w = train.read @w : tensor<4xf32>
    %x = train.read @x : tensor<4xf32>
    %0 = nn.mul %w, %x : tensor<4xf32>, tensor<4xf32>
    %1 = nn.relu %0 : tensor<4xf32>
    %loss = nn.sum %1 axes [0] : tensor<4xf32>
    %one = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %one : tensor<f32>, tensor<f32>
  }
})mlir";

struct KinkedLoss : Verify {
  KinkedLoss() : program(kinked), start(interpret::Interpreter::create(program.get())) {
    x.dtype = interpret::DType::F32;
    x.shape = {4};
    x.floats = {1, 1, 1, 0.5};
    inputs["x"] = x;
  }
  Program program;
  mlir::FailureOr<interpret::Interpreter> start;
  Tensor x;
  llvm::StringMap<Tensor> inputs;
};

TEST_F(KinkedLoss, HasTwoSlopesAtAKinkAndOneElsewhere) {
  ASSERT_TRUE(succeeded(start));
  auto slopes = verify::Slopes::create(program.get(), *start, inputs);
  ASSERT_TRUE(succeeded(slopes));
  EXPECT_EQ(slopes->loss(), 2);
  // Of the second element the slope is 1, and nothing else will do.
  const std::pair<double, bool> smooth[] = {{1, true}, {1.001, false}, {-1, false}, {0, false}};
  for (auto [gradient, isRight] : smooth) {
    auto slope = slopes->along("w", {0, 1, 0, 0}, gradient, 1);
    ASSERT_TRUE(succeeded(slope));
    EXPECT_EQ(std::fabs(gradient - slope->middle()) <= slope->bound(), isRight) << gradient;
    EXPECT_FALSE(slope->hasKink);
  }
  // Of the first anything from 0 to 1 is one.
  const std::pair<double, bool> between[] = {
      {0, true}, {0.5, true}, {1, true}, {1.01, false}, {-0.01, false}};
  for (auto [gradient, isRight] : between) {
    auto slope = slopes->along("w", {1, 0, 0, 0}, gradient, 1);
    ASSERT_TRUE(succeeded(slope));
    EXPECT_EQ(std::fabs(gradient - slope->middle()) <= slope->bound(), isRight) << gradient;
    EXPECT_TRUE(slope->hasKink);
  }
}

// A kink that is nearer than the first step is left out by a smaller one.
TEST_F(KinkedLoss, IsLookedAtFromNearer) {
  ASSERT_TRUE(succeeded(start));
  Tensor w = *start->state("w");
  w.floats[0] = 4e-6;
  ASSERT_TRUE(succeeded(start->setState("w", w)));
  auto slopes = verify::Slopes::create(program.get(), *start, inputs);
  ASSERT_TRUE(succeeded(slopes));
  auto slope = slopes->along("w", {1, 0, 0, 0}, 1, 1);
  ASSERT_TRUE(succeeded(slope));
  EXPECT_FALSE(slope->hasKink);
  EXPECT_NEAR(slope->middle(), 1, 1e-4);
}

} // namespace
} // namespace dlc::numerics
