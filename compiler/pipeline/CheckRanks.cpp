//===- CheckRanks.cpp - samples that other ranks have ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/CheckRanks.h"
#include "compiler/backward/BatchInParts.h"
#include "compiler/fuse/Samples.h"

using namespace mlir;

namespace dlc::pipeline {
namespace {

class CheckRanks : public PassWrapper<CheckRanks, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckRanks)

  StringRef getArgument() const override { return "dlc-check-ranks"; }
  StringRef getDescription() const override { return "find samples that other ranks would have"; }

  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>())
      if (train::isOfRank(program) && failed(check(program)))
        return signalPassFailure();
  }

private:
  /// Functions for any size compute the same as the one for the largest.
  static LogicalResult check(train::ProgramOp program) {
    for (auto function : program.getBody().getOps<train::FunctionOp>()) {
      if (!function.getOnePart() || function.getKind() != train::FunctionKind::GradStep)
        continue;
      if (std::optional<std::string> joins = fuse::whatJoinsSamples(function, /*parts=*/1))
        return program.emitError(backward::whyNoRanks) << *joins;
    }
    return success();
  }
};

} // namespace

std::unique_ptr<Pass> createCheckRanks() { return std::make_unique<CheckRanks>(); }

} // namespace dlc::pipeline
