//===- Access.cpp - loads and stores of operands at a point ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/kernel/Access.h"
#include "compiler/codegen/kernel/Narrow.h"
#include "compiler/support/Elements.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace dlc::codegen {

// Truth values are bytes in memory, and floats of 16 bits are their bits.
static Type memoryType(Builder &b, Type element) {
  return element.isInteger(1) ? Type(b.getI8Type()) : isHalfWord(element) ? Type(b.getI16Type()) : element;
}

static Value fromMemory(Builder &b, Type element, Value loaded) {
  if (isHalfWord(element))
    return fromBits(b, element, loaded);
  if (!element.isInteger(1))
    return loaded;
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(loaded.getType()));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, loaded, zero);
}

static Value toMemory(Builder &b, Type element, Value value) {
  if (isHalfWord(element))
    return toBits(b, element, value);
  if (!getElementTypeOrSelf(value.getType()).isInteger(1))
    return value;
  Type byte = b.getI8Type();
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    byte = vector.clone(byte);
  return arith::ExtUIOp::create(b, byte, value);
}

/// The coefficient of every loop in a linear expression.
static void addLinear(Builder &b, AffineExpr expr, Index scale, MutableArrayRef<Index> coefficients,
                      Index &constant) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr)) {
    constant = add(b, constant, mul(b, scale, number.getValue()));
  } else if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    coefficients[dim.getPosition()] = add(b, coefficients[dim.getPosition()], scale);
  } else {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    if (binary.getKind() == AffineExprKind::Add) {
      addLinear(b, binary.getLHS(), scale, coefficients, constant);
      addLinear(b, binary.getRHS(), scale, coefficients, constant);
    } else {
      assert(binary.getKind() == AffineExprKind::Mul && "kernel maps are linear");
      addLinear(b, binary.getLHS(), mul(b, scale, cast<AffineConstantExpr>(binary.getRHS()).getValue()),
                coefficients, constant);
    }
  }
}

Access::Access(Builder &b, const Memory &memory, AffineMap map, ArrayRef<int64_t> fixed)
    : pointer(memory.pointer), element(memory.element), coefficients(map.getNumDims(), Index(0)) {
  for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (binary && (binary.getKind() == AffineExprKind::FloorDiv || binary.getKind() == AffineExprKind::Mod))
      addPanelPart(binary, memory.strides[axis]);
    else
      addLinear(b, expr, memory.strides[axis], coefficients, constant);
  }
  // Panels that lie like rows are none.
  llvm::erase_if(panels, [&](const Panels &p) {
    bool isLinear = p.toNext == p.size * p.within;
    if (isLinear)
      coefficients[p.loop] = add(b, coefficients[p.loop], Index(p.within));
    return isLinear;
  });
  for (int64_t loop : fixed)
    coefficients[loop] = Index(0);
}

/// `loop floordiv size` or `loop mod size`, of a static shape.
void Access::addPanelPart(AffineBinaryOpExpr expr, const Index &stride) {
  int64_t loop = cast<AffineDimExpr>(expr.getLHS()).getPosition();
  auto it = llvm::find_if(panels, [&](const Panels &p) { return p.loop == loop; });
  if (it == panels.end())
    it = panels.insert(panels.end(), {loop, cast<AffineConstantExpr>(expr.getRHS()).getValue(), 0, 0});
  assert(stride.isConstant() && "panels are of static shapes");
  (expr.getKind() == AffineExprKind::Mod ? it->within : it->toNext) = stride.offset;
}

std::optional<int64_t> Access::stride(int64_t loop) const {
  for (const Panels &p : panels)
    if (p.loop == loop) // vectors do not leave a panel
      return p.within;
  if (!coefficients[loop].isConstant())
    return std::nullopt;
  return coefficients[loop].offset;
}

