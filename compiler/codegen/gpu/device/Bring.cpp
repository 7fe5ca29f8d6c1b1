//===- Bring.cpp - parts of operands in shared memory -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/device/Bring.h"
#include "compiler/codegen/kernel/Narrow.h"

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

void Bringing::emit(Builder &b, const Point &point, Index thread, int64_t threads, int64_t together) {
  Part part(b, op, operand, source, positions, steps, point);
  while (part.size() / threads % together)
    --together;
  forLoop(b, Index(0), Index(part.size()), threads * together, [&](Index base) {
    SmallVector<Part::Place> places;
    Values loaded;
    for (int64_t i = 0; i < together; ++i) {
      places.push_back(part.place(b, add(b, thread, base) + i * threads, part.isAlongSteps()));
      loaded.push_back(part.load(b, places.back()));
    }
    for (auto [place, value] : llvm::zip_equal(places, loaded))
      storeAt(b, memory, {place.step, place.position}, value);
  });
}

} // namespace dlc::codegen::gpu
