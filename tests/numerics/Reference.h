//===- Reference.h - what float32 code may compute ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter runs twice: in double precision, and rounding each operation's results to their dtype. How
// far the two are apart is what float32 costs in this model, wherever it comes from: cancellation, large
// numbers, a comparison that falls the other way. Compiled code may be a few times as far from the exact
// numbers.
//
// This underestimates the cost where numbers are round: with weights of 1 all sums are whole numbers and no
// rounding ever happens, but to code that adds in another order it does. So a number that is too far away is
// looked at again from neighbours: parameters that are each one float beside the model's own. What these
// change, a float32 cannot tell from the model's own numbers.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_NUMERICS_REFERENCE_H
#define DLC_TESTS_NUMERICS_REFERENCE_H

#include "compiler/interpret/Interpreter.h"
#include <array>

namespace dlc::numerics {

class Reference {
public:
  static mlir::FailureOr<Reference> create(train::ProgramOp program);

  mlir::LogicalResult run(llvm::StringRef function, const llvm::StringMap<interpret::Tensor> &inputs);
  const interpret::Interpreter &exact() const { return exactly; }

  /// Empty if `found` may be the state or output `name`, else which element is what. With n the largest
  /// exact number of the tensor: |found - exact| <= 8 * max |rounded - exact| + 1e-5 * n (1e-10 * n in
  /// float64)
  /// + `floor`. Where that is not so, `rounded` may also be what comes out of neighbours of the parameters.
  std::string compare(llvm::StringRef name, const interpret::Tensor &found, double floor = 0) const;

  /// Whether the gradient `name`.grad of the loss is its slope along the gradient itself, from before a run
  /// of grad_step with these inputs. At a kink anything between the slopes of both sides will do, and what
  /// double precision cannot tell from the slope. Not asked of programs with straight-through gradients.
  /// Empty, or what is expected and found.
  std::string compareSlope(llvm::StringRef name, const llvm::StringMap<interpret::Tensor> &inputs) const;

private:
  Reference(train::ProgramOp program, interpret::Interpreter exactly, interpret::Interpreter rounding)
      : program(program), start(exactly), exactly(std::move(exactly)), rounding(std::move(rounding)) {}
  const interpret::Tensor &gradientOf(llvm::StringRef name) const;
  /// The losses with `name` moved back along its gradient, where it is, and moved forward, by `factor` times
  /// the gradient.
  mlir::FailureOr<std::array<double, 3>> lossesAlong(llvm::StringRef name, double factor,
                                                     const llvm::StringMap<interpret::Tensor> &inputs) const;
  /// After the same runs, from parameters that are moved by at most `distance` of themselves.
  std::vector<interpret::Interpreter> neighbours(const interpret::Options &options, double distance) const;
  /// The largest distance of any element from the exact one.
  double noiseOf(llvm::StringRef name, llvm::ArrayRef<interpret::Interpreter> others) const;

  train::ProgramOp program;
  interpret::Interpreter start, exactly, rounding;
  std::vector<std::pair<std::string, llvm::StringMap<interpret::Tensor>>> runs;
};

} // namespace dlc::numerics

#endif // DLC_TESTS_NUMERICS_REFERENCE_H
