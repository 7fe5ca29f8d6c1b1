//===- TrainCommand.h - options of dlc train ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAINCOMMAND_H
#define DLC_TOOLS_DLC_TRAINCOMMAND_H

#include "tools/dlc/Commands.h"
#include <CLI/CLI.hpp>

namespace dlc::tool {

/// Adds the command `train` without the options of the model, which go to `invocation`.
CLI::App *addTrainCommand(CLI::App &app, Invocation &invocation);

/// After the command line was read: what it says of a training that a later one has to agree with.
void finishTrainOptions(const CLI::App &command, int argc, const char *const *argv, Invocation &invocation);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_TRAINCOMMAND_H
