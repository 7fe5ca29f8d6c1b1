//===- FuzzTarget.cpp - imports arbitrary texts
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/unit/stablehlo/FuzzTarget.h"
#include "frontends/stablehlo/Importer.h"

using namespace dlc::stablehlo;

bool fuzzStablehlo(llvm::StringRef text, llvm::StringRef weights) {
  auto source = Source::parse(text, "net.mlir");
  if (!source) {
    if (llvm::toString(source.takeError()).empty())
      llvm::report_fatal_error("a refused text without a reason");
    return false;
  }
  std::optional<Weights> values;
  if (!weights.empty()) {
    llvm::Expected<Weights> parsed = Weights::parse(llvm::MemoryBuffer::getMemBufferCopy(weights, "values"));
    if (!parsed) {
      if (llvm::toString(parsed.takeError()).empty())
        llvm::report_fatal_error("refused values without a reason");
      return false;
    }
    values = std::move(*parsed);
  }
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ImportOptions options;
  options.batch = text.contains("tensor<?") ? 4 : 0;
  Importer importer(**source, values ? &*values : nullptr, "net.mlir", options, /*checking=*/false, context);
  dlc::frontend::Imported result = importer.run();
  bool imported = bool(result.module);
  if (imported != result.reasons.empty())
    llvm::report_fatal_error("a refused program without a reason, or an imported one with");
  return imported;
}

#ifdef DLC_LIBFUZZER
/// A safetensors file, its end, and a text; or a text alone.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  llvm::StringRef input(reinterpret_cast<const char *>(bytes), size);
  auto [weights, text] = input.split("\nmodule");
  if (text.empty())
    fuzzStablehlo(input, "");
  else
    fuzzStablehlo(("module" + text).str(), weights);
  return 0;
}
#endif
