//===- LostDropout.cpp - dropout that a file no longer has -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In evaluation mode dropout is nothing, and PyTorch's exporters write nothing. The newer one leaves a copy,
// or the mention of one, with the name of the module it was made of; the older one leaves no trace, and
// exports in evaluation mode unless it is told otherwise.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Importer.h"
#include "frontends/onnx/Messages.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace dlc::onnx {

void Importer::tellOfDropout() {
  if (options.predictOnly || record.isOfTraining() || model.producer_name() != "pytorch")
    return;
  std::vector<std::string> idle;
  bool hasDropout = false;
  for (const ::onnx::NodeProto &node : model.graph().node()) {
    hasDropout |= node.op_type() == "Dropout";
    if (isIdleDropout(node))
      idle.push_back("'" + nameOf(node).str() + "'");
  }
  const char *advice = "; tools/export/from_pytorch.py exports for training";
  if (!idle.empty())
    warnings.push_back(
        (idle.size() == 1 ? "node " : "nodes ") + llvm::join(idle, ", ") +
        " stood for dropout, which the exporter left out as the module was in evaluation mode. It is "
        "trained without" +
        advice);
  else if (record.isKnown() && llvm::any_of(record.lostSymbols(model.graph()).keys(),
                                            [](StringRef symbol) { return symbol.starts_with("clone"); }))
    warnings.push_back(
        std::string("the exporter left out copies, which dropout in evaluation mode is for it: if the "
                    "module has dropout, it is trained without") +
        advice);
  else if (!record.isKnown() && !hasDropout)
    remarks[{"",
             std::string(
                 "PyTorch's older exporter takes the module in evaluation mode unless it is told "
                 "otherwise, and then leaves dropout out without a trace: if the module has dropout, it is "
                 "trained without") +
                 advice}];
}

} // namespace dlc::onnx
