//===- Access.h - loads and stores of operands at a point of a loop nest ---===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A Point is one position of a loop nest, or `lanes` neighbours along one loop. An Access is where an
// operand lies, as a linear function of the loops; loading it at a point gives a scalar where all lanes
// see the same element, else a vector (contiguous, or gathered where the stride is not one).
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_KERNEL_ACCESS_H
#define DLC_COMPILER_CODEGEN_KERNEL_ACCESS_H

#include "compiler/codegen/kernel/Memory.h"

namespace dlc::codegen {

struct Point {
  llvm::SmallVector<Index, 4> loops;
  int64_t laneDim = -1; ///< the vectorised loop, -1 for a scalar point
  int64_t lanes = 1;
  mlir::Value mask; ///< vector<lanes x i1>; null: all lanes

  bool isVector() const { return laneDim >= 0 && lanes > 1; }
};

class Access {
public:
  Access() = default;
  /// `map` takes the loops to the dims of `memory`. Loops listed in `fixed` do not move the address
  /// (a row's scratch serves all rows).
  Access(Builder &b, const Memory &memory, mlir::AffineMap map, llvm::ArrayRef<int64_t> fixed = {});

  mlir::Value load(Builder &b, const Point &point) const;
  void store(Builder &b, const Point &point, mlir::Value value) const;
  /// Stores an element of 16 bits, given as bits, at a point of one lane.
  void storeBits(Builder &b, const Point &point, mlir::Value bits) const;
  /// Loads or stores elements of 16 bits, two in each word of 32: as many words as the point has lanes, from
  /// its address on. The lower half of a word comes first in memory.
  mlir::Value loadWords(Builder &b, const Point &point) const;
  void storeWords(Builder &b, const Point &point, mlir::Value words) const;
  /// Prefetches the cache line of a point, which may lie outside the operand.
  void prefetch(Builder &b, const Point &point) const;
  /// Prefetches so many neighbouring lines, from number `first` on, counted from the point's line.
  void prefetchLines(Builder &b, const Point &point, Index first, int64_t lines) const;
  /// The stride of a loop, in elements; nullopt where it is known at run time only.
  std::optional<int64_t> stride(int64_t loop) const;
  bool dependsOn(int64_t loop) const { return !(stride(loop) == 0); }

  /// Where the element, or the first of a vector, lies, or the one so much further along each loop. What is
  /// further is added last, so that a loop around which it alone changes need not compute the rest.
  mlir::Value address(Builder &b, const Point &point, llvm::ArrayRef<Index> further = {}) const;

private:
  mlir::Value laneAddresses(Builder &b, const Point &point) const;

  mlir::Value pointer;
  mlir::Type element;
  /// A loop along which the operand lies in panels: elements to the next panel, and within one.
  struct Panels {
    int64_t loop, size, toNext, within;
  };
  void addPanelPart(mlir::AffineBinaryOpExpr expr, const Index &stride);

  llvm::SmallVector<Index, 4> coefficients; ///< per loop
  llvm::SmallVector<Panels, 1> panels;
  Index constant;
};

/// `value` as a vector of the point's lanes (scalars are broadcast).
mlir::Value asVector(Builder &b, const Point &point, mlir::Value value);
/// A load of one element, or of each lane's element, at computed positions (gather).
mlir::Value loadIndirect(Builder &b, const Memory &memory, llvm::ArrayRef<mlir::Value> positions,
                         const Point &point);
/// Such a load where only the position along `axis` differs from lane to lane, and is that of the lanes'
/// loop.
mlir::Value loadAlongLanes(Builder &b, const Memory &memory, llvm::ArrayRef<mlir::Value> positions,
                           unsigned axis, const Point &point);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_KERNEL_ACCESS_H
