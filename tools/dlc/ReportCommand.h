//===- ReportCommand.h - options of dlc report -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_REPORTCOMMAND_H
#define DLC_TOOLS_DLC_REPORTCOMMAND_H

#include "tools/dlc/Commands.h"
#include <CLI/CLI.hpp>

namespace dlc::tool {

CLI::App *addReportCommand(CLI::App &app, Invocation &invocation);
CLI::App *addPlotCommand(CLI::App &app, Invocation &invocation);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_REPORTCOMMAND_H
