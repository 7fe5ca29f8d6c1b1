//===- Recurrent.h - recurrent layers, written out -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of the cell for each place of a sequence of known length. Names are those of ONNX's formulas: x, h,
// c; W and R; gates i, o, f, c of an LSTM, z, r, h of a GRU. In which order the gates stand in the matrices
// is said. Importers and programs in C++ take the same steps.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_RECURRENT_H
#define DLC_FRONTENDS_COMMON_RECURRENT_H

#include "frontends/common/OpMaker.h"
#include <array>
#include <functional>

namespace dlc::frontend {

using Function = std::function<nn::Expr(nn::Expr)>;

/// A layer in one direction.
struct Direction {
  bool isReverse;
  llvm::ArrayRef<Function> functions;
  mlir::Value w, r;   ///< [gates * hidden, features], [gates * hidden, hidden]
  mlir::Value wb, rb; ///< [gates * hidden]; may be null
  mlir::Value p;      ///< [3 * hidden]; may be null
  mlir::Value projection = {}; ///< of an LSTM's h, [projected, hidden]; may be null
};

/// What a place's step reads, and the state that it changes.
struct TimeStep {
  nn::Expr x; ///< product with W, and its bias: [batch, gates * hidden]
  nn::Expr h;
  std::optional<nn::Expr> c;
};

struct Layer {
  OpMaker &maker;
  nn::Dim steps, batch;
  int64_t hidden;
  bool joinsGates = false; ///< the state's products of all gates are one, and have their bias first
  bool isLinearBeforeReset = false;                  ///< of a GRU: r is multiplied with the product
  bool forgetsWhatIsNotTaken = false;                ///< of an LSTM: f is 1 - i
  std::array<int64_t, 4> gatesOfLstm = {0, 1, 2, 3}; ///< where i, o, f and c stand
  int64_t zOfGru = 0;                                ///< where z stands, 0 or 1; r stands in the other place

  /// Gate `i` of [..., gates * hidden].
  nn::Expr gate(mlir::Value x, int64_t i, int64_t count = 1) const {
    return {maker.b, maker.part(x, nn::shapeOf(x).size() - 1, i * hidden, (i + count) * hidden)};
  }
  nn::Expr expr(mlir::Value value) const { return {maker.b, value}; }
  nn::Expr product(nn::Expr x, mlir::Value matrix, mlir::Value bias = {}) const {
    nn::Expr y = nn::matmul(x, expr(matrix), false, true);
    return bias ? y + expr(bias) : y;
  }
};

using Cell = void (*)(const Layer &, const Direction &, TimeStep &);

void stepRnn(const Layer &layer, const Direction &direction, TimeStep &step);
void stepGru(const Layer &layer, const Direction &direction, TimeStep &step);
void stepLstm(const Layer &layer, const Direction &direction, TimeStep &step);

/// All places of one direction of x [places, batch, features], from `state` on, which becomes the last one:
/// outputs in the order of the places, [batch, hidden] each. `lengths` of the batch's rows ([batch, 1]) may
/// be null.
llvm::SmallVector<mlir::Value> runCells(const Layer &layer, Cell cell, const Direction &direction,
                                        mlir::Value x, mlir::Value lengths, TimeStep &state);

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_RECURRENT_H
