//===- SmallResultsTest.cpp - functions where their result is near 0 -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GELU far below 0, softplus of a small exponential, e^x - 1 and ln(1 + x) near 0: each digit of the result
// counts, not only its distance. The references are formulas in double precision with the C library's
// functions.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace dlc::numerics {
namespace {

struct Function {
  const char *name;
  const char *text; ///< computes %y of %x
  double (*exact)(double x);
  double (*slope)(double x);
};

double density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * M_PI); }
double geluSlope(double x) { return std::erfc(-x / std::sqrt(2)) / 2 + x * density(x); }
double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double inner(double x) { return 2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x); }

// As operations, and as exporters write them where ONNX has no operator.
const Function functions[] = {
    {"gelu", "%y = nn.gelu %x : TYPE", [](double x) { return x / 2 * std::erfc(-x / std::sqrt(2)); },
     geluSlope},
    {"gelu_tanh", "%y = nn.gelu %x {tanh} : TYPE", [](double x) { return x * logistic(inner(x)); },
     [](double x) {
       double s = logistic(inner(x)), dInner = 2 * std::sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x * x);
       return s + x * s * (1 - s) * dInner;
     }},
    {"gelu_formula", R"(%c = nn.constant dense<1.41421354> : tensor<f32>
    %0 = nn.div %x, %c : TYPE, tensor<f32>
    %1 = nn.erf %0 : TYPE
    %one = nn.constant dense<1.0> : tensor<f32>
    %2 = nn.add %1, %one : TYPE, tensor<f32>
    %3 = nn.mul %x, %2 : TYPE, TYPE
    %half = nn.constant dense<0.5> : tensor<f32>
    %y = nn.mul %3, %half : TYPE, tensor<f32>)",
     [](double x) { return x / 2 * std::erfc(-x / std::sqrt(2)); }, geluSlope},
    {"one_and_tanh", R"(%0 = nn.tanh %x : TYPE
    %one = nn.constant dense<1.0> : tensor<f32>
    %y = nn.add %one, %0 : tensor<f32>, TYPE)",
     [](double x) { return 2 * logistic(2 * x); },
     [](double x) { return 4 * logistic(2 * x) * logistic(-2 * x); }},
    {"softplus", "%y = nn.softplus %x : TYPE", [](double x) { return std::log1p(std::exp(x)); }, logistic},
    {"elu",
     "%x0 = nn.constant dense<9.99999971E-10> : tensor<f32>\n"
     "    %0 = nn.mul %x, %x0 : TYPE, tensor<f32>\n    %y = nn.elu %0 {alpha = 1.0 : f64} : TYPE",
     [](double x) { return std::expm1(x * double(1e-9f)); },
     [](double x) { return double(1e-9f) * std::exp(x * 1e-9); }},
    {"logarithm", R"(%0 = nn.exp %x : TYPE
    %one = nn.constant dense<1.0> : tensor<f32>
    %1 = nn.add %0, %one : TYPE, tensor<f32>
    %y = nn.log %1 : TYPE)",
     [](double x) { return std::log1p(std::exp(x)); }, logistic},
    {"exponential", R"(%0 = nn.exp %x : TYPE
    %1 = nn.exp %0 : TYPE
    %one = nn.constant dense<1.0> : tensor<f32>
    %y = nn.sub %1, %one : TYPE, tensor<f32>)",
     [](double x) { return std::expm1(std::exp(x)); }, [](double x) { return std::exp(x + std::exp(x)); }},
    {"erfc", "%0 = nn.neg %x : TYPE\n    %y = nn.erfc %0 : TYPE", [](double x) { return std::erfc(-x); },
     [](double x) { return M_2_SQRTPI * std::exp(-x * x); }},
};

struct SmallResults : testing::TestWithParam<Function> {};

TEST_P(SmallResults, KeepTheirDigits) {
  CompiledModel::loadDialects();
  // Not below -8: exp(-x^2) of the square's rounding error shall not be what is seen.
  std::vector<double> points;
  for (double x = -8; x <= -0.5; x += 0.125)
    points.push_back(x);
  std::string type = llvm::formatv("tensor<{0}xf32>", points.size());
  std::string body = GetParam().text;
  for (size_t at; (at = body.find("TYPE")) != std::string::npos;)
    body.replace(at, 4, type);
  Program program(llvm::formatv(R"mlir(
train.program @small {{
  train.state parameter @w : {0}
  train.input @offset : {0}
  train.output prediction @p : {0}
  train.function forward @forward {{
    %w = train.read @w : {0}
    %offset = train.read @offset : {0}
    %x = nn.add %w, %offset : {0}, {0}
    {1}
    train.write %y, @p : {0}
    %loss = nn.sum %y axes [0] : {0}
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
})mlir",
                                type, body));
  ASSERT_TRUE(program) << takeErrors();
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model) << takeErrors();
  Tensor x = Tensor::zeros(interpret::DType::F32, {int64_t(points.size())}), found = x, slope = x;
  x.floats = points;
  std::vector<Tensor> outputs{found};
  ASSERT_TRUE(model->predict(1, {x}, outputs));
  float loss;
  ASSERT_TRUE(model->gradStep({x}, loss));
  ASSERT_TRUE(model->readGradient("w", slope));
  for (auto [i, at] : llvm::enumerate(points)) {
    double exact = GetParam().exact(at), exactSlope = GetParam().slope(at);
    EXPECT_NEAR(outputs[0].floats[i], exact, 2e-5 * std::fabs(exact)) << "at " << at;
    EXPECT_NEAR(slope.floats[i], exactSlope, 2e-5 * std::fabs(exactSlope) + 1e-6 * density(at))
        << "slope at " << at;
  }
}

// What vectors compute of it is a polynomial times an exponential, neither of which is anything for
// infinities.
TEST(Erfc, HoldsAtTheEnds) {
  CompiledModel::loadDialects();
  Program program(R"mlir(
train.program @ends {
  train.input @x : tensor<19xf32>
  train.output prediction @p : tensor<19xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<19xf32>
    %y = nn.erfc %x : tensor<19xf32>
    train.write %y, @p : tensor<19xf32>
  }
})mlir");
  ASSERT_TRUE(program) << takeErrors();
  auto model = CompiledModel::compile(program, pipeline::Options());
  ASSERT_TRUE(model) << takeErrors();
  const double inf = INFINITY;
  std::vector<double> points{-inf, -1e30, -1e19, -10.5, -9,   -4,    -0.5, -1e-30, 0,  1e-30,
                             0.07, 0.5,   1,     4,     8.75, 10.25, 1e19, inf,    NAN};
  Tensor x = Tensor::zeros(interpret::DType::F32, {int64_t(points.size())});
  x.floats = points;
  std::vector<Tensor> outputs{Tensor::zeros(interpret::DType::F32, {int64_t(points.size())})};
  ASSERT_TRUE(model->predict(1, {x}, outputs));
  for (auto [at, found] : llvm::zip_equal(points, outputs[0].floats)) {
    if (std::isnan(at))
      EXPECT_TRUE(std::isnan(found));
    else
      EXPECT_NEAR(found, std::erfc(double(float(at))), 8e-7 * std::erfc(double(float(at))) + 1e-38) << at;
  }
}

INSTANTIATE_TEST_SUITE_P(Function, SmallResults, testing::ValuesIn(functions),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace dlc::numerics
