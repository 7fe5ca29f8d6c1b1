//===- Lowering.h - what all lowerings to linalg need ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds the linalg form of every nn value of a function: a plain tensor without dims of size 1, or one number
// where all elements are equal and known. One table has the lowering of each operation; a lowering makes one
// linalg.generic over the dims that are not 1.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LOWER_LOWERING_H
#define DLC_COMPILER_LOWER_LOWERING_H

#include "dialects/nn/Dims.h"
#include "dialects/train/Train.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace dlc::lower {

using llvm::ArrayRef, llvm::SmallVector;
using mlir::AffineExpr, mlir::AffineMap, mlir::ImplicitLocOpBuilder, mlir::Value, mlir::ValueRange;

/// The dims that an operation iterates over. A dim of size 1 has no loop; the last `reductions` dims are
/// summed up (or combined otherwise).
struct Space {
  nn::Shape dims;
  unsigned reductions = 0;
  SmallVector<int> loops; ///< per dim: its loop, or -1

  Space(nn::Shape dims, unsigned reductions = 0);
  unsigned loopCount() const;
  bool hasReduction() const;
  /// The position along `dim` as an affine expression, 0 where there is no loop.
  AffineExpr position(unsigned dim, mlir::MLIRContext *context) const;
  SmallVector<mlir::utils::IteratorType> iterators() const;
};

/// An operand, and which of its elements is read at a point of the space.
struct Read {
  Value value; ///< an nn value, or a view of one
  AffineMap map;
};

/// A scalar body. Its arguments are the values read and, for reductions, the accumulator; it returns the
/// result.
using Body = llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

class Lowering {
public:
  explicit Lowering(train::FunctionOp function)
      : function(function), b(function.getLoc(), function.getContext()) {}

  /// Where lowered operations go and the location they get.
  void startAt(mlir::Operation *op);
  ImplicitLocOpBuilder &builder() { return b; }
  train::FunctionOp getFunction() { return function; }

  /// The plain tensor, without dims of size 1, that stands for `value`.
  Value tensor(Value value);
  /// The number that all elements of `value` are, where known.
  mlir::TypedAttr number(Value value) const { return numbers.lookup(value); }
  void replace(Value value, Value tensor) { tensors[value] = tensor; }
  void replace(Value value, mlir::TypedAttr number) { numbers[value] = number; }
  /// `to` is another name of `from`'s elements; both have the same dims except for 1s.
  void alias(Value from, Value to);

  /// The map of an operand with dims `shape` whose dim `i` is read at `position(i)`.
  AffineMap map(const Space &space, ArrayRef<nn::Dim> shape,
                llvm::function_ref<AffineExpr(unsigned)> position);
  /// How an operand that broadcasts to the first `rank` dims of the space is read.
  Read broadcast(const Space &space, Value value, unsigned rank);
  /// The generic over `space` that reads `reads`; its result has the space's dims without the reductions.
  /// Reductions start from `neutral`. Where no operand tells the extent of a loop (that over the positions in
  /// a window), an operand without elements to read does: a tensor.empty of these extents.
  Value generic(const Space &space, ArrayRef<Read> reads, mlir::Type elementType, Body body,
                mlir::TypedAttr neutral = {});
  /// `result` is the sum of the products of what two operands hold: a contraction. Its elements are those of
  /// the space's dims without the reductions, perhaps in another shape. Narrow floats are added up in f32.
  /// Products are zero but where these expressions of the loops are at least 0.
  void sumOfProducts(const Space &space, const Read &a, const Read &b, Value result,
                     ArrayRef<AffineExpr> nonzero = {});
  /// The tensor of these elements in another shape: a view.
  Value reshape(Value tensor, ArrayRef<nn::Dim> from, ArrayRef<nn::Dim> to);
  /// The elements of `value` in another shape, to be read.
  Value view(Value value, ArrayRef<nn::Dim> shape);

private:
  Value empty(ArrayRef<nn::Dim> shape, mlir::Type elementType);
  void addExtents(const Space &space, ArrayRef<nn::Dim> result, SmallVector<Value> &inputs,
                  SmallVector<AffineMap> &maps);

  train::FunctionOp function;
  ImplicitLocOpBuilder b;
  llvm::StringRef doc;
  llvm::DenseMap<Value, Value> tensors;
  llvm::DenseMap<Value, mlir::TypedAttr> numbers;
};

/// The dims that are not 1.
nn::Shape withoutOnes(ArrayRef<nn::Dim> shape);
/// The type of an element in bodies and in memory: tf32 is f32 there, and what rounds to it stands in the
/// bodies; ui8 is i8, as scalar operations say themselves whether numbers have a sign.
mlir::Type storedType(mlir::Type elementType);
/// The type without encoding, of such elements.
mlir::RankedTensorType plainType(mlir::Type type);
/// The size of a dim as an index.
Value sizeOf(ImplicitLocOpBuilder &b, const nn::Dim &dim);
/// Whether a tensor type has a dim of size 0.
bool isEmpty(mlir::Type type);
/// A constant of a number type.
mlir::TypedAttr numberAttr(mlir::Type type, double number);
Value constant(ImplicitLocOpBuilder &b, mlir::Type type, double number);
Value constantIndex(ImplicitLocOpBuilder &b, int64_t number);

class Lowerings {
public:
  using Function = std::function<void(mlir::Operation *, Lowering &)>;

  template <typename Op> void add(void (*lower)(Op, Lowering &)) {
    table[Op::getOperationName()] = [lower](mlir::Operation *op, Lowering &lowering) {
      lower(mlir::cast<Op>(op), lowering);
    };
  }
  const Function *find(llvm::StringRef operation) const {
    auto entry = table.find(operation);
    return entry == table.end() ? nullptr : &entry->second;
  }

private:
  llvm::StringMap<Function> table;
};

/// Each family adds the lowerings of its operations, in the file of its name.
#define FAMILY(Name) void add##Name##Lowerings(Lowerings &table);
#include "compiler/lower/Lowerings.inc"
/// The lowerings of those operations of the family Shape that read or write at computed positions.
void addIndexedLowerings(Lowerings &table);

} // namespace dlc::lower

#endif // DLC_COMPILER_LOWER_LOWERING_H
