//===- Formulas.h - layers that were written as formulas --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_STABLEHLO_FORMULAS_H
#define DLC_FRONTENDS_STABLEHLO_FORMULAS_H

#include "dialects/train/Train.h"

namespace dlc::stablehlo {

/// Makes nn.softmax, nn.log_softmax, nn.softplus and nn.layer_norm of the formulas that JAX has for them. The variance of
/// a layer normalization may be written as E[x^2] - E[x]^2; that of the whole operation has more exact
/// digits.
void raiseFormulas(train::FunctionOp forward);

} // namespace dlc::stablehlo

#endif // DLC_FRONTENDS_STABLEHLO_FORMULAS_H
