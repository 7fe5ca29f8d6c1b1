//===- Import.cpp - exported PyTorch programs as train programs ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Import.h"
#include "frontends/pt2/Importer.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace dlc::pt2 {

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> read(StringRef path,
                                                                const ImportOptions &options) {
  if (options.contents)
    return llvm::MemoryBuffer::getMemBuffer(*options.contents, path, /*RequiresNullTerminator=*/false);
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return llvm::createStringError("cannot read the file: " + error.message());
  if (status.type() != llvm::sys::fs::file_type::regular_file)
    return llvm::createStringError("not a regular file");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError("cannot read the file: " + buffer.getError().message());
  return std::move(*buffer);
}

/// `tells`: says what there is to know of a model that is imported.
static frontend::Imported import(StringRef path, const ImportOptions &options, bool checking,
                                 MLIRContext &context, bool tells) {
  auto buffer = read(path, options);
  if (!buffer)
    return {{}, {llvm::toString(buffer.takeError())}};
  llvm::Expected<Archive> archive = Archive::open((*buffer)->getBuffer());
  if (!archive)
    return {{}, {llvm::toString(archive.takeError())}};
  Importer importer(*archive, path, options, checking, context);
  frontend::Imported result = importer.run();
  if (result.module && tells)
    importer.tell();
  return result;
}

OwningOpRef<ModuleOp> importPt2(StringRef path, const ImportOptions &options, MLIRContext &context) {
  return frontend::moduleOrErrors(import(path, options, /*checking=*/false, context, /*tells=*/true), path,
                                  context);
}

std::vector<std::string> checkPt2(StringRef path, const ImportOptions &options, MLIRContext &context,
                                  OwningOpRef<ModuleOp> *module) {
  return frontend::reasonsAgainst(import(path, options, /*checking=*/true, context, module != nullptr),
                                  module);
}

} // namespace dlc::pt2
