//===- OneLane.cpp - stores of a single lane -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/OneLane.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace dlc::codegen {

/// The single lane of a mask that is known; -1 where the mask is not known, or has none or several.
static int64_t laneOf(Value *mask) {
  auto *known = dyn_cast<Constant>(mask);
  auto *type = dyn_cast<FixedVectorType>(mask->getType());
  int64_t found = -1;
  for (unsigned lane = 0; known && type && lane < type->getNumElements(); ++lane) {
    Constant *bit = known->getAggregateElement(lane);
    if (!bit || bit->isNullValue())
      continue;
    if (found >= 0 || !bit->isOneValue())
      return -1;
    found = lane;
  }
  return found;
}

static void storeSingleLane(IntrinsicInst &store, int64_t lane) {
  enum { value, pointer }; // the arguments
  IRBuilder<> b(&store);
  Value *element = b.CreateExtractElement(store.getArgOperand(value), lane);
  uint64_t offset = lane * store.getDataLayout().getTypeStoreSize(element->getType());
  Value *at = offset ? b.CreateConstGEP1_64(b.getInt8Ty(), store.getArgOperand(pointer), offset)
                     : store.getArgOperand(pointer);
  b.CreateAlignedStore(element, at, commonAlignment(store.getParamAlign(pointer).valueOrOne(), offset));
  store.eraseFromParent();
}

void storeSingleLanes(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : make_early_inc_range(block)) {
        auto *store = dyn_cast<IntrinsicInst>(&instruction);
        if (!store || store->getIntrinsicID() != Intrinsic::masked_store)
          continue;
        constexpr unsigned mask = 2;
        if (int64_t lane = laneOf(store->getArgOperand(mask)); lane >= 0)
          storeSingleLane(*store, lane);
      }
}

} // namespace dlc::codegen
