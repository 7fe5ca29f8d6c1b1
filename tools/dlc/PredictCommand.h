//===- PredictCommand.h - options of dlc eval and dlc predict -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_PREDICTCOMMAND_H
#define DLC_TOOLS_DLC_PREDICTCOMMAND_H

#include "tools/dlc/Commands.h"
#include <CLI/CLI.hpp>

namespace dlc::tool {

// Each adds the command without the options of the model and its loss, which go to `invocation`.
CLI::App *addEvalCommand(CLI::App &app, Invocation &invocation);
CLI::App *addPredictCommand(CLI::App &app, Invocation &invocation);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_PREDICTCOMMAND_H
