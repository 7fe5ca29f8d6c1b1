//===- Outputs.cpp - what a program of StableHLO gives ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/stablehlo/Importer.h"

using namespace mlir;

namespace dlc::stablehlo {

/// Where a result of @main stands in what the function of Python returns; empty where the text does not say.
static Path pathOfResult(func::FuncOp main, unsigned i) {
  auto info = main.getResultAttrOfType<StringAttr>(i, "jax.result_info");
  return info ? parsePath(info.getValue()) : Path();
}

/// Outputs are called by the keys of the dictionary that the function returns, or "output"; several
/// "output_0", "output_1" and so on.
void Importer::writeOutputs(ArrayRef<Known> results) {
  if (results.empty())
    diagnostics.addReason("the program has no result");
  for (auto [i, result] : llvm::enumerate(results)) {
    Path path = pathOfResult(source.main(), i);
    std::string name = path.parts.size() > 1 && path.hasKey ? path.join("_", 1)
                       : results.size() == 1                ? "output"
                                                            : "output_" + std::to_string(i);
    for (const Input &input : inputs)
      if (input.weight && path.parts.size() > 2 &&
          StringRef(input.path.join(".")).ends_with("." + path.join(".", 2)))
        diagnostics.addReason(
            "result '" + path.join(".") + "' is a new value of '" + input.name +
            "', which dlc does not keep: export the function as it predicts, without updates of "
            "statistics (Flax: use_running_average=True, no mutable collections)");
    Known known = result;
    if (known.failed)
      continue; // told already
    diagnostics.currentNode = "output '" + name + "'";
    program.body.setLoc(program.locationOf(name));
    if (Value value = materialize(known, source.main().getFunctionType().getResult(i)))
      program.writeOutput(name, value);
  }
  diagnostics.currentNode.clear();
}

} // namespace dlc::stablehlo
