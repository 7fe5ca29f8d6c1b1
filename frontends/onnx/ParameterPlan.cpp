//===- ParameterPlan.cpp - whose parameter each initializer is -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/ParameterPlan.h"
#include "frontends/common/Options.h"
#include "frontends/onnx/Computed.h"
#include "frontends/onnx/GraphNames.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/Ties.h"

using namespace mlir;

namespace dlc::onnx {

/// Copies of shared initializers may not take more memory than this.
static constexpr size_t maxUntiedBytes = size_t(1) << 30;

ParameterPlan planParameters(const ::onnx::GraphProto &graph, Ties &ties, const ExportRecord &record,
                             GraphNames &names, const frontend::ImportOptions &options,
                             frontend::Diagnostics &diagnostics) {
  ParameterPlan plan;
  size_t bytes = 0;
  std::vector<std::string> computed;
  for (int i = 0, count = graph.initializer_size(); i < count; ++i) {
    std::string name = graph.initializer(i).name();
    GraphValue original = names[name];
    if (!original.constant || !original.constant->isFloat())
      continue;
    Untied untied = ties.untie(name, *original.constant);
    bytes += original.constant->data.size() * (std::max<size_t>(untied.aliases.size(), 1) - 1);
    if (bytes > maxUntiedBytes) {
      diagnostics.addReason("initializers are shared by so many layers that one copy for each takes too much "
                            "memory (--keep-ties keeps them shared)");
      return plan;
    }
    std::vector<std::string> users, trained;
    for (const Untied::Alias &alias : untied.aliases) {
      names[alias.name] = original;
      plan[alias.name] = {alias.isParameter, alias.isConstant};
      std::string formula = alias.isComputed && !options.predictOnly
                                ? formulaOf(*original.constant, record, names)
                                : std::string();
      if (!formula.empty())
        diagnostics.warn("the exporter computed '" + alias.name + "', which is " + formula +
                         " now and will not follow it (read by nodes " + frontend::quotedList(alias.users) +
                         "). What is trained is another network" + exportHint);
      else if (alias.isComputed)
        computed.push_back(alias.name);
      if (alias.isConstant || alias.isStatistic || alias.users.empty())
        continue;
      if (!llvm::is_contained(users, alias.users.front()))
        users.push_back(alias.users.front());
      trained.push_back(alias.name);
    }
    if (trained.size() > 1 && !options.predictOnly)
      diagnostics.remark("the initializer '" + name +
                         "' holds the equal initial values of several layers (nodes " +
                         frontend::quotedList(users) + "): each trains its own, " +
                         frontend::quotedList(trained) + " (--keep-ties trains one for all)");
  }
  if (!computed.empty() && !options.predictOnly)
    diagnostics.remark(
        "the exporter computed " + frontend::quotedList(computed) +
        ", which the training leaves as they are; if they depend on parameters, another network is "
        "trained than yours: then export with optimize=False");
  return plan;
}

} // namespace dlc::onnx
