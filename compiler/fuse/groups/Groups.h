//===- Groups.h - which generics run as one kernel -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_GROUPS_GROUPS_H
#define DLC_COMPILER_FUSE_GROUPS_GROUPS_H

#include "compiler/fuse/Costs.h"
#include "compiler/fuse/groups/Precedence.h"
#include "compiler/fuse/groups/Refusal.h"
#include "compiler/fuse/tiled/TiledMatrices.h"
#include "compiler/support/Decisions.h"
#include "mlir/Pass/AnalysisManager.h"
#include <memory>
#include <tuple>

namespace dlc::fuse {

/// Generics that become one kernel. In iteration i of their first `shared` loops, a generic reads of another
/// one only what that one has computed in its iteration i.
///
/// An example, a dense layer followed by the maximum of each row:
///     h[i, j] = sum over k of x[i, k] w[k, j]     a group of its own, shared = 2 (i, j)
///     a[i, j] = max(h[i, j] + b[j], 0)            reads h at (i, j) only
///     m[i] = max over j of a[i, j]                reads a at all j
/// The group of a merges with that of h: both share (i, j), and a is an epilogue of the product. The group of
/// m could share only (i) with them. A product gives up none of its loops, whose tiles would not fit
/// otherwise (Refusal::OtherLoops), so m stays a kernel of its own. A product of many matrices h[b, i, j] and
/// its m[b, i] may still become two steps of one kernel inside of loop b (Chains.cpp). If h were elementwise,
/// all three would merge with shared = 1, provided that i has at least FusionCosts::minShared iterations.
struct Group {
  SmallVector<GenericOp> ops; ///< in program order
  unsigned node = 0;          ///< in the function's Precedence
  unsigned shared = 0;
  size_t operations = 0;      ///< in the bodies of `ops`
  bool isContraction = false; ///< or a depthwise convolution
  bool isScatter = false;     ///< goes to computed positions of its result: a kernel of its own
  bool isScalars = false;     ///< what a training step computes from hyperparameters only
  bool isTransient = false;   ///< its steps compute transient matrices (Transients.cpp)
  /// The kernel steps: groups that run one after the other inside the shared loops. Empty where there is only
  /// one.
  std::vector<Group> steps;
  SmallVector<unsigned> outer; ///< of a kernel step: which of its loops are the shared ones
  ArrayRef<Group> stepsOrSelf() const {
    return steps.empty() ? ArrayRef<Group>(*this) : ArrayRef<Group>(steps);
  }

  SmallVector<int64_t> sharedSizes() {
    return llvm::to_vector(ArrayRef(loopSizes(ops.front())).take_front(shared));
  }
};

class Joint;

/// The machine's numbers that decide which kernels pay.
struct FusionCosts {
  int64_t minShared = 8;          ///< fewer common iterations are not worth giving up more of them
  bool anyOrder = false;          ///< neighbouring iterations need not read neighbours in memory
  MemoryCosts memory;
  bool attentions = false;        ///< steps of one kernel are those of an attention, or of transient matrices
  int64_t block = 32;             ///< at least so many iterations of a loop run together where it is tiled
  size_t maxOperations = 512;     ///< a longer kernel gains nothing and takes long to compile

  bool operator==(const FusionCosts &other) const {
    auto all = [](const FusionCosts &costs) {
      return std::tuple(costs.minShared, costs.anyOrder, costs.memory.nearBytes,
                        costs.memory.operationsPerByte, costs.attentions, costs.block, costs.maxOperations);
    };
    return all(*this) == all(other);
  }
};

class Grouping {
public:
  Grouping(mlir::Block &block, FusionCosts costs, TiledMatrices &matrices);

  /// The groups, in the order of their first operations.
  ArrayRef<std::unique_ptr<Group>> groups() const { return all; }

  /// The tensors that the group reads through memory although a merge with their producers was tried, and why
  /// each merge was refused.
  SmallVector<Apart> apartOf(const Group &group) const;

private:
  void formScalars();
  /// Merges both groups into one kernel if that is possible and pays. Returns why they stay apart; nullopt
  /// where they were merged, or where the reason is of no interest.
  std::optional<Refusal> tryMerge(Group &producer, Group &consumer);
  void take(Group &producer, Group &consumer);
  void formChains(mlir::Block &block);
  /// Makes both groups steps of one kernel if that is possible and pays. Returns as tryMerge does; nullopt
  /// also where they have no common loops, or where the producer hands little to the consumer.
  std::optional<Refusal> tryChain(Group &producer, Group &consumer);
  void note(Value tensor, Operation *reader, std::optional<Refusal> refusal);
  void formAttentions(mlir::Block &block);
  void formTransients(mlir::Block &block);
  /// Adds the consumer, elementwise operations, to the group of transient matrices whose results it reads.
  void tryFollow(Group &producer, Group &consumer);
  /// Makes the producer one group with the steps of both, in the order of `joint`.
  void chain(const Joint &joint, Group &producer, Group &consumer);
  /// The number of leading loops that the groups could share; nullopt if they cannot be one kernel.
  std::optional<unsigned> sharedIfMerged(Group &producer, Group &consumer);
  std::optional<Refusal> refusalOf(Group &producer, Group &consumer, unsigned shared) const;
  Group *groupOf(Operation *op) const { return byOp.lookup(op); }

  FusionCosts costs;
  TiledMatrices &matrices;
  Precedence precedence; ///< of the block's operations; kernels run as a whole
  SmallVector<std::unique_ptr<Group>> all;
  llvm::DenseMap<Operation *, Group *> byOp;
  llvm::DenseMap<std::pair<Value, Operation *>, Refusal> refusals; ///< by a tensor and one that reads it
};

/// The analysis of a function that groups its nests: once for all passes in a row that ask it and leave the
/// function as it is.
class FunctionGrouping {
public:
  FunctionGrouping(mlir::Operation *function, mlir::AnalysisManager &analyses)
      : block(function->getRegion(0).front()), matrices(analyses.getAnalysis<TiledMatrices>()) {}

  const Grouping &by(const FusionCosts &costs) {
    if (!known || !(known->first == costs))
      known.emplace(std::piecewise_construct, std::forward_as_tuple(costs),
                    std::forward_as_tuple(block, costs, matrices));
    return known->second;
  }

private:
  mlir::Block &block;
  TiledMatrices &matrices;
  std::optional<std::pair<FusionCosts, Grouping>> known;
};

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_GROUPS_GROUPS_H