Value Access::address(Builder &b, const Point &point, ArrayRef<Index> further) const {
  Index total = constant, apart;
  for (auto [loop, coefficient] : llvm::enumerate(coefficients))
    total = add(b, total, mul(b, point.loops[loop], coefficient));
  for (auto [position, coefficient] : llvm::zip(further, coefficients))
    apart = add(b, apart, mul(b, position, coefficient));
  for (const Panels &p : panels) {
    Index position = point.loops[p.loop];
    if (!further.empty())
      position = add(b, position, further[p.loop]);
    // Vectors of a tile start at multiples of its width, which is a panel's: what is added is a place in a
    // panel. Along other loops the sum may reach any panel.
    if (p.loop == point.laneDim) {
      total = total + (position.offset / p.size * p.toNext + position.offset % p.size * p.within);
      position.offset = 0;
    }
    total = add(b, total, mul(b, divide(b, position, p.size), p.toNext));
    total = add(b, total, mul(b, remainder(b, position, p.size), p.within));
  }
  Type type = memoryType(b, element);
  Value result = pointer;
  for (Index part : {Index(total.base), Index(apart.base), Index(total.offset + apart.offset)})
    if (part.base || part.offset)
      result = LLVM::GEPOp::create(b, pointer.getType(), type, result, ValueRange{part.materialize(b)});
  return result;
}

Value Access::laneAddresses(Builder &b, const Point &point) const {
  auto lanes = VectorType::get({point.lanes}, b.getI64Type());
  SmallVector<int64_t> steps(point.lanes);
  for (int64_t lane = 0; lane < point.lanes; ++lane)
    steps[lane] = lane;
  Value positions = arith::ConstantOp::create(b, DenseIntElementsAttr::get(lanes, steps));
  auto known = stride(point.laneDim);
  Index step = known ? Index(*known) : coefficients[point.laneDim];
  Value stride = vector::BroadcastOp::create(b, lanes, step.materialize(b));
  positions = arith::MulIOp::create(b, positions, stride);
  auto pointers = VectorType::get({point.lanes}, pointer.getType());
  return LLVM::GEPOp::create(b, pointers, memoryType(b, element), address(b, point), ValueRange{positions});
}

static Value allLanes(Builder &b, const Point &point) {
  if (point.mask)
    return point.mask;
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(VectorType::get({point.lanes}, b.getI1Type()), true));
}

static Value gather(Builder &b, Type element, Value pointers, const Point &point) {
  Type type = memoryType(b, element);
  auto vector = VectorType::get({point.lanes}, type);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(vector));
  Value loaded = LLVM::masked_gather::create(b, vector, pointers, allLanes(b, point), ValueRange{zero},
                                             b.getI32IntegerAttr(elementBytes(element)));
  return fromMemory(b, element, loaded);
}

Value Access::load(Builder &b, const Point &point) const {
  Type type = memoryType(b, element);
  if (!point.isVector() || !dependsOn(point.laneDim))
    return fromMemory(b, element, LLVM::LoadOp::create(b, type, address(b, point)));
  if (stride(point.laneDim) != 1)
    return gather(b, element, laneAddresses(b, point), point);
  auto vector = VectorType::get({point.lanes}, type);
  uint32_t alignment = elementBytes(element);
  Value loaded;
  if (point.mask) {
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(vector));
    loaded = LLVM::MaskedLoadOp::create(b, vector, address(b, point), point.mask, zero,
                                        b.getI32IntegerAttr(alignment));
  } else {
    loaded = LLVM::LoadOp::create(b, vector, address(b, point), alignment);
  }
  return fromMemory(b, element, loaded);
}

void Access::store(Builder &b, const Point &point, Value value) const {
  if (!point.isVector()) {
    Value stored = toMemory(b, element, value);
    LLVM::StoreOp::create(b, stored, address(b, point));
    return;
  }
  assert(dependsOn(point.laneDim) && "lanes of one store have places of their own");
  value = toMemory(b, element, asVector(b, point, value));
  auto alignment = b.getI32IntegerAttr(elementBytes(element));
  if (stride(point.laneDim) != 1) {
    Value addresses = laneAddresses(b, point);
    LLVM::masked_scatter::create(b, value, addresses, allLanes(b, point), alignment);
  } else if (point.mask) {
    LLVM::MaskedStoreOp::create(b, value, address(b, point), point.mask, alignment);
  } else {
    LLVM::StoreOp::create(b, value, address(b, point), elementBytes(element));
  }
}

void Access::storeBits(Builder &b, const Point &point, Value bits) const {
  assert(isHalfWord(element) && !point.isVector() && "one number that has been rounded");
  LLVM::StoreOp::create(b, bits, address(b, point));
}

