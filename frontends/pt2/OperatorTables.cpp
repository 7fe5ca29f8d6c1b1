//===- OperatorTables.cpp - which import belongs to which operator ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/pt2/OperatorTables.h"
#include "frontends/pt2/NodeTexts.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace dlc::pt2 {

ArrayRef<ArrayRef<Operator>> operatorTables() {
#define FAMILY(Name) operatorsOf##Name(),
  static const ArrayRef<Operator> tables[] = {
#include "frontends/pt2/Operators.inc"
  };
  return tables;
}

static const llvm::StringMap<const Operator *> &operatorsByName() {
  static const auto *byName = [] {
    auto *map = new llvm::StringMap<const Operator *>;
    for (ArrayRef<Operator> table : operatorTables())
      for (const Operator &op : table)
        map->try_emplace(op.name, &op);
    return map;
  }();
  return *byName;
}

const Operator *findOperator(StringRef target, bool &isInPlace) {
  isInPlace = false;
  StringRef name = shortTarget(target);
  StringRef packet, overload;
  std::tie(packet, overload) = name.rsplit('.');
  auto lookUp = [&](const std::string &text) { return operatorsByName().lookup(text); };
  auto either = [&](StringRef base) {
    const Operator *exact = lookUp((base + "." + overload).str());
    return exact ? exact : lookUp(base.str());
  };
  StringRef bare = packet;
  // "aten.add_.Tensor", but not "_operator.mul" or "aten.__and__.Tensor".
  bool hasUnderscore = bare.consume_back("_") && !bare.ends_with("_");
  const Operator *found = either(packet);
  isInPlace = hasUnderscore;
  if (found || !hasUnderscore)
    return found ? found : lookUp(name.str());
  return either(bare);
}

} // namespace dlc::pt2
