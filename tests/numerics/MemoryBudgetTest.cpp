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
#include "tests/numerics/FirstStep.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <random>

namespace dlc::numerics {
namespace {

using llvm::formatv;

/// Layers of one kind, one after the other.
struct Layers {
  const char *name;
  std::string (*declarations)(int layer);
  std::string (*body)(int layer);                                    ///< makes %h<layer + 1> of %h<layer>
  const char *type;                                                  ///< of all %h
  std::vector<std::pair<const char *, std::vector<int64_t>>> states; ///< of a layer, without its number
  std::vector<int64_t> shape;
};

constexpr int depth = 5;

const Layers perceptron{"perceptron",
                        [](int i) -> std::string {
                          return formatv(R"mlir(
  train.state parameter @s{0} : tensor<70xf32> = dense<1.0>
  train.state parameter @b{0} : tensor<70xf32> = dense<0.1>
  train.state parameter @w{0} : tensor<70x150xf32> = dense<0.0>
  train.state parameter @v{0} : tensor<150x70xf32> = dense<0.0>)mlir",
                                         i);
                        },
                        [](int i) -> std::string {
                          return formatv(R"mlir(
    %s{0} = train.read @s{0} : tensor<70xf32>
    %b{0} = train.read @b{0} : tensor<70xf32>
    %w{0} = train.read @w{0} : tensor<70x150xf32>
    %v{0} = train.read @v{0} : tensor<150x70xf32>
    %n{0}, %mean{0}, %rstd{0} = nn.layer_norm %h{0}, %s{0}, %b{0} axis 1 epsilon 1.0e-5 : tensor<41x70xf32>, tensor<70xf32>, tensor<70xf32>
    %p{0} = nn.matmul %n{0}, %w{0} : tensor<41x70xf32>, tensor<70x150xf32>
    %g{0} = nn.gelu %p{0} : tensor<41x150xf32>
    %d{0} = nn.dropout %g{0}, %rng ratio 0.3 stream {0} : tensor<41x150xf32>, tensor<2xi64>
    %q{0} = nn.matmul %d{0}, %v{0} : tensor<41x150xf32>, tensor<150x70xf32>
    %h{1} = nn.add %h{0}, %q{0} : tensor<41x70xf32>, tensor<41x70xf32>)mlir",
                                         i, i + 1);
                        },
                        "tensor<41x70xf32>",
                        {{"s", {70}}, {"b", {70}}, {"w", {70, 150}}, {"v", {150, 70}}},
                        {41, 70}};

const Layers images{"images",
                    [](int i) -> std::string {
                      return formatv(R"mlir(
  train.state parameter @s{0} : tensor<9xf32> = dense<1.0>
  train.state parameter @b{0} : tensor<9xf32> = dense<0.1>
  train.state parameter @w{0} : tensor<9x9x3x3xf32> = dense<0.0>
  train.state buffer @m{0} : tensor<9xf32> = dense<0.0>
  train.state buffer @v{0} : tensor<9xf32> = dense<1.0>)mlir",
                                     i);
                    },
                    [](int i) -> std::string {
                      return formatv(R"mlir(
    %s{0} = train.read @s{0} : tensor<9xf32>
    %b{0} = train.read @b{0} : tensor<9xf32>
    %w{0} = train.read @w{0} : tensor<9x9x3x3xf32>
    %c{0} = nn.conv %h{0}, %w{0} strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1 : tensor<5x9x13x7xf32>, tensor<9x9x3x3xf32>
    %n{0} = train.batch_norm %c{0}, %s{0}, %b{0} running @m{0}, @v{0} momentum 0.9 epsilon 1.0e-5 : tensor<5x9x13x7xf32>, tensor<9xf32>, tensor<9xf32>
    %r{0} = nn.relu %n{0} : tensor<5x9x13x7xf32>
    %d{0} = nn.dropout %r{0}, %rng ratio 0.2 stream {0} : tensor<5x9x13x7xf32>, tensor<2xi64>
    %h{1} = nn.add %d{0}, %h{0} : tensor<5x9x13x7xf32>, tensor<5x9x13x7xf32>)mlir",
                                     i, i + 1);
                    },
                    "tensor<5x9x13x7xf32>",
                    {{"s", {9}}, {"b", {9}}, {"w", {9, 9, 3, 3}}, {"m", {9}}, {"v", {9}}},
                    {5, 9, 13, 7}};

