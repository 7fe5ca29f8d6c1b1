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
};

/// Inputs, outputs, parameters (logical and physical form), kernels and the plan of memory, of a planned
/// program. Equal programs and options give equal text.
std::string writeManifest(train::ProgramOp program, const Interface &interface,
                          const ManifestOptions &options);

} // namespace dlc::emit

#endif // DLC_COMPILER_EMIT_MANIFEST_H
