//===- PartsTest.cpp - slices and concatenations, which are parts of places ===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs of parts/*.mlir: splits of a product, slices of odd sizes, with steps, reversed, empty and of
// one position, parts that are given, used twice or parts of parts, tensors with zeros around them,
// parameters in parts, positions of a transposed tensor, blocks of convolutions, windows that share elements
// or lie in the padding in part. Parameters are random, so that no part equals another.
//===----------------------------------------------------------------------===//
#include "compiler/forward/Passes.h"
#include "tests/numerics/CompiledModel.h"
#include "tests/numerics/FirstStep.h"
#include "llvm/Support/MemoryBuffer.h"

#include <random>

namespace dlc::numerics {
namespace {

std::string textOf(const std::string &name) {
  auto file = llvm::MemoryBuffer::getFile(DLC_NUMERICS_DIR "/parts/" + name + ".mlir");
  EXPECT_TRUE(bool(file)) << name;
  return file ? (*file)->getBuffer().str() : "";
}

/// The program of a file, with random parameters.
Program programOf(const std::string &name) {
  Program program(textOf(name));
  std::mt19937 random(5);
  std::uniform_real_distribution<float> numbers(-0.4, 0.4);
  if (program)
    for (auto state : program.get().getBody().getOps<train::StateOp>()) {
      auto type = mlir::cast<mlir::RankedTensorType>(state.getType());
      std::vector<float> values(type.getNumElements());
      for (float &value : values)
        value = numbers(random);
      state.setInitialAttr(mlir::DenseElementsAttr::get(type, llvm::ArrayRef(values)));
    }
  return program;
}

struct Parts : testing::TestWithParam<const char *> {
  void SetUp() override { CompiledModel::loadDialects(); }
};

TEST_P(Parts, StepAsTheInterpreterDoes) {
  Program program = programOf(GetParam());
  ASSERT_TRUE(program) << takeErrors();
  program.addToRecipe({{"loss", "mse"}});
  program.run(forward::createAttachLoss());
  for (const char *cpu : CompiledModel::cpus({"native", "x86-64-v3", "x86-64"})) {
    if (!CompiledModel::runsHere(cpu))
      continue;
    pipeline::Options options;
    options.cpu = cpu;
    EXPECT_EQ(compareFirstStep(program, options).difference, "") << cpu << takeErrors();
  }
}

INSTANTIATE_TEST_SUITE_P(Program, Parts,
                         testing::Values("attention", "dense", "empty", "inception", "mixed", "narrow",
                                         "overlap", "padded", "padded_line", "padded_twice", "partial",
                                         "pooled", "positions", "reverse", "rows", "split", "weights",
                                         "written"),
                         [](const testing::TestParamInfo<const char *> &info) { return info.param; });

struct OpenParts : Parts {};

TEST_P(OpenParts, PredictAsTheInterpreterDoes) {
  Program program = programOf(GetParam()), interpreted = program.clone();
  ASSERT_TRUE(program) << takeErrors();
  interpreted.run(forward::createResolveModes());
  interpreted.runBackward();
  auto interpreter = interpret::Interpreter::create(interpreted.get());
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model && mlir::succeeded(interpreter)) << takeErrors();
  auto input = *program.get().getBody().getOps<train::InputOp>().begin();
  std::mt19937 random(3);
  for (auto [batch, seq] : std::vector<std::pair<int64_t, int64_t>>{{3, 5}, {1, 1}, {2, 3}, {3, 1}, {3, 5}}) {
    std::vector<int64_t> shape;
    int64_t open = 0;
    for (int64_t size : mlir::cast<mlir::RankedTensorType>(input.getType()).getShape())
      shape.push_back(!mlir::ShapedType::isDynamic(size) ? size : open++ == 0 ? batch : seq);
    Tensor x = Tensor::zeros(interpret::DType::F32, shape);
    for (double &number : x.floats)
      number = double(int64_t(random() % 257) - 128) / 128;
    ASSERT_TRUE(mlir::succeeded(interpreter->run("predict", {{"x", x}}))) << takeErrors();
    const Tensor &expected = *interpreter->output("y");
    std::vector<Tensor> found{Tensor::zeros(expected.dtype, expected.shape)};
    ASSERT_TRUE(model->predict(batch, {x}, found, {seq}));
    EXPECT_TRUE(agree(found[0], expected, 2e-5)) << batch << " rows with " << seq << " positions";
  }
}

INSTANTIATE_TEST_SUITE_P(Program, OpenParts, testing::Values("open", "open_offset", "open_padded"),
                         [](const testing::TestParamInfo<const char *> &info) { return info.param; });

} // namespace
} // namespace dlc::numerics
