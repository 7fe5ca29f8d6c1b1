//===- InterpreterTest.cpp - what the interpreter does beside arithmetic --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State between calls, named dims, errors, the first number that is not finite, files.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/TensorFile.h"
#include "tests/numerics/OpCases.h"
#include "tests/numerics/Programs.h"
#include "llvm/Support/FileSystem.h"

#include <cmath>

namespace dlc::numerics {
namespace {

using interpret::DType;
using interpret::Interpreter;

Tensor vector(std::vector<double> numbers, DType dtype = DType::F32) {
  Tensor tensor = Tensor::zeros(dtype, {static_cast<int64_t>(numbers.size())});
  tensor.floats = std::move(numbers);
  return tensor;
}

Tensors inputs(llvm::StringRef name, Tensor value) {
  Tensors named;
  named[name] = std::move(value);
  return named;
}

const char counter[] = R"mlir(
train.program @test {
  train.state buffer @total : tensor<2xf32>
  train.input @x : tensor<2xf32>
  train.output prediction @before : tensor<2xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<2xf32>
    %total = train.read @total : tensor<2xf32>
    %root = nn.sqrt %x : tensor<2xf32> loc("roots")
    %new = nn.add %total, %root : tensor<2xf32>, tensor<2xf32>
    train.write %total, @before : tensor<2xf32>
    train.write %new, @total : tensor<2xf32>
  }
})mlir";

TEST(Interpreter, KeepsStateBetweenCallsAndReadsItAtEntry) {
  Program program(counter);
  auto interpreter = Interpreter::create(program.get());
  for (double runs : {0.0, 1.0, 2.0}) {
    ASSERT_TRUE(mlir::succeeded(interpreter->run("forward", inputs("x", vector({4, 9})))));
    EXPECT_TRUE(agree(*interpreter->output("before"), vector({2 * runs, 3 * runs}), 0));
  }
  EXPECT_TRUE(agree(*interpreter->state("total"), vector({6, 9}), 0));
  EXPECT_TRUE(agree(*interpreter->value("roots"), vector({2, 3}), 0));
}

TEST(Interpreter, LeavesStateAloneAfterAnError) {
  Program program(counter);
  auto interpreter = Interpreter::create(program.get(), {/*roundResults=*/false, /*stopAtNonFinite=*/true});
  EXPECT_TRUE(mlir::failed(interpreter->run("forward", inputs("x", vector({4, -1})))));
  EXPECT_NE(takeErrors().find("nn.sqrt at roots: result 0, element 1"), std::string::npos);
  EXPECT_TRUE(agree(*interpreter->state("total"), vector({0, 0}), 0));
}

TEST(Interpreter, FindsTheFirstNumberThatIsNotFinite) {
  Program program(counter);
  auto interpreter = Interpreter::create(program.get());
  ASSERT_TRUE(mlir::succeeded(interpreter->run("forward", inputs("x", vector({4, -1})))));
  ASSERT_TRUE(interpreter->firstNonFinite());
  EXPECT_EQ(interpreter->firstNonFinite()->op->getName().getStringRef(), "nn.sqrt");
  EXPECT_EQ(interpreter->firstNonFinite()->element, 1);
  // A NaN that comes in is nobody's fault.
  ASSERT_TRUE(mlir::succeeded(interpreter->run("forward", inputs("x", vector({4, NAN})))));
  EXPECT_FALSE(interpreter->firstNonFinite());
}

TEST(Interpreter, RoundsWhenAsked) {
  Program program(counter);
  auto interpreter = Interpreter::create(program.get(), {/*roundResults=*/true, /*stopAtNonFinite=*/false});
  ASSERT_TRUE(mlir::succeeded(interpreter->run("forward", inputs("x", vector({2, 3})))));
  EXPECT_EQ(interpreter->state("total")->floats[0], static_cast<double>(std::sqrt(2.0f)));
}

const char normalized[] = R"mlir(
train.program @test {
  train.input @x : tensor<1x3xf32>
  train.output prediction @y : tensor<1x3xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<1x3xf32>
    %scale = nn.constant dense<1.0> : tensor<3xf32>
    %bias = nn.constant dense<0.0> : tensor<3xf32>
    %y, %mean, %rstd = nn.layer_norm %x, %scale, %bias axis 1 epsilon 1.0e-5 : tensor<1x3xf32>, tensor<3xf32>, tensor<3xf32>
    train.write %y, @y : tensor<1x3xf32>
  }
})mlir";

// What float32 costs in a normalization of large numbers is the rounding of their mean.
TEST(Interpreter, RoundsStatisticsBeforeNormalizing) {
  Program program(normalized);
  Tensor x = Tensor::zeros(DType::F32, {1, 3});
  x.floats = {1e6, 1e6 + 1, 1e6 + 1}; // a float32 holds multiples of 1/16 there: the mean becomes 1e6 + 11/16
  auto sumOf = [&](bool roundResults) {
    auto interpreter = Interpreter::create(program.get(), {roundResults, /*stopAtNonFinite=*/false});
    EXPECT_TRUE(mlir::succeeded(interpreter->run("forward", inputs("x", x))));
    const std::vector<double> &y = interpreter->output("y")->floats;
    return y[0] + y[1] + y[2];
  };
  EXPECT_NEAR(sumOf(false), 0, 1e-9);
  EXPECT_NEAR(sumOf(true), (2 - 3 * 11.0 / 16) / std::sqrt(2.0 / 9 + 1.0 / 2304 + 1e-5), 1e-5);
}

