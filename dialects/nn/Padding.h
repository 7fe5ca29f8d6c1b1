//===- Padding.h - the padding index of an embedding -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An nn.gather may carry the attribute `nn.padding = P : i64`: as PyTorch's embedding with padding_idx it
// reads the slices of index P like all others, and gives them no gradient.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_NN_PADDING_H
#define DLC_DIALECTS_NN_PADDING_H

#include "llvm/ADT/StringRef.h"

namespace nn {

constexpr llvm::StringLiteral paddingAttribute = "nn.padding";

} // namespace nn

#endif // DLC_DIALECTS_NN_PADDING_H
