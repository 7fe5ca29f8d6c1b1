//===- ImportTest.cpp - texts of StableHLO, sound and not
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/stablehlo/Import.h"
#include "frontends/stablehlo/Source.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <cstdio>
#include <fstream>

namespace {

class Stablehlo : public testing::Test {
protected:
  /// The program as text, or "" after errors.
  std::string import(const std::string &bytes) {
    messages.clear();
    options.contents = bytes;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
      return mlir::success();
    });
    auto module = dlc::stablehlo::importStablehlo("net.mlir", options, context);
    std::string text;
    if (module) {
      llvm::raw_string_ostream stream(text);
      module->print(stream);
    }
    return text;
  }

  /// A function of %x, float32 [2, 4] without other `arguments`, whose last value is %y of this type.
  static std::string function(const std::string &operations, const std::string &type,
                              const std::string &arguments = "%x: tensor<2x4xf32>") {
    return "module @jit_f {\n  func.func public @main(" + arguments + ") -> (" + type + ") {\n" + operations +
           "\n    return %y : " + type + "\n  }\n}\n";
  }
  std::string importOf(const std::string &operations, const std::string &type,
                       const std::string &arguments = "%x: tensor<2x4xf32>") {
    std::string text = import(function(operations, type, arguments));
    EXPECT_EQ(messages, remarks);
    return text;
  }
  void expectRefused(const std::string &bytes, const std::string &part) {
    EXPECT_EQ(import(bytes), "");
    EXPECT_NE(messages.find(part), std::string::npos) << "no '" << part << "' in: " << messages;
  }
  void expectRefused(const std::string &operations, const std::string &type, const std::string &part,
                     const std::string &arguments = "%x: tensor<2x4xf32>") {
    expectRefused(function(operations, type, arguments), part);
  }
  static void expectHas(const std::string &text, const std::string &part) {
    EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in: " << text;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  dlc::stablehlo::ImportOptions options;
  std::string messages, remarks; ///< what is said, and what an import is expected to say
};

//===-- What is read -----------------------------------------------------------===//

TEST_F(Stablehlo, ReadsShortAndGenericForms) {
  std::string isShort = importOf("%y = stablehlo.add %x, %x : tensor<2x4xf32>", "tensor<2x4xf32>");
  expectHas(isShort, "train.input @arg0 : tensor<2x4xf32>");
  expectHas(isShort, "nn.add");
  EXPECT_EQ(isShort,
            importOf("%y = \"stablehlo.add\"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>",
                     "tensor<2x4xf32>"));
  EXPECT_EQ(isShort,
            importOf("%y = stablehlo.add %x, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>",
                     "tensor<2x4xf32>"));
}

TEST_F(Stablehlo, ReadsBothFormsOfSettings) {
  EXPECT_EQ(
      importOf("%y = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>",
               "tensor<4x2xf32>"),
      importOf("%y = \"stablehlo.transpose\"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<2x4xf32>) -> "
               "tensor<4x2xf32>",
               "tensor<4x2xf32>"));
  EXPECT_EQ(importOf("%y = stablehlo.slice %x [0:1, 1:4:2] : (tensor<2x4xf32>) -> tensor<1x2xf32>",
                     "tensor<1x2xf32>"),
            importOf("%y = \"stablehlo.slice\"(%x) <{start_indices = array<i64: 0, 1>, limit_indices = "
                     "array<i64: 1, 4>, "
                     "strides = array<i64: 1, 2>}> : (tensor<2x4xf32>) -> tensor<1x2xf32>",
                     "tensor<1x2xf32>"));
  EXPECT_EQ(
      importOf("%y = stablehlo.dot_general %x, %x, batching_dims = [0] x [0], contracting_dims = [1] x [1], "
               "precision = [DEFAULT, DEFAULT] : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2xf32>",
               "tensor<2xf32>"),
      importOf(
          "%y = \"stablehlo.dot_general\"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<"
          "lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], "
          "rhs_contracting_dimensions = [1]>}> : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2xf32>",
          "tensor<2xf32>"));
}

TEST_F(Stablehlo, ReadsReductionsWithAndWithoutRegions) {
  const std::string zero = "%c = stablehlo.constant dense<0.0> : tensor<f32>\n";
  const std::string types = " : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>";
  std::string isShort = importOf(
      zero + "%y = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1]" + types,
      "tensor<2xf32>");
  expectHas(isShort, "nn.sum");
  EXPECT_EQ(isShort,
            importOf(zero + "%y = stablehlo.reduce(%x init: %c) across dimensions = [1]" + types +
                         "\n reducer(%a: tensor<f32>, %b: tensor<f32>) {\n %s = stablehlo.add %a, %b : "
                         "tensor<f32>\n stablehlo.return %s : tensor<f32>\n }",
                     "tensor<2xf32>"));
}

