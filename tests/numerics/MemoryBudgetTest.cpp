//===- MemoryBudgetTest.cpp - steps that compute values again --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With a memory budget, values of the forward pass are computed again. Losses, parameters and running
// statistics are those of the same model without a budget, bit for bit, over several steps: so dropout drops
// the same elements again, and running statistics move once a step. And all numbers are the interpreter's.
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Compile.h"
#include "tests/numerics/CompiledModel.h"
#include "tests/numerics/DeepPrograms.h"
#include "tests/numerics/FirstStep.h"
#include "llvm/Support/JSON.h"

namespace dlc::numerics {
namespace {

struct Memory {
  int64_t arena = 0, state = 0;
};

/// Of the program compiled so; nothing, with the errors, where that fails.
std::optional<Memory> memoryOf(const Program &program, const pipeline::Options &options,
                               std::string &errors) {
  Program copy = program.clone();
  takeErrors();
  auto manifest = pipeline::compileToManifest(copy.getModule(), options);
  errors = takeErrors();
  if (mlir::failed(manifest))
    return std::nullopt;
  auto parsed = llvm::json::parse(*manifest);
  if (!parsed)
    return std::nullopt;
  const llvm::json::Object *memory = parsed->getAsObject()->getObject("memory");
  return Memory{*memory->getInteger("arena_bytes"), *memory->getInteger("state_bytes")};
}

/// Gives all models the same weights.
bool writeWeights(std::mt19937 &random, const Layers &layers, llvm::ArrayRef<CompiledModel *> models) {
  for (int layer = 0; layer < depth; ++layer)
    for (auto &[name, shape] : layers.states)
      if (shape.size() > 1) {
        Tensor value = randomTensor(random, shape, 0.2);
        for (CompiledModel *model : models)
          if (!model->write(name + std::to_string(layer), value))
            return false;
      }
  return true;
}

/// A program, and a share of its working memory that its arena has room for.
struct MemoryBudget : testing::TestWithParam<std::tuple<const Layers *, double>> {
  void SetUp() override {
    CompiledModel::loadDialects();
    program.emplace(programText(layers()));
    ASSERT_TRUE(*program) << takeErrors();
  }
  const Layers &layers() const { return *std::get<0>(GetParam()); }

  /// Adds the budget to options.
  void setBudget(pipeline::Options &options) {
    std::string errors;
    without = memoryOf(*program, options, errors);
    ASSERT_TRUE(without) << errors;
    const double share = std::get<1>(GetParam());
    options.memoryBudget = without->state + int64_t(double(without->arena - without->state) * share);
  }

  /// Compiles it without a budget and with one.
  void compileBoth() {
    pipeline::Options options;
    program->addToRecipe({{"optimizer", "adam"}, {"learning_rate", "0.01"}, {"seed", "3"}});
    less = options;
    ASSERT_NO_FATAL_FAILURE(setBudget(less));
    first = CompiledModel::compile(program->clone(), options);
    second = CompiledModel::compile(program->clone(), less);
    ASSERT_TRUE(first && second);
  }

  /// Of one step, of both.
  void compareGradients(std::mt19937 &random) {
    Tensor x = randomTensor(random, layers().shape, 1), t = randomTensor(random, layers().shape, 1);
    float losses[2] = {0, 1};
    ASSERT_TRUE(first->gradStep({x, t}, losses[0]) && second->gradStep({x, t}, losses[1]));
    EXPECT_EQ(losses[0], losses[1]);
    for (int layer = 0; layer < depth; ++layer)
      for (auto &[name, shape] : layers().states) {
        const std::string state = name + std::to_string(layer);
        Tensor one = Tensor::zeros(interpret::DType::F32, shape), other = one;
        if (llvm::StringRef(name) == "m" || (llvm::StringRef(name) == "v" && shape.size() == 1))
          continue; // running statistics
        ASSERT_TRUE(first->readGradient(state, one) && second->readGradient(state, other));
        EXPECT_EQ(one.floats, other.floats) << "gradient of " << state;
      }
  }

