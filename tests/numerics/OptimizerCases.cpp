//===- OptimizerCases.cpp - torch.optim's updates ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/numerics/OptimizerCases.h"
#include "llvm/Support/FormatVariadic.h"

#include <array>

namespace dlc::numerics {

/// PyTorch's names to ours, which say what they are.
static llvm::StringRef ourName(llvm::StringRef name) {
  return name == "lr" ? "learning_rate" : name == "eps" ? "epsilon" : name == "d" ? "clip_threshold" : name;
}

/// Of those that PyTorch has as pairs.
static std::array<llvm::StringRef, 2> ourNames(llvm::StringRef name) {
  if (name == "betas")
    return {"beta1", "beta2"};
  if (name == "etas")
    return {"eta_minus", "eta_plus"};
  if (name == "step_sizes")
    return {"step_size_min", "step_size_max"};
  return {"epsilon", "epsilon2"};
}

/// A value that no case has.
static const char *anotherValue(llvm::StringRef name) {
  return name == "eta_plus" || name == "clip_threshold" ? "1.125"
         : name == "beta2_decay"                        ? "-0.125"
                                                        : "0.125";
}

static std::vector<double> numbersOf(const llvm::json::Value &list) {
  std::vector<double> numbers;
  for (const llvm::json::Value &value : *list.getAsArray())
    numbers.push_back(*value.getAsNumber());
  return numbers;
}

static OptimizerCase caseOf(const llvm::json::Object &test) {
  OptimizerCase made;
  made.optimizer = test.getString("optimizer")->str();
  const llvm::json::Object &given = *test.getObject("hyperparameters");
  made.title = llvm::formatv("{0} {1}", made.optimizer, llvm::json::Value(llvm::json::Object(given)));
  auto set = [&](llvm::StringRef name, const llvm::json::Value &value) {
    made.hyperparameters.push_back(llvm::formatv("{0}={1:e17}", name, *value.getAsNumber()));
  };
  for (const auto &[key, value] : given) {
    llvm::StringRef name = key;
    if (name == "nesterov")
      made.nesterov = *value.getAsBoolean();
    else if (name == "centered")
      made.centered = *value.getAsBoolean();
    else if (name == "amsgrad")
      made.amsgrad = *value.getAsBoolean();
    else if (name == "initial_accumulator_value")
      made.initialSum = *value.getAsNumber();
    else if (const llvm::json::Array *pair = value.getAsArray())
      for (size_t i = 0; i < 2; ++i)
        set(ourNames(name)[i], (*pair)[i]);
    else
      set(ourName(name), value);
  }
  made.shape = {7};
  if (const llvm::json::Array *shape = test.getArray("shape")) {
    made.shape.clear();
    for (const llvm::json::Value &size : *shape)
      made.shape.push_back(*size.getAsInteger());
    made.title += llvm::formatv(" of {0}", llvm::json::Value(llvm::json::Array(*shape)));
  }
  made.parameter = numbersOf(*test.get("parameter"));
  for (const llvm::json::Value &list : *test.getArray("gradients"))
    made.gradients.push_back(numbersOf(list));
  for (const llvm::json::Value &list : *test.getArray("updated"))
    made.updated.push_back(numbersOf(list));
  return made;
}

train::RecipeSettings OptimizerCase::recipe() const {
  train::RecipeSettings settings{{"optimizer", optimizer}};
  for (const std::string &number : hyperparameters)
    settings.emplace_back("hyperparameter", number);
  for (const std::string &group : groups)
    settings.emplace_back("group", group);
  for (auto [isSet, flag] : {std::pair{nesterov, "nesterov"}, {centered, "centered"}, {amsgrad, "amsgrad"}})
    if (isSet)
      settings.emplace_back(flag, "");
  return settings;
}

bool OptimizerCase::hasMomentum() const {
  for (llvm::StringRef setting : hyperparameters) {
    double number = 0;
    if (setting.consume_front("momentum=") && !setting.getAsDouble(number))
      return number != 0;
  }
  return false;
}

std::vector<OptimizerCase> optimizerCases() {
  llvm::json::Value file = readJson("optimizers.json");
  std::vector<OptimizerCase> cases;
  for (const llvm::json::Value &test : *file.getAsArray())
    cases.push_back(caseOf(*test.getAsObject()));
  return cases;
}

OptimizerCase byGroup(OptimizerCase test) {
  std::string group = "w:lr-scale=0.5";
  for (std::string &setting : test.hyperparameters) {
    auto [name, text] = llvm::StringRef(setting).split('=');
    double number = 0;
    text.getAsDouble(number);
    if (name == "learning_rate") {
      setting = llvm::formatv("{0}={1:e17}", name, 2 * number);
      continue;
    }
    // Without a momentum, sgd has none that a group could set.
    if (test.optimizer == "sgd" && name != "weight_decay" && !test.hasMomentum())
      continue;
    group += "," + setting;
    if (name != "dampening" && name != "momentum") // which nesterov needs as they are
      setting = llvm::formatv("{0}={1}", name, anotherValue(name));
  }
  test.groups.push_back(group);
  test.title += " by a group";
  return test;
}

Tensor OptimizerCase::tensorOf(const std::vector<double> &numbers, interpret::DType dtype) const {
  Tensor tensor = Tensor::zeros(dtype, shape);
  std::copy(numbers.begin(), numbers.end(), tensor.floats.begin());
  return tensor;
}

void note(tests::Differences &differences, const Tensor &found, const Tensor &expected, double least) {
  for (int64_t i = 0; i < expected.size(); ++i)
    differences.add(found.number(i), expected.number(i), std::max(std::fabs(expected.number(i)), least));
}

/// Each row of w is looked up once, in another order; g is the gradient.
std::string OptimizerCase::lookedUp(const std::string &type, const std::string &scalar,
                                    const std::string &axes) const {
  std::string ids, rows = llvm::formatv("tensor<{0}xi64>", shape[0]);
  for (int64_t i = 0; i < shape[0]; ++i)
    ids += (i ? ", " : "") + std::to_string(std::min(i ^ 1, shape[0] - 1)); // pairs change places
  return llvm::formatv(R"mlir(
train.program @update {{
  train.state parameter @w : {0} = dense<0.0>
  train.input @g : {0}
  train.output loss @loss : tensor<f32>
  train.function forward @forward {{
    %w = train.read @w : {0}
    %g = train.read @g : {0}
    %ids = nn.constant dense<[{3}]> : {4}
    %rows = nn.gather %w, %ids axis 0 : {0}, {4}
    %gradients = nn.gather %g, %ids axis 0 : {0}, {4}
    %product = nn.mul %rows, %gradients : {0}, {0}
    %loss = nn.sum %product axes [{2}] : {0}
    %one = nn.constant dense<1.0> : {1}
    train.loss %loss, %one : {1}, {1}
  }
})mlir",
                       type, scalar, axes, ids, rows);
}

std::string OptimizerCase::program(const char *dtype) const {
  std::string scalar = llvm::formatv("tensor<{0}>", dtype), type = "tensor<", axes;
  for (auto [axis, size] : llvm::enumerate(shape)) {
    type += std::to_string(size) + "x";
    axes += (axis ? ", " : "") + std::to_string(axis);
  }
  type += std::string(dtype) + ">";
  if (optimizer == "sparseadam" && shape.size() > 1)
    return lookedUp(type, scalar, axes);
  return llvm::formatv(R"mlir(
train.program @update {{
  train.state parameter @w : {0} = dense<0.0>
  train.input @g : {0}
  train.output loss @loss : tensor<f32>
  train.function forward @forward {{
    %w = train.read @w : {0}
    %g = train.read @g : {0}
    %product = nn.mul %w, %g : {0}, {0}
    %loss = nn.sum %product axes [{2}] : {0}
    %one = nn.constant dense<1.0> : {1}
    train.loss %loss, %one : {1}, {1}
  }
})mlir",
                       type, scalar, axes);
}

} // namespace dlc::numerics
