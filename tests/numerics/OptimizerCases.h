//===- OptimizerCases.h - torch.optim's updates -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cases of optimizers.json: three updates of seven numbers, in float64. make_references.py made them.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_NUMERICS_OPTIMIZERCASES_H
#define DLC_TESTS_NUMERICS_OPTIMIZERCASES_H

#include "tests/numerics/OpCases.h"

#include <optional>
#include <string>
#include <vector>

namespace dlc::numerics {

struct OptimizerCase {
  static constexpr int64_t size = 7;

  std::string title, optimizer;
  std::vector<std::string> hyperparameters; ///< NAME=NUMBER, in dlc's names
  std::vector<std::string> groups;          ///< of parameters with numbers of their own
  bool nesterov = false, centered = false;
  std::optional<double> initialSum; ///< of Adagrad
  std::vector<double> parameter;
  std::vector<std::vector<double>> gradients, updated; ///< one for each update

  bool hasMomentum() const;
};

std::vector<OptimizerCase> optimizerCases();
/// The same update in other words: the optimizer's own numbers are wrong for the parameter, and a group puts them
/// right. The learning rate is twice what the case has, and the group takes half of it.
OptimizerCase byGroup(OptimizerCase test);
/// Numbers of a case as a tensor.
Tensor vectorOf(const std::vector<double> &numbers, interpret::DType dtype);
/// A program with the parameter `w` and the loss sum(w * g), whose gradient is the input `g`.
std::string optimizerProgram(const char *dtype);

} // namespace dlc::numerics

#endif // DLC_TESTS_NUMERICS_OPTIMIZERCASES_H
