//===- OperatorTables.cpp - which import belongs to which operator and opset
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/OperatorTables.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace dlc::onnx {

ArrayRef<ArrayRef<Operator>> operatorTables() {
  static const ArrayRef<Operator> tables[] = {
#define FAMILY(Name) operatorsOf##Name(),
#include "frontends/onnx/Operators.inc"
  };
  return tables;
}

/// The versions of each operator: a model has as many look-ups as nodes.
static const llvm::StringMap<SmallVector<const Operator *, 4>> &versionsByName() {
  static const auto versions = [] {
    llvm::StringMap<SmallVector<const Operator *, 4>> result;
    for (ArrayRef<Operator> table : operatorTables())
      for (const Operator &version : table)
        result[version.op].push_back(&version);
    return result;
  }();
  return versions;
}

const Operator *findOperator(StringRef op, int64_t opset, bool &known) {
  const Operator *best = nullptr;
  auto versions = versionsByName().find(op);
  known = versions != versionsByName().end();
  if (known)
    for (const Operator *version : versions->second)
      if (version->since <= opset && (!best || version->since > best->since))
        best = version;
  return best;
}

} // namespace dlc::onnx
