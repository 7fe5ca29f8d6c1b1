//===- Batch.h - many cases in one program --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiling and linking takes longer than running: cases share a program. The names of case k start with
// "c<k>_".
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_NUMERICS_BATCH_H
#define DLC_TESTS_NUMERICS_BATCH_H

#include "tests/numerics/OpCases.h"
#include "tests/numerics/Programs.h"

namespace dlc::numerics {

class Batch {
public:
  /// Which inputs are parameters of the program: none, those that a case differentiates, or those whose
  /// gradients at its kink PyTorch gives; then the loss weighs the results as there.
  enum class Trained { Nothing, Differentiated, AtKinks };
  Batch(std::vector<OpCase> cases, Trained trained);

  /// A program with the function `forward`, which computes every case and uses no result.
  std::string text() const;
  /// Declares and writes an output for every result of every case.
  void writeResults(const Program &program);
  /// Makes the sum of all float results, weighed by constants, the loss.
  void addLoss(const Program &program) const;

  const std::vector<OpCase> cases;
  /// In the order of the declarations.
  std::vector<Tensor> inputs, outputs;
  std::vector<std::string> inputNames, parameterNames;
  std::vector<Tensor> parameters;
  /// For messages, per parameter.
  std::vector<std::string> origins;

private:
  bool isParameter(const OpCase &test, unsigned input) const {
    if (trained == Trained::AtKinks)
      return test.kink->dx[input].has_value();
    return trained == Trained::Differentiated && llvm::is_contained(test.differentiate, input);
  }
  /// The cases' operations.
  std::vector<mlir::Operation *> operations(const Program &program) const;
  Trained trained;
};

} // namespace dlc::numerics

#endif // DLC_TESTS_NUMERICS_BATCH_H
