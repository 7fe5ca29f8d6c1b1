//===- Decisions.cpp - what the compiler decided, for those who read of it -===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/support/Decisions.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace dlc {

Location withApart(MLIRContext *context, ArrayRef<Location> parts, ArrayRef<Apart> apart) {
  if (apart.empty())
    return FusedLoc::get(context, parts);
  Builder b(context);
  SmallVector<Attribute> entries;
  for (const Apart &one : apart)
    entries.push_back(b.getArrayAttr({b.getStringAttr(one.from), b.getStringAttr(one.to),
                                      b.getI64IntegerAttr(one.bytes), b.getStringAttr(one.why)}));
  return FusedLoc::get(context, parts, b.getArrayAttr(entries));
}

SmallVector<Apart> apartOf(Location location) {
  SmallVector<Apart> apart;
  auto fused = dyn_cast<FusedLoc>(location);
  auto entries = fused ? dyn_cast_or_null<ArrayAttr>(fused.getMetadata()) : nullptr;
  if (!entries)
    return apart;
  for (auto entry : entries.getAsRange<ArrayAttr>()) {
    auto text = [&](unsigned i) { return cast<StringAttr>(entry[i]).str(); };
    apart.push_back({text(0), text(1), cast<IntegerAttr>(entry[2]).getInt(), text(3)});
  }
  return apart;
}

} // namespace dlc
