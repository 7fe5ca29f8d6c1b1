//===- ImportCorpus.cpp - import many files
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   import-corpus [--print | --check] [--predict-only] [--batch=N] FILE...
//
// For each file: what it is refused for, or that it is imported; with --print the program; with --check
// no size is needed for symbolic dims. For runs over folders of models, also under sanitizers: the exit
// status is 0 unless something crashes.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Import.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  dlc::onnx::ImportOptions options;
  options.batch = 4;
  bool print = false, check = false;
  int imported = 0, refused = 0;
  for (int i = 1; i < argc; ++i) {
    llvm::StringRef argument = argv[i];
    if (argument == "--print") {
      print = true;
    } else if (argument == "--check") {
      check = true;
    } else if (argument == "--predict-only") {
      options.predictOnly = true;
    } else if (argument.consume_front("--batch=")) {
      (void)argument.getAsInteger(10, options.batch);
    } else {
      mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
      context.getDiagEngine().registerHandler([](mlir::Diagnostic &diagnostic) {
        llvm::outs() << "  "
                     << (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error ? "error: " : "note: ")
                     << diagnostic << "\n";
        return mlir::success();
      });
      llvm::outs() << argument << "\n";
      if (check) {
        std::vector<std::string> reasons = dlc::onnx::checkOnnx(argument, options, context);
        for (const std::string &reason : reasons)
          llvm::outs() << "  error: " << reason << "\n";
        ++(reasons.empty() ? imported : refused);
        continue;
      }
      auto module = dlc::onnx::importOnnx(argument, options, context);
      ++(module ? imported : refused);
      llvm::outs() << (module ? "  imported\n" : "  refused\n");
      if (module && print)
        module->print(llvm::outs());
      llvm::outs().flush();
    }
  }
  llvm::outs() << imported << " imported, " << refused << " refused\n";
}
