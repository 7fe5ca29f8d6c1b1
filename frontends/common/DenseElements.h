//===- DenseElements.h - numbers in memory as attributes -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `bytes` are row-major elements, little-endian and packed, a byte for a truth value; or one element for all
// places, if `splat`.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_DENSEELEMENTS_H
#define DLC_FRONTENDS_COMMON_DENSEELEMENTS_H

#include "frontends/common/TensorBytes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace dlc::frontend {

/// An attribute whose elements everyone can look at.
mlir::DenseElementsAttr denseElements(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes, bool splat);

/// The same for what is stored: large ones are a blob called `name`, which prints at the file's end and
/// shares the bytes.
mlir::ElementsAttr storedElements(mlir::RankedTensorType type, const TensorBytes &bytes, bool splat,
                                  llvm::StringRef name);

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_DENSEELEMENTS_H
