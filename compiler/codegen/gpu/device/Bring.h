//===- Bring.h - parts of operands in shared memory -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_DEVICE_BRING_H
#define DLC_COMPILER_CODEGEN_GPU_DEVICE_BRING_H

#include "compiler/codegen/gpu/device/Device.h"
#include "compiler/codegen/kernel/Access.h"

namespace dlc::codegen::gpu {

/// Loops that are one here: those of rows, of columns, of products beside each other, or of steps.
struct Loops {
  llvm::SmallVector<int64_t> loops;
  llvm::SmallVector<Index, 4> extents;
  Index size = Index(1);

  void add(Builder &b, int64_t loop, Index extent);
  void place(Builder &b, Index number, Point &point) const;
};

/// Some positions along some loops of an operation.
struct Span {
  const Loops *loops;
  Index first; ///< a multiple of the count
  int64_t count;

  /// The loops' positions of number `within` of the span. If there is `apart`, it gets what the span's place
  /// alone gives, the same for all threads, and `point` only what is added to it.
  void place(Builder &b, Index within, Point &point, Point *apart = nullptr) const;
  /// Whether the loops end where a span does.
  bool isWhole() const { return loops->size.isConstant() && loops->size.offset % count == 0; }
  /// Both, or null where it need not be asked: whether the position is one of the loops.
  mlir::Value isInside(Builder &b, Index position, mlir::Value also) const;
};

/// An operand's elements at some positions by some steps, in which the operand may end. `point` has the
/// positions of all other loops.
class Part {
public:
  Part(Builder &b, mlir::linalg::GenericOp op, mlir::OpOperand *operand, const Memory &source, Span positions,
       Span steps, const Point &point)
      : access(b, source, op.getMatchingIndexingMap(operand)), type(source.element), positions(positions),
        steps(steps), point(point) {}

  int64_t size() const { return positions.count * steps.count; }
  /// Whether steps lie side by side.
  bool isAlongSteps() const { return access.stride(steps.loops->loops.back()) == 1; }
  struct Place {
    Index step, position;
  };
  /// Of an element by its number, either along steps or along positions.
  Place place(Builder &b, Index number, bool alongSteps) const;
  /// Whether the operand has it; null: it does.
  mlir::Value isInside(Builder &b, const Place &place) const;
  /// Of steps, what their span's place gives is added last: the rest is the same in all rounds.
  mlir::Value address(Builder &b, const Place &place) const;
  /// The element, or zero.
  mlir::Value load(Builder &b, const Place &place) const;
  /// So many, from a multiple of `count` on, which `neighbours` allows.
  Values load(Builder &b, const Place &first, int64_t count) const;
  /// How many elements lie side by side, of those that have so many bytes, wherever a multiple of their
  /// number begins; the operand ends behind all of them, or before the first.
  int64_t neighbours(int64_t bytes) const;

private:
  Access access;
  mlir::Type type;
  Span positions, steps;
  const Point &point;
};

/// The threads of a block bring an operand's elements, some positions by some steps, to shared memory, which
/// is indexed by step and position: an element a thread at a time, or 16 bytes where these lie side by side
/// in both, in the order in which they lie, and zeros where the operand ends. Each thread asks for at most
/// `together` of them, and for 32 bytes or one of them, before it stores the first. `point` has the positions
/// of all other loops.
struct Bringing {
  mlir::linalg::GenericOp op;
  mlir::OpOperand *operand;
  Memory source; ///< the operand
  Memory memory; ///< shared
  Span positions, steps;

  void emit(Builder &b, const Point &point, Index thread, int64_t threads, int64_t together);
};

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_DEVICE_BRING_H
