//===- Copies.h - views of parameters that a file has as other tensors -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What constant folding has made of parameters becomes views of them again, under their names.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_COPIES_H
#define DLC_FRONTENDS_ONNX_COPIES_H

#include "frontends/onnx/ExportRecord.h"

namespace dlc::onnx {

class GraphNames;

/// Gives parameters that only views are left of their names and layouts back, and makes views of the copies
/// that the graph has beside others.
void joinCopies(::onnx::GraphProto &graph, const ExportRecord &record, GraphNames &names);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_COPIES_H
