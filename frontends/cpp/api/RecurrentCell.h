//===- RecurrentCell.h - one step of recurrent layers ------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_RECURRENTCELL_H
#define DLC_FRONTENDS_CPP_API_RECURRENTCELL_H

#include "dlc/nn/recurrent.h"
#include "frontends/cpp/api/Detail.h"

namespace dlc::detail {

/// The weights of one layer in one direction, or of a cell.
struct CellWeights {
  Tensor ih, hh, biasIh, biasHh;
  Tensor hr = Tensor(); ///< of an LSTM with projections
};

struct CellState {
  Tensor h, c;
};

/// x W^T + b
Tensor cellProduct(const Tensor &x, const Tensor &weight, const Tensor &bias, const Where &where);
using CellKind = record::RecurrentStep::Kind;
/// The next state, which frontends/common/Recurrent.h composes; `x` is the product of the inputs.
CellState nextState(CellKind kind, const Tensor &x, const CellState &state, const CellWeights &weights,
                    int64_t hidden, const Where &where);
bool isReluNamed(const char *nonlinearity, const Where &where);

/// Registers a cell's parameters, whose names end in `suffix`; h has `width` elements.
void registerCell(nn::Module &module, int64_t features, int64_t hidden, int64_t width, int64_t gates,
                  bool bias, const std::string &suffix, const Where &where);
CellWeights weightsOf(const nn::Module &module, bool bias, const std::string &suffix);

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_RECURRENTCELL_H
