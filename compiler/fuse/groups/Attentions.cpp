//===- Attentions.cpp - attentions as one kernel ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On targets that compute an attention block by block (compiler/analysis/Attention.h), its operations are
// steps of one kernel whatever their sizes, and no others are.
//===----------------------------------------------------------------------===//
#include "compiler/fuse/groups/Groups.h"
#include "compiler/fuse/groups/Joint.h"

namespace dlc::fuse {

void Grouping::formAttentions(mlir::Block &block) {
  for (GenericOp op : block.getOps<GenericOp>()) {
    const analysis::Attention *attention = matrices.attentionOf(op);
    if (!attention)
      continue;
    // Both products may have followers; those of the first are part of the attention.
    SmallVector<Group *> groups{groupOf(attention->scores)};
    for (GenericOp member : block.getOps<GenericOp>())
      if (Group *group = groupOf(member); attention->contains(member) && !llvm::is_contained(groups, group))
        groups.push_back(group);
    bool isWhole =
        groups.back() == groupOf(op) && groups.size() > 2 && llvm::all_of(groups, [&](Group *group) {
          return group->steps.empty() && !group->isScalars &&
                 (group == groupOf(op) ||
                  llvm::all_of(group->ops, [&](GenericOp member) { return attention->contains(member); }));
        });
    for (Group *next : ArrayRef(groups).drop_front()) {
      Joint joint(*groups.front(), *next, costs.block);
      if (!isWhole || !joint.isAny() || precedence.isBetween(groups.front()->node, next->node))
        break;
      chain(joint, *groups.front(), *next);
    }
  }
}

} // namespace dlc::fuse