TEST_F(Stablehlo, RectifiersAndMeansAreWhole) {
  expectHas(importOf("%c = stablehlo.constant dense<0.0> : tensor<2x4xf32>\n"
                     "%y = stablehlo.maximum %c, %x : tensor<2x4xf32>",
                     "tensor<2x4xf32>"),
            "nn.relu");
  std::string mean = importOf(
      "%c = stablehlo.constant dense<0.0> : tensor<f32>\n%n = stablehlo.constant dense<4.0> : tensor<2xf32>\n"
      "%s = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, "
      "tensor<f32>) -> tensor<2xf32>\n%y = stablehlo.divide %s, %n : tensor<2xf32>",
      "tensor<2xf32>");
  expectHas(mean, "nn.mean");
}

TEST_F(Stablehlo, ReadsBytes) {
  const std::string bytes = "%x: tensor<2x4xui8>";
  std::string text = importOf("%c = stablehlo.constant dense<200> : tensor<2x4xui8>\n"
                              "%p = stablehlo.compare GT, %x, %c : (tensor<2x4xui8>, tensor<2x4xui8>) -> "
                              "tensor<2x4xi1>\n%z = stablehlo.select %p, %x, %c : tensor<2x4xi1>, "
                              "tensor<2x4xui8>\n%y = stablehlo.convert %z : (tensor<2x4xui8>) -> "
                              "tensor<2x4xf32>",
                              "tensor<2x4xf32>", bytes);
  expectHas(text, "train.input @arg0 : tensor<2x4xui8>");
  expectHas(text, "nn.constant dense<200> : tensor<2x4xui8>");
  expectHas(text, "to f32 : tensor<2x4xui8>");
  expectRefused("%y = stablehlo.add %x, %x : tensor<2x4xui8>", "tensor<2x4xui8>",
                "expects numbers as operand 0, got uint8 [2, 4]; cast bytes to numbers first", bytes);
}

TEST_F(Stablehlo, FollowsOpenSizes) {
  options.batch = 3;
  std::string text = importOf(
      "%b = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>\n"
      "%two = stablehlo.constant dense<2> : tensor<i32>\n%n = stablehlo.multiply %b, %two : tensor<i32>\n"
      "%r = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n%w = stablehlo.constant dense<2> : "
      "tensor<1xi32>\n"
      "%s = stablehlo.concatenate %r, %w, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>\n"
      "%y = stablehlo.dynamic_reshape %x, %s : (tensor<?x4xf32>, tensor<2xi32>) -> tensor<?x2xf32>",
      "tensor<?x2xf32>", "%x: tensor<?x4xf32>");
  expectHas(text, "train.dim @batch = 3");
  expectHas(text, "train.output prediction @output : tensor<?x2xf32, #nn.dims<\"2*batch\", _>>");
}

