//===- Reference.h - what float32 code may compute ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter runs twice: in double precision, and rounding each operation's results to their dtype. How
// far the two are apart is what float32 costs in this model, wherever it comes from: cancellation, large
// numbers, a comparison that falls the other way. Compiled code may be a few times as far from the exact
// numbers.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_NUMERICS_REFERENCE_H
#define DLC_TESTS_NUMERICS_REFERENCE_H

#include "compiler/interpret/Interpreter.h"

namespace dlc::numerics {

class Reference {
public:
  static mlir::FailureOr<Reference> create(train::ProgramOp program);

  mlir::LogicalResult run(llvm::StringRef function, const llvm::StringMap<interpret::Tensor> &inputs);
  const interpret::Interpreter &exact() const { return exactly; }

  /// Empty if `found` may be the state or output `name`, else which element is what. With n the largest
  /// exact number of the tensor: |found - exact| <= 8 * max |rounded - exact| + 1e-5 * n (1e-10 * n in
  /// float64)
  /// + `floor`.
  std::string compare(llvm::StringRef name, const interpret::Tensor &found, double floor = 0) const;

  /// Whether the gradient `name`.grad of the loss is its slope along the gradient itself, from before a run
  /// of grad_step with these inputs. At a kink anything between the slopes of both sides will do. Empty, or
  /// what is expected and found.
  std::string compareSlope(llvm::StringRef name, const llvm::StringMap<interpret::Tensor> &inputs) const;

private:
  Reference(interpret::Interpreter exactly, interpret::Interpreter rounding)
      : start(exactly), exactly(std::move(exactly)), rounding(std::move(rounding)) {}
  interpret::Interpreter start, exactly, rounding;
};

} // namespace dlc::numerics

#endif // DLC_TESTS_NUMERICS_REFERENCE_H
