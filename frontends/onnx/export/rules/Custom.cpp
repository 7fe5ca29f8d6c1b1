//===- Custom.cpp - ONNX nodes for operations that users bring themselves -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/train/Custom.h"
#include "frontends/onnx/export/Writer.h"

using namespace mlir;

namespace dlc::onnx {

/// The node that the operation was imported from.
static LogicalResult custom(Writer &w, train::CustomOp op) {
  std::vector<std::string> names; // of attributes, while they are written
  for (train::CustomSettingAttr setting : op.definition().settingList())
    names.push_back(setting.getName().str());
  ExportedAttributes attributes;
  if (op.getNumbers())
    for (auto [name, number] : llvm::zip_equal(names, *op.getNumbers())) {
      auto integer = dyn_cast<IntegerAttr>(number);
      attributes.push_back({name.c_str(), integer ? ExportedAttribute(integer.getInt())
                                                  : float(cast<FloatAttr>(number).getValueAsDouble())});
    }
  Names inputs;
  for (Value input : op.getInputs())
    inputs.push_back(w[input]);
  w.results(op.getOutputs(), op.getCallee().str().c_str(), inputs, attributes);
  return success();
}

void addCustomRules(ExportRules &rules) { rules.add<train::CustomOp>(custom); }

} // namespace dlc::onnx
