//===- OptimizerCases.h - torch.optim's updates -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cases of optimizers.json: some updates of a parameter, most of them three of seven numbers, in float64.
// make_references.py made them.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_NUMERICS_OPTIMIZERCASES_H
#define DLC_TESTS_NUMERICS_OPTIMIZERCASES_H

#include "dialects/train/RecipeSettings.h"
#include "tests/Differences.h"
#include "tests/numerics/OpCases.h"

#include <optional>
#include <string>
#include <vector>

namespace dlc::numerics {

struct OptimizerCase {
  std::string title, optimizer;
  std::vector<std::string> hyperparameters; ///< NAME=NUMBER, in dlc's names
  std::vector<std::string> groups;          ///< of parameters with numbers of their own
  bool nesterov = false, centered = false, amsgrad = false;
  std::optional<double> initialSum; ///< of Adagrad
  std::vector<int64_t> shape;
  std::vector<double> parameter;
  std::vector<std::vector<double>> gradients, updated; ///< one for each update

  bool hasMomentum() const;
  train::RecipeSettings recipe() const;
  /// The program with the parameter `w` and the loss sum(w * g), whose gradient is the input `g`.
  std::string program(const char *dtype) const;
  /// The same, where w is a table and all its rows are looked up.
  std::string lookedUp(const std::string &type, const std::string &scalar, const std::string &axes) const;
  /// Numbers as a tensor of the parameter's shape.
  Tensor tensorOf(const std::vector<double> &numbers, interpret::DType dtype) const;
};

std::vector<OptimizerCase> optimizerCases();

/// Adds how far the parameter is from PyTorch's; of its numbers, those smaller than `least` count as it.
void note(tests::Differences &differences, const Tensor &found, const Tensor &expected, double least);

/// The same update in other words: the optimizer's own numbers are wrong for the parameter, and a group puts
/// them right. The learning rate is twice what the case has, and the group takes half of it.
OptimizerCase byGroup(OptimizerCase test);

} // namespace dlc::numerics

#endif // DLC_TESTS_NUMERICS_OPTIMIZERCASES_H
