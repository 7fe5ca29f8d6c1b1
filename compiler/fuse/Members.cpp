//===- Members.cpp - the loop nests that become one kernel ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Members.h"
#include <map>

namespace dlc::fuse {

using MemberHelper = train::TrainDialect::MemberAttrHelper;
using PositionHelper = train::TrainDialect::PositionAttrHelper;

train::MemberAttr memberOf(GenericOp op) {
  return op->getAttrOfType<train::MemberAttr>(MemberHelper::getNameStr());
}
void setMember(GenericOp op, train::MemberAttr member) { op->setAttr(MemberHelper::getNameStr(), member); }
void dropMember(GenericOp op) { op->removeAttr(MemberHelper::getNameStr()); }

int64_t positionOf(Operation *op) {
  auto position = op->getAttrOfType<mlir::IntegerAttr>(PositionHelper::getNameStr());
  return position ? position.getInt() : 0;
}
void setPosition(Operation *op, int64_t position) {
  op->setAttr(PositionHelper::getNameStr(), mlir::Builder(op).getI64IntegerAttr(position));
}
void dropPosition(Operation *op) { op->removeAttr(PositionHelper::getNameStr()); }

mlir::FailureOr<SmallVector<Members>> membersIn(mlir::Block &block) {
  std::map<int64_t, std::map<int64_t, SmallVector<GenericOp>>> kernels; // by their steps
  for (GenericOp op : block.getOps<GenericOp>()) {
    train::MemberAttr member = memberOf(op);
    if (!member)
      return op.emitError("is in no group of loop nests: expected 'train.member', which "
                          "dlc-group-loop-nests writes");
    SmallVector<GenericOp> &step = kernels[member.getKernel()][member.getStep()];
    step.push_back(op);
    GenericOp first = kernels[member.getKernel()].begin()->second.front();
    if (memberOf(first).getShared().size() != member.getShared().size())
      return op.emitError("shares ") << member.getShared().size() << " loops with others of its kernel, "
                                     << "expected " << memberOf(first).getShared().size();
  }
  SmallVector<Members> all;
  for (auto &[number, steps] : kernels) {
    Members &members = all.emplace_back();
    for (auto &[step, ops] : steps) {
      members.ops.append(ops);
      members.steps.push_back(ops);
    }
    llvm::sort(members.ops, [](GenericOp a, GenericOp b) { return a->isBeforeInBlock(b); });
  }
  return all;
}

} // namespace dlc::fuse
