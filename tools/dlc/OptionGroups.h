//===- OptionGroups.h - options that several commands have ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_OPTIONGROUPS_H
#define DLC_TOOLS_DLC_OPTIONGROUPS_H

#include "tools/dlc/Commands.h"
#include <CLI/CLI.hpp>

namespace dlc::tool {

// Options that are settings of the program's recipe, which has the same names (RecipeOptions.cpp).
CLI::Option *addSetting(CLI::App *app, const char *flags, const char *name, train::RecipeSettings &recipe,
                        const char *help);
/// The same for a number, and for what is there or not.
CLI::Option *addNumber(CLI::App *app, const char *flags, const char *name, train::RecipeSettings &recipe,
                       const char *help);
CLI::Option *addFlag(CLI::App *app, const char *flags, const char *name, train::RecipeSettings &recipe,
                     const char *help);
/// The same for one that may be given several times.
CLI::Option *addList(CLI::App *app, const char *flags, const char *name, train::RecipeSettings &recipe,
                     const char *help);

// What is compiled (ModelOptions.cpp).
/// How a C++ program that describes models is taken.
void addDescriptionOptions(CLI::App *app, Invocation &invocation);
/// Operations of an ONNX model that the user has code for.
void addCustomOptions(CLI::App *app, Invocation &invocation);
/// --max-trips, which is among the options of addModelOptions, too.
void addMaxTrips(CLI::App *app, Invocation &invocation);
void addModelOptions(CLI::App *app, Invocation &invocation);
/// Functions beside those of training and prediction.
void addFunctionOption(CLI::App *app, train::RecipeSettings &recipe);
void addLossOptions(CLI::App *app, train::RecipeSettings &recipe);
/// What a step checks, and how precise it is.
void addComputationOptions(CLI::App *app, Invocation &invocation);

// How it trains (OptimizerOptions.cpp).
void addOptimizerOptions(CLI::App *app, train::RecipeSettings &recipe);

// What comes out (OutputOptions.cpp).
void addOutputOptions(CLI::App *app, pipeline::Options &options);
/// Why the options for files do not fit each other; "" where they do.
std::string bindingsMessage(const pipeline::Options &options);

// Why it came out so (RemarkOptions.cpp).
void addRemarkOptions(CLI::App *app, Invocation &invocation);

// What it runs with (DataOptions.cpp).
/// Files, and how samples are read out of them; `what` is done with them.
void addDataOptions(CLI::App *app, TrainOptions &options, const std::string &what);
void addDeviceOptions(CLI::App *app, TrainOptions &options, const char *group);
/// After the command line was read: what is compiled is for the device that it runs on.
void compileForDevice(Invocation &invocation);

// What is measured (MetricOptions.cpp). `tables` says when those of --metrics are printed.
void addMetricsOption(CLI::App *app, TrainOptions &options, const char *tables, const char *group);
void addMonitorOption(CLI::App *app, TrainOptions &options, const char *group);

// Where it runs (TargetOptions.cpp).
void addMachineOptions(CLI::App *app, pipeline::Options &options);
/// Adds --target, for the commands that compile for another machine than this one.
void addTargetOption(CLI::App *app, pipeline::Options &options);
void addGpuOptions(CLI::App *app, pipeline::Options &options);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_OPTIONGROUPS_H
