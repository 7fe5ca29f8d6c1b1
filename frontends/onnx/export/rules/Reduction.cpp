//===- Reduction.cpp - ONNX nodes for reductions ----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/export/Writer.h"

using namespace mlir;

namespace dlc::onnx {

namespace {

template <typename Op> LogicalResult reduce(Writer &w, Op op, const char *type) {
  w.result(op.getY(), type, {w[op.getX()], w.integers(op.getAxes())},
           {{"keepdims", int64_t(op.getKeepdims())}, {"noop_with_empty_axes", int64_t(1)}});
  return success();
}
LogicalResult sum(Writer &w, nn::SumOp op) { return reduce(w, op, "ReduceSum"); }
LogicalResult mean(Writer &w, nn::MeanOp op) { return reduce(w, op, "ReduceMean"); }
LogicalResult largest(Writer &w, nn::ReduceMaxOp op) { return reduce(w, op, "ReduceMax"); }
LogicalResult smallest(Writer &w, nn::ReduceMinOp op) { return reduce(w, op, "ReduceMin"); }
LogicalResult product(Writer &w, nn::ProdOp op) { return reduce(w, op, "ReduceProd"); }

template <typename Op> LogicalResult position(Writer &w, Op op, const char *type) {
  w.result(op.getY(), type, {w[op.getX()]},
           {{"axis", int64_t(op.getAxis())},
            {"keepdims", int64_t(op.getKeepdims())},
            {"select_last_index", int64_t(op.getLast())}});
  return success();
}
LogicalResult argmax(Writer &w, nn::ArgMaxOp op) { return position(w, op, "ArgMax"); }
LogicalResult argmin(Writer &w, nn::ArgMinOp op) { return position(w, op, "ArgMin"); }

} // namespace

void addReductionRules(ExportRules &rules) {
  rules.add(sum);
  rules.add(mean);
  rules.add(largest);
  rules.add(smallest);
  rules.add(product);
  rules.add(argmax);
  rules.add(argmin);
}

} // namespace dlc::onnx
