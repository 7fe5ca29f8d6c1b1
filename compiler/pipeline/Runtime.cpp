//===- Runtime.cpp - which runtime goes with a compiled model --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Runtime.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace dlc::pipeline {

Expected<std::string> findRuntime(StringRef libraryFolder, const CpuTarget &cpu) {
  const Triple triple(cpu.triple);
  const std::string machine = (triple.getArchName() + "-linux-" + (triple.isMusl() ? "musl" : "gnu")).str();
  SmallString<128> path(libraryFolder);
  if (!cpu.isThisMachine())
    sys::path::append(path, "dlc", machine);
  sys::path::append(path, "libdlc-runtime.a");
  if (sys::fs::exists(path))
    return path.str().str();
  return createStringError("--emit=shared needs the runtime for " + machine + ", and there is no '" + path +
                           "': docs/cross-compiling.md says how to build one");
}

} // namespace dlc::pipeline
