//===- GroupLoopNests.cpp - what was decided is written in the program ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Members.h"
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Rewrite.h"
#include "compiler/fuse/groups/Groups.h"

namespace dlc::fuse {

#define GEN_PASS_DEF_GROUPLOOPNESTS
#include "compiler/fuse/Passes.h.inc"

// Views that show all of a tensor have kept kernels apart (RecomputeForward.cpp). A kernel that reads the
// tensor and such a view of it then has one operand for both.
static void dropWholeViews(mlir::Block &block) {
  for (auto view : llvm::make_early_inc_range(block.getOps<mlir::tensor::CollapseShapeOp>()))
    if (view.getType() == view.getSrc().getType()) {
      view.replaceAllUsesWith(view.getSrc());
      view.erase();
    }
}

static void writeMembers(const Group &group, int64_t kernel) {
  for (auto [number, step] : llvm::enumerate(group.stepsOrSelf())) {
    SmallVector<int64_t> shared(step.outer.begin(), step.outer.end());
    if (group.steps.empty())
      shared = llvm::to_vector(llvm::seq<int64_t>(0, group.shared));
    for (GenericOp op : step.ops)
      setMember(op, train::MemberAttr::get(op.getContext(), kernel, number, shared));
  }
}

namespace {
struct GroupLoopNestsPass : public impl::GroupLoopNestsBase<GroupLoopNestsPass> {
  using GroupLoopNestsBase::GroupLoopNestsBase;

  void runOnOperation() override {
    FusionCosts costs{minShared, anyOrder, {nearBytes, operationsPerByte}, attentions};
    forEachFunction(getOperation(), [&](train::FunctionOp function, mlir::Block &block) {
      for (auto [index, op] : llvm::enumerate(block))
        setPosition(&op, index);
      const Grouping &grouping = getChildAnalysis<FunctionGrouping>(function).by(costs);
      for (auto [kernel, group] : llvm::enumerate(grouping.groups())) {
        writeMembers(*group, kernel);
        // Why tensors are handed on through memory goes along in the location of the group's first nest.
        GenericOp first = group->ops.front();
        first->setLoc(withDecided(&getContext(), first.getLoc(), {grouping.apartOf(*group), ""}));
      }
      dropWholeViews(block);
    });
  }
};
} // namespace

} // namespace dlc::fuse
