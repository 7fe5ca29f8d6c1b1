//===- GradientTest.cpp - gradient rules against finite differences -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each case becomes a loss: the sum of all results, weighed by numbers of no pattern. The reverse-mode
// engine derives it, the interpreter evaluates both, and central differences of fourth order tell whether
// the rule is right. Where a derivative jumps, the rule's choice is compared with PyTorch's.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Expr.h"
#include "dialects/train/ReverseMode.h"
#include "tests/numerics/OpCases.h"
#include "tests/numerics/Programs.h"

#include <cmath>

namespace dlc::numerics {
namespace {

using interpret::Interpreter;

/// Whether gradients flow through a result: what a mean loss divides by is a constant of the batch.
bool carriesGradient(mlir::OpResult result) {
  auto type = mlir::cast<mlir::RankedTensorType>(result.getType());
  bool first = result.getResultNumber() == 0;
  return mlir::isa<mlir::FloatType>(type.getElementType()) &&
         (first || mlir::isa<nn::LayerNormOp, nn::BatchNormOp>(result.getOwner()));
}

/// The loss of a function that ends in the case's operation: sum of result * weight, weights being the
/// inputs @w0, @w1 ...
mlir::Value addLoss(train::ProgramOp program, mlir::Block &block) {
  mlir::Operation &op = block.back();
  auto builder = mlir::ImplicitLocOpBuilder::atBlockEnd(op.getLoc(), &block);
  std::optional<nn::Expr> loss;
  for (mlir::OpResult result : op.getResults()) {
    if (!carriesGradient(result))
      continue;
    std::string name = "w" + std::to_string(result.getResultNumber());
    if (!mlir::SymbolTable::lookupSymbolIn(program, name)) {
      auto declare = mlir::OpBuilder::atBlockBegin(&program.getBody().front());
      train::InputOp::create(declare, op.getLoc(), /*target=*/false, name, mlir::IntegerAttr(),
                             mlir::IntegerAttr(), mlir::IntegerAttr(),
                             mlir::cast<mlir::RankedTensorType>(result.getType()));
    }
    mlir::Value weight = train::ReadOp::create(builder, result.getType(), name);
    nn::Expr part = nn::sumAll(nn::Expr(builder, result) * nn::Expr(builder, weight));
    loss = loss ? *loss + part : part;
  }
  return *loss;
}

/// Numbers in [-1, 1) without a pattern, for weights.
Tensor weights(llvm::ArrayRef<int64_t> shape, unsigned seed) {
  Tensor tensor = Tensor::zeros(interpret::DType::F64, shape);
  uint64_t state = 88172645463325252u + seed;
  for (double &number : tensor.floats) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    number = static_cast<double>(state >> 11) * 0x1p-52 - 1;
  }
  return tensor;
}

/// A case with its loss (function forward) and the loss's gradients (function grad_step).
class Derived {
public:
  explicit Derived(const OpCase &test) : test(test), program(text(test)), inputs(test.namedInputs()) {
    for (auto &input : inputs)
      if (input.second.isFloat())
        input.second.dtype = interpret::DType::F64;
    for (auto [i, output] : llvm::enumerate(test.outputs))
      weight.push_back(weights(output.shape, i));
    if (test.kink)
      weight = test.kink->dy;
  }

  /// Derives by these inputs of the case.
  bool derive(llvm::ArrayRef<unsigned> by) {
    if (!program)
      return false;
    loss = addLoss(program.get(), program.body("forward"));
    mlir::Block &block = program.body("grad_step");
    mlir::Value derived = addLoss(program.get(), block);
    llvm::SmallVector<mlir::Value> leaves;
    for (unsigned i : by)
      leaves.push_back(std::next(block.begin(), i)->getResult(0));
    train::ReverseMode engine(derived, leaves);
    if (!engine.getMissing().empty()) {
      ADD_FAILURE() << "no gradient for an operand that should have one";
      return false;
    }
    mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(&block);
    bool built = mlir::succeeded(engine.build(
        builder, [&](mlir::Value leaf, mlir::Value gradient) { gradients.push_back({leaf, gradient}); }));
    EXPECT_TRUE(built) << takeErrors();
    for (auto [i, tensor] : llvm::enumerate(weight))
      if (mlir::SymbolTable::lookupSymbolIn(program.get(), "w" + std::to_string(i)))
        inputs["w" + std::to_string(i)] = tensor;
    for (unsigned i : by) // a leaf without gradient is one by which nothing changes
      EXPECT_EQ(gradientOf(i) != nullptr, engine.reaches(leafOf(i)));
    return built;
  }

