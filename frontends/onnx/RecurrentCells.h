//===- RecurrentCells.h - one place of a recurrent layer
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names are those of ONNX's formulas: x, h, c; W and R; gates i, o, f, c of an LSTM, z, r, h of a GRU.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_RECURRENTCELLS_H
#define DLC_FRONTENDS_ONNX_RECURRENTCELLS_H

#include "frontends/onnx/Node.h"

namespace dlc::onnx {

using Function = std::function<nn::Expr(nn::Expr)>;

/// The functions of the attributes `activations`, one for each of `defaults` in each direction, or the
/// defaults; nullopt after an error.
std::optional<std::vector<Function>> functionsOf(Node &node, llvm::ArrayRef<llvm::StringRef> defaults,
                                                 size_t directions);

/// A layer in one direction.
struct Direction {
  bool isReverse;
  llvm::ArrayRef<Function> functions;
  mlir::Value w, r;   ///< [gates * hidden, features], [gates * hidden, hidden]
  mlir::Value wb, rb; ///< [gates * hidden]; may be null
  mlir::Value p;      ///< [3 * hidden]; may be null
  mlir::Value h, c;   ///< [batch, hidden]; c of an LSTM
};

/// What a place's step reads, and the state that it changes.
struct Step {
  nn::Expr x; ///< product with W, and its bias: [batch, gates * hidden]
  nn::Expr h;
  std::optional<nn::Expr> c;
};

struct Layer {
  Node &node;
  nn::Dim steps, batch;
  int64_t hidden;

  /// Gate `i` of [..., gates * hidden].
  nn::Expr gate(mlir::Value x, int64_t i, int64_t count = 1) const {
    return {node.b, node.part(x, nn::shapeOf(x).size() - 1, i * hidden, (i + count) * hidden)};
  }
  nn::Expr expr(mlir::Value value) const { return {node.b, value}; }
  nn::Expr product(nn::Expr x, mlir::Value matrix) const { return nn::matmul(x, expr(matrix), false, true); }
};

using Cell = void (*)(const Layer &, const Direction &, Step &);

void stepRnn(const Layer &layer, const Direction &direction, Step &step);
void stepGru(const Layer &layer, const Direction &direction, Step &step);
void stepLstm(const Layer &layer, const Direction &direction, Step &step);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_RECURRENTCELLS_H
