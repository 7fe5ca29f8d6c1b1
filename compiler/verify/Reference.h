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
// change, a float32 cannot tell from the model's own numbers. Where even that is too far away, parameters are
// eight floats beside, and every sum is rounded after each of its terms: sums of a million terms are off by
// more than their results' rounding. And compiled code may be on the other side of a kink: numbers that
// decide something are brought there, if they are as near as these neighbours are to each other.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_VERIFY_REFERENCE_H
#define DLC_COMPILER_VERIFY_REFERENCE_H

#include "compiler/interpret/Interpreter.h"

namespace dlc::verify {

/// How far a number is from the exact one, and how far it may be: of the element of a tensor that comes
/// nearest to its bound, or is furthest beyond.
struct Deviation {
  double error = 0, bound = 0;
  std::string reason; ///< of the bound
  int64_t element = 0;
  double found = 0, expected = 0;

  bool isBeyond() const { return !(error <= bound); }
  double share() const; ///< of the bound
};

/// What a bound has besides the rounding that the interpreter sees.
struct Allowance {
  double floor = 0; ///< added to all bounds ...
  std::string floorReason;
  /// Bounds have a part of the largest number of the tensor, or of this one where it is not negative: of an
  /// updated parameter the largest change.
  double scale = -1;
  double part = 0; ///< that part; 0: 1e-5, in float64 1e-10
};

class Reference {
public:
  static mlir::FailureOr<Reference> create(train::ProgramOp program);

  mlir::LogicalResult run(llvm::StringRef function, const llvm::StringMap<interpret::Tensor> &inputs);
  const interpret::Interpreter &exact() const { return exactly; }
  /// Before all runs.
  const interpret::Interpreter &first() const { return start; }
  train::ProgramOp program() const { return source; }

  /// Compares the state or output `name` with `found`, what compiled code has: the bound is 8 * max |rounded
  /// - exact| + part * scale + floor. What comes out of neighbours of the parameters counts as rounded where
  /// that is not enough; what those eight floats beside change counts once.
  Deviation compare(llvm::StringRef name, const interpret::Tensor &found,
                    const Allowance &allowance = {}) const;

private:
  Reference(train::ProgramOp source, interpret::Interpreter exactly, interpret::Interpreter rounding)
      : source(source), start(exactly), exactly(std::move(exactly)), rounding(std::move(rounding)) {}
  /// Runs in float32 from parameters that are a few floats beside the model's own.
  struct Neighbours {
    double distance; ///< of a parameter, as a part of itself
    bool isFar;      ///< sums are rounded, and numbers that decide something are exchanged
    std::vector<interpret::Interpreter> all;
    size_t done = 0; ///< of the runs
  };
  /// The largest distance of any element from the exact one.
  double noiseOf(llvm::StringRef name, llvm::ArrayRef<interpret::Interpreter> others) const;
  /// After the same runs; none where the interpreter fails there.
  llvm::ArrayRef<interpret::Interpreter> upToDate(Neighbours &neighbours) const;
  mlir::LogicalResult make(Neighbours &neighbours) const;
  mlir::LogicalResult runNeighbours(Neighbours &neighbours, llvm::StringRef function,
                                    const llvm::StringMap<interpret::Tensor> &inputs) const;

  train::ProgramOp source;
  interpret::Interpreter start, exactly, rounding;
  std::vector<std::pair<std::string, llvm::StringMap<interpret::Tensor>>> runs;
  static constexpr double oneFloat = 6e-8;
  /// So many that have moved parameters; and of far ones so many more, whose deciding numbers are exchanged
  /// by as much as the others differ.
  static constexpr size_t moved = 3, exchanged = 2;
  mutable Neighbours next{oneFloat, /*isFar=*/false, {}}, far{8 * oneFloat, /*isFar=*/true, {}};
};

/// The value of an output of the last run or of a state.
const interpret::Tensor *valueOf(const interpret::Interpreter &interpreter, llvm::StringRef name);

/// "'fc1.weight', element 3 of 4x3xf32: compiled 1, interpreted 2 (tolerance 0.1)".
std::string sentence(llvm::StringRef name, const interpret::Tensor &tensor, const Deviation &deviation);

} // namespace dlc::verify

#endif // DLC_COMPILER_VERIFY_REFERENCE_H
