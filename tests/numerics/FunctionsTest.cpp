//===- FunctionsTest.cpp - compiled functions digit by digit --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp, sin and their like over all that a number may be, in units of the last place, beside the C library's
// long double.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"

#include <cfloat>
#include <cmath>
#include <cstring>
#include <random>

namespace dlc::numerics {
namespace {

struct Function {
  const char *name;
  long double (*exact)(long double);
  double units32, units64;    ///< how many units of the last place a result may be away
  const char *text = nullptr; ///< computes %NAME of %x, if that is not one operation of this name
};

long double bell(long double x) { return expl(-x * x / 2); }

/// Where erf is `x`, by halving an interval; erfc tells numbers near 1 apart.
long double erfinvl(long double x) {
  const long double size = fabsl(x);
  if (!(size < 1) || size == 0)
    return size == 0 ? x : size == 1 ? copysignl(INFINITY, x) : NAN;
  long double low = 0, high = 7;
  for (long double middle = 3; middle > low && middle < high; middle = (low + high) / 2)
    ((size < 0.5L ? erfl(middle) < size : erfcl(middle) > 1 - size) ? low : high) = middle;
  return copysignl(high, x);
}

// Of f32, the first ones are polynomials on CPUs as on GPUs. Of f64, cosines next to zero are what glibc
// makes of them where the least numbers become zero.
const Function functions[] = {
    {"exp", expl, 5, 2},
    {"expm1", expm1l, 5, 4},
    {"log", logl, 5, 1},
    {"log1p", log1pl, 5, 1},
    {"tanh", tanhl, 5, 3},
    {"erf", erfl, 5, 3},
    {"erfc", erfcl, 7, 5},
    {"sin", sinl, 1, 2},
    {"cos", cosl, 1, 8},
    {"atan", atanl, 1, 1},
    {"erfinv", erfinvl, 5, 4},
    // Of f64, the rounding error of the square counts.
    {"bell", bell, 2, 400, R"(    %square = nn.mul %x, %x : TYPE, TYPE
    %half = nn.constant dense<-0.5> : tensor<DTYPE>
    %power = nn.mul %half, %square : tensor<DTYPE>, TYPE
    %bell = nn.exp %power : TYPE
)"},
};

/// Small and large numbers, neighbours of multiples of pi/2, those next to 1, and those that are treated
/// apart.
std::vector<double> arguments(bool isSingle) {
  std::vector<double> all = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 0.5, -0.5, 2, 16, 1 << 30};
  std::mt19937_64 random(7);
  auto uniform = [&](double low, double high) {
    return low + (high - low) * double(random() >> 11) * 0x1p-53;
  };
  for (double bound : {1.0, 30.0, 800.0})
    for (int i = 0; i < 400; ++i)
      all.push_back(uniform(-bound, bound));
  const int range = isSingle ? 126 : 1022;
  for (int i = 0; i < 800; ++i)
    all.push_back(std::ldexp(uniform(1, 2) * (i % 2 ? 1 : -1), int(uniform(-range, range))));
  for (int i = 0; i < 400; ++i)
    all.push_back(std::floor(std::ldexp(1.0, i % (isSingle ? 24 : 50))) * M_PI_2);
  for (int i = 1; i <= (isSingle ? 24 : 53); ++i)
    all.push_back((1 - std::ldexp(1.0, -i)) * (i % 2 ? 1 : -1));
  // Of all f64, the one that is the nearest to a multiple of pi/2.
  all.push_back(isSingle ? 16367173.0 * 0x1p72 : 6381956970095103.0 * 0x1p797);
  return all;
}

/// How many units of the last place `found` is away from `exact`; what is less than the least normal number
/// may be zero.
double unitsApart(double found, long double exact, bool isSingle) {
  const int digits = isSingle ? FLT_MANT_DIG : DBL_MANT_DIG;
  const int least = isSingle ? FLT_MIN_EXP : DBL_MIN_EXP;
  const double rounded = isSingle ? double(float(exact)) : double(exact);
  if (std::isnan(exact) || std::isinf(rounded))
    return std::isnan(exact) ? (std::isnan(found) ? 0 : INFINITY) : (found == rounded ? 0 : INFINITY);
  if (exact == 0)
    return found == 0 ? 0 : INFINITY;
  int exponent;
  frexpl(exact, &exponent);
  if (exponent < least && found == 0)
    return 0;
  const double apart = double(fabsl(found - exact) / ldexpl(1, std::max(exponent, least) - digits));
  return std::isnan(apart) ? INFINITY : apart;
}

class Functions : public testing::TestWithParam<const char *> {};

TEST_P(Functions, AreAsExactAsTheyClaim) {
  CompiledModel::loadDialects();
  const std::string dtype = GetParam();
  const bool isSingle = dtype == "f32";
  Tensor x = Tensor::zeros(isSingle ? interpret::DType::F32 : interpret::DType::F64, {});
  x.floats = arguments(isSingle);
  x.shape = {int64_t(x.floats.size())};
  x.roundToDType();
  const std::string type = "tensor<" + std::to_string(x.size()) + "x" + dtype + ">";
  std::string declarations, body;
  for (const Function &function : functions) {
    const std::string name = function.name;
    declarations += "  train.output prediction @" + name + " : " + type + "\n";
    std::string text = function.text ? function.text : "    %" + name + " = nn." + name + " %x : TYPE\n";
    for (auto [word, meaning] : {std::pair("DTYPE", dtype), std::pair("TYPE", type)})
      for (size_t at; (at = text.find(word)) != std::string::npos;)
        text.replace(at, std::strlen(word), meaning);
    body += text + "    train.write %" + name + ", @" + name + " : " + type + "\n";
  }
  Program program("train.program @functions {\n  train.input @x : " + type + "\n" + declarations +
                  "  train.function forward @forward {\n    %x = train.read @x : " + type + "\n" + body +
                  "  }\n}");
  ASSERT_TRUE(program);
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model);
  std::vector<Tensor> results(std::size(functions), x);
  ASSERT_TRUE(model->predict(1, {x}, results));
  for (size_t i = 0; i < std::size(functions); ++i) {
    const double allowed = isSingle ? functions[i].units32 : functions[i].units64;
    double worst = 0, at = 0, found = 0;
    for (int64_t k = 0; k < x.size(); ++k) {
      const double apart = unitsApart(results[i].floats[k], functions[i].exact(x.floats[k]), isSingle);
      if (apart > worst) {
        worst = apart;
        at = x.floats[k];
        found = results[i].floats[k];
      }
    }
    EXPECT_LE(worst, allowed) << functions[i].name << "(" << at << ") is " << found;
    RecordProperty(functions[i].name, std::to_string(worst));
  }
}

INSTANTIATE_TEST_SUITE_P(Type, Functions, testing::Values("f32", "f64"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
} // namespace dlc::numerics
