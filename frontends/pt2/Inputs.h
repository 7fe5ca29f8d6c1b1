//===- Inputs.h - what an exported program reads ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declares the inputs of the graph: what a caller gives, parameters, and what becomes a state when it is
// read.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_PT2_INPUTS_H
#define DLC_FRONTENDS_PT2_INPUTS_H

#include "frontends/pt2/Services.h"

namespace dlc::pt2 {

class Inputs {
public:
  explicit Inputs(Services &services)
      : model(services.model), values(services.values), states(services.states), program(services.program),
        diagnostics(services.diagnostics) {}

  void declare();

private:
  void declareUserInputs(llvm::ArrayRef<const InputSpec *> inputs);
  std::optional<frontend::InputDims> dimsOf(const InputSpec &spec, const TensorMeta &meta);
  void checkRanges();

  const Model &model;
  GraphValues &values;
  States &states;
  frontend::ProgramBuilder &program;
  frontend::Diagnostics &diagnostics;
};

} // namespace dlc::pt2

#endif // DLC_FRONTENDS_PT2_INPUTS_H
