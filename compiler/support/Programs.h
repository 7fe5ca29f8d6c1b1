//===- Programs.h - running other programs ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SUPPORT_PROGRAMS_H
#define DLC_COMPILER_SUPPORT_PROGRAMS_H

#include "llvm/Support/Error.h"
#include "llvm/Support/FileUtilities.h"
#include <memory>
#include <string>

namespace dlc {

/// A file in the system's folder for temporary files, removed at the end.
class TemporaryFile {
public:
  static llvm::Expected<TemporaryFile> create(llvm::StringRef suffix, llvm::StringRef content = "");
  /// What it holds now.
  llvm::Expected<std::string> read() const;

  std::string path;

private:
  explicit TemporaryFile(llvm::StringRef path)
      : path(path.str()), remover(std::make_unique<llvm::FileRemover>(llvm::Twine(path))) {}
  std::unique_ptr<llvm::FileRemover> remover;
};

/// Runs a program with arguments, of which the first is the program's path. Where it fails, the error is what
/// it printed; where it does not, what it printed is forgotten.
llvm::Error runProgram(llvm::ArrayRef<std::string> arguments);

} // namespace dlc

#endif // DLC_COMPILER_SUPPORT_PROGRAMS_H
