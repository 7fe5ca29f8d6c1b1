//===- Bring.cpp - parts of operands in shared memory -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/device/Bring.h"
#include "compiler/codegen/kernel/Narrow.h"
#include "compiler/support/Elements.h"
#include "compiler/target/GpuTarget.h"

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

Value Span::isInside(Builder &b, Index position, Value also) const {
  if (loops->size.isConstant() && loops->size.offset % count == 0)
    return also;
  return both(b, also, isLess(b, position, loops->size));
}

Part::Place Part::place(Builder &b, Index number, bool alongSteps) const {
  if (alongSteps)
    return {remainder(b, number, steps.count), divide(b, number, steps.count)};
  return {divide(b, number, positions.count), remainder(b, number, positions.count)};
}

Value Part::isInside(Builder &b, const Place &place) const {
  Value isPosition = positions.isInside(b, add(b, positions.first, place.position), Value());
  return steps.isInside(b, add(b, steps.first, place.step), isPosition);
}

Point Part::pointOf(Builder &b, const Place &place) const {
  Point here = point;
  positions.loops->place(b, add(b, positions.first, place.position), here);
  steps.loops->place(b, add(b, steps.first, place.step), here);
  return here;
}

Value Part::load(Builder &b, const Place &place) const {
  return where(b, isInside(b, place), {registerType(type)},
               [&]() -> Values { return {access.load(b, pointOf(b, place))}; })
      .front();
}

int64_t Part::neighbours(int64_t bytes) const {
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

Values Part::load(Builder &b, const Place &first, int64_t count) const {
  SmallVector<Type> types(count, registerType(type));
  return where(b, isInside(b, first), types, [&] {
    Values values;
    Point here = pointOf(b, first);
    const int64_t fastest = (isAlongSteps() ? steps : positions).loops->loops.back();
    for (int64_t i = 0; i < count; ++i, ++here.loops[fastest].offset)
      values.push_back(access.load(b, here));
    return values;
  });
}

void Bringing::emit(Builder &b, const Point &point, Index thread, int64_t threads, int64_t together) {
  Part part(b, op, operand, source, positions, steps, point);
  const bool alongSteps = part.isAlongSteps();
  const Index &stride = memory.strides[alongSteps ? 0 : 1];
  int64_t wide = stride.isConstant() && stride.offset == 1 ? part.neighbours(GpuTarget::copyBytes) : 1;
  while (part.size() % (threads * wide))
    wide /= 2;
  // More would take registers from the sums that a kernel has.
  constexpr int64_t mostBytes = 32;
  together = std::clamp<int64_t>(mostBytes / (wide * elementBytes(source.element)), 1, together);
  while (part.size() / (threads * wide) % together)
    --together;
  forLoop(b, Index(0), Index(part.size()), threads * wide * together, [&](Index base) {
    SmallVector<Part::Place> places;
    Values loaded;
    for (int64_t i = 0; i < together; ++i) {
      places.push_back(part.place(b, add(b, mul(b, thread, wide), base) + i * threads * wide, alongSteps));
      llvm::append_range(loaded, part.load(b, places.back(), wide));
    }
    ArrayRef<Value> rest = loaded;
    for (Part::Place place : places)
      for (int64_t i = 0; i < wide; ++i, ++(alongSteps ? place.step : place.position).offset)
        storeAt(b, memory, {place.step, place.position}, rest.consume_front());
  });
}

} // namespace dlc::codegen::gpu
