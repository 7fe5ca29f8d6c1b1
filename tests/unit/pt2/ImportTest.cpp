//===- ImportTest.cpp - exported programs, sound and not
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Import.h"
#include "dialects/train/Train.h"
#include "frontends/pt2/Sizes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/unit/pt2/Archives.h"
#include "gtest/gtest.h"

namespace {

using namespace archives;

void expectHas(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in: " << text;
}
void expectHasNot(const std::string &text, const std::string &part) {
  EXPECT_EQ(text.find(part), std::string::npos) << part;
}

class Pt2 : public testing::Test {
protected:
  /// The program as text, or "" after errors.
  std::string import(const std::string &bytes) {
    messages.clear();
    options.contents = bytes;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
      return mlir::success();
    });
    auto module = dlc::pt2::importPt2("net.pt2", options, context);
    std::string text;
    if (module) {
      llvm::raw_string_ostream stream(text);
      module->print(stream);
    }
    return text;
  }
  std::string import(const Program &program) { return import(program.bytes()); }
  void expectRefused(const Program &program, const std::string &part) {
    expectRefused(program.bytes(), part);
  }
  void expectRefused(const std::string &bytes, const std::string &part) {
    EXPECT_EQ(import(bytes), "");
    expectHas(messages, part);
  }

  void SetUp() override { options.batch = 8; }
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  dlc::pt2::ImportOptions options;
  std::string messages;
};

//===-- What is read -----------------------------------------------------------===//

TEST_F(Pt2, MakesAProgram) {
  std::string text = import(perceptron());
  EXPECT_EQ(messages, "");
  expectHas(text, "train.dim @batch = 8");
  expectHas(text, "train.state parameter @w : tensor<4x3xf32>");
  expectHas(text, "train.input @x : tensor<?x3xf32, #nn.dims<batch, _>>");
  expectHas(text, "train.output prediction @output : tensor<?x4xf32, #nn.dims<batch, _>>");
  expectHas(text, "transpose_b");
  expectHas(text, "nn.relu");
}

TEST_F(Pt2, FreezesWhatNeedsNoGradient) {
  Program program = perceptron();
  program.weights.clear();
  program.inputSpecs.clear();
  program.parameter("w", {4, 3}, /*requiresGrad=*/false);
  program.parameter("b", {4});
  program.input("x", {"s0", "3"});
  std::string text = import(program);
  expectHas(text, "train.state parameter @w frozen :");
  expectHas(text, "train.state parameter @b :");
}

TEST_F(Pt2, TiesParametersOfOneStorage) {
  Program program = perceptron();
  program.parameter("tied", {4, 3});
  program.weights["tied"] = program.weights["w"];
  program.node("aten.linear.default", "again", tensor("input", "x") + ", " + tensor("weight", "p_tied"),
               {7, {"s0", "4"}});
  program.output("again");
  std::string text = import(program);
  expectHas(text, "@w :");
  expectHasNot(text, "@tied");
  expectHas(text, "@output_0");
  expectHas(text, "@output_1");
}

TEST_F(Pt2, RefusesParametersThatOverlap) {
  Program program = perceptron();
  program.parameter("part", {2, 3});
  std::string &entry = program.weights["part"];
  entry.replace(entry.find("weight_2"), 8, "weight_0");
  expectRefused(program, "parameter 'part' shares a part of its numbers with another parameter");
}

TEST_F(Pt2, ReadsTransposedTensors) {
  Program program = perceptron();
  std::string &entry = program.weights["w"]; // columns lie together: element (i, j) is i + 4 j
  size_t strides = entry.find("\"strides\": ");
  entry.replace(strides, entry.find(']', strides) + 1 - strides,
                "\"strides\": [{\"as_int\": 1}, {\"as_int\": 4}]");
  expectHas(import(program), "dense<[[0.000000e+00, 5.000000e-01, 1.000000e+00], [1.250000e-01");
}

TEST_F(Pt2, ReadsNarrowFloats) {
  Program program = perceptron();
  std::string &entry = program.weights["b"], &blob = program.blobs["weights/weight_1"];
  entry.replace(entry.find("\"dtype\": 7"), 10, "\"dtype\": 6");
  blob = std::string("\0\x3c\0\xc0\xff\x7b\1\0", 8); // 1, -2, 65504, 2^-24
  expectHas(import(program), "dense<[1.000000e+00, -2.000000e+00, 6.550400e+04, 5.96046448E-8]>");
  entry.replace(entry.find("\"dtype\": 6"), 10, "\"dtype\": 13");
  blob = std::string("\x80\x3f\0\xc0\x80\x7f\0\0", 8); // 1, -2, infinity, 0
  expectHas(import(program), "dense<[1.000000e+00, -2.000000e+00, 0x7F800000, 0.000000e+00]>");
}

