//===- ProgramInstance.h - an instance of a compiled program --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_VERIFY_PROGRAMINSTANCE_H
#define DLC_COMPILER_VERIFY_PROGRAMINSTANCE_H

#include "compiler/interpret/Tensor.h"
#include "dialects/train/Derivative.h"
#include "llvm/ADT/StringRef.h"

namespace dlc::verify {

using interpret::Tensor;

/// The numbers of an evaluation step.
struct Metrics {
  double lossSum = 0, lossWeight = 0;
  int64_t correct = 0;
};

/// An instance of a compiled program, wherever it runs. `inputs` are all inputs of the program in the order
/// of their declaration. Calls return a sentence about what went wrong, "" where nothing did.
class ProgramInstance {
public:
  virtual ~ProgramInstance() = default;

  /// `outputs` are the program's predictions: they come with their shapes and dtypes, and receive the
  /// numbers. `sizes` are those of the named dims after the first, which is the rows.
  virtual std::string predict(int64_t rows, llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<Tensor> inputs,
                              llvm::MutableArrayRef<Tensor> outputs) = 0;
  /// Calls a function that differentiates predictions; `outputs` receive the derivatives.
  virtual std::string differentiate(train::Derivative derivative, int64_t rows, llvm::ArrayRef<int64_t> sizes,
                                    llvm::ArrayRef<Tensor> inputs, llvm::MutableArrayRef<Tensor> outputs) = 0;
  virtual std::string gradStep(llvm::ArrayRef<Tensor> inputs, double &loss) = 0;
  virtual std::string trainStep(llvm::ArrayRef<Tensor> inputs, double &loss) = 0;
  virtual std::string evalStep(int64_t rows, llvm::ArrayRef<Tensor> inputs, Metrics &metrics) = 0;
  /// grad_step of any sizes, where the program was compiled for them.
  virtual std::string gradStepOf(int64_t rows, llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<Tensor> inputs,
                                 double &loss) = 0;
  /// `accumulate` adds gradients to those that are there; `apply` is the update with them.
  virtual std::string accumulate(llvm::ArrayRef<Tensor> inputs, double &loss) = 0;
  virtual std::string apply() = 0;
  /// Brings the instance back to the state that it had before the first call.
  virtual std::string restart() = 0;

  /// A parameter or buffer, and the gradient of a parameter (or the weight of gradients); `value` comes with
  /// its shape and dtype.
  virtual std::string read(llvm::StringRef name, Tensor &value) = 0;
  virtual std::string readGradient(llvm::StringRef name, Tensor &value) = 0;
};

} // namespace dlc::verify

#endif // DLC_COMPILER_VERIFY_PROGRAMINSTANCE_H
