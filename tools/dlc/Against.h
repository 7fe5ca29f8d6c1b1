//===- Against.h - --against of dlc check and dlc verify --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether an ONNX file or a program of torch.export computes what a PyTorch module does. Python runs the
// module: tools/export/check_against.py compares it with the file, which it gives back to dlc and
// dlc-interpret.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_AGAINST_H
#define DLC_TOOLS_DLC_AGAINST_H

#include "tools/dlc/Commands.h"

namespace CLI {
class App;
}

namespace dlc::tool {

/// --against and --python.
void addAgainstOptions(CLI::App *command, Invocation &invocation);

/// Whether the invocation's file is one that can be compared; an error is printed where it is not.
bool canCompare(const Invocation &invocation);

/// Runs the comparison, which prints what differs. 0: equal, 1: not, 2: it could not be found out. With
/// `json`, nothing is printed but errors, and the object that the comparison writes goes there; "" where it
/// writes none.
int checkAgainst(const Invocation &invocation, std::string *json = nullptr);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_AGAINST_H
