//===- Windows.h - windows that slide over images --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and pooling with windows that are known. Errors are reported, and null comes back after them.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_WINDOWS_H
#define DLC_FRONTENDS_COMMON_WINDOWS_H

#include "dialects/nn/Window.h"
#include "frontends/common/OpMaker.h"

namespace dlc::frontend {

/// ceil_mode: a last window counts that begins in the image or in the padding before it, and may end beyond
/// all padding. `high` is grown, or shrunk, to where it ends.
void roundUp(nn::Window &window, int64_t size);

/// The attributes of nn.conv and nn.conv_transpose, but for the groups.
llvm::SmallVector<mlir::NamedAttribute> convolutionAttributes(OpMaker &maker,
                                                              llvm::ArrayRef<nn::Window> windows);
/// The attributes of nn.max_pool and nn.sum_pool.
llvm::SmallVector<mlir::NamedAttribute> poolingAttributes(OpMaker &maker, llvm::ArrayRef<nn::Window> windows);

/// The average of each window over an image [batch, channels, sizes...]. What divides its sum is how many
/// positions of the image it covers, or with `countsPadding` of the image and its padding, of which `high` is
/// that behind the image before any roundUp.
mlir::Value averageOfWindows(OpMaker &maker, mlir::Value x, llvm::ArrayRef<nn::Window> windows,
                             llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> high, bool countsPadding);

/// A transposed convolution with an output of `outputs` elements along each spatial dim, from `counts`
/// windows. What no window writes, at the end, is 0.
mlir::Value transposedConvolution(OpMaker &maker, mlir::Value x, mlir::Value w,
                                  llvm::ArrayRef<nn::Window> windows, llvm::ArrayRef<int64_t> counts,
                                  llvm::ArrayRef<int64_t> outputs, int64_t groups);

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_WINDOWS_H
