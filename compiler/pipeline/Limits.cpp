//===- Limits.cpp - what a compiled model may need of memory and of the disk
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Limits.h"
#include "compiler/support/Elements.h"
#include "llvm/Support/Format.h"

using namespace mlir;

namespace dlc::pipeline {

LogicalResult checkRepeatedValues(train::ProgramOp program) {
  constexpr int64_t largest = int64_t(1) << 30;
  int64_t bytes = 0;
  for (auto state : program.getBody().getOps<train::StateOp>()) {
    auto type = cast<RankedTensorType>(state.getType());
    if (isa_and_nonnull<SplatElementsAttr>(state.getInitialAttr()))
      bytes += type.getNumElements() * elementBytes(type);
    if (bytes > largest)
      return state.emitError("the values of '")
             << state.getSymName()
             << "', one number repeated, are too large for a file of weights: with others of "
             << "its kind " << bytes << " bytes, expected at most " << largest
             << "; values that are in the model's file one by one have no such limit";
  }
  return success();
}

LogicalResult checkMemory(train::ProgramOp program, double most) {
  auto gib = [](int64_t bytes) { return double(bytes) / double(1 << 30); };
  double arena = gib(program.getPlan()->getArena()), state = gib(program.getPlan()->getStates());
  if (arena <= most)
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("the compiled model needs %.1f GiB of memory, more than the "
                                                 "limit of %g GiB: %.1f GiB for parameters and what "
                                                 "training keeps of them, %.1f GiB for intermediate values",
                                                 arena, most, state, arena - state);
  auto dims = program.getBody().getOps<train::DimOp>();
  if (!dims.empty())
    text += " of a batch of " + std::to_string((*dims.begin()).getBound());
  text +=
      "; make the sizes smaller, or raise the limit with --max-memory=" + std::to_string(int64_t(arena) + 1);
  return emitError(UnknownLoc::get(program.getContext()), text);
}

} // namespace dlc::pipeline
