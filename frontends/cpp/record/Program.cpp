//===- Program.cpp - a finished program as text and as a file -----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/record/State.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;

namespace dlc::record {

const std::vector<std::string> &unreachedOf(const Program &program) { return program.unreached; }

std::string textOf(const Program &program) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(8).elideLargeResourceString(8);
  program.module.get()->print(stream, flags);
  return text + "\n";
}

std::string writeTo(const Program &program, const std::string &path) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (!error && failed(writeBytecodeToFile(program.module.get(), out)))
    return "the program cannot be written";
  out.close();
  error = error ? error : out.error();
  out.clear_error();
  return error ? path + ": " + error.message() : "";
}

} // namespace dlc::record
