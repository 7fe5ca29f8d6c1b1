//===- Decisions.cpp - what the compiler decided, for those who read of it -===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/support/Decisions.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace dlc {

Location withDecided(MLIRContext *context, ArrayRef<Location> parts, const Decided &decided) {
  if (decided.apart.empty() && decided.contents.empty() && decided.moved == 0)
    return FusedLoc::get(context, parts);
  Builder b(context);
  SmallVector<Attribute> apart;
  for (const Apart &one : decided.apart)
    apart.push_back(b.getArrayAttr({b.getStringAttr(one.from), b.getStringAttr(one.to),
                                    b.getI64IntegerAttr(one.bytes), b.getStringAttr(one.why)}));
  return FusedLoc::get(context, parts,
                       b.getArrayAttr({b.getArrayAttr(apart), b.getStringAttr(decided.contents),
                                       b.getI64IntegerAttr(decided.moved)}));
}

Decided decidedOf(Location location) {
  Decided decided;
  auto fused = dyn_cast<FusedLoc>(location);
  auto entries = fused ? dyn_cast_or_null<ArrayAttr>(fused.getMetadata()) : nullptr;
  if (!entries)
    return decided;
  for (auto entry : cast<ArrayAttr>(entries[0]).getAsRange<ArrayAttr>()) {
    auto text = [&](unsigned i) { return cast<StringAttr>(entry[i]).str(); };
    decided.apart.push_back({text(0), text(1), cast<IntegerAttr>(entry[2]).getInt(), text(3)});
  }
  decided.contents = cast<StringAttr>(entries[1]).str();
  decided.moved = cast<IntegerAttr>(entries[2]).getInt();
  return decided;
}

Location withoutDecided(Location location) {
  auto fused = dyn_cast<FusedLoc>(location);
  return fused && isa_and_nonnull<ArrayAttr>(fused.getMetadata()) ? fused.getLocations().front() : location;
}

} // namespace dlc
