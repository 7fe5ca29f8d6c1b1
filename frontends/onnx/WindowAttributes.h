//===- WindowAttributes.h - the attributes of sliding windows --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_WINDOWATTRIBUTES_H
#define DLC_FRONTENDS_ONNX_WINDOWATTRIBUTES_H

#include "dialects/nn/Window.h"
#include "frontends/onnx/Node.h"

namespace dlc::onnx {

/// What kernel_shape, strides, pads, dilations, auto_pad and ceil_mode say about the windows of a convolution
/// or of pooling over an image.
struct WindowAttributes {
  /// Per spatial dim. With ceil_mode, `high` is grown (or shrunk) to where the last window ends.
  llvm::SmallVector<nn::Window> windows;
  llvm::SmallVector<int64_t> sizes; ///< of the image's spatial dims
  llvm::SmallVector<int64_t> high;  ///< the padding after the image that the node states
  std::string autoPad;              ///< NOTSET, VALID, SAME_UPPER or SAME_LOWER

  bool isSame() const { return autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER"; }
  /// Divides padding between both ends of a dim; an odd element goes where auto_pad says.
  void pad(unsigned dim, int64_t total);
  /// The attributes of an operation of nn with these windows.
  llvm::SmallVector<mlir::NamedAttribute> operation(Node &node) const;
  /// The attributes of a convolution, without the kernel, which is that of the weight.
  llvm::SmallVector<mlir::NamedAttribute> convolution(Node &node) const;
};

/// The windows of a node over an image of `shape` (batch, channels, spatial dims). `kernel` is used where the
/// node does not state its kernel_shape. Reports errors.
std::optional<WindowAttributes> readWindows(Node &node, llvm::ArrayRef<nn::Dim> shape,
                                            std::optional<llvm::SmallVector<int64_t>> kernel = std::nullopt);
/// The windows of a node that states them, without padding of SAME_UPPER or SAME_LOWER and without ceil_mode.
std::optional<WindowAttributes> readStatedWindows(Node &node, llvm::ArrayRef<nn::Dim> shape,
                                                  std::optional<llvm::SmallVector<int64_t>> kernel);

/// An attribute with a number of at least `least` for each spatial dim, or else `fallback` for each; nullopt
/// after an error.
std::optional<llvm::SmallVector<int64_t>> readPerDim(Node &node, llvm::StringRef name, unsigned spatial,
                                                     int64_t fallback, int64_t least);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_WINDOWATTRIBUTES_H