TEST_F(Pt2, KeepsBuffersThatChangeAsStates) {
  Program program = perceptron();
  program.buffer("seen", {4});
  program.buffer("scale", {4});
  program.node("aten.add_.Tensor", "add_", tensor("self", "b_seen") + ", " + integer("other", 1), {7, {"4"}});
  program.node("aten.mul.Tensor", "mul", tensor("self", "relu") + ", " + tensor("other", "b_scale"),
               {7, {"s0", "4"}});
  program.node("aten.add.Tensor", "sum", tensor("self", "mul") + ", " + tensor("other", "add_"),
               {7, {"s0", "4"}});
  program.output("sum");
  std::string text = import(program);
  EXPECT_EQ(messages, "");
  expectHas(text, "train.state buffer @seen");
  expectHas(text, ", @seen : tensor<4xf32>"); // written at the end
  expectHasNot(text, "@scale");               // a constant
}

TEST_F(Pt2, StaysInTheModeThatWasRecorded) {
  auto dropout = [](bool isTraining) {
    Program program = perceptron();
    program.outputSpecs.clear();
    program.node("aten.dropout.default", "dropout",
                 tensor("input", "relu") + ", " + number("p", "0.25") + ", " + flag("train", isTraining),
                 {7, {"s0", "4"}});
    program.output("dropout");
    return program;
  };
  expectHas(import(dropout(true)), "nn.dropout");
  EXPECT_EQ(messages, "");
  expectHasNot(import(dropout(false)), "nn.dropout");
  expectHas(messages, "the module was exported in evaluation mode: 1 dropout");
}

TEST_F(Pt2, ReadsSizes) {
  auto product =
      dlc::pt2::parseProduct("Mul(Integer(4), Symbol('s77', positive=True, integer=True), Symbol('u0'))");
  ASSERT_TRUE(product.has_value());
  EXPECT_EQ(product->factor, 4);
  ASSERT_EQ(product->symbols.size(), 2u);
  EXPECT_EQ(product->symbols[0], "s77");
  EXPECT_EQ(product->symbols[1], "u0");
  EXPECT_TRUE(dlc::pt2::parseProduct("Symbol('s0')").has_value());
  for (const char *text :
       {"", "Add(Symbol('s0'), Integer(1))", "Symbol('s0", "Symbol('s0')x", "Mul(", "Mul(Integer(2)",
        "Symbol('')", "Integer(-3)", "Mul(Integer(9223372036854775807), Integer(2))"})
    EXPECT_FALSE(dlc::pt2::parseProduct(text).has_value()) << text;
}

TEST_F(Pt2, ReadsMultiplesOfTheBatch) {
  Program program;
  program.input("x", {"Mul(Integer(2), Symbol('s0', positive=True))", "3"});
  program.input("y", {"s0", "6"});
  program.node("aten.view.default", "view", tensor("self", "x") + ", " + integers("size", {-1, 6}),
               {7, {"s0", "6"}});
  program.node("aten.add.Tensor", "add", tensor("self", "view") + ", " + tensor("other", "y"),
               {7, {"s0", "6"}});
  program.output("add");
  expectHas(import(program), "#nn.dims<\"2*batch\", _>");
}

//===-- What is refused --------------------------------------------------------===//

TEST_F(Pt2, RefusesOperatorsByName) {
  Program program = perceptron();
  const std::string trace =
      "File \\\"/home/me/net.py\\\", line 12, in forward\\n    y = torch.fft.fft(x)\\n  File "
      "\\\"/torch/nn/modules/linear.py\\\", line 9, in forward\\n    return F.linear(x)";
  program.node("aten.fft_fft.default", "fft_fft", tensor("self", "x"), {7, {"s0", "3"}}, trace);
  program.node("aten.fft_fft.default", "fft_fft_1", tensor("self", "x"), {7, {"s0", "3"}});
  program.node("my.own.default", "own", tensor("self", "x"), {7, {"s0", "3"}});
  program.output("fft_fft_1");
  expectRefused(program,
                "operator aten.fft_fft.default is not supported: 2 nodes: 'fft_fft'; /home/me/net.py:12, in "
                "forward: y = torch.fft.fft(x), 'fft_fft_1'\n");
  expectHas(messages, "operator my.own.default is not supported: node 'own'\n");
}

