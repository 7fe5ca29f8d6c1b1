//===- Tensor.h - the interpreter's values --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's values: a shape and numbers, floats of any dtype as double, integers and truth
// values as int64_t. Rounding to the dtype is a step of its own, so that everything can be computed in
// plain double precision.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_INTERPRET_TENSOR_H
#define DLC_COMPILER_INTERPRET_TENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>
#include <vector>

namespace dlc::interpret {

enum class DType { F64, F32, TF32, F16, BF16, I64, I32, UI8, I1 };

/// The dtype of an element type; `index` counts as I64. nullopt where there is none.
std::optional<DType> dtypeOf(mlir::Type elementType);
/// "f32", as in MLIR.
llvm::StringRef str(DType dtype);

struct Tensor {
  DType dtype = DType::F64;
  llvm::SmallVector<int64_t, 4> shape;
  std::vector<double> floats; ///< row-major; empty unless isFloat()
  std::vector<int64_t> ints;  ///< row-major; empty if isFloat()

  static Tensor zeros(DType dtype, llvm::ArrayRef<int64_t> shape);
  static Tensor scalar(double number, DType dtype = DType::F64);

  bool isFloat() const { return dtype <= DType::BF16; }
  /// A value of fewer bits than f32 is what they hold, in whatever precision others are computed.
  bool isNarrow() const { return isFloat() && dtype >= DType::TF32; }
  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t size() const;
  /// Element `i` as a double, whatever the dtype.
  double number(int64_t i) const { return isFloat() ? floats[i] : static_cast<double>(ints[i]); }
  /// Rounds every element to what the dtype can hold: floats to nearest, halves to even (tf32: away from
  /// zero, as GPUs do), integers modulo 2^bits.
  void roundToDType();
  /// "2x3xf32".
  std::string typeStr() const;
};

/// The nearest value of the dtype.
double roundTo(DType dtype, double number);

/// Row-major strides.
llvm::SmallVector<int64_t, 4> stridesOf(llvm::ArrayRef<int64_t> shape);
/// Strides that read a tensor of `shape` at the indices of `result`, broadcasting as NumPy does.
llvm::SmallVector<int64_t, 4> broadcastStrides(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> result);
int64_t offsetOf(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> strides);
/// Calls `body` with each index of `shape`, in row-major order; once with {} for rank 0.
void forEachIndex(llvm::ArrayRef<int64_t> shape, llvm::function_ref<void(llvm::ArrayRef<int64_t>)> body);
void copyElement(const Tensor &from, int64_t source, Tensor &to, int64_t destination);
/// The product of the sizes.
int64_t product(llvm::ArrayRef<int64_t> sizes);

} // namespace dlc::interpret

#endif // DLC_COMPILER_INTERPRET_TENSOR_H
