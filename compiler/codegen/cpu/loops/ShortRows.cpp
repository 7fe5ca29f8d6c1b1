//===- ShortRows.cpp - matrices of short rows, a row in each lane ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/loops/ShortRows.h"
#include "compiler/codegen/cpu/Interleave.h"
#include "compiler/codegen/cpu/VectorLoops.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen {

/// How operations see the matrix; the loop of its last dim, which each has for itself, becomes that after the
/// `shared` ones, which are the same for all.
static AffineMap sharedForm(Value tensor, int64_t shared) {
  AffineMap map;
  if (auto result = dyn_cast<OpResult>(tensor)) {
    auto op = cast<linalg::GenericOp>(result.getOwner());
    map = op.getMatchingIndexingMap(op.getDpsInitOperand(result.getResultNumber()));
  } else {
    OpOperand &use =
        *llvm::find_if(tensor.getUses(), [](OpOperand &u) { return isa<linalg::GenericOp>(u.getOwner()); });
    map = cast<linalg::GenericOp>(use.getOwner()).getMatchingIndexingMap(&use);
  }
  SmallVector<AffineExpr> dims(map.getResults());
  dims.back() = getAffineDimExpr(shared, map.getContext());
  return AffineMap::get(shared + 1, 0, dims, map.getContext());
}

ShortRows::ShortRows(KernelFunction &kernel)
    : kernel(kernel), b(kernel.builder()), lanes(scheduleOf(kernel).getLanes()), shared(kernel.shared()) {
  cpu::ColumnsAttr form = scheduleOf(kernel).columns();
  if (!form)
    return;
  Block &body = kernel.getKernel().getBody().front();
  int64_t arguments = body.getNumArguments();
  for (int64_t position : form.getExchanged()) {
    Value tensor = position < arguments ? Value(body.getArgument(position))
                                        : body.getTerminator()->getOperand(position - arguments);
    auto type = cast<RankedTensorType>(tensor.getType());
    matrices.insert({tensor, Matrix{sharedForm(tensor, shared), allocate(type), type.getShape().back()}});
  }
}

Memory ShortRows::allocate(RankedTensorType type) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.entry());
  int64_t group = lanes * scheduleOf(kernel).columns().getVectors(), rank = type.getRank();
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
    Access from(b, *kernel.memoryOf(tensor), matrix.map), to(b, matrix.exchanged, matrix.map);
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
      Access from(b, matrix.exchanged, matrix.map), to(b, memory, matrix.map);
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
