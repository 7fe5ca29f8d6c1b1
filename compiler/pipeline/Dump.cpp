//===- Dump.cpp - the IR after each stage and pass, as files ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Dump.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace dlc::pipeline {

DumpFolder::DumpFolder(std::string folder, ModuleOp module) : folder(std::move(folder)), module(module) {
  if (std::error_code error =
          llvm::sys::fs::create_directories(this->folder, /*IgnoreExisting=*/true, llvm::sys::fs::all_all)) {
    module.emitError("cannot make the folder '") << this->folder << "': " << error.message();
    hasFailed = true;
  }
  write(stageName(Stage::Import), module);
}

void DumpFolder::write(StringRef name, StringRef suffix, StringRef text) {
  if (hasFailed)
    return;
  llvm::SmallString<128> path(folder);
  std::string file;
  llvm::raw_string_ostream(file) << llvm::format_decimal(count, 2) << '.' << name << suffix;
  if (file.front() == ' ')
    file.front() = '0';
  ++count;
  llvm::sys::path::append(path, file);
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (!error) {
    out << text;
    out.close();
    error = out.error();
    out.clear_error();
  }
  if (!error)
    return;
  module.emitError("cannot write '") << path << "': " << error.message();
  hasFailed = true;
}

void DumpFolder::write(StringRef name, Operation *op) {
  std::string text;
  llvm::raw_string_ostream out(text);
  op->print(out, OpPrintingFlags().elideLargeElementsAttrs(16).elideLargeResourceString(16).assumeVerified());
  out << '\n';
  write(name, ".mlir", text);
}

Dump::Dump(DumpFolder &folder, ModuleOp module, Stage first, StringRef target)
    : folder(folder), module(module), stage(first), target(target.empty() ? "" : "." + target.str()),
      before(module) {}

void Dump::runAfterPass(Pass *pass, Operation *op) {
  OperationFingerPrint now(module);
  if (now != *before)
    folder.write((Twine(stageName(stage)) + "." + pass->getArgument() + target).str(), module);
  before = now;
  // A stage ends with its verifier; that of the schedule has the target behind the stage.
  if (pass->getArgument().starts_with((Twine("dlc-verify-") + stageName(stage)).str())) {
    folder.write(stageName(stage) + target, module);
    stage = stages[static_cast<unsigned>(stage) + 1].stage;
  }
}

} // namespace dlc::pipeline