TEST(Interpreter, SaysWhatItExpected) {
  Program program(counter);
  auto interpreter = Interpreter::create(program.get());
  auto errorOf = [&](llvm::StringRef function, const Tensors &given) {
    EXPECT_TRUE(mlir::failed(interpreter->run(function, given)));
    return takeErrors();
  };
  EXPECT_NE(errorOf("predict", {}).find("has no function @predict"), std::string::npos);
  EXPECT_NE(errorOf("forward", {}).find("reads @x, which was not given"), std::string::npos);
  EXPECT_NE(errorOf("forward", inputs("z", vector({1}))).find("has no input @z"), std::string::npos);
  EXPECT_NE(errorOf("forward", inputs("x", vector({1}))).find("found 1xf32"), std::string::npos);
  EXPECT_TRUE(mlir::failed(interpreter->setState("total", vector({1}))));
  EXPECT_NE(takeErrors().find("expected 2xf32, found 1xf32"), std::string::npos);
}

const char batched[] = R"mlir(
train.program @test {
  train.dim @batch = 4
  train.state buffer @mean : tensor<1xf32>
  train.state buffer @var : tensor<1xf32> = dense<1.0>
  train.input @x : tensor<?x1xf32, #nn.dims<batch, _>>
  train.output prediction @y : tensor<?x1xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %x = train.read @x : tensor<?x1xf32, #nn.dims<batch, _>>
    %scale = nn.constant dense<2.0> : tensor<1xf32>
    %bias = nn.constant dense<1.0> : tensor<1xf32>
    %y = train.batch_norm %x, %scale, %bias running @mean, @var momentum 0.75 epsilon 0.0
        : tensor<?x1xf32, #nn.dims<batch, _>>, tensor<1xf32>, tensor<1xf32>
    train.write %y, @y : tensor<?x1xf32, #nn.dims<batch, _>>
  }
})mlir";

TEST(Interpreter, NormalizesByTheActualBatchAndMovesRunningStatistics) {
  Program program(batched);
  auto interpreter = Interpreter::create(program.get());
  Tensor x = Tensor::zeros(DType::F32, {2, 1});
  x.floats = {1, 5};
  ASSERT_TRUE(mlir::succeeded(interpreter->run("forward", inputs("x", x)))) << takeErrors();
  Tensor y = Tensor::zeros(DType::F32, {2, 1});
  y.floats = {-1, 3}; // mean 3, deviation 2
  EXPECT_TRUE(agree(*interpreter->output("y"), y, 1e-15));
  EXPECT_TRUE(agree(*interpreter->state("mean"), vector({0.75}), 1e-15));
  EXPECT_TRUE(agree(*interpreter->state("var"), vector({0.75 + 0.25 * 8}), 1e-15)); // unbiased: 8
}

TEST(Interpreter, ASingleValueHasThePopulationsVariance) {
  Program program(batched);
  auto interpreter = Interpreter::create(program.get());
  ASSERT_TRUE(mlir::succeeded(interpreter->run("forward", inputs("x", Tensor::zeros(DType::F32, {1, 1})))))
      << takeErrors();
  EXPECT_TRUE(agree(*interpreter->state("var"), vector({0.75}), 1e-15)); // and not NaN
}

TEST(Interpreter, RefusesMoreThanTheBound) {
  Program program(batched);
  auto interpreter = Interpreter::create(program.get());
  EXPECT_TRUE(mlir::failed(interpreter->run("forward", inputs("x", Tensor::zeros(DType::F32, {5, 1})))));
  EXPECT_NE(takeErrors().find("expected a size in [1, 4], found 5"), std::string::npos);
}

TEST(TensorFile, KeepsEveryDType) {
  llvm::SmallString<64> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("tensors", "safetensors", path));
  Tensors written;
  for (DType dtype : {DType::F64, DType::F32, DType::F16, DType::BF16})
    written[interpret::str(dtype)] = vector({1.5, -0.25, 3}, dtype);
  for (DType dtype : {DType::I64, DType::I32, DType::UI8, DType::I1}) {
    written[interpret::str(dtype)] = Tensor::zeros(dtype, {2, 1});
    written[interpret::str(dtype)].ints = {1, 0};
  }
  written["rank 0"] = Tensor::scalar(2.5);
  EXPECT_FALSE(interpret::writeTensorFile(path, written));
  auto read = interpret::readTensorFile(path);
  ASSERT_TRUE(static_cast<bool>(read));
  ASSERT_EQ(read->size(), written.size());
  for (auto &entry : written) {
    EXPECT_EQ((*read)[entry.getKey()].dtype, entry.second.dtype);
    EXPECT_TRUE(agree((*read)[entry.getKey()], entry.second, 0)) << entry.getKey().str();
  }
  llvm::sys::fs::remove(path);
}

TEST(TensorFile, RefusesBrokenFiles) {
  std::string broken[] = {"",
                          "short",
                          std::string("\xff\xff\xff\xff\xff\xff\xff\x7f{}", 10),
                          std::string("\2\0\0\0\0\0\0\0[]", 10),
                          std::string("\x42\0\0\0\0\0\0\0", 8) +
                              R"({"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}    )",
                          std::string("\x42\0\0\0\0\0\0\0", 8) +
                              R"({"a": {"dtype": "F99", "shape": [0], "data_offsets": [0, 0]}}     )"};
  for (const std::string &content : broken) {
    llvm::SmallString<64> path;
    int descriptor = -1;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("broken", "safetensors", descriptor, path));
    llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << content;
    auto read = interpret::readTensorFile(path);
    EXPECT_FALSE(static_cast<bool>(read)) << content;
    std::string message = llvm::toString(read.takeError());
    EXPECT_NE(message.find(path.c_str()), std::string::npos) << message;
    llvm::sys::fs::remove(path);
  }
}

} // namespace
} // namespace dlc::numerics
