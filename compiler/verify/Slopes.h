//===- Slopes.h - gradients against finite differences --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parameter is moved along a direction, and the loss is computed in double precision before and behind the
// place: two one-sided differences. A gradient times the direction lies between them, up to what rounding in
// double precision changes. At a kink, such as a ReLU of 0, the two are not the same, and anything between
// them is a gradient. Where they are far apart, smaller steps are tried: most kinks are then left out.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_VERIFY_SLOPES_H
#define DLC_COMPILER_VERIFY_SLOPES_H

#include "compiler/verify/Reference.h"

namespace dlc::verify {

/// What the loss does along a direction.
struct Slope {
  double before = 0, after = 0; ///< one-sided differences
  double tolerance = 0;         ///< of what lies between
  bool hasKink = false;         ///< the two are not the same

  double middle() const { return (before + after) / 2; }
  double bound() const;
};

class Slopes {
public:
  using Tensors = llvm::StringMap<interpret::Tensor>;

  /// Runs the function `forward` of a program that has a loss for the first time, with `inputs`. States have
  /// the values of `states` where both have one of that name.
  static mlir::FailureOr<Slopes> create(train::ProgramOp program, const interpret::Interpreter &states,
                                        const Tensors &inputs);

  double loss() const { return here; }
  /// The running statistics and the loss, after that run.
  const interpret::Interpreter &afterwards() const { return moved; }

  /// Along a direction of unit length, of a parameter; `expected` is what a gradient says, and `size` what it
  /// may be said to be at least. Failure where the interpreter fails there.
  mlir::FailureOr<Slope> along(llvm::StringRef parameter, llvm::ArrayRef<double> direction, double expected,
                               double size) const;

private:
  Slopes(train::ProgramOp program, interpret::Interpreter start, interpret::Interpreter moved,
         const Tensors &inputs, double here)
      : program(program), start(std::move(start)), moved(std::move(moved)), inputs(&inputs), here(here) {}
  mlir::FailureOr<double> lossAt(llvm::StringRef parameter, llvm::ArrayRef<double> direction,
                                 double factor) const;
  mlir::FailureOr<Slope> atDistance(llvm::StringRef parameter, llvm::ArrayRef<double> direction,
                                    double distance) const;
  /// How far losses of neighbours in double precision are from this one: sums that cancel.
  double noise() const;

  train::ProgramOp program;
  interpret::Interpreter start, moved;
  const Tensors *inputs;
  double here;
  mutable double knownNoise = -1;
};

/// Why the program's gradients are not the slopes of its loss, "" where they are: operations that say what
/// the gradient is.
std::string whyNoSlopes(train::ProgramOp program);

/// Plus and minus the same number, chosen by `seed`, of length 1.
std::vector<double> randomDirection(int64_t size, uint64_t seed);
double dot(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b);

} // namespace dlc::verify

#endif // DLC_COMPILER_VERIFY_SLOPES_H
