//===- TrainedCheck.h - is what is trained what the author's module trains?
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last word on an imported model: the parameters of the exporter's record, and those of the program, are
// the same, each once. What differs without the user's word is an error, so that no other network is trained.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_TRAINEDCHECK_H
#define DLC_FRONTENDS_ONNX_TRAINEDCHECK_H

#include "frontends/onnx/States.h"

namespace dlc::onnx {

class TrainedCheck {
public:
  TrainedCheck(const ExportRecord &record, const GraphNames &names, const Trainable &trainable,
               const States &states, frontend::ProgramBuilder &program, frontend::Diagnostics &diagnostics)
      : record(record), names(names), trainable(trainable), states(states), program(program),
        diagnostics(diagnostics) {}

  /// `nodes`: those of the graph itself, as they were imported.
  void run(llvm::ArrayRef<const ::onnx::NodeProto *> nodes);

private:
  void checkParameters(llvm::ArrayRef<const ::onnx::NodeProto *> nodes);
  void checkOthers();

  const ExportRecord &record;
  const GraphNames &names;
  const Trainable &trainable;
  const States &states;
  frontend::ProgramBuilder &program;
  frontend::Diagnostics &diagnostics;
};

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_TRAINEDCHECK_H
