//===- RecurrentCells.h - the functions of recurrent layers
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_RECURRENTCELLS_H
#define DLC_FRONTENDS_ONNX_RECURRENTCELLS_H

#include "frontends/common/Recurrent.h"
#include "frontends/onnx/Node.h"

namespace dlc::onnx {

using frontend::Function;

/// The functions of the attributes `activations`, one for each of `defaults` in each direction, or the
/// defaults; nullopt after an error.
std::optional<std::vector<Function>> functionsOf(Node &node, llvm::ArrayRef<llvm::StringRef> defaults,
                                                 size_t directions);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_RECURRENTCELLS_H
