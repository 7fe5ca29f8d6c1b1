//===- Rebatch.h - a batch for files that have none -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exporters that are not told otherwise fix the size of every dim to that of their example, and the example
// of tutorials is one row. Such a file can be read as one of any batch if rows do not see each other: then
// the batch's results are the rows' results. That is shown on the imported program, operation by operation.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_REBATCH_H
#define DLC_FRONTENDS_ONNX_REBATCH_H

#include "dialects/train/Train.h"
#include "frontends/onnx/Proto.h"
#include <string>

namespace dlc::onnx {

/// Gives the inputs whose first size is 1 a first size of the name `batch`, and forgets what the file
/// declares of other shapes. False, and nothing is changed, where there is no such input, or a first size is
/// open.
bool openBatchOfOne(::onnx::ModelProto &model, llvm::StringRef batch);

/// Why rows of the dim `batch` could see each other: the node and what it does. Empty: they do not.
std::string whereRowsMix(train::FunctionOp function, llvm::StringRef batch);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_REBATCH_H