TEST_F(Stablehlo, StopsGradientsInFunctionsOfThatName) {
  expectHas(import("func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                   "  %y = call @stop_gradient_3(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
                   "  return %y : tensor<2xf32>\n}\n"
                   "func.func private @stop_gradient_3(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
                   "  return %a : tensor<2xf32>\n}\n"),
            "train.stop_gradient");
}

TEST(StablehloPaths, AreTakenApart) {
  using dlc::stablehlo::parsePath;
  EXPECT_EQ(parsePath("variables['params']['Dense_0']['kernel']").join("."),
            "variables.params.Dense_0.kernel");
  EXPECT_EQ(parsePath("model.layers[0].weight").join(".", 1), "layers.0.weight");
  EXPECT_EQ(parsePath("args[<flat index 2>]").join("."), "args.2");
  EXPECT_TRUE(parsePath("x['a']").hasKey);
  EXPECT_FALSE(parsePath("args[0]").hasKey);
  for (const char *text : {"", "'a'", "x[", "x['a", "x['a'", "x.", "x[]", "x y", "jit(f)/add"})
    EXPECT_TRUE(parsePath(text).empty()) << text;
}

TEST(StablehloTexts, AreToldFromOthers) {
  using dlc::stablehlo::isStablehlo;
  EXPECT_TRUE(isStablehlo("module @jit_f {\n  func.func public @main() {"));
  EXPECT_TRUE(isStablehlo("\"builtin.module\"() ({\n  \"func.func\"()"));
  EXPECT_TRUE(isStablehlo("ML\xefR\x0dStableHLO_v1.15.0"));
  EXPECT_FALSE(isStablehlo("ML\xefR\x0dMLIR22"));
  EXPECT_FALSE(isStablehlo("train.program @net {"));
  EXPECT_FALSE(isStablehlo("train.program @net { // not a func.func"));
  EXPECT_FALSE(isStablehlo(""));
}

//===-- What is refused --------------------------------------------------------===//

TEST_F(Stablehlo, RefusesWhatIsNoProgram) {
  expectRefused("module {", "is no text of StableHLO that dlc can read: line 1: ");
  expectRefused("module {}", "has no function @main");
  expectRefused("module {\n  func.func private @main(tensor<2xf32>) -> tensor<2xf32>\n}",
                "has no function @main");
  expectRefused("ML\xefR\x0dStableHLO_v1.15.0", "portable artifact of StableHLO (bytecode)");
  expectRefused(
      "func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  \"test.end\"(%x) : (tensor<2xf32>) -> "
      "()\n}",
      "function @main jumps");
}

TEST_F(Stablehlo, RefusesOperationsWithTheirPlaces) {
  expectRefused(
      "%y = stablehlo.cholesky %x, lower = true : tensor<2x4xf32> loc(\"jit(f)/chol\"(\"net.py\":12:3))",
      "tensor<2x4xf32>", "operation stablehlo.cholesky is not supported: node 'chol'; net.py:12");
  expectRefused("%y = stablehlo.custom_call @Sharding(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>",
                "tensor<2x4xf32>",
                "operation stablehlo.custom_call @Sharding (export the function without shardings");
  expectRefused(
      "%y = stablehlo.while(%a = %x) : tensor<2x4xf32> cond {\n %t = stablehlo.constant dense<true> : "
      "tensor<i1>\n stablehlo.return %t : tensor<i1>\n } do {\n stablehlo.return %a : tensor<2x4xf32>\n }",
      "tensor<2x4xf32>", "operation stablehlo.while (write a loop of known length out");
  expectRefused(
      "%k = stablehlo.constant dense<0> : tensor<i32>\n%o, %y = stablehlo.rng_bit_generator %x, algorithm = "
      "DEFAULT : (tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)",
      "tensor<2x4xf32>", "the program draws random numbers");
  expectRefused("%y = stablehlo.abs %x : tensor<2x4xf32> loc(\"jit(f)/lgamma\")", "tensor<2x4xf32>",
                "operation jax.lax.lgamma is not supported");
}

TEST_F(Stablehlo, RefusesTypesThatDlcDoesNotHave) {
  expectRefused("%y = stablehlo.convert %x : (tensor<2x4xf32>) -> tensor<2x4xi8>", "tensor<2x4xi8>",
                "gives tensor<2x4xi8>, which dlc does not have");
  expectRefused("%y = stablehlo.abs %x : tensor<2xcomplex<f32>>", "tensor<2xcomplex<f32>>",
                "argument 'arg0' is of type tensor<2xcomplex<f32>>", "%x: tensor<2xcomplex<f32>>");
  expectRefused("%y = stablehlo.abs %x : tensor<*xf32>", "tensor<*xf32>",
                "argument 'arg0' is of type tensor<*xf32>", "%x: tensor<*xf32>");
}

TEST_F(Stablehlo, RefusesResultsOtherThanDeclared) {
  expectRefused("%y = stablehlo.add %x, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x5xf32>",
                "tensor<2x5xf32>", "gives float32 [2, 4], but the text says tensor<2x5xf32>");
  expectRefused("%y = stablehlo.reshape %x : (tensor<2x4xf32>) -> tensor<3x4xf32>", "tensor<3x4xf32>",
                "stablehlo.reshape (net.mlir:3): cannot give [2, 4] the shape [3, 4]");
  expectRefused("%y = stablehlo.broadcast_in_dim %x, dims = [0, 0] : (tensor<2x4xf32>) -> tensor<2x4xf32>",
                "tensor<2x4xf32>", "expects distinct dims from 0 to 1 as broadcast_dimensions, got 0");
  expectRefused("%y = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<2x4xf32>) -> tensor<2x4xf32>",
                "tensor<2x4xf32>", "expects a place for each of the 2 dims");
}

TEST_F(Stablehlo, RefusesSettingsOutOfRange) {
  expectRefused("%y = stablehlo.slice %x [0:3, 0:4] : (tensor<2x4xf32>) -> tensor<3x4xf32>",
                "tensor<3x4xf32>", "takes the places 0:3:1 of a dim of size 2");
  expectRefused("%y = stablehlo.slice %x [0:1] : (tensor<2x4xf32>) -> tensor<1x4xf32>", "tensor<1x4xf32>",
                "expects 2 numbers as start_indices, got 1");
  expectRefused(
      "%y = stablehlo.concatenate %x, %x, dim = 7 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>",
      "tensor<4x4xf32>", "expects a dim of the operands, got 7");
  expectRefused("%y = stablehlo.iota dim = 2 : tensor<2x4xf32>", "tensor<2x4xf32>",
                "expects a dim of the result");
  expectRefused(
      "%y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<2x4xf32>) "
      "-> tensor<2x4xf32>",
      "tensor<2x4xf32>", "dim 1 of [2, 4] and dim 0 of [2, 4] differ");
  expectRefused("%y = stablehlo.compare LIKE, %x, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>",
                "tensor<2x4xi1>", "got 'LIKE'");
  expectRefused("%y = \"stablehlo.add\"(%x) : (tensor<2x4xf32>) -> tensor<2x4xf32>", "tensor<2x4xf32>",
                "expects 2, got 1");
  expectRefused(
      "%c = stablehlo.constant dense<1.0> : tensor<f32>\n%y = stablehlo.reduce(%x init: %c) applies "
      "stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>",
      "tensor<2xf32>", "the initial value 1; expected 0");
}

TEST_F(Stablehlo, RefusesFunctionsWithoutEnd) {
  expectRefused(
      "func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %y = call @main(%x) : (tensor<2xf32>) "
      "-> tensor<2xf32>\n  return %y : tensor<2xf32>\n}",
      "functions call each other more than 64 deep");
  std::string text = "func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %y = call @f0(%x) : "
                     "(tensor<2xf32>) -> tensor<2xf32>\n  return %y : tensor<2xf32>\n}\n";
  for (int i = 0; i < 40; ++i) { // each calls the next one twice
    std::string name = "@f" + std::to_string(i), next = i == 39 ? "" : "@f" + std::to_string(i + 1);
    text += "func.func private " + name + "(%x: tensor<2xf32>) -> tensor<2xf32> {\n";
    if (next.empty())
      text += "  %b = stablehlo.abs %x : tensor<2xf32>\n";
    else
      text += "  %a = call " + next + "(%x) : (tensor<2xf32>) -> tensor<2xf32>\n  %b = call " + next +
              "(%a) : (tensor<2xf32>) -> tensor<2xf32>\n";
    text += "  return %b : tensor<2xf32>\n}\n";
  }
  expectRefused(text, "the program has more than");
}

TEST_F(Stablehlo, RefusesParametersWithoutValues) {
  const std::string arguments = "%x: tensor<2x4xf32> loc(\"x\"), %w: tensor<2x4xf32> loc(\"params['w']\")";
  const std::string sum = "%y = stablehlo.add %x, %w : tensor<2x4xf32>";
  expectRefused(sum, "tensor<2x4xf32>",
                "argument 'w' is a leaf of a tree; give their values with --parameters", arguments);
  options.parameters = "/no/such/file.safetensors";
  expectRefused(sum, "tensor<2x4xf32>", "cannot read '/no/such/file.safetensors'", arguments);
}

/// A safetensors file of these tensors, whose numbers are all 1.
class StablehloParameters : public Stablehlo {
protected:
  void write(const std::string &tensors, size_t bytes) {
    llvm::SmallString<128> name;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("stablehlo", "safetensors", name));
    options.parameters = name.str().str();
    std::string header = "{" + tensors + "}", size(8, '\0');
    size[0] = char(header.size() & 255), size[1] = char(header.size() >> 8);
    std::ofstream(options.parameters, std::ios::binary) << size << header << std::string(bytes, '\0');
  }
  void TearDown() override { std::remove(options.parameters.c_str()); }

  const std::string arguments = "%x: tensor<2xf32> loc(\"x\"), %a: tensor<2xf32> loc(\"p['params']['a']\"), "
                                "%b: tensor<2xf32> loc(\"p['state']['b']\")";
  const std::string sum =
      "%s = stablehlo.add %x, %a : tensor<2xf32>\n%y = stablehlo.add %s, %b : tensor<2xf32>";
  static std::string tensor(const std::string &name, int place, const std::string &shape = "[2]",
                            const std::string &dtype = "F32") {
    return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":[" +
           std::to_string(8 * place) + "," + std::to_string(8 * place + 8) + "]}";
  }
};

