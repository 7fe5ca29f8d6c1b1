//===- FuzzTarget.cpp - imports arbitrary bytes
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/unit/pt2/FuzzTarget.h"
#include "frontends/pt2/Importer.h"
#include "tests/unit/pt2/Archives.h"

bool fuzzImport(llvm::StringRef bytes) {
  auto archive = dlc::pt2::Archive::open(bytes);
  if (!archive) {
    if (llvm::toString(archive.takeError()).empty())
      llvm::report_fatal_error("a refused archive without a reason");
    return false;
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  dlc::pt2::ImportOptions options;
  options.batch = 4;
  dlc::pt2::Importer importer(*archive, "net.pt2", options, /*checking=*/false, context);
  dlc::frontend::Imported result = importer.run();
  bool imported = bool(result.module);
  if (imported != result.reasons.empty())
    llvm::report_fatal_error("a refused program without a reason, or an imported one with");
  return imported;
}

bool fuzzGraph(llvm::StringRef json) {
  archives::Program program = archives::perceptron();
  program.buffer("k", {4});
  std::vector<archives::Entry> entries = program.entries();
  for (archives::Entry &entry : entries)
    if (entry.name == "net/models/model.json")
      entry.content = json.str();
  return fuzzImport(archives::zipOf(entries));
}

#ifdef DLC_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(bytes), size);
  if (text.starts_with("PK"))
    fuzzImport(text);
  else
    fuzzGraph(text);
  return 0;
}
#endif
