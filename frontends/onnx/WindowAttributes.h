//===- WindowAttributes.h - the attributes of sliding windows --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_WINDOWATTRIBUTES_H
#define DLC_FRONTENDS_ONNX_WINDOWATTRIBUTES_H

#include "dialects/nn/Window.h"
#include "frontends/onnx/Node.h"

namespace dlc::onnx {

/// What kernel_shape, strides, pads, dilations, auto_pad and ceil_mode say about a node's windows over an
/// image.
struct WindowAttributes {
  /// Per spatial dim. With ceil_mode, `high` is grown (or shrunk) to where the last window ends.
  llvm::SmallVector<nn::Window> windows;
  llvm::SmallVector<int64_t> sizes; ///< of the image's spatial dims
  llvm::SmallVector<int64_t> high;  ///< the padding after the image that the node states

  /// As the attributes of an operation of nn.
  llvm::SmallVector<mlir::NamedAttribute> operation(Node &node) const;
};

/// The windows of a node over an image of `shape` (batch, channels, spatial dims). `kernel` is used where the
/// node does not state its kernel_shape. Reports errors.
std::optional<WindowAttributes> readWindows(Node &node, llvm::ArrayRef<nn::Dim> shape,
                                            std::optional<llvm::SmallVector<int64_t>> kernel = std::nullopt);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_WINDOWATTRIBUTES_H
