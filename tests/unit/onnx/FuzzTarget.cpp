//===- FuzzTarget.cpp - imports arbitrary bytes
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/unit/onnx/FuzzTarget.h"
#include "frontends/onnx/Import.h"
#include "frontends/onnx/Importer.h"
#include "frontends/onnx/LargeData.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/ModelFile.h"
#include "mlir/IR/MLIRContext.h"

bool fuzzImport(llvm::StringRef bytes) {
  // What is left without large data is a message if the whole is.
  const dlc::onnx::WithoutLargeData rest = dlc::onnx::withoutLargeData(bytes, /*least=*/1);
  auto file = dlc::onnx::ModelFile::parse(bytes, "/nonexistent/model.onnx");
  auto parsed = dlc::onnx::parseModel(rest.bytes);
  if (bool(file) != bool(parsed))
    llvm::report_fatal_error("a message is none without its large data, or one only without them");
  llvm::consumeError(parsed.takeError());
  if (!file) {
    llvm::consumeError(file.takeError());
    return false;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  dlc::onnx::ImportOptions options;
  options.batch = 4;
  // There is no such folder: external data cannot be read.
  dlc::onnx::Importer importer(*file, "/nonexistent/model.onnx", options, /*checking=*/false, context);
  dlc::frontend::Imported result = importer.run();
  bool imported = bool(result.module);
  if (imported != result.reasons.empty())
    llvm::report_fatal_error("a refused model without a reason, or an imported one with");
  return imported;
}

#ifdef DLC_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzzImport(llvm::StringRef(reinterpret_cast<const char *>(bytes), size));
  return 0;
}
#endif
