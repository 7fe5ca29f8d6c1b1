//===- CompiledProgram.h - what a manifest says of a compiled model --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_REPORT_COMPILEDPROGRAM_H
#define DLC_TOOLS_DLC_REPORT_COMPILEDPROGRAM_H

#include "tools/dlc/ManifestField.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dlc::tool::report {

struct Kernel {
  std::string name, kind; ///< "contraction", "rows" ...; empty where the manifest does not say
  int64_t chunks = 1, operations = 0, bytes = 0;
  size_t kindNumber = 0; ///< among CompiledProgram::kinds: its colour
};

/// A tensor that a launch reads of another one, which the compiler did not make one kernel.
struct Apart {
  std::string from, to; ///< what makes and what reads it
  int64_t bytes = 0;
  size_t why = 0; ///< among CompiledProgram::reasons
};

struct Launch {
  size_t kernel = 0;
  std::vector<std::string> parts; ///< nodes of the model, their gradients and updates that it computes
  std::vector<Apart> apart;
};

/// A value in the working memory. Launches are 0, 1 ...; -1 is the function's beginning, their number its
/// end.
struct Value {
  int64_t offset = 0; ///< in the working memory, which lies behind the state
  int64_t bytes = 0, first = 0, last = 0;
  std::string type; ///< "f32[64, 256]"; empty for scratch and what is only used in parts
};

struct Function {
  std::string name;
  std::vector<Launch> launches;
  std::vector<Value> values;
  int64_t workingBytes = 0, lowerBound = 0, fullest = 0;
};

/// The compiled model, for one of its targets.
struct CompiledProgram {
  std::string name, target;
  std::vector<std::pair<std::string, std::string>>
      facts;                      ///< what the page begins with: "loss", "softmax ..."
  std::vector<std::string> kinds; ///< of kernels, in the order in which they first occur
  std::vector<Kernel> kernels;
  std::vector<std::string> reasons; ///< why launches are apart
  std::vector<Function> functions;

  const Kernel &kernelOf(const Launch &launch) const { return kernels[launch.kernel]; }
};

/// Each target of the manifest. Errors are std::runtime_error, and name the file and the field.
std::vector<CompiledProgram> readPrograms(const ManifestJson &manifest);

} // namespace dlc::tool::report

#endif // DLC_TOOLS_DLC_REPORT_COMPILEDPROGRAM_H
