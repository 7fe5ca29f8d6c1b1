//===- Bring.cpp - parts of operands in shared memory -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/Bring.h"
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

void Bringing::emit(Builder &b, const Point &point, Index thread, int64_t threads, int64_t together) {
  Access access(b, source, op.getMatchingIndexingMap(operand));
  bool alongSteps = access.stride(steps.loops->loops.back()) == 1;
  const int64_t all = positions.count * steps.count;
  while (all / threads % together)
    --together;
  forRolled(b, Index(0), Index(all), threads * together, {}, [&](Index base, const Values &) -> Values {
    SmallVector<std::array<Index, 2>> places;
    Values loaded;
    for (int64_t i = 0; i < together; ++i) {
      Index number = add(b, thread, base) + i * threads;
      Index s = alongSteps ? remainder(b, number, steps.count) : divide(b, number, positions.count);
      Index d = alongSteps ? divide(b, number, steps.count) : remainder(b, number, positions.count);
      Index position = add(b, positions.first, d), at = add(b, steps.first, s);
      Value isInside = steps.isInside(b, at, positions.isInside(b, position, Value()));
      places.push_back({s, d});
      loaded.push_back(where(b, isInside, {registerType(memory.element)}, [&]() -> Values {
                         Point here = point;
                         positions.loops->place(b, position, here);
                         steps.loops->place(b, at, here);
                         return {access.load(b, here)};
                       }).front());
    }
    for (auto [place, value] : llvm::zip_equal(places, loaded))
      storeAt(b, memory, place, value);
    return {};
  });
}

} // namespace dlc::codegen::gpu