  Tensor &input(unsigned i) { return inputs["x" + std::to_string(i)]; }

  double lossNow() { return run("forward")->value(loss)->number(0); }

  /// The gradient by an input of the case.
  Tensor gradient(unsigned i) {
    auto interpreter = run("grad_step");
    mlir::Value value = gradientOf(i);
    return value ? *interpreter->value(value) : Tensor::zeros(interpret::DType::F64, test.inputs[i].shape);
  }

private:
  static std::string text(const OpCase &test) {
    return inDouble("train.program @test {\n" + test.declarations() +
                    "  train.function forward @forward {\n" + test.body("    ") +
                    "  }\n  train.function grad_step @grad_step {\n" + test.body("    ") + "  }\n}\n");
  }
  mlir::Value leafOf(unsigned i) { return std::next(program.body("grad_step").begin(), i)->getResult(0); }
  mlir::Value gradientOf(unsigned i) {
    for (auto [leaf, gradient] : gradients)
      if (leaf == leafOf(i))
        return gradient;
    return nullptr;
  }
  mlir::FailureOr<Interpreter> run(llvm::StringRef function) {
    auto interpreter = Interpreter::create(program.get());
    EXPECT_TRUE(mlir::succeeded(interpreter->run(function, inputs, test.dims))) << takeErrors();
    return interpreter;
  }

  const OpCase &test;
  Program program;
  Tensors inputs;
  std::vector<Tensor> weight;
  mlir::Value loss;
  std::vector<std::pair<mlir::Value, mlir::Value>> gradients;
};

/// d loss / d input[i] at one element: error O(step^4).
double finiteDifference(Derived &derived, unsigned input, int64_t element) {
  constexpr double step = 1e-3;
  double &x = derived.input(input).floats[element], center = x;
  auto at = [&](double shift) {
    x = center + shift * step;
    double loss = derived.lossNow();
    x = center;
    return loss;
  };
  return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
}

class Gradient : public testing::TestWithParam<OpCase> {};

TEST_P(Gradient, AgreesWithFiniteDifferences) {
  const OpCase &test = GetParam();
  Derived derived(test);
  ASSERT_TRUE(derived.derive(test.differentiate));
  for (unsigned i : test.differentiate) {
    Tensor gradient = derived.gradient(i);
    ASSERT_EQ(gradient.shape, test.inputs[i].shape);
    double largest = 0;
    for (double number : gradient.floats)
      largest = std::max(largest, std::fabs(number));
    // Large tensors: about 24 elements, spread with a step that meets all residues of common sizes.
    int64_t size = gradient.size(), stride = size <= 24 ? 1 : size / 24 | 1;
    for (int64_t element = 0; element < size; element += stride) {
      double expected = finiteDifference(derived, i, element), found = gradient.floats[element];
      EXPECT_LE(std::fabs(found - expected), 1e-6 * std::max({std::fabs(expected), largest, 1e-3}))
          << test.text << ": input " << i << ", element " << element << ": expected " << expected
          << ", found " << found;
    }
  }
}

std::vector<OpCase> casesWhere(llvm::function_ref<bool(const OpCase &)> wanted) {
  std::vector<OpCase> chosen;
  llvm::copy_if(opCases(), std::back_inserter(chosen), wanted);
  return chosen;
}

INSTANTIATE_TEST_SUITE_P(Rules, Gradient, testing::ValuesIn(casesWhere([](const OpCase &c) {
                           return !c.differentiate.empty();
                         })),
                         [](const auto &info) { return testName(info.param.name); });

class GradientAtKink : public testing::TestWithParam<OpCase> {};

TEST_P(GradientAtKink, IsPyTorchsChoice) {
  const OpCase &test = GetParam();
  std::vector<unsigned> by;
  for (auto [i, dx] : llvm::enumerate(test.kink->dx))
    if (dx)
      by.push_back(i);
  Derived derived(test);
  ASSERT_TRUE(derived.derive(by));
  for (unsigned i : by)
    EXPECT_TRUE(agree(derived.gradient(i), *test.kink->dx[i], 1e-7)) << test.text << ": input " << i;
}

INSTANTIATE_TEST_SUITE_P(Rules, GradientAtKink,
                         testing::ValuesIn(casesWhere([](const OpCase &c) { return c.kink.has_value(); })),
                         [](const auto &info) { return testName(info.param.name); });

} // namespace
} // namespace dlc::numerics