TEST_F(StablehloParameters, AreArgumentsWithValues) {
  write(tensor("a", 0) + "," + tensor("p/state/b", 1), 16);
  remarks =
      "the text does not say where stop_gradient, custom_jvp and custom_vjp stood: gradients flow through "
      "what they were around, by the formulas (docs/stablehlo.md says what to do)\n";
  std::string text = importOf(sum, "tensor<2xf32>", arguments);
  expectHas(text, "train.state parameter @params.a : tensor<2xf32>");
  expectHas(text, "train.state parameter @state.b frozen : tensor<2xf32>");
  expectHas(text, "train.input @x : tensor<2xf32>");
}

TEST_F(StablehloParameters, MustFit) {
  write(tensor("a", 0) + "," + tensor("state.b", 1) + "," + tensor("c", 0), 16);
  expectRefused(sum, "tensor<2xf32>", "is no argument of the program, which takes 'x' to 'state.b'",
                arguments);
  write(tensor("a", 0), 8);
  expectRefused(sum, "tensor<2xf32>", "has no value of argument 'state.b', but of others of the same tree",
                arguments);
  write(tensor("a", 0) + "," + tensor("state.b", 1, "[1,2]"), 16);
  expectRefused(sum, "tensor<2xf32>",
                "parameter 'state.b' has the shape [2] in the program, but its tensor [1, 2]", arguments);
  write(tensor("a", 0) + "," + tensor("state.b", 1, "[2]", "I32"), 16);
  expectRefused(sum, "tensor<2xf32>",
                "parameter 'state.b' is of type F32 in the program, but its tensor of type I32", arguments);
  write(tensor("a", 0) + "," + tensor("state.b", 1) + "," + tensor("params.a", 0), 16);
  expectRefused(sum, "tensor<2xf32>", "is a second value of the argument 'params.a'", arguments);
  write(tensor("w", 0), 8);
  expectRefused(
      sum, "tensor<2xf32>", "may be the argument 'p.w' or 'q.w'; give it its whole name",
      "%x: tensor<2xf32> loc(\"x\"), %a: tensor<2xf32> loc(\"p['w']\"), %b: tensor<2xf32> loc(\"q['w']\")");
}

