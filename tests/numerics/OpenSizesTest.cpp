//===- OpenSizesTest.cpp - sizes that are given to predict -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs with two named dims, compiled once, predict at many sizes; the interpreter, which takes its sizes
// from the inputs, must agree. The sizes lie around multiples of vectors and register tiles. And of an input
// whose size is a multiple of a named dim, all values are checked.
//===----------------------------------------------------------------------===//
#include "compiler/backward/Passes.h"
#include "compiler/forward/Passes.h"
#include "tests/numerics/CompiledModel.h"

#include <random>

namespace dlc::numerics {
namespace {

/// Writes out the types: "<batch time 10>" of f32, "<batch i64>" of another dtype.
std::string expandTypes(llvm::StringRef text) {
  std::string result;
  while (!text.empty()) {
    auto [before, rest] = text.split('<');
    result += before;
    if (rest.empty())
      break;
    auto [words, after] = rest.split('>');
    text = after;
    std::string sizes, names, dtype = "f32";
    bool isNamed = false;
    llvm::SmallVector<llvm::StringRef> extents;
    words.split(extents, ' ', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef extent : extents) {
      if (extent == "i64" || extent == "f32") {
        dtype = extent.str();
        continue;
      }
      bool isStatic = llvm::all_of(extent, llvm::isDigit);
      isNamed |= !isStatic;
      sizes += (isStatic ? extent.str() : "?") + "x";
      names += (names.empty() ? "" : ", ") + (isStatic ? "_" : "\"" + extent.str() + "\"");
    }
    result += "tensor<" + sizes + dtype + (isNamed ? ", #nn.dims<" + names + ">" : "") + ">";
  }
  return result;
}

/// Attention over an open number of positions, with its softmax along them; sums, a maximum, its place and a
/// mean over them; positions moved to the front and to the back; both dims merged to one.
const char *const attention = R"(
train.program @open {
  train.dim @batch = 5
  train.dim @time = 70
  train.state parameter @table : <11 10>
  train.state parameter @w : <10 10>
  train.state parameter @b : <10>
  train.input @ids range [0, 11) : <batch time i64>
  train.input @x : <batch time 10>
  train.output prediction @scores : <batch 2 time time>
  train.output prediction @y : <batch time 10>
  train.output prediction @mean : <batch 10>
  train.output prediction @largest : <batch 10>
  train.output prediction @place : <batch 10 i64>
  train.output prediction @front : <time batch 10>
  train.output prediction @back : <batch 10 time>
  train.output prediction @flat : <batch*time 10>
  train.output prediction @part : <batch time 2>
  train.output prediction @shares : <batch time 10>
  train.output prediction @norms : <batch time 10>
  train.output prediction @both : <batch time 20>
  train.output prediction @total : <f32>
  train.function forward @forward {
    %ids = train.read @ids : <batch time i64>
    %x = train.read @x : <batch time 10>
    %table = train.read @table : <11 10>
    %w = train.read @w : <10 10>
    %b = train.read @b : <10>
    %e = nn.gather %table, %ids axis 0 : <11 10>, <batch time i64>
    %h = nn.add %e, %x : <batch time 10>, <batch time 10>
    %q0 = nn.matmul %h, %w : <batch time 10>, <10 10>
    %q1 = nn.add %q0, %b : <batch time 10>, <10>
    %q2 = nn.reshape %q1 : <batch time 10> -> <batch time 2 5>
    %q = nn.transpose %q2 [0, 2, 1, 3] : <batch time 2 5>
    %k2 = nn.reshape %h : <batch time 10> -> <batch time 2 5>
    %k = nn.transpose %k2 [0, 2, 3, 1] : <batch time 2 5>
    %v = nn.transpose %k2 [0, 2, 1, 3] : <batch time 2 5>
    %s0 = nn.matmul %q, %k : <batch 2 time 5>, <batch 2 5 time>
    %s = nn.softmax %s0 axis 3 : <batch 2 time time>
    train.write %s, @scores : <batch 2 time time>
    %a0 = nn.matmul %s, %v : <batch 2 time time>, <batch 2 time 5>
    %a1 = nn.transpose %a0 [0, 2, 1, 3] : <batch 2 time 5>
    %a = nn.reshape %a1 : <batch time 2 5> -> <batch time 10>
    %y = nn.add %a, %h : <batch time 10>, <batch time 10>
    train.write %y, @y : <batch time 10>
    %m = nn.mean %y axes [1] : <batch time 10>
    train.write %m, @mean : <batch 10>
    %l = nn.reduce_max %h axes [1] : <batch time 10>
    train.write %l, @largest : <batch 10>
    %i = nn.argmax %h axis 1 : <batch time 10>
    train.write %i, @place : <batch 10 i64>
    %f = nn.transpose %y [1, 0, 2] : <batch time 10>
    train.write %f, @front : <time batch 10>
    %t = nn.transpose %y [0, 2, 1] : <batch time 10>
    train.write %t, @back : <batch 10 time>
    %r0 = nn.relu %h : <batch time 10>
    %r = nn.reshape %r0 : <batch time 10> -> <batch*time 10>
    train.write %r, @flat : <batch*time 10>
    %c = nn.slice %h starts [0, 0, 3] limits [-1, -1, 7] steps [1, 1, 2] : <batch time 10>
    train.write %c, @part : <batch time 2>
    %p = nn.softmax %y axis 1 : <batch time 10>
    train.write %p, @shares : <batch time 10>
    %n = nn.log_softmax %y axis 2 : <batch time 10>
    train.write %n, @norms : <batch time 10>
    %o = nn.concat %x, %y axis 2 : <batch time 10>, <batch time 10>
    train.write %o, @both : <batch time 20>
    %sum = nn.sum %x axes [0, 1, 2] : <batch time 10>
    train.write %sum, @total : <f32>
  }
})";

Tensor randomTensor(std::mt19937 &numbers, llvm::ArrayRef<int64_t> shape) {
  Tensor tensor = Tensor::zeros(interpret::DType::F32, shape);
  for (double &number : tensor.floats)
    number = double(int64_t(numbers() % 257) - 128) / 128;
  return tensor;
}

struct OpenSizes : testing::TestWithParam<const char *> {
  void SetUp() override { CompiledModel::loadDialects(); }
};

TEST_P(OpenSizes, PredictAsTheInterpreterDoes) {
  llvm::StringRef cpu = GetParam();
  if (!CompiledModel::runsHere(cpu))
    GTEST_SKIP() << "this machine lacks instructions of " << cpu.str();
  Program compiled(expandTypes(attention)), interpreted(expandTypes(attention));
  ASSERT_TRUE(compiled && interpreted) << takeErrors();
  std::vector<std::string> names;
  for (auto output : compiled.get().getBody().getOps<train::OutputOp>())
    names.push_back(output.getSymName().str());
  interpreted.run(forward::createResolveModes());
  interpreted.runBackward();
  auto interpreter = interpret::Interpreter::create(interpreted.get());
  pipeline::Options options;
  options.cpu = cpu.str();
  auto model = CompiledModel::compile(compiled, options);
  ASSERT_TRUE(model && mlir::succeeded(interpreter)) << takeErrors();
  std::mt19937 random(3);
  for (auto [name, shape] :
       std::map<std::string, llvm::SmallVector<int64_t>>{{"table", {11, 10}}, {"w", {10, 10}}, {"b", {10}}}) {
    Tensor value = randomTensor(random, shape);
    ASSERT_TRUE(model->write(name, value));
    ASSERT_TRUE(mlir::succeeded(interpreter->setState(name, value)));
  }
  // The large sizes come first: what they leave in the arena must not show in the small ones.
  for (auto [batch, time] : std::vector<std::pair<int64_t, int64_t>>{
           {5, 70}, {1, 1}, {3, 7}, {5, 8}, {2, 64}, {1, 70}, {4, 33}, {5, 1}, {2, 17}, {5, 70}}) {
    Tensor x = randomTensor(random, {batch, time, 10});
    Tensor ids = Tensor::zeros(interpret::DType::I64, {batch, time});
    for (int64_t &id : ids.ints)
      id = int64_t(random() % 11);
    ASSERT_TRUE(mlir::succeeded(interpreter->run("predict", {{"ids", ids}, {"x", x}}))) << takeErrors();
    std::vector<Tensor> found;
    for (const std::string &name : names)
      found.push_back(Tensor::zeros(interpreter->output(name)->dtype, interpreter->output(name)->shape));
    ASSERT_TRUE(model->predict(batch, {ids, x}, found, {time}));
    for (auto [name, result] : llvm::zip_equal(names, found))
      EXPECT_TRUE(agree(result, *interpreter->output(name), 2e-5))
          << name << " of " << batch << " rows with " << time << " positions";
  }
}

INSTANTIATE_TEST_SUITE_P(Cpu, OpenSizes, testing::ValuesIn(CompiledModel::cpus({"native", "x86-64-v3"})),
                         [](const testing::TestParamInfo<const char *> &info) {
                           return info.param == llvm::StringRef("native") ? "native" : "avx2";
                         });

/// 32 labels a row, merged with the rows: the last of them all is as much checked as the first.
TEST(Labels, OfAProductOfDimsAreAllChecked) {
  CompiledModel::loadDialects();
  for (llvm::StringRef dtype : {"i64", "i32"}) {
    std::string text = expandTypes(R"(
train.program @words {
  train.dim @batch = 4
  train.state parameter @w : <3 6>
  train.input @x : <batch 32 3>
  train.input target @labels range [0, 6) ignore -100 : <32*batch i64>
  train.output prediction @scores : <32*batch 6>
  train.output loss @loss : <f32>
  train.function forward @forward {
    %x = train.read @x : <batch 32 3>
    %w = train.read @w : <3 6>
    %labels = train.read @labels : <32*batch i64>
    %0 = nn.reshape %x : <batch 32 3> -> <32*batch 3>
    %1 = nn.matmul %0, %w : <32*batch 3>, <3 6>
    train.write %1, @scores : <32*batch 6>
    %loss, %weight = nn.softmax_cross_entropy mean %1, %labels ignore_index -100 : <32*batch 6>, <32*batch i64>
    train.loss %loss, %weight : <f32>, <f32>
  }
})");
    for (size_t at = 0; dtype == "i32" && (at = text.find("xi64", at)) != std::string::npos;)
      text.replace(at, 4, "xi32");
    Program program(text);
    ASSERT_TRUE(program) << takeErrors();
    auto model = CompiledModel::compile(program);
    ASSERT_TRUE(model) << takeErrors();
    std::mt19937 random(1);
    Tensor x = randomTensor(random, {4, 32, 3});
    Tensor labels = Tensor::zeros(dtype == "i32" ? interpret::DType::I32 : interpret::DType::I64, {128});
    float loss = 0;
    EXPECT_EQ(model->statusOfGradStep({x, labels}, loss), 0) << model->lastError();
    for (int64_t position : {0, 4, 127}) {
      for (int64_t bad : {-1, 6, 1000000}) {
        Tensor wrong = labels;
        wrong.ints[position] = bad;
        EXPECT_EQ(model->statusOfGradStep({x, wrong}, loss), 5) << dtype.str() << " at " << position;
        EXPECT_NE(model->lastError().find("value " + std::to_string(bad) + " at position " +
                                          std::to_string(position)),
                  std::string::npos)
            << model->lastError();
      }
      Tensor ignored = labels;
      ignored.ints[position] = -100;
      EXPECT_EQ(model->statusOfGradStep({x, ignored}, loss), 0) << model->lastError();
    }
  }
}

} // namespace
} // namespace dlc::numerics
