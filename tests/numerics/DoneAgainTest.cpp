//===- DoneAgainTest.cpp - values computed again without a memory budget --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What takes little time is done again in the backward pass instead of being kept. A program that keeps such
// a value, because it writes it to a buffer, has the same gradients, bit for bit.
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Compile.h"
#include "tests/numerics/CompiledModel.h"
#include "tests/numerics/DeepPrograms.h"
#include "tests/numerics/FirstStep.h"
#include "llvm/Support/FormatVariadic.h"

namespace dlc::numerics {
namespace {

using llvm::formatv;

TEST(DoneAgain, Functions) {
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
      auto manifest = pipeline::compileToManifest(copy.getModule(), CompiledModel::forTestedMachine(options));
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

// What an attention gives is done again in the kernel of its gradients, where the second-level cache is of the
// usual size: where it is larger, as this machine's may be, the attention is not cut into steps.
TEST(DoneAgain, Attentions) {
  pipeline::Options options;
  if (const char *cpu = CompiledModel::cpus({"", "x86-64-v3"}).back(); *cpu && CompiledModel::runsHere(cpu))
    options.cpu = cpu;
  expectSameBits(
      attentionText, "\"attended\"",
      {{"wq", {640, 16}}, {"wk", {640, 16}}, {"wv", {640, 16}}, {"w", {16, 512}}, {"v", {512, 16}}},
      {16, 128, 640}, {16, 128, 16}, options);
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
TEST(DoneAgain, InPanels) {
  Shapes weights;
  for (int i = 0; i < 4; ++i)
    weights.insert(weights.end(),
                   {{"w" + std::to_string(i), {40, 512}}, {"v" + std::to_string(i), {512, 40}}});
  for (const char *cpu : CompiledModel::cpus({"", "x86-64-v3"})) {
    if (*cpu && !CompiledModel::runsHere(cpu))
      continue;
    pipeline::Options options;
    options.cpu = cpu;
    expectSameBits(gelusText, "\"gelu0\"", weights, {4, 136, 40}, {4, 136, 40}, options);
  }
}

} // namespace
} // namespace dlc::numerics
