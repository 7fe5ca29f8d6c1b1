//===- Manifest.h - what was compiled, as JSON -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_MANIFEST_H
#define DLC_COMPILER_EMIT_MANIFEST_H

#include "compiler/emit/Interface.h"
#include <utility>

namespace dlc::emit {

struct ManifestOptions {
  std::string dlcVersion;
  std::string training;                                      ///< as in the header
  std::vector<std::pair<std::string, std::string>> settings; ///< of the compilation, by name
  std::vector<std::string> files;                            ///< written beside the manifest
  std::vector<std::pair<std::string, std::string>> digests;  ///< of some of them, by name: see Digest.h
};

/// A program that was planned for the target of this name.
struct NamedProgram {
  std::string target;
  train::ProgramOp program;
};

/// Inputs and outputs; and parameters (logical and physical form), kernels and the plan of memory of each
/// target: at the top where there is one, else in the array `targets`. Equal programs and options give equal
/// text.
std::string writeManifest(llvm::ArrayRef<NamedProgram> targets, const Interface &interface,
                          const ManifestOptions &options);

} // namespace dlc::emit

#endif // DLC_COMPILER_EMIT_MANIFEST_H
