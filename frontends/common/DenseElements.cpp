//===- DenseElements.cpp - numbers in memory as attributes ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/DenseElements.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace dlc::frontend {

/// Above it an attribute is a blob: text of it would be slow and hide the program.
static constexpr size_t maxInlineBytes = 1024;

DenseElementsAttr denseElements(RankedTensorType type, ArrayRef<char> bytes, bool splat) {
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  SmallVector<bool> values;
  for (int64_t i = 0, n = splat ? 1 : type.getNumElements(); i < n; ++i)
    values.push_back(bytes[i] != 0);
  return DenseElementsAttr::get(type, values);
}

/// A blob's name is printed bare.
static std::string blobName(StringRef name) {
  std::string text;
  for (char c : name)
    text += llvm::isAlnum(c) || c == '_' || c == '.' ? c : '_';
  return text.empty() || !llvm::isAlpha(text[0]) ? "_" + text : text;
}

ElementsAttr storedElements(RankedTensorType type, const TensorBytes &bytes, bool splat, StringRef name) {
  if (splat || bytes.size() <= maxInlineBytes)
    return denseElements(type, bytes, splat);
  // The alignment is what a reader of the printed blob gives it; here a part of a file begins anywhere.
  AsmResourceBlob blob(
      bytes, TensorBytes::alignment, [bytes](void *, size_t, size_t) {}, /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(type, blobName(name), std::move(blob));
}

} // namespace dlc::frontend