Value Access::loadWords(Builder &b, const Point &point) const {
  uint32_t alignment = elementBytes(element);
  Type word = b.getI32Type();
  if (!point.isVector())
    return LLVM::LoadOp::create(b, word, address(b, point), alignment);
  auto words = VectorType::get({point.lanes}, word);
  if (!point.mask)
    return LLVM::LoadOp::create(b, words, address(b, point), alignment);
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(words));
  return LLVM::MaskedLoadOp::create(b, words, address(b, point), point.mask, zero,
                                    b.getI32IntegerAttr(alignment));
}

void Access::storeWords(Builder &b, const Point &point, Value words) const {
  LLVM::StoreOp::create(b, words, address(b, point), elementBytes(element));
}

static constexpr uint32_t toRead = 0, intoSecondLevel = 2, intoFirstLevel = 3, data = 1;

void Access::prefetch(Builder &b, const Point &point) const {
  LLVM::Prefetch::create(b, address(b, point), toRead, intoSecondLevel, data);
}

// On a Zen 4 core, lines that were asked for into the first level are in the second one sooner.
void Access::prefetchLines(Builder &b, const Point &point, Index first, int64_t lines) const {
  constexpr int64_t lineBytes = 64;
  Value start = address(b, point);
  Value distance = mul(b, first, lineBytes).materialize(b);
  start = LLVM::GEPOp::create(b, start.getType(), b.getI8Type(), start, ValueRange{distance});
  for (int64_t line = 0; line < lines; ++line) {
    Value at = LLVM::GEPOp::create(b, start.getType(), b.getI8Type(), start,
                                   ValueRange{constantI64(b, line * lineBytes)});
    LLVM::Prefetch::create(b, at, toRead, intoFirstLevel, data);
  }
}

Value asVector(Builder &b, const Point &point, Value value) {
  if (!point.isVector() || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(b, VectorType::get({point.lanes}, value.getType()), value);
}

Value loadIndirect(Builder &b, const Memory &memory, ArrayRef<Value> positions, const Point &point) {
  bool varies = llvm::any_of(positions, [](Value v) { return isa<VectorType>(v.getType()); });
  Value total;
  for (auto [position, stride] : llvm::zip(positions, memory.strides)) {
    Type i64 = b.getI64Type();
    if (auto vector = dyn_cast<VectorType>(position.getType()))
      i64 = vector.clone(i64);
    Value term = getElementTypeOrSelf(position.getType()).isIndex()
                     ? arith::IndexCastOp::create(b, i64, position).getResult()
                     : position;
    if (varies)
      term = asVector(b, point, term);
    Value factor = stride.materialize(b);
    term = arith::MulIOp::create(b, term, varies ? asVector(b, point, factor) : factor);
    total = total ? arith::AddIOp::create(b, total, term).getResult() : term;
  }
  Type type = memoryType(b, memory.element);
  Value address = memory.pointer;
  if (total) {
    Type addresses = memory.pointer.getType();
    if (varies)
      addresses = VectorType::get({point.lanes}, addresses);
    address = LLVM::GEPOp::create(b, addresses, type, memory.pointer, ValueRange{total});
  }
  if (varies)
    return gather(b, memory.element, address, point);
  return fromMemory(b, memory.element, LLVM::LoadOp::create(b, type, address));
}

Value loadAlongLanes(Builder &b, const Memory &memory, ArrayRef<Value> positions, unsigned axis,
                     const Point &point) {
  Index offset;
  for (auto [other, position] : llvm::enumerate(positions))
    if (other != axis) {
      Value number = arith::IndexCastOp::create(b, b.getI64Type(), position);
      offset = add(b, offset, mul(b, Index(number), memory.strides[other]));
    }
  Value start = LLVM::GEPOp::create(b, memory.pointer.getType(), memoryType(b, memory.element),
                                    memory.pointer, ValueRange{offset.materialize(b)});
  Memory line{start, memory.element, {memory.strides[axis]}};
  AffineMap alongLanes =
      AffineMap::get(point.loops.size(), 0, b.getAffineDimExpr(point.laneDim), b.getContext());
  return Access(b, line, alongLanes).load(b, point);
}

} // namespace dlc::codegen
