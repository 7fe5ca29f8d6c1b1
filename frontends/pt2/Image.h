//===- Image.h - images that windows slide over -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_PT2_IMAGE_H
#define DLC_FRONTENDS_PT2_IMAGE_H

#include "frontends/pt2/Node.h"

namespace dlc::pt2 {

/// [batch, channels, spatial dims], or without the batch, whose dim is added and taken away again.
struct Image {
  mlir::Value x;
  nn::Shape shape;
  Numbers sizes; ///< of the spatial dims
  bool isAlone = false;

  /// The image in an argument; nullopt after an error.
  static std::optional<Image> read(Node &node, llvm::StringRef argument, int64_t spatial);
  /// A result of the image as PyTorch gives it.
  mlir::Value give(Node &node, mlir::Value y) const;
};

/// An argument with a number of at least `least` for each spatial dim, or one for all of them, or else
/// `fallback` for each; nullopt after an error.
std::optional<Numbers> perDim(Node &node, llvm::StringRef name, unsigned spatial, int64_t fallback,
                              int64_t least);

} // namespace dlc::pt2

#endif // DLC_FRONTENDS_PT2_IMAGE_H
