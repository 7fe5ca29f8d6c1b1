//===- SharedMemoryLoad.h - loads of operands into shared memory ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_DEVICE_SHAREDMEMORYLOAD_H
#define DLC_COMPILER_CODEGEN_GPU_DEVICE_SHAREDMEMORYLOAD_H

#include "compiler/codegen/gpu/device/Device.h"
#include "compiler/codegen/kernel/Access.h"

namespace dlc::codegen::gpu {

/// Loops that are treated as one loop, the last one innermost: all row loops of a product, all column loops,
/// all batch loops or all reduction loops (k).
struct Loops {
  llvm::SmallVector<int64_t> loops;
  llvm::SmallVector<Index, 4> extents;
  Index size = Index(1);

  void add(Builder &b, int64_t loop, Index extent);
  void place(Builder &b, Index number, Point &point) const;
};

/// `count` neighbouring positions along some loops of an operation.
struct Span {
  const Loops *loops;
  Index first; ///< a multiple of the count
  int64_t count;

  /// Sets the loops' positions in `point` to those of position `within` of the span. If `apart` is given, it
  /// receives the position of the span itself, which is the same for all threads, and `point` only what is
  /// added to it.
  void place(Builder &b, Index within, Point &point, Point *apart = nullptr) const;
  /// Whether the loops end where a span ends, so that no span is cut.
  bool isWhole() const { return loops->size.isConstant() && loops->size.offset % count == 0; }
  /// The condition that the position is inside of the loops and that `also` holds; null where both are
  /// certain.
  mlir::Value isInside(Builder &b, Index position, mlir::Value also) const;
};

/// A block of an operand: some positions (rows or columns of the product) by some steps of k. The operand may
/// end inside of the block. `point` has the positions of all other loops.
class OperandBlock {
public:
  OperandBlock(Builder &b, mlir::linalg::GenericOp op, mlir::OpOperand *operand, const Memory &source,
               Span positions, Span steps, const Point &point)
      : access(b, source, op.getMatchingIndexingMap(operand)), type(source.element), positions(positions),
        steps(steps), point(point) {}

  int64_t size() const { return positions.count * steps.count; }
  /// Whether neighbouring steps of k are neighbours in memory.
  bool isAlongSteps() const { return access.stride(steps.loops->loops.back()) == 1; }
  struct Coordinates {
    Index step, position;
  };
  /// The coordinates of element `number` of the block, counted along steps first or along positions first.
  Coordinates place(Builder &b, Index number, bool alongSteps) const;
  /// The condition that the operand has this element; null where that is certain.
  mlir::Value isInside(Builder &b, const Coordinates &place) const;
  /// The address of an element. The position of the span of steps is added last: the rest is the same in all
  /// rounds, so that it is computed once.
  mlir::Value address(Builder &b, const Coordinates &place) const;
  /// The element, or zero where the operand has ended.
  mlir::Value load(Builder &b, const Coordinates &place) const;
  /// `count` neighbours from `first` on, which is a multiple of `count`; `neighbours` must allow so many.
  Values load(Builder &b, const Coordinates &first, int64_t count) const;
  /// How many elements can be loaded at once with at most `bytes` bytes: a power of two of neighbours in
  /// memory that, from each multiple of their number on, are all inside of the operand or all outside of it.
  int64_t neighbours(int64_t bytes) const;

private:
  Access access;
  mlir::Type type;
  Span positions, steps;
  const Point &point;
};

/// A cooperative load: the threads of a block copy a block of an operand to shared memory, which is indexed
/// by step and position, and write zeros where the operand has ended. A thread copies one element at a time,
/// or 16 bytes where these are neighbours in both memories. It has at most `inFlight` loads under way, and at
/// most 32 bytes of them (but at least one load), before it stores the first. `point` has the positions of
/// all other loops.
struct SharedMemoryLoad {
  mlir::linalg::GenericOp op;
  mlir::OpOperand *operand;
  Memory source; ///< the operand
  Memory memory; ///< shared
  Span positions, steps;

  void emit(Builder &b, const Point &point, Index thread, int64_t threads, int64_t inFlight);
};

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_DEVICE_SHAREDMEMORYLOAD_H
