//===- Outputs.cpp - what an exported program gives ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Outputs.h"

using namespace mlir;

namespace dlc::pt2 {

void writeOutputs(Services &services) {
  const Model &model = services.model;
  frontend::ProgramBuilder &program = services.program;
  frontend::Diagnostics &diagnostics = services.diagnostics;
  std::vector<const OutputSpec *> outputs;
  for (const OutputSpec &spec : model.outputs) {
    if (spec.kind == OutputSpec::Kind::Other)
      diagnostics.addReason("the model has an output of the kind " + spec.target +
                            ", expected tensors that forward() returns");
    if (spec.kind == OutputSpec::Kind::User)
      outputs.push_back(&spec);
  }
  if (outputs.empty())
    diagnostics.addReason("the model has no output");
  bool hasNames = model.outputNames.size() == outputs.size();
  for (auto [i, spec] : llvm::enumerate(outputs)) {
    std::string name = hasNames              ? model.outputNames[i]
                       : outputs.size() == 1 ? "output"
                                             : "output_" + std::to_string(i);
    std::string where = "output '" + name + "'";
    if (spec->arg.kind == Argument::Kind::None)
      continue;
    if (spec->arg.kind != Argument::Kind::Tensor) {
      diagnostics.addReason(where + " is no tensor, which is what a program gives");
      continue;
    }
    GraphValue *graphValue = services.values.find(spec->arg.text);
    if (graphValue && graphValue->failed)
      continue; // told already
    if (!graphValue || !graphValue->reason.empty()) {
      diagnostics.addReason(where + ": " + (graphValue ? graphValue->reason : "nothing produces it"));
      continue;
    }
    program.body.setLoc(program.locationOf(name));
    if (Value value = services.states.materialize(*graphValue))
      program.writeOutput(name, value);
  }
}

void tellOfModes(Services &services) {
  auto [evaluatedDropouts, evaluatedNorms, trained] = services.modes;
  if (services.program.options.predictOnly || trained > 0 || evaluatedDropouts + evaluatedNorms == 0)
    return;
  std::string what;
  if (evaluatedDropouts)
    what = std::to_string(evaluatedDropouts) + (evaluatedDropouts == 1 ? " dropout" : " dropouts");
  if (evaluatedNorms)
    what += (what.empty() ? "" : " and ") + std::to_string(evaluatedNorms) +
            (evaluatedNorms == 1 ? " batch normalization" : " batch normalizations");
  services.diagnostics.remark("the module was exported in evaluation mode: " + what +
                              (evaluatedDropouts + evaluatedNorms == 1
                                   ? " stays in it in training, as it would in PyTorch"
                                   : " stay in it in training, as they would in PyTorch") +
                              "; if that is not meant, call module.train() before torch.export.export");
}

} // namespace dlc::pt2