TEST_F(Pt2, RefusesArgumentsThatItDoesNotKnow) {
  Program program = perceptron();
  program.node("aten.relu.default", "odd", tensor("self", "x") + ", " + integer("newer", 1),
               {7, {"s0", "3"}});
  expectRefused(program, "node 'odd' (aten.relu.default): the argument 'newer' is not supported");
}

TEST_F(Pt2, RefusesWritesThatOthersSee) {
  auto written = [](bool isReadLater) {
    Program program = perceptron();
    program.node("aten.select.int", "row",
                 tensor("self", "p_w") + ", " + integer("dim", 0) + ", " + integer("index", 1), {7, {"3"}});
    program.node("aten.mul.Tensor", "base", tensor("self", "x") + ", " + tensor("other", "row"),
                 {7, {"s0", "3"}});
    program.node("aten.select.int", "view",
                 tensor("self", "base") + ", " + integer("dim", 1) + ", " + integer("index", 1), {7, {"s0"}});
    program.node("aten.mul_.Tensor", "mul_", tensor("self", "view") + ", " + integer("other", 2),
                 {7, {"s0"}});
    program.output(isReadLater ? "base" : "mul_");
    if (isReadLater)
      program.node("aten.relu.default", "last", tensor("self", "base"), {7, {"s0", "3"}});
    return program;
  };
  expectRefused(written(true),
                "writes into 'view', which may share its numbers with 'base', which is read later");
  expectHas(messages, "run_decompositions");
  EXPECT_NE(import(written(false)), "") << messages;
  Program program = perceptron();
  program.node("aten.mul_.Tensor", "mul_", tensor("self", "p_w") + ", " + integer("other", 2),
               {7, {"4", "3"}});
  expectRefused(program, "writes into the parameter 'w'; only the optimizer changes parameters");
}

TEST_F(Pt2, WritesIntoWhatNothingShares) {
  auto written = [](bool isTraining) {
    Program program = perceptron();
    program.outputSpecs.clear();
    program.node("aten.dropout.default", "dropout",
                 tensor("input", "relu") + ", " + number("p", "0.25") + ", " + flag("train", isTraining),
                 {7, {"s0", "4"}});
    program.node("aten.mul_.Tensor", "mul_", tensor("self", "dropout") + ", " + integer("other", 2),
                 {7, {"s0", "4"}});
    program.node("aten.add.Tensor", "sum", tensor("self", "mul_") + ", " + tensor("other", "relu"),
                 {7, {"s0", "4"}});
    program.output("sum");
    return program;
  };
  EXPECT_NE(import(written(true)), "") << messages;
  expectRefused(written(false), "writes into 'dropout', which may share its numbers with 'relu'");
}

TEST_F(Pt2, ChecksWhatTheFileSaysOfResults) {
  Program program = perceptron();
  program.tensors["relu"].sizes = {"s0", "5"};
  expectRefused(program,
                "node 'relu' (aten.relu.default): gives the shape [batch, 4], but the file says that it is "
                "[batch, 5]");
}

TEST_F(Pt2, RefusesSizesOutsideOfTheRange) {
  Program program = perceptron();
  program.ranges = "{\"s0\": {\"min_val\": 2, \"max_val\": 6}}";
  expectRefused(program, "the batch cannot have the size 8: the module was exported for sizes from 2 to 6");
  options.batch = 1; // where PyTorch's range begins at 2, nothing depends on it
  EXPECT_NE(import(program), "") << messages;
  program.ranges = "{\"s0\": {\"min_val\": 4, \"max_val\": null}}";
  expectRefused(program, "the batch cannot have the size 1: the module was exported for sizes from 4 on");
}

TEST_F(Pt2, TellsOfFixedSizes) {
  Program program = perceptron();
  program.tensors["x"].sizes[0] = program.tensors["linear"].sizes[0] = program.tensors["relu"].sizes[0] = "2";
  expectRefused(program, "--batch has no effect: the model's inputs have fixed sizes");
  options.batch = 0;
  EXPECT_NE(import(program), "") << messages;
}