//===-- Whole layers -----------------------------------------------------------===//

/// (x - mean) / sqrt(variance + epsilon) * scale + bias of a square x, whose scale and bias stand along
/// `dim`.
static std::string normalization(const std::string &dim) {
  const std::string rows = " : (tensor<3xf32>) -> tensor<3x3xf32>\n";
  return "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n%n = stablehlo.constant dense<3.0> : "
         "tensor<3xf32>\n"
         "%eps = stablehlo.constant dense<1.0e-5> : tensor<3xf32>\n%none = stablehlo.constant dense<0.0> : "
         "tensor<3xf32>\n"
         "%s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : "
         "(tensor<3x3xf32>, "
         "tensor<f32>) -> tensor<3xf32>\n%mean = stablehlo.divide %s, %n : tensor<3xf32>\n"
         "%x2 = chlo.square %x : tensor<3x3xf32> -> tensor<3x3xf32>\n"
         "%s2 = stablehlo.reduce(%x2 init: %zero) applies stablehlo.add across dimensions = [1] : "
         "(tensor<3x3xf32>, "
         "tensor<f32>) -> tensor<3xf32>\n%mean2 = stablehlo.divide %s2, %n : tensor<3xf32>\n"
         "%m2 = stablehlo.multiply %mean, %mean : tensor<3xf32>\n%v0 = stablehlo.subtract %mean2, %m2 : "
         "tensor<3xf32>\n"
         "%v = stablehlo.maximum %none, %v0 : tensor<3xf32>\n%ve = stablehlo.add %v, %eps : tensor<3xf32>\n"
         "%r = stablehlo.rsqrt %ve : tensor<3xf32>\n%rb = stablehlo.broadcast_in_dim %r, dims = [0]" +
         rows + "%mb = stablehlo.broadcast_in_dim %mean, dims = [0]" + rows +
         "%d = stablehlo.subtract %x, %mb : tensor<3x3xf32>\n"
         "%gb = stablehlo.broadcast_in_dim %g, dims = [" +
         dim + "]" + rows + "%bb = stablehlo.broadcast_in_dim %b, dims = [" + dim + "]" + rows +
         "%rg = stablehlo.multiply %rb, %gb : tensor<3x3xf32>\n%z = stablehlo.multiply %d, %rg : "
         "tensor<3x3xf32>\n"
         "%y = stablehlo.add %z, %bb : tensor<3x3xf32>";
}

