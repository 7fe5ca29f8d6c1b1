//===- Fold.h - shape arithmetic at import: what only looks different ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing here reports errors: what is not folded is imported as an operation, and its import tells what is
// wrong.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_FOLD_H
#define DLC_FRONTENDS_ONNX_FOLD_H

#include "frontends/onnx/Node.h"

namespace dlc::onnx {

/// The result of a node; nullopt where it is not known at import.
using Folded = std::optional<DimTensor>;

/// The axes in an attribute or in input 1, counted from the front of `rank` dims and sorted; nullopt where
/// they are not known or not right.
std::optional<llvm::SmallVector<int64_t>> knownAxes(Node &node, int64_t rank);

Folded foldSqueeze(Node &node, DimTensor x);
Folded foldUnsqueeze(Node &node, DimTensor x);
/// To one dim or none.
Folded foldReshape(Node &node, DimTensor x);

/// Computes small integer tensors at import; false where the node is none of that kind.
bool foldDims(Node &node, llvm::StringRef op);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_FOLD_H
