//===- SlopeChecks.h - what compiler and interpreter share, checked ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of gradients and the choice of modes are the compiler's, and the interpreter runs what they made.
// Here they are held to the model as it was imported: its loss, its running statistics, and the slopes of its
// loss.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_VERIFY_SLOPECHECKS_H
#define DLC_COMPILER_VERIFY_SLOPECHECKS_H

#include "compiler/verify/Comparison.h"
#include "compiler/verify/References.h"
#include "compiler/verify/Slopes.h"

namespace dlc::verify {

class SlopeChecks {
public:
  /// After the comparison's first grad_step, with these inputs.
  SlopeChecks(References &references, const Reference &reference, Comparison &comparison,
              const llvm::StringMap<Tensor> &inputs, Report &report)
      : references(references), reference(reference), comparison(comparison), inputs(inputs), report(report) {
  }

  /// Runs the model as it was imported; false after an error, which was reported.
  bool prepare();
  /// Why slopes say nothing of this model; "" where they do.
  std::string whyNot() const;
  /// Loss and running statistics.
  void checkModes();
  /// Parameters with a gradient.
  std::vector<std::string> parameters() const;
  /// Along a random direction: the interpreter's gradient and the compiled one.
  void checkAlongRandom(llvm::StringRef parameter, uint64_t seed);
  /// Along the gradient, of which a random direction sees a small part: the interpreter's.
  void checkAlongItself(llvm::StringRef parameter);

private:
  /// The interpreter after a grad_step whose gradients are those of the loss as it is.
  const interpret::Interpreter &exact() const { return unrounded ? *unrounded : reference.exact(); }
  const Tensor &gradientOf(llvm::StringRef parameter) const {
    return *exact().state((parameter + ".grad").str());
  }
  void add(llvm::StringRef what, llvm::StringRef name, double expected, const Slope &slope, double more);
  void addEqual(llvm::StringRef what, llvm::StringRef name, const Tensor &found, const Tensor &expected);

  References &references;
  const Reference &reference;
  Comparison &comparison;
  const llvm::StringMap<Tensor> &inputs;
  Report &report;
  std::optional<interpret::Interpreter> unrounded;
  std::optional<Slopes> slopes;
};

} // namespace dlc::verify

#endif // DLC_COMPILER_VERIFY_SLOPECHECKS_H
