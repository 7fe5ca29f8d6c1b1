//===- Inline.h - graphs within the graph ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_PT2_INLINE_H
#define DLC_FRONTENDS_PT2_INLINE_H

#include "frontends/pt2/Model.h"

namespace dlc::pt2 {

/// Puts what `with torch.no_grad():` and the like wrap, graphs of their own in the file, into the graph
/// around: their results are detached where no gradients were wanted.
void inlineGradModes(Graph &graph);

} // namespace dlc::pt2

#endif // DLC_FRONTENDS_PT2_INLINE_H
