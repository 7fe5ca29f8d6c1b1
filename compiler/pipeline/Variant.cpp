//===- Variant.cpp - the program as it becomes for one target --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Variant.h"
#include "compiler/emit/Interface.h"

using namespace mlir;

namespace dlc::pipeline {

/// Whether both have the same tensors, in the same order, with the same initial values.
static bool haveSameStates(train::ProgramOp one, train::ProgramOp other) {
  auto a = llvm::to_vector(one.getBody().getOps<train::StateOp>()),
       b = llvm::to_vector(other.getBody().getOps<train::StateOp>());
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           auto [x, y] = pair;
           return x.getSymName() == y.getSymName() && x.getType() == y.getType() &&
                  x.getKind() == y.getKind() && x.getInitialAttr() == y.getInitialAttr();
         });
}

LogicalResult verifySameInterface(ArrayRef<Variant> variants) {
  train::ProgramOp first = variants.front().program;
  for (const Variant &variant : variants.drop_front()) {
    train::ProgramOp other = variant.program;
    if (emit::Interface::of(first).fingerprint() == emit::Interface::of(other).fingerprint() &&
        haveSameStates(first, other))
      continue;
    // Constants of the sizes of a part of the batch, of which the targets have different numbers.
    return other.emitError("the targets '")
           << variants.front().target.name << "' and '" << variant.target.name
           << "' need different tensors beside the model's own, which one library cannot have: compile a "
              "library for each, or leave out --memory-budget";
  }
  return success();
}

} // namespace dlc::pipeline
