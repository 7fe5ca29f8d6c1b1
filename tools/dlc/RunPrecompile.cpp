//===- RunPrecompile.cpp - dlc precompile ---------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/Commands.h"
#include "tools/dlc/HostCompiler.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace dlc::tool {

int runPrecompile(Invocation &invocation) {
  std::string problem;
  std::optional<std::string> file;
  auto compiler = HostCompiler::find(installedPrefix(invocation.program), problem);
  if (compiler && !llvm::sys::fs::exists(compiler->include() + "/dlc/dlc.h"))
    problem = "there is no '" + compiler->include() + "/dlc/dlc.h': install dlc whole";
  else if (compiler)
    file = compiler->precompile(problem);
  if (!file) {
    llvm::errs() << "dlc: error: " << problem << '\n';
    return 1;
  }
  uint64_t bytes = 0;
  (void)llvm::sys::fs::file_size(*file, bytes);
  if (!invocation.quiet)
    llvm::outs() << llvm::formatv("{0}: {1:F1} MB, for models in C++, by {2}\n",
                                  *file, double(bytes) * 1e-6, llvm::sys::path::filename(compiler->path));
  return 0;
}

} // namespace dlc::tool
