//===- SharedMemoryLoad.cpp - loads of operands into shared memory --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/device/SharedMemoryLoad.h"
#include "compiler/codegen/kernel/Narrow.h"
#include "compiler/machine/GpuTarget.h"
#include "compiler/support/Elements.h"

using namespace mlir;

namespace dlc::codegen::gpu {

void Loops::add(Builder &b, int64_t loop, Index extent) {
  loops.push_back(loop);
  extents.push_back(extent);
  size = loops.size() == 1 ? extent : mul(b, size, extent);
}

void Loops::place(Builder &b, Index number, Point &point) const {
  for (auto [loop, position] : llvm::zip_equal(loops, positionsOf(b, number, extents)))
    point.loops[loop] = position;
}

/// Quotient and remainder. Numbers that are whole units apart have the same remainder, and quotients that are
/// as many apart.
static std::pair<Index, Index> split(Builder &b, Index number, int64_t unit) {
  const int64_t units = number.offset % unit ? 0 : number.offset / unit;
  number.offset -= units * unit;
  Index quotient = divide(b, number, unit) + units;
  return {quotient, remainder(b, number, unit)};
}

void Span::place(Builder &b, Index within, Point &point, Point *apart) const {
  auto put = [&](size_t number, Index begin, Index inside) {
    const int64_t loop = loops->loops[number];
    point.loops[loop] = apart ? inside : add(b, begin, inside);
    if (apart)
      apart->loops[loop] = begin;
  };
  Index from = first;
  int64_t size = count;
  ArrayRef<Index> extents = loops->extents;
  for (; extents.size() > 1 && extents.back().isConstant(); extents = extents.drop_back()) {
    const int64_t extent = std::max<int64_t>(extents.back().offset, 1);
    if (extent % size == 0) { // the span ends before the loop does
      put(extents.size() - 1, remainder(b, from, extent), within);
      within = Index(0);
      size = 1;
    } else if (size % extent == 0) { // the span begins where the loop does
      auto [outside, position] = split(b, within, extent);
      put(extents.size() - 1, Index(0), position);
      within = outside;
      size /= extent;
    } else {
      break;
    }
    from = divide(b, from, extent);
  }
  if (extents.size() == 1)
    return put(0, from, within);
  for (auto [number, position] : llvm::enumerate(positionsOf(b, add(b, from, within), extents)))
    size == 1 ? put(number, position, Index(0)) : put(number, Index(0), position);
}

Value Span::isInside(Builder &b, Index position, Value also) const {
  return isWhole() ? also : both(b, also, isLess(b, position, loops->size));
}

OperandBlock::Coordinates OperandBlock::place(Builder &b, Index number, bool alongSteps) const {
  auto [row, inRow] = split(b, number, alongSteps ? steps.count : positions.count);
  return alongSteps ? Coordinates{inRow, row} : Coordinates{row, inRow};
}

Value OperandBlock::isInside(Builder &b, const Coordinates &place) const {
  const bool alongSteps = isAlongSteps();
  const Span &same = alongSteps ? steps : positions, &other = alongSteps ? positions : steps;
  const Index inSame = alongSteps ? place.step : place.position,
              inOther = alongSteps ? place.position : place.step;
  Value isSame = same.isInside(b, add(b, same.first, inSame), Value());
  if (!isSame || other.isWhole())
    return other.isInside(b, add(b, other.first, inOther), isSame);
  // A thread's elements of a round differ in `other` alone, by constants. So what is left there is counted
  // once, in a register of 32 bits, and nothing is left where the operand has ended in `same`: then no
  // condition of each element has to be kept from round to round.
  Index left = sub(b, other.loops->size, add(b, other.first, Index(inOther.base)));
  // With open sizes, more may be left than 32 bits hold.
  if (!other.loops->size.isConstant() || other.loops->size.offset > INT32_MAX)
    left = min(b, left, Index(other.count));
  Value few = arith::TruncIOp::create(b, b.getI32Type(), left.materialize(b));
  auto constant = [&](int64_t number) { return arith::ConstantIntOp::create(b, number, 32).getResult(); };
  Value none = constant(0), before = constant(inOther.offset);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, before,
                               arith::SelectOp::create(b, isSame, few, none));
}

Value OperandBlock::address(Builder &b, const Coordinates &place) const {
  Point here = point, round;
  round.loops.assign(point.loops.size(), Index(0));
  positions.place(b, place.position, here);
  steps.place(b, place.step, here, &round);
  return access.address(b, here, round.loops);
}

Value OperandBlock::load(Builder &b, const Coordinates &place) const {
  return where(b, isInside(b, place), {registerType(type)},
               [&]() -> Values { return {loadAt(b, {address(b, place), type, {}}, {})}; })
      .front();
}

int64_t OperandBlock::neighbours(int64_t bytes) const {
  const Span &along = isAlongSteps() ? steps : positions;
  int64_t most = bytes / elementBytes(type);
  const Loops &loops = *along.loops;
  auto areWhole = [&](Index size) { return size.isConstant() && size.offset % most == 0; };
  if (loops.loops.empty() || access.stride(loops.loops.back()) != 1)
    return 1;
  while (most > 1 && !(areWhole(loops.size) && areWhole(loops.extents.back()) && along.count % most == 0))
    most /= 2;
  return std::max<int64_t>(most, 1);
}

Values OperandBlock::load(Builder &b, const Coordinates &first, int64_t count) const {
  SmallVector<Type> types(count, registerType(type));
  return where(b, isInside(b, first), types, [&] {
    Values values;
    const Memory there{address(b, first), type, {Index(1)}};
    for (int64_t i = 0; i < count; ++i)
      values.push_back(loadAt(b, there, {Index(i)}));
    return values;
  });
}

void SharedMemoryLoad::emit(Builder &b, const Point &point, Index thread, int64_t threads, int64_t inFlight) {
  OperandBlock elements(b, op, operand, source, positions, steps, point);
  const bool alongSteps = elements.isAlongSteps();
  const Index &stride = memory.strides[alongSteps ? 0 : 1];
  int64_t wide = stride.isConstant() && stride.offset == 1 ? elements.neighbours(GpuTarget::copyBytes) : 1;
  while (elements.size() % (threads * wide))
    wide /= 2;
  // More would take registers from the sums that a kernel has.
  constexpr int64_t mostBytes = 32;
  inFlight = std::clamp<int64_t>(mostBytes / (wide * elementBytes(source.element)), 1, inFlight);
  while (elements.size() / (threads * wide) % inFlight)
    --inFlight;
  forLoop(b, Index(0), Index(elements.size()), threads * wide * inFlight, [&](Index base) {
    SmallVector<OperandBlock::Coordinates> places;
    Values loaded;
    for (int64_t i = 0; i < inFlight; ++i) {
      places.push_back(
          elements.place(b, add(b, mul(b, thread, wide), base) + i * threads * wide, alongSteps));
      llvm::append_range(loaded, elements.load(b, places.back(), wide));
    }
    ArrayRef<Value> rest = loaded;
    for (OperandBlock::Coordinates place : places)
      for (int64_t i = 0; i < wide; ++i, ++(alongSteps ? place.step : place.position).offset)
        storeAt(b, memory, {place.step, place.position}, rest.consume_front());
  });
}

} // namespace dlc::codegen::gpu
