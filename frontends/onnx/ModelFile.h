//===- ModelFile.h - reading .onnx files -----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a path to messages and bytes. Errors are sentences for the user.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_MODELFILE_H
#define DLC_FRONTENDS_ONNX_MODELFILE_H

#include "frontends/common/TensorBytes.h"
#include "frontends/onnx/Proto.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>

namespace dlc::onnx {

/// Parses a model in memory.
llvm::Expected<std::unique_ptr<::onnx::ModelProto>> parseModel(llvm::StringRef bytes);

/// A model, and where the elements of its tensors are. Large ones stay in their files until somebody asks for
/// them.
class ModelFile {
public:
  /// Parses the model at `path`. `staysMapped`: the bytes of tensors are parts of the files, which nobody may
  /// change in their places as long as the program has them; else they are copies.
  static llvm::Expected<ModelFile> read(llvm::StringRef path, bool staysMapped);
  /// Parses a model in memory, whose path names the folder of external data.
  static llvm::Expected<ModelFile> parse(llvm::StringRef bytes, llvm::StringRef path);

  ::onnx::ModelProto &model() const { return *proto; }

  /// The bytes of a message's raw_data; nullopt where it has none.
  std::optional<frontend::TensorBytes> rawData(const ::onnx::TensorProto &tensor) const;
  /// `size` bytes that `tensor` keeps in a file of its own, which must lie in the model's folder.
  llvm::Expected<frontend::TensorBytes> externalData(const ::onnx::TensorProto &tensor, uint64_t size) const;
  /// Lets what was read of the files leave memory.
  void unload() const;

private:
  ModelFile(std::unique_ptr<::onnx::ModelProto> proto, llvm::StringRef path, bool staysMapped);
  /// Bytes of a mapped file as this class hands them out.
  frontend::TensorBytes take(std::shared_ptr<const MappedFile> file, llvm::StringRef part) const;
  /// The file at `path`, which is mapped once.
  llvm::Expected<std::shared_ptr<const MappedFile>> mapped(const std::string &path) const;

  std::unique_ptr<::onnx::ModelProto> proto;
  std::string folder;
  bool staysMapped;
  std::shared_ptr<const MappedFile> file; ///< of `large`; null where all is in memory
  llvm::DenseMap<const ::onnx::TensorProto *, llvm::StringRef> large; ///< raw_data that were left in the file
  mutable llvm::StringMap<std::shared_ptr<const MappedFile>> externals; ///< by path
};

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_MODELFILE_H
