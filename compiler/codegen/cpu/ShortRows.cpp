//===- ShortRows.cpp - matrices of short rows, a row in each lane ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/ShortRows.h"
#include "compiler/codegen/cpu/Interleave.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen {

/// Rows of so many elements are exchanged; longer ones would need more registers than there are.
constexpr int64_t longestRow = 16;

/// `map` with the loop of the last dim, which an operation has for itself, as the loop after the `shared`
/// ones: null unless the dims are loops, the last but one the vectorised.
static AffineMap sharedForm(AffineMap map, int64_t shared) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> dims(map.getResults());
  int64_t rank = dims.size();
  if (rank < 2)
    return AffineMap();
  for (auto [axis, expr] : llvm::enumerate(dims)) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    int64_t loop = dim ? int64_t(dim.getPosition()) : -1, last = shared - 1;
    bool fits = int64_t(axis) == rank - 1   ? loop >= shared
                : int64_t(axis) == rank - 2 ? loop == last
                                            : loop >= 0 && loop < last;
    if (!fits)
      return AffineMap();
  }
  dims.back() = getAffineDimExpr(shared, context);
  return AffineMap::get(shared + 1, 0, dims, context);
}

ShortRows::ShortRows(KernelFunction &kernel)
    : kernel(kernel), b(kernel.builder()), lanes(kernel.schedule().getLanes()),
      shared(kernel.schedule().getShared()) {
  if (kernel.schedule().getEmitter() != train::Emitter::Columns || lanes <= 1 || shared == 0)
    return;
  for (linalg::GenericOp op : kernel.operations()) {
    for (OpOperand *input : op.getDpsInputOperands())
      if (kernel.memoryOf(input->get()))
        consider(input->get(), op.getMatchingIndexingMap(input));
    for (OpResult result : op->getResults())
      if (!kernel.outputsOf(result).empty())
        consider(result, op.getMatchingIndexingMap(op.getDpsInitOperand(result.getResultNumber())));
  }
  // What some operation sees in another way stays where it is.
  matrices.remove_if([](const auto &entry) { return !entry.second.map; });
  for (auto &[tensor, matrix] : matrices)
    matrix.exchanged = allocate(cast<RankedTensorType>(tensor.getType()));
}

void ShortRows::consider(Value tensor, AffineMap map) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t size = type.getRank() < 2 ? ShapedType::kDynamic : type.getShape().back();
  if (size < 2 || size > longestRow || type.getElementType().isInteger(1))
    return;
  AffineMap form = sharedForm(map, shared);
  auto [it, isNew] = matrices.insert({tensor, Matrix{form, Memory(), size}});
  if (!isNew && it->second.map != form)
    it->second.map = AffineMap();
}

Memory ShortRows::allocate(RankedTensorType type) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.entry());
  int64_t group = lanes * kernel.schedule().getVectors(), rank = type.getRank();
  Value pointer = LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), type.getElementType(),
                                         constantI64(b, group * type.getShape().back()), 64);
  Memory memory{pointer, type.getElementType(), SmallVector<Index, 4>(rank, Index(0))};
  memory.strides[rank - 2] = Index(1);
  memory.strides[rank - 1] = Index(group);
  return memory;
}

/// The `vector`-th vector of elements of a point's rows, which lie one after the other.
Point ShortRows::inMemory(const Point &point, int64_t vector) const {
  Point result{point.loops, shared, lanes, Value()};
  result.loops.resize(shared);
  result.loops.push_back(Index(vector * lanes));
  return result;
}

/// One element of all rows of a point.
Point ShortRows::inLanes(const Point &point, int64_t which, int64_t element) const {
  Point result = at(point, which);
  result.loops.resize(shared);
  result.loops.push_back(Index(element));
  return result;
}

Point ShortRows::at(const Point &point, int64_t which) const {
  Point result = point;
  result.loops[shared - 1] = Index(which * lanes);
  return result;
}

const Memory *ShortRows::find(Value tensor) const {
  auto it = matrices.find(tensor);
  return active && it != matrices.end() ? &it->second.exchanged : nullptr;
}

void ShortRows::begin(ArrayRef<Point> points) {
  active = !points.back().mask;
  if (!active)
    return;
  for (auto &[tensor, matrix] : matrices) {
    if (!isa<BlockArgument>(tensor))
      continue;
    Access from(kernel, *kernel.memoryOf(tensor), matrix.map), to(kernel, matrix.exchanged, matrix.map);
    for (auto [which, point] : llvm::enumerate(points)) {
      Values rows;
      for (int64_t vector = 0; vector < matrix.size; ++vector)
        rows.push_back(from.load(b, inMemory(point, vector)));
      for (auto [element, column] : llvm::enumerate(columnsOfRows(b, rows)))
        to.store(b, inLanes(point, which, element), column);
    }
  }
}

void ShortRows::end(ArrayRef<Point> points) {
  if (!active)
    return;
  for (auto &[tensor, matrix] : matrices)
    for (const Memory &memory : kernel.outputsOf(tensor)) {
      Access from(kernel, matrix.exchanged, matrix.map), to(kernel, memory, matrix.map);
      for (auto [which, point] : llvm::enumerate(points)) {
        Values columns;
        for (int64_t element = 0; element < matrix.size; ++element)
          columns.push_back(from.load(b, inLanes(point, which, element)));
        for (auto [vector, row] : llvm::enumerate(rowsOfColumns(b, columns)))
          to.store(b, inMemory(point, vector), row);
      }
    }
  active = false;
}

} // namespace dlc::codegen
