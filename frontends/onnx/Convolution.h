//===- Convolution.h - what the operators of convolutions share ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_CONVOLUTION_H
#define DLC_FRONTENDS_ONNX_CONVOLUTION_H

#include "frontends/onnx/WindowAttributes.h"

namespace dlc::onnx {

/// The windows of a convolution of input 0, or of a transposed one: their kernel is that of the weight,
/// input 1. `read` is readWindows or readStatedWindows. Reports errors.
std::optional<WindowAttributes>
readConvolution(Node &node,
                std::optional<WindowAttributes> (*read)(Node &, llvm::ArrayRef<nn::Dim>,
                                                        std::optional<llvm::SmallVector<int64_t>>));

/// Gives the result, plus one number per channel where the node has input `bias`.
void giveWithBias(Node &node, int bias, mlir::Value result);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_CONVOLUTION_H
