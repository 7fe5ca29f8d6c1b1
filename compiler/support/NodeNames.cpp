//===- NodeNames.cpp - which node of the model a location stands for -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/support/NodeNames.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace dlc {

// Calls `visit` for names in order until it returns true.
static bool visitNames(Location location, llvm::function_ref<bool(NameLoc)> visit) {
  if (auto name = dyn_cast<NameLoc>(location))
    return visit(name);
  auto fused = dyn_cast<FusedLoc>(location);
  return fused && llvm::any_of(fused.getLocations(), [&](Location part) { return visitNames(part, visit); });
}

StringRef nodeName(Location location) {
  StringRef found;
  visitNames(location, [&](NameLoc name) {
    found = name.getName();
    return !found.empty();
  });
  return found;
}

SmallVector<StringRef> nodeNames(Location location) {
  llvm::SetVector<StringRef> names;
  visitNames(location, [&](NameLoc name) {
    names.insert(name.getName());
    return false;
  });
  return names.takeVector();
}

StringRef originalNode(Location location) {
  StringRef found;
  visitNames(location, [&](NameLoc name) {
    StringRef inner = originalNode(name.getChildLoc());
    found = inner.empty() ? name.getName().getValue() : inner;
    return !found.empty();
  });
  return found;
}

} // namespace dlc