/// Whose values leave the cache of a core: GELUs are then done again without a budget.
const Layers wide{"wide",
                  [](int i) -> std::string {
                    return formatv(R"mlir(
  train.state parameter @w{0} : tensor<24x512xf32> = dense<0.0>
  train.state parameter @v{0} : tensor<512x24xf32> = dense<0.0>)mlir",
                                   i);
                  },
                  [](int i) -> std::string {
                    return formatv(R"mlir(
    %w{0} = train.read @w{0} : tensor<24x512xf32>
    %v{0} = train.read @v{0} : tensor<512x24xf32>
    %p{0} = nn.matmul %h{0}, %w{0} : tensor<96x24xf32>, tensor<24x512xf32>
    %g{0} = nn.gelu %p{0} : tensor<96x512xf32> loc("gelu{0}")
    %q{0} = nn.matmul %g{0}, %v{0} : tensor<96x512xf32>, tensor<512x24xf32>
    %h{1} = nn.add %h{0}, %q{0} : tensor<96x24xf32>, tensor<96x24xf32>)mlir",
                                   i, i + 1);
                  },
                  "tensor<96x24xf32>",
                  {{"w", {24, 512}}, {"v", {512, 24}}},
                  {96, 24}};

std::string programText(const Layers &layers) {
  std::string declarations, body;
  for (int i = 0; i < depth; ++i) {
    declarations += layers.declarations(i);
    body += layers.body(i);
  }
  return formatv(R"mlir(
train.program @deep {{{1}
  train.state rng @rng : tensor<2xi64>
  train.input @x : {0}
  train.input target @t : {0}
  train.output prediction @y : {0}
  train.output loss @loss : tensor<f32>
  train.function forward @forward {{
    %rng = train.read @rng : tensor<2xi64>
    %h0 = train.read @x : {0}
    {2}
    train.write %h{3}, @y : {0}
    %t = train.read @t : {0}
    %loss, %weight = nn.mse_loss mean %h{3}, %t : {0}, {0}
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
})mlir",
                 layers.type, declarations, body, depth);
}

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

Tensor randomTensor(std::mt19937 &numbers, llvm::ArrayRef<int64_t> shape, double size) {
  Tensor tensor = Tensor::zeros(interpret::DType::F32, shape);
  for (double &number : tensor.floats)
    number = float(double(int64_t(numbers() % 257) - 128) / 128 * size);
  return tensor;
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

  /// Compiles it without a budget and with one; both get the same weights.
  void compileBoth(std::mt19937 &random) {
    pipeline::Options options;
    options.optimizer = "adam";
    options.hyperparameters = {"learning_rate=0.01"};
    options.seed = 3;
    less = options;
    ASSERT_NO_FATAL_FAILURE(setBudget(less));
    first = CompiledModel::compile(program->clone(), options);
    second = CompiledModel::compile(program->clone(), less);
    ASSERT_TRUE(first && second);
    ASSERT_TRUE(writeWeights(random, layers(), {first.get(), second.get()}));
  }

  std::optional<Program> program;
  pipeline::Options less;
  std::optional<Memory> without; ///< a budget
  std::unique_ptr<CompiledModel> first, second;
};

TEST_P(MemoryBudget, ChangesNoBit) {
  std::mt19937 random(5);
  ASSERT_NO_FATAL_FAILURE(compileBoth(random));
  std::string errors;
  auto with = memoryOf(*program, less, errors);
  ASSERT_TRUE(with) << errors;
  EXPECT_LE(with->arena, *less.memoryBudget);
  EXPECT_EQ(with->state, without->state);
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
}

TEST_P(MemoryBudget, ChangesNoBitOfGradients) {
  std::mt19937 random(7);
  ASSERT_NO_FATAL_FAILURE(compileBoth(random));
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
      for (const llvm::json::Value &value : *function.getObject("fullest")->getArray("values"))
        bytes += llvm::alignTo(*value.getAsObject()->getInteger("bytes"), 64);
      const std::string name = std::string(layers->name) + ' ' + function.getString("name")->str();
      EXPECT_GE(bytes, *function.getInteger("lower_bound_bytes")) << name;
      EXPECT_LE(bytes, *function.getInteger("working_bytes")) << name;
    }
  }
}

TEST(MemoryBudgets, FunctionsAreDoneAgainWithoutOne) {
  CompiledModel::loadDialects();
  Program program(programText(wide));
  ASSERT_TRUE(program) << takeErrors();
  Program copy = program.clone();
  auto manifest = pipeline::compileToManifest(copy.getModule(), {});
  ASSERT_TRUE(mlir::succeeded(manifest)) << takeErrors();
  EXPECT_NE(manifest->find("gelu0"), std::string::npos);
  EXPECT_NE(manifest->find("recomputed"), std::string::npos);
  EXPECT_EQ(compareFirstStep(program, {}).difference, "");
}

