//===- Export.h - programs as ONNX models ------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_EXPORT_EXPORT_H
#define DLC_FRONTENDS_ONNX_EXPORT_EXPORT_H

#include "dialects/train/Train.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace dlc::onnx {

/// The operator set version of what is written.
constexpr int64_t exportOpset = 21;

/// The bytes of an .onnx file with the program's function `predict`: its inputs, outputs, dims and states
/// keep their names. Failure after errors, which were reported at the operations that ONNX has nothing for.
mlir::FailureOr<std::string> exportOnnx(train::ProgramOp program, llvm::StringRef producerVersion);

/// Whether there is a rule for the operation, such as "nn.relu".
bool canExport(llvm::StringRef operation);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_EXPORT_EXPORT_H