  std::optional<Program> program;
  pipeline::Options less;
  std::optional<Memory> without; ///< a budget
  std::unique_ptr<CompiledModel> first, second;
};

TEST_P(MemoryBudget, ChangesNoBit) {
  std::mt19937 random(5);
  ASSERT_NO_FATAL_FAILURE(compileBoth());
  std::string errors;
  auto with = memoryOf(*program, less, errors);
  ASSERT_TRUE(with) << errors;
  EXPECT_LE(with->arena, *less.memoryBudget);
  EXPECT_EQ(with->state, without->state);
  ASSERT_TRUE(writeWeights(random, layers(), {first.get(), second.get()}));
  for (int step = 0; step < 3; ++step) {
    Tensor x = randomTensor(random, layers().shape, 1), t = randomTensor(random, layers().shape, 1);
    float losses[2] = {0, 1};
    ASSERT_TRUE(first->trainStep({x, t}, losses[0]) && second->trainStep({x, t}, losses[1]));
    EXPECT_EQ(losses[0], losses[1]);
    for (int layer = 0; layer < depth; ++layer)
      for (auto &[name, shape] : layers().states) {
        Tensor one = Tensor::zeros(interpret::DType::F32, shape), other = one;
        const std::string state = name + std::to_string(layer);
        ASSERT_TRUE(first->read(state, one) && second->read(state, other));
        EXPECT_EQ(one.floats, other.floats) << state << " after step " << step + 1;
      }
  }
  // Nor one of the gradients, of models as they begin.
  ASSERT_TRUE(first->startAnew(2) && second->startAnew(2));
  random.seed(7);
  ASSERT_TRUE(writeWeights(random, layers(), {first.get(), second.get()}));
  ASSERT_NO_FATAL_FAILURE(compareGradients(random));
}

TEST_P(MemoryBudget, TrainsAsTheInterpreterDoes) {
  pipeline::Options options; // with the seed that the interpreter has
  ASSERT_NO_FATAL_FAILURE(setBudget(options));
  EXPECT_EQ(compareFirstStep(*program, options).difference, "");
}

INSTANTIATE_TEST_SUITE_P(
    Shares, MemoryBudget,
    testing::Values(MemoryBudget::ParamType{&perceptron, 0.85}, MemoryBudget::ParamType{&perceptron, 0.65},
                    MemoryBudget::ParamType{&images, 0.85}, MemoryBudget::ParamType{&images, 0.75}),
    [](const testing::TestParamInfo<MemoryBudget::ParamType> &info) {
      return std::string(std::get<0>(info.param)->name) + std::to_string(int(std::get<1>(info.param) * 100));
    });

// What the manifest lists as lying in memory at a function's fullest is no less than what the plan says must,
// and has room in what the plan gives.
TEST(MemoryBudgets, ListTheFullestMoment) {
  CompiledModel::loadDialects();
  for (const Layers *layers : {&perceptron, &images}) {
    Program program(programText(*layers));
    ASSERT_TRUE(program) << takeErrors();
    auto manifest = pipeline::compileToManifest(program.getModule(), {});
    ASSERT_TRUE(mlir::succeeded(manifest)) << takeErrors();
    auto parsed = llvm::json::parse(*manifest);
    ASSERT_TRUE(bool(parsed));
    for (const llvm::json::Value &entry : *parsed->getAsObject()->getArray("functions")) {
      const llvm::json::Object &function = *entry.getAsObject();
      int64_t bytes = 0;
      const llvm::json::Array &values = *function.getArray("values");
      for (const llvm::json::Value &index : *function.getObject("fullest")->getArray("values"))
        bytes += llvm::alignTo(*values[*index.getAsInteger()].getAsObject()->getInteger("bytes"), 64);
      const std::string name = std::string(layers->name) + ' ' + function.getString("name")->str();
      EXPECT_GE(bytes, *function.getInteger("lower_bound_bytes")) << name;
      EXPECT_LE(bytes, *function.getInteger("working_bytes")) << name;
    }
  }
}

TEST(MemoryBudgets, TooSmallAreToldWithTheSmallest) {
  CompiledModel::loadDialects();
  Program program(programText(perceptron));
  ASSERT_TRUE(program) << takeErrors();
  pipeline::Options options;
  std::string errors;
  auto without = memoryOf(program, options, errors);
  ASSERT_TRUE(without) << errors;
  options.memoryBudget = 1;
  EXPECT_FALSE(memoryOf(program, options, errors));
  llvm::StringRef text(errors);
  const llvm::StringRef before = "needs at least ";
  ASSERT_TRUE(text.contains(before)) << errors;
  int64_t smallest = 0;
  ASSERT_FALSE(text.split(before).second.consumeInteger(10, smallest));
  EXPECT_LT(smallest, without->arena);
  // What it says can be had, and not a byte less.
  options.memoryBudget = smallest;
  auto with = memoryOf(program, options, errors);
  ASSERT_TRUE(with) << errors;
  EXPECT_EQ(with->arena, smallest);
  options.memoryBudget = smallest - 1;
  EXPECT_FALSE(memoryOf(program, options, errors));
}

TEST(MemoryBudgets, ThatSufficeChangeNothing) {
  CompiledModel::loadDialects();
  Program program(programText(perceptron));
  pipeline::Options options;
  std::string errors;
  auto without = memoryOf(program, options, errors);
  ASSERT_TRUE(without) << errors;
  options.memoryBudget = without->arena;
  auto with = memoryOf(program, options, errors);
  ASSERT_TRUE(with) << errors;
  EXPECT_EQ(with->arena, without->arena);
}

} // namespace
} // namespace dlc::numerics
