//===- Comparison.h - a compiled program and the interpreter, side by side --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_VERIFY_COMPARISON_H
#define DLC_COMPILER_VERIFY_COMPARISON_H

#include "compiler/verify/ProgramInstance.h"
#include "compiler/verify/Reference.h"
#include "compiler/verify/Report.h"

namespace dlc::verify {

/// Runs functions both ways and adds to the report how far apart the results are. False where one of the two
/// fails: then the report says that nothing can be compared, and why was reported.
class Comparison {
public:
  Comparison(Reference &reference, ProgramInstance &instance, Report &report)
      : reference(reference), instance(instance), report(report) {}

  /// What is run next, and how the report calls it.
  void begin(std::string name, const llvm::StringMap<Tensor> &named);

  bool predict();
  /// A function that differentiates predictions.
  bool differentiate(train::Derivative derivative);
  bool evalStep();
  /// The loss and all gradients.
  bool gradStep();
  bool gradStepOfFewerRows();
  /// The loss, the updated parameters and the running statistics.
  bool trainStep();
  /// The loss alone.
  bool trainStepOnTheWay();
  /// The updated parameters and the running statistics after the last step.
  bool compareStates();
  /// Two batches, the second of which is this one, and an update with the gradients of both.
  bool accumulateAndApply(const llvm::StringMap<Tensor> &other);

  /// After a training step: why its loss and all that follows say nothing of the compiled code, as the end of
  /// a sentence; "" where they do. The interpreter alone decides that: rounding has become a large part of
  /// the loss.
  std::string whyNoMore() const;
  /// Such a step is none that was compared.
  void takeBack();
  /// Both are as they were before the first call ...
  bool restart();
  /// ... and do again, without being compared, what they did: `grad_step` or `train_step`.
  bool repeat(llvm::StringRef function);

  /// The largest error that a gradient may have, once it was compared.
  double boundOfGradient(llvm::StringRef parameter) const { return gradientBounds.lookup(parameter); }
  /// The compiled loss of the last instance.
  double loss() const { return lastLoss; }
  /// A gradient as compiled code has it.
  Tensor compiledGradient(llvm::StringRef parameter);

  /// The output that is the loss of the last instance; empty where it has none.
  std::string lossName() const;

  train::ProgramOp program() const { return reference.program(); }
  /// Parameters and buffers.
  std::vector<train::StateOp> states() const;

private:
  bool interpret(llvm::StringRef function);
  bool check(const std::string &problem);
  std::vector<Tensor> inputsInOrder(const llvm::StringMap<Tensor> &named) const;
  void rows(int64_t &rows, std::vector<int64_t> &sizes) const;
  void compare(llvm::StringRef what, llvm::StringRef name, const Tensor &found, const Allowance &allowance);
  void compareLoss(double loss);
  bool compareGradients();
  bool compareWeight();
  void findFloor();
  void findSpread();

  Reference &reference;
  ProgramInstance &instance;
  Report &report;
  std::string when;
  llvm::StringMap<Tensor> named;
  std::vector<Tensor> inputs;
  double floor = 0, lastLoss = 0;
  std::optional<double> firstLoss;     ///< in double precision
  double exactLoss = 0, lastBound = 0; ///< the last one, and its bound
  llvm::StringMap<double> gradientBounds, gradientErrors;
  llvm::StringMap<double> spread; ///< of an update: see findSpread
  int64_t updates = 0;            ///< since it was found
};

} // namespace dlc::verify

#endif // DLC_COMPILER_VERIFY_COMPARISON_H
