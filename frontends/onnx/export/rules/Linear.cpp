//===- Linear.cpp - ONNX nodes for matrix products and convolutions --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/export/Writer.h"
#include <numeric>

using namespace mlir;

namespace dlc::onnx {

namespace {

int64_t rankOf(Value value) { return cast<RankedTensorType>(value.getType()).getRank(); }

/// The last two dims exchanged.
std::string exchanged(Writer &w, Value value) {
  std::vector<int64_t> order(rankOf(value));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return w.step("Transpose", {w[value]}, {{"perm", order}});
}

/// Gemm where it can be, which takes matrices as they lie.
LogicalResult matmul(Writer &w, nn::MatMulOp op) {
  bool isGemm = rankOf(op.getA()) == 2 && rankOf(op.getB()) == 2 &&
                isa<FloatType>(getElementTypeOrSelf(op.getType())) &&
                (op.getTransposeA() || op.getTransposeB());
  if (isGemm)
    w.result(op.getC(), "Gemm", {w[op.getA()], w[op.getB()]},
             {{"transA", int64_t(op.getTransposeA())}, {"transB", int64_t(op.getTransposeB())}});
  else {
    std::string a = op.getTransposeA() ? exchanged(w, op.getA()) : w[op.getA()];
    std::string b = op.getTransposeB() ? exchanged(w, op.getB()) : w[op.getB()];
    w.result(op.getC(), "MatMul", {a, b});
  }
  return success();
}

/// What both convolutions say in the same way.
template <typename Op> ExportedAttributes windowOf(Op op) {
  std::vector<int64_t> pads(op.getLow().begin(), op.getLow().end());
  pads.insert(pads.end(), op.getHigh().begin(), op.getHigh().end());
  auto weight = cast<RankedTensorType>(op.getW().getType()).getShape().drop_front(2);
  return {{"kernel_shape", weight.vec()},
          {"strides", op.getStrides().vec()},
          {"dilations", op.getDilations().vec()},
          {"pads", pads},
          {"group", int64_t(op.getGroups())}};
}

LogicalResult conv(Writer &w, nn::ConvOp op) {
  w.result(op.getY(), "Conv", {w[op.getX()], w[op.getW()]}, windowOf(op));
  return success();
}

/// The image's size says how much is added at its end, which must be less than a stride.
LogicalResult convTranspose(Writer &w, nn::ConvTransposeOp op) {
  auto image = cast<RankedTensorType>(op.getDy().getType()).getShape().drop_front(2);
  auto kernel = cast<RankedTensorType>(op.getW().getType()).getShape().drop_front(2);
  std::vector<int64_t> added;
  for (size_t i = 0; i < image.size(); ++i) {
    int64_t least = op.getStrides()[i] * (image[i] - 1) + (kernel[i] - 1) * op.getDilations()[i] + 1 -
                    op.getLow()[i] - op.getHigh()[i];
    added.push_back(op.getSize()[i] - least);
    if (added.back() < 0 || added.back() >= std::max(op.getStrides()[i], op.getDilations()[i]))
      return op.emitError("cannot be exported: ONNX's ConvTranspose has no image of size ")
             << op.getSize()[i];
  }
  ExportedAttributes attributes = windowOf(op);
  attributes.emplace_back("output_padding", added);
  w.result(op.getDx(), "ConvTranspose", {w[op.getDy()], w[op.getW()]}, attributes);
  return success();
}

} // namespace

void addLinearRules(ExportRules &rules) {
  rules.add(matmul);
  rules.add(conv);
  rules.add(convTranspose);
}

} // namespace dlc::onnx
