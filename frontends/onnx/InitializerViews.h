//===- InitializerViews.h - tensors of which others have the elements ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_INITIALIZERVIEWS_H
#define DLC_FRONTENDS_ONNX_INITIALIZERVIEWS_H

#include "frontends/onnx/HostTensor.h"
#include "frontends/onnx/Proto.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace dlc::onnx {

/// What becomes of a tensor, step by step: transposed, a part of it, reshaped, repeated.
struct View {
  std::string of;                                    ///< the tensor's name
  llvm::SmallVector<int64_t> permutation = {};       ///< empty: as it is
  llvm::SmallVector<int64_t> starts = {}, ends = {}; ///< of a part, for each axis; empty: all
  llvm::SmallVector<int64_t> shape = {}; ///< of the result; repeated where `isExpanded`, else reshaped
  bool isExpanded = false;

  /// The tensor of which `result` is this view, whose steps are one transposition, or else lose dims of one.
  HostTensor undo(const HostTensor &result) const;
  /// Adds nodes that compute it under this name.
  void write(::onnx::GraphProto &graph, const std::string &name) const;
};

/// How the elements of a tensor, which are not all equal, are those of another; nullopt where no view is
/// found. `of` is empty. No more elements are compared than `budget`, which becomes less by those that were:
/// a file may have many tensors that are almost parts of each other.
std::optional<View> findView(const HostTensor &tensor, const HostTensor &whole, int64_t &budget);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_INITIALIZERVIEWS_H