TEST_F(Pt2, RefusesOtherArchives) {
  expectRefused(std::string("nonsense"), "not a .pt2 archive of torch.export.save: not a sound zip archive");
  expectRefused(zipOf({{"a/b", "c"}}), "it has no models/model.json");
  expectRefused(zipOf({{"serialized_exported_program.json", "{}"}}),
                "has the layout of PyTorch 2.7 and earlier");
  expectRefused(zipOf({{"a/data/aotinductor/model/x.so", ""}}), "a model that torch._inductor has compiled");
  Program program = perceptron();
  program.more["models/other.json"] = "{}";
  expectRefused(program, "the archive has 2 models, expected one");
  program = perceptron();
  program.version = 9;
  expectRefused(program, "version 9 of PyTorch's schema, expected version 8");
}

TEST_F(Pt2, RefusesDamagedTensors) {
  Program program = perceptron();
  program.blobs["weights/weight_0"].resize(44);
  expectRefused(
      program, "parameter 'w' needs 12 elements of 4 bytes, and its entry 'net/data/weights/weight_0' has 44 "
               "bytes");
  program.blobs.erase("weights/weight_0");
  expectRefused(program, "the archive has no entry 'net/data/weights/weight_0'");
  program = perceptron();
  program.weights.erase("b");
  expectRefused(program, "parameter 'b' is not in the archive");
  program = perceptron();
  program.weights["b"].replace(program.weights["b"].find("false"), 5, "true");
  expectRefused(program, "'b' is stored as an object of Python");
  for (const char *odd : {"-1", "99999999999999", "\\\"3\\\"", "null", "1.5"}) {
    program = perceptron();
    std::string &entry = program.weights["b"];
    entry.replace(entry.find("{\"as_int\": 4}"), 13, "{\"as_int\": " + std::string(odd) + "}");
    EXPECT_EQ(import(program), "") << odd;
    EXPECT_NE(messages, "") << odd;
  }
  program = perceptron(); // a zip bomb of strides: all elements are the first
  std::string &entry = program.weights["b"];
  entry.replace(entry.find("{\"as_int\": 4}"), 13, "{\"as_int\": 2000000000}");
  entry.replace(entry.find("\"strides\": [{\"as_int\": 1"), 24, "\"strides\": [{\"as_int\": 0");
  expectRefused(program, "has 2000000000 elements of which most are the same");
}

TEST_F(Pt2, RefusesOddGraphs) {
  Program program = perceptron();
  program.node("aten.relu.default", "late", tensor("self", "nowhere"), {7, {"s0", "3"}});
  expectRefused(program,
                "node 'late' (aten.relu.default): reads 'nowhere', which nothing before it produces");
  program = perceptron();
  program.node("aten.relu.default", "linear", tensor("self", "x"), {7, {"s0", "4"}});
  expectRefused(program, "'linear' has another producer already");
  program = perceptron();
  program.outputSpecs.clear();
  expectRefused(program, "the model has no output");
  program = perceptron();
  program.tensors["x"].sizes[0] = "Add(Symbol('s0', positive=True), Integer(1))";
  expectRefused(program, "dim 0 of input 'x' has the size Add(");
  program = perceptron();
  program.tensors["x"].dtype = 1;
  expectRefused(program,
                "node 'linear' (aten.linear.default): expects operands of one dtype, got uint8 and float32");
  program = perceptron();
  program.tensors["x"].dtype = 2;
  expectRefused(program, "input 'x': tensors of type int8 are not supported");
  program = perceptron();
  program.node("aten.relu.default", "number", integer("self", 3), {7, {}});
  EXPECT_NE(import(program), "") << messages; // of a number
  program = perceptron();
  program.node("aten.max_pool2d.default", "pool",
               tensor("self", "x") + ", " + integers("kernel_size", {2, 2}), {7, {"s0", "3"}});
  expectRefused(program, "expects an image [batch, channels, 1 to 3 spatial dims], got shape [batch, 3]");
}

TEST_F(Pt2, FindsAllReasons) {
  Program program = perceptron();
  program.node("aten.one.default", "one", tensor("self", "x"), {7, {"s0", "3"}});
  program.node("aten.relu.default", "after", tensor("self", "one"), {7, {"s0", "3"}});
  program.node("aten.two.default", "two", tensor("self", "x"), {7, {"s0", "3"}});
  std::string bytes = program.bytes();
  options.contents = bytes;
  auto reasons = dlc::pt2::checkPt2("net.pt2", options, context);
  ASSERT_EQ(reasons.size(), 2u);
  expectHas(reasons[0], "aten.one.default");
  expectHas(reasons[1], "aten.two.default");
}

} // namespace
