//===- Sums.cpp - where the sums of tiles are kept in memory ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/contraction/Sums.h"
#include "compiler/support/Elements.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen {

PartialSums::PartialSums(KernelFunction &kernel, linalg::GenericOp root, cpu::SumsShape shape, Value place)
    : kernel(kernel), b(kernel.builder()), root(root), shape(std::move(shape)), place(place) {}

void PartialSums::begin(ArrayRef<Range> ranges) {
  OpResult result = root->getOpResult(0);
  if (!place) {
    access =
        Access(b, kernel.outputsOf(result).front(), root.getMatchingIndexingMap(root.getDpsInitOperand(0)));
    return;
  }
  cpu::TileAttr tile = scheduleOf(kernel).contraction().getTile();
  int64_t width = tile.width(scheduleOf(kernel).getLanes());
  Memory memory{place, getElementTypeOrSelf(result.getType()), {}};
  SmallVector<AffineExpr> dims;
  Index before(0); // positions are those of the loops: where the ranges begin is the memory's first element
  for (auto [loop, step] : llvm::zip_equal(shape.loops, shape.steps)) {
    bool isLane = loop == tile.getLane();
    AffineExpr position = b.getAffineDimExpr(loop);
    dims.push_back(isLane ? position.floorDiv(width) : position);
    memory.strides.push_back(Index(step));
    before = add(b, before, mul(b, isLane ? divide(b, ranges[loop].low, width) : ranges[loop].low, -step));
  }
  dims.push_back(b.getAffineDimExpr(tile.getLane()) % width);
  memory.strides.push_back(Index(1));
  if (!before.isConstant() || before.offset != 0)
    memory.pointer =
        LLVM::GEPOp::create(b, place.getType(), memory.element, place, ValueRange{before.materialize(b)});
  access = Access(b, memory, AffineMap::get(root.getNumLoops(), 0, dims, b.getContext()));
}

/// Scratch has room for whole vectors.
static Point unmasked(Point point, bool inScratch) {
  if (inScratch)
    point.mask = Value();
  return point;
}

Value PartialSums::load(const Point &point) const { return access.load(b, unmasked(point, bool(place))); }

void PartialSums::store(const Point &point, Value value) const {
  access.store(b, unmasked(point, bool(place)), value);
}

WaitingSums::WaitingSums(Builder &b, Block &entry, Type element, int64_t rows, int64_t vectors, int64_t lanes)
    : b(b), vectors(vectors), lanes(lanes) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&entry);
  int64_t width = vectors * lanes;
  Value pointer = LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), element,
                                         constantI64(b, rows * width), 64);
  memory = {pointer, element, {Index(width), Index(1)}};
}

Access WaitingSums::access() const {
  return Access(b, memory, AffineMap::getMultiDimIdentityMap(2, b.getContext()));
}

Point WaitingSums::place(Index row, int64_t vector, int64_t count) const {
  return Point{{row, Index(vector * lanes)}, 1, count * lanes, Value()};
}

void WaitingSums::keep(ArrayRef<Value> sums) {
  Access to = access();
  for (auto [number, sum] : llvm::enumerate(sums))
    to.store(b, place(Index(number / vectors), number % vectors, 1), sum);
}

void WaitingSums::store(Index row, int64_t vector, Value sum) {
  access().store(b, place(row, vector, 1), sum);
}

Value WaitingSums::address(Index row, int64_t vector) { return access().address(b, place(row, vector, 1)); }

int64_t WaitingSums::bytesBetweenRows() const { return vectors * lanes * elementBytes(memory.element); }

Value WaitingSums::load(Index row, int64_t vector, int64_t count) {
  return access().load(b, place(row, vector, count));
}

} // namespace dlc::codegen
