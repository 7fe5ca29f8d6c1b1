//===- VerifyCommand.h - options of dlc verify -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_VERIFYCOMMAND_H
#define DLC_TOOLS_DLC_VERIFYCOMMAND_H

#include "tools/dlc/Commands.h"
#include <CLI/CLI.hpp>

namespace dlc::tool {

/// Adds the command `verify`, whose options go to `invocation`.
CLI::App *addVerifyCommand(CLI::App &app, Invocation &invocation);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_VERIFYCOMMAND_H