/// An attention behind a mask that is made of positions, then two layers. A buffer with what it gives keeps
/// that.
std::string attentionText(bool isKept) {
  return formatv(R"mlir(
train.program @p {{
  train.input @x : tensor<16x128x640xf32>
  train.input target @t : tensor<16x128x16xf32>
  train.state parameter @wq : tensor<640x16xf32> = dense<0.0>
  train.state parameter @wk : tensor<640x16xf32> = dense<0.0>
  train.state parameter @wv : tensor<640x16xf32> = dense<0.0>
  train.state parameter @w : tensor<16x512xf32> = dense<0.0>
  train.state parameter @v : tensor<512x16xf32> = dense<0.0>
  {0}
  train.output prediction @y : tensor<16x128x16xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {{
    %x = train.read @x : tensor<16x128x640xf32>
    %t = train.read @t : tensor<16x128x16xf32>
    %wq = train.read @wq : tensor<640x16xf32>
    %wk = train.read @wk : tensor<640x16xf32>
    %wv = train.read @wv : tensor<640x16xf32>
    %w = train.read @w : tensor<16x512xf32>
    %v = train.read @v : tensor<512x16xf32>
    %q = nn.matmul %x, %wq : tensor<16x128x640xf32>, tensor<640x16xf32>
    %k = nn.matmul %x, %wk : tensor<16x128x640xf32>, tensor<640x16xf32>
    %u = nn.matmul %x, %wv : tensor<16x128x640xf32>, tensor<640x16xf32>
    %s = nn.matmul %q, %k transpose_b : tensor<16x128x16xf32>, tensor<16x128x16xf32>
    %low = nn.constant dense<0xFF800000> : tensor<f32>
    %n = nn.iota axis 0 : tensor<128xi64>
    %i = nn.reshape %n : tensor<128xi64> -> tensor<128x1xi64>
    %sees = nn.compare ge %i, %n : tensor<128x1xi64>, tensor<128xi64>
    %masked = nn.select %sees, %s, %low : tensor<128x128xi1>, tensor<16x128x128xf32>, tensor<f32>
    %p = nn.softmax %masked axis 2 : tensor<16x128x128xf32>
    %a = nn.matmul %p, %u : tensor<16x128x128xf32>, tensor<16x128x16xf32> loc("attended")
    {1}
    %h = nn.matmul %a, %w : tensor<16x128x16xf32>, tensor<16x512xf32>
    %g = nn.gelu %h : tensor<16x128x512xf32>
    %y = nn.matmul %g, %v : tensor<16x128x512xf32>, tensor<512x16xf32>
    train.write %y, @y : tensor<16x128x16xf32>
    %loss, %weight = nn.mse_loss mean %y, %t : tensor<16x128x16xf32>, tensor<16x128x16xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
})mlir",
                 isKept ? "train.state buffer @kept : tensor<16x128x16xf32> = dense<0.0>" : "",
                 isKept ? "train.write %a, @kept : tensor<16x128x16xf32>" : "");
}

using Shapes = std::vector<std::pair<std::string, std::vector<int64_t>>>;

/// Two programs that differ in what they keep, which the node `again` makes: in the first one it is done
/// again, and the gradients have the same bits.
void expectSameBits(std::string (*text)(bool isKept), llvm::StringRef again, const Shapes &weights,
                    llvm::ArrayRef<int64_t> input, llvm::ArrayRef<int64_t> target,
                    const pipeline::Options &options = {}) {
  CompiledModel::loadDialects();
  std::unique_ptr<CompiledModel> models[2];
  for (bool isKept : {false, true}) {
    Program program(text(isKept));
    ASSERT_TRUE(program) << takeErrors();
    if (!isKept) {
      Program copy = program.clone();
      auto manifest = pipeline::compileToManifest(copy.getModule(), options);
      ASSERT_TRUE(mlir::succeeded(manifest)) << takeErrors();
      EXPECT_TRUE(llvm::StringRef(*manifest).split("\"recomputed\"").second.split(']').first.contains(again));
    }
    models[isKept] = CompiledModel::compile(program, options);
    ASSERT_TRUE(models[isKept]);
  }
  std::mt19937 random(11);
  for (auto &[name, shape] : weights) {
    Tensor value = randomTensor(random, shape, 0.2);
    ASSERT_TRUE(models[0]->write(name, value) && models[1]->write(name, value));
  }
  Tensor x = randomTensor(random, input, 1), t = randomTensor(random, target, 1);
  float losses[2] = {0, 1};
  ASSERT_TRUE(models[0]->gradStep({x, t}, losses[0]) && models[1]->gradStep({x, t}, losses[1]));
  EXPECT_EQ(losses[0], losses[1]);
  for (auto &[name, shape] : weights) {
    Tensor one = Tensor::zeros(interpret::DType::F32, shape), other = one;
    ASSERT_TRUE(models[0]->readGradient(name, one) && models[1]->readGradient(name, other));
    EXPECT_EQ(one.floats, other.floats) << "gradient of " << name;
    EXPECT_NE(one.floats, Tensor::zeros(interpret::DType::F32, shape).floats) << name;
  }
}

// What an attention gives is done again in the kernel of its gradients.
TEST(MemoryBudgets, AttentionsAreDoneAgainWithoutOne) {
  expectSameBits(
      attentionText, "\"attended\"",
      {{"wq", {640, 16}}, {"wk", {640, 16}}, {"wv", {640, 16}}, {"w", {16, 512}}, {"v", {512, 16}}},
      {16, 128, 640}, {16, 128, 16});
}

/// Layers with GELUs, and a bias in every other one; buffers with what these give keep that.
std::string gelusText(bool isKept) {
  std::string declarations, body;
  for (int i = 0; i < 4; ++i) {
    bool hasBias = i % 2 == 1;
    declarations += formatv("  train.state parameter @w{0} : tensor<40x512xf32> = dense<0.0>\n"
                            "  train.state parameter @v{0} : tensor<512x40xf32> = dense<0.0>\n",
                            i);
    body += formatv("    %w{0} = train.read @w{0} : tensor<40x512xf32>\n"
                    "    %v{0} = train.read @v{0} : tensor<512x40xf32>\n"
                    "    %p{0} = nn.matmul %h{0}, %w{0} : tensor<4x136x40xf32>, tensor<40x512xf32>\n",
                    i);
    if (hasBias) {
      declarations += formatv("  train.state parameter @b{0} : tensor<512xf32> = dense<0.25>\n", i);
      body += formatv("    %b{0} = train.read @b{0} : tensor<512xf32>\n"
                      "    %a{0} = nn.add %p{0}, %b{0} : tensor<4x136x512xf32>, tensor<512xf32>\n",
                      i);
    }
    if (isKept) {
      declarations += formatv("  train.state buffer @k{0} : tensor<4x136x512xf32> = dense<0.0>\n", i);
      body += formatv("    train.write %g{0}, @k{0} : tensor<4x136x512xf32>\n", i);
    }
    std::string gelu = formatv("    %g{0} = nn.gelu %{1}{0} : tensor<4x136x512xf32> loc(\"gelu{0}\")\n", i,
                               hasBias ? "a" : "p");
    size_t at = isKept ? body.rfind("    train.write") : body.size();
    body.insert(at, gelu);
    body += formatv("    %q{0} = nn.matmul %g{0}, %v{0} : tensor<4x136x512xf32>, tensor<512x40xf32>\n"
                    "    %h{1} = nn.add %h{0}, %q{0} : tensor<4x136x40xf32>, tensor<4x136x40xf32>\n",
                    i, i + 1);
  }
  return formatv(R"mlir(
train.program @deep {{
{0}  train.input @x : tensor<4x136x40xf32>
  train.input target @t : tensor<4x136x40xf32>
  train.output prediction @y : tensor<4x136x40xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {{
    %h0 = train.read @x : tensor<4x136x40xf32>
{1}    train.write %h4, @y : tensor<4x136x40xf32>
    %t = train.read @t : tensor<4x136x40xf32>
    %loss, %weight = nn.mse_loss mean %h4, %t : tensor<4x136x40xf32>, tensor<4x136x40xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
})mlir",
                 declarations, body);
}

// What is made again for the gradient of a weight lies in panels, which tiles of eight rows divide, and those
// of six do not.
TEST(MemoryBudgets, PanelsChangeNoBit) {
  Shapes weights;
  for (int i = 0; i < 4; ++i)
    weights.insert(weights.end(),
                   {{"w" + std::to_string(i), {40, 512}}, {"v" + std::to_string(i), {512, 40}}});
  for (const char *cpu : {"", "x86-64-v3"}) {
    if (*cpu && !CompiledModel::runsHere(cpu))
      continue;
    pipeline::Options options;
    options.cpu = cpu;
    expectSameBits(gelusText, "\"gelu0\"", weights, {4, 136, 40}, {4, 136, 40}, options);
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
