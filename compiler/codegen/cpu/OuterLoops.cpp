//===- OuterLoops.cpp - loops around loops stay loops ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/OuterLoops.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;

namespace dlc::codegen {

void keepOuterLoops(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    for (Loop *loop : loops.getLoopsInPreorder())
      if (!loop->isInnermost())
        loop->setLoopAlreadyUnrolled(); // llvm.loop.unroll.disable
  }
}

} // namespace dlc::codegen
