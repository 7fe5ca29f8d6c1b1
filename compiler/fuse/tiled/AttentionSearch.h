//===- AttentionSearch.h - from one product of an attention to the other ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_TILED_ATTENTIONSEARCH_H
#define DLC_COMPILER_FUSE_TILED_ATTENTIONSEARCH_H

#include "compiler/analysis/Attention.h"
#include "compiler/analysis/Reductions.h"
#include "compiler/fuse/Generics.h"

namespace dlc::fuse {

/// Follows one product to the other.
class AttentionSearch {
  using GenericOp = mlir::linalg::GenericOp;
  using Operation = mlir::Operation;
  using Value = mlir::Value;

public:
  AttentionSearch(GenericOp scores, GenericOp values) { found.scores = scores, found.values = values; }

  /// Looks at the operations before `values`, in order. Returns whether they are an attention.
  bool run(llvm::ArrayRef<GenericOp> before) {
    return takeScores() && llvm::all_of(before, [&](GenericOp op) { return !reads(op) || take(op); }) &&
           found.sum && takeValues();
  }
  /// Takes up an operation beside these if it computes one number per row from other such numbers that are
  /// known.
  bool takeBeside(GenericOp op) {
    bool isOfRows = llvm::all_of(op.getInputs(), [&](Value input) {
      return !contains(input.getDefiningOp()) || ofRow.contains(input);
    });
    if (op.getNumReductionLoops() > 0 || !isOfRows || !reads(op) || !take(op))
      return false;
    llvm::sort(found.rowValues, [](GenericOp a, GenericOp b) { return a->isBeforeInBlock(b); });
    return true;
  }
  bool contains(Operation *op) const { return op && found.contains(op); }
  analysis::Attention found;

private:
  /// What a value of a row depends on.
  enum class Of { Maximum, Sum };

  bool takeScores();
  bool take(GenericOp op);
  bool takeReduction(GenericOp op);
  bool takeExponentials(GenericOp op);
  bool takeValues();
  bool label(GenericOp op);
  std::optional<int> powerOfFactor(GenericOp op, Value value);

  bool reads(GenericOp op) {
    return op != found.scores && op != found.values &&
           llvm::any_of(op.getInputs(), [&](Value input) { return dims.contains(input); });
  }
  bool isOfElements(Value tensor) {
    auto known = dims.find(tensor);
    return known != dims.end() && llvm::is_contained(known->second, found.key);
  }
  /// Whether the operation reads a number of a row that depends on this.
  bool readsOfRow(GenericOp op, Of what) {
    return llvm::any_of(op.getInputs(), [&](Value input) {
      auto known = ofRow.find(input);
      return known != ofRow.end() && known->second == what;
    });
  }

  analysis::LoopsOfDims dims; ///< of `scores`
  llvm::DenseMap<Value, Of> ofRow;
};

/// The attention whose second product this is; nullopt where it is none. Other readers of its scores and
/// probabilities do not matter, as long as they are linalg operations too.
std::optional<analysis::Attention> findAttention(mlir::linalg::GenericOp values);
/// The attention that a kernel is, with elementwise operations after it at most: it yields results of the
/// second product and numbers of rows only.
std::optional<analysis::Attention> findAttention(train::KernelOp kernel);

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_TILED_ATTENTIONSEARCH_H
