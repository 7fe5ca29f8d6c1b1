//===- Attention.h - attention, composed ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// softmax(scale * Q K^T, changed by masks) V, for each head. ONNX and ONNX Runtime have several operators for
// it, which differ in how heads and masks are given, and PyTorch has one. Null values pass through, as
// everywhere in the importer.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_ATTENTION_H
#define DLC_FRONTENDS_COMMON_ATTENTION_H

#include "frontends/common/OpMaker.h"
#include <functional>

namespace dlc::frontend {

/// [batch, places, heads * size] as [batch, heads, places, size]; `attribute` says the number of heads.
mlir::Value splitHeads(OpMaker &maker, mlir::Value x, int64_t heads, llvm::StringRef attribute);
/// [batch, heads, places, size] as [batch, places, heads * size].
mlir::Value joinHeads(OpMaker &maker, mlir::Value x);

/// The part [from, from + count) of a dim, counted from the back: 1 is the last one. Every `step`-th of it.
mlir::Value part(OpMaker &maker, mlir::Value x, int64_t fromBack, int64_t from, int64_t count,
                 int64_t step = 1);
/// One after the other along a dim, counted from the back.
mlir::Value join(OpMaker &maker, mlir::ValueRange parts, int64_t fromBack);

/// Positions 0, 1, 2 ... along a dim of four, counted from the back, of i64.
nn::Expr positions(OpMaker &maker, const nn::Dim &size, int64_t fromBack);

/// What one attention computes with. Queries, keys and values are [..., heads, places, size]; keys and
/// values may have fewer heads, each for several of the queries.
struct Attention {
  mlir::Value q, k, v;
  std::optional<double> scale; ///< 1 / sqrt(size) if not given
  double softcap = 0;          ///< scores become softcap * tanh(scores / softcap), if above 0
  mlir::Type precision = {};   ///< of the softmax, if not that of the scores

  llvm::SmallVector<mlir::Value> biases; ///< added to the scores
  llvm::SmallVector<mlir::Value> masks;  ///< true where a key counts for a query
  std::function<mlir::Value()> lastMask; ///< makes another one, where it is applied; may be empty
  /// Whether a query may have no key that counts: it gets zeros then, not NaN.
  bool mayHaveNoKey = false;
  bool sharesHeads = true; ///< else what stands before the places is a batch, which may broadcast
  std::function<mlir::Value(mlir::Value)> drop; ///< dropout of the shares; may be empty
};

/// Results, from stage to stage.
struct Attended {
  mlir::Value products, capped, masked, shares, mixed;
};
/// Takes [batch, heads, places, size] that fit each other; an error where they do not.
Attended attend(OpMaker &maker, const Attention &attention);
/// The same of what was checked: of any number of dims, with heads where they are shared, and places and
/// sizes that fit each other.
Attended attendChecked(OpMaker &maker, const Attention &attention);

/// Hides keys that are more than `before` places before a query or more than `after` places after it; -1
/// means that there is no such limit. Query `i` stands at place `i + earlier`, which is a number, or one for
/// each batch row
/// ([batch, 1, 1, 1]). False after an error.
bool hideOutside(OpMaker &maker, Attention &attention, nn::Expr earlier, int64_t before, int64_t after);

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_ATTENTION_H
