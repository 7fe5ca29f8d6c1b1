//===- AssignRoles.cpp - what nests of a kernel do stands in the program ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel is looked at when it is what it will be: nests have become one, and so have loops. What is found
// is written; schedule and codegen read it.
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Rewrite.h"
#include "compiler/fuse/tiled/AttentionSearch.h"
#include "compiler/fuse/tiled/TransientSearch.h"
#include "dialects/train/Roles.h"

namespace dlc::fuse {

#define GEN_PASS_DEF_ASSIGNROLES
#include "compiler/fuse/Passes.h.inc"

using train::KernelRole;

static void assignRoles(const analysis::Attention &attention) {
  auto assign = [&](KernelRole role, ArrayRef<GenericOp> ops) {
    for (auto [number, op] : llvm::enumerate(ops))
      train::setRole(op, role, number, attention.loops.find(op)->second);
  };
  GenericOp scores = attention.scores;
  train::setRole(scores, KernelRole::Scores, 0, llvm::to_vector(llvm::seq<int64_t>(0, scores.getNumLoops())));
  assign(KernelRole::Mask, attention.masks);
  assign(KernelRole::RowMax, attention.rowMax);
  assign(KernelRole::Exponentials, attention.exponentials);
  assign(KernelRole::RowSum, attention.sum);
  assign(KernelRole::RowValue, attention.rowValues);
  assign(KernelRole::Probabilities, attention.probabilities);
  assign(KernelRole::Values, attention.values);
  if (auto factor = attention.factor.getDefiningOp<GenericOp>(); factor != attention.sum)
    assign(KernelRole::RowFactor, factor);
}

static void assignRoles(const analysis::Transient &transient) {
  auto assign = [&](KernelRole role, ArrayRef<GenericOp> ops) {
    for (auto [number, op] : llvm::enumerate(ops))
      train::setRole(op, role, number, transient.loops.find(op)->second);
  };
  assign(KernelRole::Producer, transient.producers);
  assign(KernelRole::Elementwise, transient.elementwise);
  assign(KernelRole::Consumer, transient.consumers);
}

namespace {
struct AssignRolesPass : public impl::AssignRolesBase<AssignRolesPass> {
  void runOnOperation() override {
    forEachKernel(getOperation(), [](train::KernelOp kernel) {
      if (std::optional<analysis::Attention> attention = findAttention(kernel))
        assignRoles(*attention);
      else if (std::optional<analysis::TransientKernel> transient = findTransients(kernel))
        assignRoles(*transient);
    });
  }
};
} // namespace

} // namespace dlc::fuse
