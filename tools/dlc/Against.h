//===- Against.h - dlc check --against -------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether an ONNX file computes what a PyTorch module does. Python runs the module: tools/export/check_against.py
// compares it with the file, which it gives back to dlc and dlc-interpret.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_AGAINST_H
#define DLC_TOOLS_DLC_AGAINST_H

#include "tools/dlc/Commands.h"

namespace CLI {
class App;
}

namespace dlc::tool {

/// --against and --python.
void addAgainstOptions(CLI::App *check, Invocation &invocation);

/// Runs the comparison, which prints what differs; the exit code, 1 also where nothing could be compared.
int checkAgainst(const Invocation &invocation);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_AGAINST_H