using StablehloFormulas = Stablehlo;

TEST_F(StablehloFormulas, LayerNormalizationIsAlongTheLastDim) {
  const std::string type = "tensor<3x3xf32>",
                    arguments = "%x: tensor<3x3xf32>, %g: tensor<3xf32>, %b: tensor<3xf32>";
  expectHas(importOf(normalization("1"), type, arguments), "nn.layer_norm");
  EXPECT_EQ(importOf(normalization("0"), type, arguments).find("nn.layer_norm"), std::string::npos);
}

TEST_F(StablehloFormulas, SoftmaxIsAlongTheDimOfItsSum) {
  auto softmax = [&](const std::string &largest, const std::string &summed) {
    const std::string types = " : (tensor<3x3xf32>, tensor<f32>) -> tensor<3xf32>\n";
    const std::string rows = " : (tensor<3xf32>) -> tensor<3x3xf32>\n";
    return importOf(
        "%low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n%zero = stablehlo.constant dense<0.0> : "
        "tensor<f32>\n%m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [" +
            largest + "]" + types + "%mb = stablehlo.broadcast_in_dim %m, dims = [0]" + rows +
            "%d = stablehlo.subtract %x, %mb : tensor<3x3xf32>\n%e = stablehlo.exponential %d : "
            "tensor<3x3xf32>\n%s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions "
            "= [" +
            summed + "]" + types + "%sb = stablehlo.broadcast_in_dim %s, dims = [0]" + rows +
            "%y = stablehlo.divide %e, %sb : tensor<3x3xf32>",
        "tensor<3x3xf32>", "%x: tensor<3x3xf32>");
  };
  expectHas(softmax("1", "1"), "nn.softmax");
  EXPECT_EQ(softmax("1", "0").find("nn.softmax"), std::string::npos);
  EXPECT_EQ(softmax("0", "1").find("nn.softmax"), std::string::npos);
}

TEST_F(StablehloFormulas, SoftplusHasItsDerivativeAtZero) {
  const std::string rest =
      "%d = stablehlo.subtract %x, %c : tensor<2x4xf32>\n%a = stablehlo.abs %d : tensor<2x4xf32>\n"
      "%n = stablehlo.negate %a : tensor<2x4xf32>\n%e = stablehlo.exponential %n : tensor<2x4xf32>\n"
      "%l = stablehlo.log_plus_one %e : tensor<2x4xf32>\n%y = stablehlo.add %m, %l : tensor<2x4xf32>";
  const std::string larger = "%m = stablehlo.maximum %x, %c : tensor<2x4xf32>\n";
  const std::string zero = "%c = stablehlo.constant dense<0.0> : tensor<2x4xf32>\n";
  const std::string arguments = "%x: tensor<2x4xf32>, %c: tensor<2x4xf32>";
  expectHas(importOf(zero + larger + rest, "tensor<2x4xf32>"), "nn.softplus");
  expectHas(importOf(larger + rest, "tensor<2x4xf32>", arguments), "nn.softplus");
  std::string other =
      importOf("%m = stablehlo.maximum %x, %x : tensor<2x4xf32>\n" + rest, "tensor<2x4xf32>", arguments);
  EXPECT_EQ(other.find("nn.softplus"), std::string::npos);
}

TEST_F(StablehloFormulas, PlacesOutOfRangeAreMovedIntoIt) {
  std::string text =
      importOf("%y = \"stablehlo.gather\"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], "
               "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "
               "array<i64: 1, 4>}> : "
               "(tensor<2x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>",
               "tensor<5x4xf32>", "%x: tensor<2x4xf32>, %i: tensor<5x1xi32>");
  expectHas(text, "nn.gather");
  expectHas(text, "nn.min");
  expectHas(text, "nn.max");
}

TEST_F(Stablehlo, RefusesAnUnusedBatch) {
  options.batch = 8;
  expectRefused("%y = stablehlo.abs %x : tensor<2x4xf32>", "tensor<2x4xf32>",
                "--batch has no effect: the model's inputs have fixed sizes");
}

} // namespace
