//===- Costs.h - what it takes to compute and to keep a tensor -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_COSTS_H
#define DLC_COMPILER_FUSE_COSTS_H

#include "compiler/fuse/Generics.h"

namespace dlc::fuse {

/// The iterations of all loops together.
int64_t iterationsOf(GenericOp op);
/// The simple operations of one iteration; the multiplication and the addition of a product count as one
/// each.
int64_t operationsOf(GenericOp op);
/// The simple operations of all iterations.
inline int64_t workOf(GenericOp op) { return iterationsOf(op) * operationsOf(op); }
/// Bytes of a tensor, with a typical size for each dynamic dim.
int64_t bytesOf(Value tensor);

/// A tensor that is this many times smaller than another one costs nothing beside it.
constexpr int64_t timesSmaller = 8;
/// Whether that many bytes cost nothing beside those of `other`.
inline bool isSmallBeside(int64_t bytes, int64_t other) { return bytes * timesSmaller <= other; }

/// What memory costs, counted in the simple operations that a core computes meanwhile. All passes that ask
/// whether a tensor is kept or computed again compare its work with these.
///
/// An example: 4 MB that are kept for a later reader cost 3 * 4 MB * 16 = 201 million operations. A GELU of
/// this million of elements takes 60 operations each, 63 million in all: it is computed again.
struct MemoryCosts {
  int64_t nearBytes = 1 << 20;    ///< of the cache in which a core keeps what it works on
  int64_t operationsPerByte = 16; ///< that a core computes while memory moves a byte
  static constexpr int64_t movesToStore = 2, movesToKeep = 3;

  /// Memory moves the bytes once.
  int64_t toMove(int64_t bytes) const { return bytes * operationsPerByte; }
  /// They are stored: each line is read and written.
  int64_t toStore(int64_t bytes) const { return toMove(movesToStore * bytes); }
  /// They are stored, and a later reader loads them.
  int64_t toKeep(int64_t bytes) const { return toMove(movesToKeep * bytes); }
  /// Whether the cache does not hold them, so that memory is what they cost.
  bool isFar(int64_t bytes) const { return bytes >= nearBytes; }
  /// Whether they are a part of the cache that is worth a decision.
  bool isNotable(int64_t bytes) const { return bytes * 16 >= nearBytes; }
};

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_COSTS_H
