//===- ImportFixture.h - importing small models in tests -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_UNIT_ONNX_IMPORTFIXTURE_H
#define DLC_TESTS_UNIT_ONNX_IMPORTFIXTURE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/unit/onnx/Models.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

namespace models {

class ImportTest : public testing::Test {
protected:
  /// The program as text, or "" after errors.
  std::string import(const Model &model) { return import(model, withBatch()); }
  static dlc::onnx::ImportOptions withBatch() {
    dlc::onnx::ImportOptions options;
    options.batch = 8;
    return options;
  }
  /// A model whose inputs have fixed sizes refuses a size of the batch: it is imported without one.
  std::string import(const Model &model, dlc::onnx::ImportOptions options) {
    std::string text = importOnce(model, options);
    if (options.batch == 0 || messages.find("--batch has no effect") == std::string::npos)
      return text;
    options.batch = 0;
    return importOnce(model, options);
  }
  Folder folder;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::string messages;

private:
  std::string importOnce(const Model &model, const dlc::onnx::ImportOptions &options) {
    messages.clear();
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
      return mlir::success();
    });
    auto module = dlc::onnx::importOnnx(folder.write("model.onnx", model.bytes()), options, context);
    std::string text;
    if (module) {
      llvm::raw_string_ostream stream(text);
      module->print(stream);
    }
    return text;
  }
};

} // namespace models

#endif // DLC_TESTS_UNIT_ONNX_IMPORTFIXTURE_H
