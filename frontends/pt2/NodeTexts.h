//===- NodeTexts.h - what messages call nodes ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes as errors say them, with the line of the author's module that made them.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_PT2_NODETEXTS_H
#define DLC_FRONTENDS_PT2_NODETEXTS_H

#include "frontends/pt2/Model.h"

namespace dlc::pt2 {

/// "node 'linear_1' (aten.linear.default)".
std::string describe(const NodeInfo &node);
/// The target without "torch.ops.".
llvm::StringRef shortTarget(llvm::StringRef target);
/// "; in forward at net.py:12: y = torch.fft.fft(x)": the line of the author's module that made the node,
/// from the stack trace that PyTorch keeps; "" where it keeps none.
std::string sourceOf(const NodeInfo &node);

} // namespace dlc::pt2

#endif // DLC_FRONTENDS_PT2_NODETEXTS_H
