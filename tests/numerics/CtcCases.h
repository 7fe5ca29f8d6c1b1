//===- CtcCases.h - sequences of labels, and what their loss is ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loss ctc by its definition: each class at each place is tried, and the probabilities of those paths are
// added up that spell the labels. Nothing of the recursion that dlc writes out is in it.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_NUMERICS_CTCCASES_H
#define DLC_TESTS_NUMERICS_CTCCASES_H

#include "tests/numerics/OpCases.h"
#include "tests/numerics/Programs.h"

namespace dlc::numerics {

struct CtcCase {
  const char *name;
  int64_t places, batch, classes, most;
  std::vector<int64_t> labels; ///< [batch, most]
  std::vector<int64_t> inputLengths, labelLengths;
  int64_t blank = 0;
  const char *reduction = "mean";
  bool zeroInfinity = false;
  const char *order = "tbc"; ///< of the prediction's axes: time, batch, classes
  const char *labelType = "i64";
  /// By PyTorch in float64: the loss, and the gradient of the bias of class 0. NaN: not asked.
  double loss, slope;

  train::RecipeSettings recipe() const;
  /// The model: the prediction is the logarithm of the softmax of an input [.., batch, ..] plus a parameter.
  Program program(const char *type) const;
  Tensor input(interpret::DType type) const;
  /// By one number for each class and place, which all sequences share.
  std::vector<int64_t> parameterShape() const;
  Tensor parameter(interpret::DType type) const;
  /// labels, input_lengths, label_lengths.
  std::vector<Tensor> targets() const;

  /// Of one sequence, before a reduction.
  double lossOf(int64_t sequence, const Tensor &parameter) const;
  double lossOfAll(const Tensor &parameter) const;
  /// By finite differences of lossOfAll(); impossible sequences have none.
  Tensor gradient() const;

  /// How GoogleTest prints a case.
  friend void PrintTo(const CtcCase &test, std::ostream *stream) { *stream << test.name; }

private:
  std::vector<int64_t> shape(int64_t batch) const;
  int64_t at(int64_t place, int64_t sequence, int64_t cls, int64_t batch) const;
  std::vector<double> logProbabilities(int64_t sequence, const Tensor &parameter) const;
};

const std::vector<CtcCase> &ctcCases();

} // namespace dlc::numerics

#endif // DLC_TESTS_NUMERICS_CTCCASES_H
