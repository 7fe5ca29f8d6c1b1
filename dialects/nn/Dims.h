//===- Dims.h - static and named dims of nn types --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shape arithmetic exists once, here: a Dim is a static size or a product of named dims; shape
// inference of all families computes with Dims and turns them into types.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_NN_DIMS_H
#define DLC_DIALECTS_NN_DIMS_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace nn {

/// `factor` times the product of `names` (sorted). Without names: a static size.
struct Dim {
  int64_t factor = 1;
  llvm::SmallVector<std::string, 1> names;

  Dim() = default;
  /*implicit*/ Dim(int64_t size) : factor(size) {}
  bool isStatic() const { return names.empty(); }
  bool isOne() const { return isStatic() && factor == 1; }
  bool operator==(const Dim &other) const { return factor == other.factor && names == other.names; }
  bool operator!=(const Dim &other) const { return !(*this == other); }
  /// Canonical text: "784", "batch", "32*batch".
  std::string str() const;
  /// Parses canonical text; nullopt where it is none.
  static std::optional<Dim> parse(llvm::StringRef text);
};
Dim operator*(const Dim &a, const Dim &b);
/// a / b where it divides exactly.
std::optional<Dim> divide(const Dim &a, const Dim &b);

/// Sums and products of sizes (not negative) that stay at the largest number instead of overflowing.
int64_t saturatingAdd(int64_t a, int64_t b);
int64_t saturatingMultiply(int64_t a, int64_t b);

using Shape = llvm::SmallVector<Dim, 4>;

/// Larger tensors are refused, so that no number of bytes overflows.
constexpr int64_t maxElements = int64_t(1) << 36, maxRank = 64;
/// Whether a tensor may have this shape, a named dim having the size `sizeOf` says (1 without it).
bool isTooLarge(llvm::ArrayRef<Dim> shape,
                llvm::function_ref<int64_t(llvm::StringRef name)> sizeOf = nullptr);

/// The dims of a tensor type (a dynamic dim without a name reads as "?").
Shape shapeOf(mlir::Type type);
/// The tensor type with these dims.
mlir::RankedTensorType tensorType(llvm::ArrayRef<Dim> shape, mlir::Type elementType);
/// NumPy broadcasting; nullopt where the shapes do not fit.
std::optional<Shape> broadcast(llvm::ArrayRef<Dim> a, llvm::ArrayRef<Dim> b);
/// "64x784", for messages.
std::string str(llvm::ArrayRef<Dim> shape);
/// The product of all dims.
Dim elementCount(llvm::ArrayRef<Dim> shape);

} // namespace nn

#endif // DLC_DIALECTS_NN_DIMS_H
