//===- Time.cpp - ONNX nodes for operations on sequences -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/export/Writer.h"

using namespace mlir;

namespace dlc::onnx {

static LogicalResult reverseSequence(Writer &w, nn::ReverseSequenceOp op) {
  const int64_t time = op.getTime(), batch = op.getBatch();
  if (time > 1 || batch > 1)
    return op.emitError("cannot be exported: ONNX has time and batch along the first two axes, got axes ")
           << time << " and " << batch;
  std::string lengths = w.step("Cast", {w[op.getLengths()]}, {{"to", int64_t(::onnx::TensorProto::INT64)}});
  w.result(op.getY(), "ReverseSequence", {w[op.getX()], lengths},
           {{"time_axis", time}, {"batch_axis", batch}});
  return success();
}

void addTimeRules(ExportRules &rules) { rules.add(reverseSequence); }

} // namespace dlc::onnx
