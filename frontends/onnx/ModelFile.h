//===- ModelFile.h - reading .onnx files -----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a path to messages and bytes. Errors are sentences for the user.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_MODELFILE_H
#define DLC_FRONTENDS_ONNX_MODELFILE_H

#include "frontends/onnx/Proto.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace dlc::onnx {

/// Parses the model at `path`.
llvm::Expected<std::unique_ptr<::onnx::ModelProto>> readModel(llvm::StringRef path);
/// Parses a model in memory.
llvm::Expected<std::unique_ptr<::onnx::ModelProto>> parseModel(llvm::StringRef bytes);

/// `size` bytes that `tensor` keeps in a file of its own, which must lie in `folder`.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readExternalData(const ::onnx::TensorProto &tensor,
                                                                     llvm::StringRef folder, uint64_t size);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_MODELFILE_H
