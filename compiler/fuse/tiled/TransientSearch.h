//===- TransientSearch.h - from products to what takes up their elements ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_TILED_TRANSIENTSEARCH_H
#define DLC_COMPILER_FUSE_TILED_TRANSIENTSEARCH_H

#include "compiler/analysis/Reductions.h"
#include "compiler/analysis/Transient.h"
#include "compiler/fuse/Generics.h"

namespace dlc::fuse {

/// Follows elements from operation to operation, forward to all that read them and back to other products
/// that an operation reads beside them.
class TransientSearch {
  using GenericOp = mlir::linalg::GenericOp;
  using Operation = mlir::Operation;
  using Value = mlir::Value;
  using Loops = llvm::SmallVector<int64_t, 4>;

public:
  bool run(GenericOp first);
  analysis::Transient found;

private:
  bool takeFirst(GenericOp maker);
  bool takeReader(GenericOp op);
  bool takeBetween(GenericOp op, Loops loops);
  bool takeEnd(GenericOp op, const Loops &loops);
  void takeSources(GenericOp op, const Loops &loops);
  void takeSource(GenericOp op, const Loops &resultLoops);

  /// Which loops of the first maker those of an operation are by the dims of its result.
  std::optional<Loops> loopsByResult(GenericOp op, const Loops &resultLoops) const;
  bool isMaker(GenericOp op, const Loops &loops) const;
  bool isEndProduct(GenericOp op, const Loops &loops, unsigned kept) const;
  bool isEndSum(GenericOp op, const Loops &loops) const;
  bool isOfEachElement(GenericOp op) const;
  /// Whether elements that are not known yet are among what an operation of each element is made of.
  bool isMadeOfProducts(GenericOp op, llvm::SmallPtrSetImpl<Operation *> &seen) const;
  bool hasRoom() const;

  size_t rank() const { return found.shared.size() + found.sides[0].size() + found.sides[1].size(); }
  bool isKnown(Operation *op) const { return found.loops.contains(op); }
  void keep(GenericOp op, Loops loops);

  analysis::LoopsOfDims dims;     ///< of tensors of elements: loops of the first maker
  llvm::SmallVector<Value> queue; ///< tensors whose readers are to be looked at
};

/// The transient matrices that begin with this producer; nullopt where something else reads their elements,
/// so that they must be in memory.
std::optional<analysis::Transient> findTransients(mlir::linalg::GenericOp producer);
/// The transient matrices that a kernel is about; nullopt for other kernels.
std::optional<analysis::TransientKernel> findTransients(train::KernelOp kernel);

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_TILED_TRANSIENTSEARCH_H
