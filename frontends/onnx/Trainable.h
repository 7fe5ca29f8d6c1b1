//===- Trainable.h - which constants are trained ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides once for each constant of floats whether training changes it: what the plan knows to be the
// module's parameter is, and else what its place in the graph and its elements show to be no number of a
// formula. Says what it leaves out.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_TRAINABLE_H
#define DLC_FRONTENDS_ONNX_TRAINABLE_H

#include "frontends/onnx/ExportRecord.h"
#include "frontends/onnx/GraphNames.h"
#include "frontends/onnx/ParameterPlan.h"
#include "frontends/onnx/Roles.h"

namespace dlc::onnx {

class Trainable {
public:
  /// `isTorch`: whether PyTorch wrote the file.
  Trainable(const GraphNames &names, const ExportRecord &record, bool isTorch,
            const frontend::ImportOptions &options, frontend::Diagnostics &diagnostics)
      : names(names), record(record), isTorch(isTorch), options(options), diagnostics(diagnostics) {}

  void follow(ParameterPlan parameters) { plan = std::move(parameters); }
  /// What is a constant of the module by the plan.
  bool isConstantOfModule(llvm::StringRef name) const { return plan.lookup(name).isConstant; }
  /// The places in which nodes of a graph, or of one in an attribute, read constants.
  void addPositions(const Positions &places) { positions.insert(places); }
  /// An operation of the user's has it as its own parameter.
  void addOwn(llvm::StringRef name) { positions.own.insert(name); }

  /// Whether the constant that a name stands for is trained, decided once, so that messages are there once.
  bool isTrained(llvm::StringRef name, const GraphValue &value);
  /// The decision about a value that has no name of its own.
  bool decide(llvm::StringRef name, const GraphValue &value);

private:
  bool decideByPlace(llvm::StringRef name, const GraphValue &value);
  bool leave(llvm::StringRef name, llvm::StringRef what, llvm::StringRef why);

  const GraphNames &names;
  const ExportRecord &record;
  const bool isTorch;
  const frontend::ImportOptions &options;
  frontend::Diagnostics &diagnostics;
  ParameterPlan plan;
  Positions positions;
  llvm::StringMap<bool> decided;
};

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_TRAINABLE_H
