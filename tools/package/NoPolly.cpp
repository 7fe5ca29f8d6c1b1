//===- NoPolly.cpp - a pass that is not in packages ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's link-time optimizer, which lld brings, asks for Polly, of which Debian has no archive. dlc's linker gets
// machine code only, and never calls the optimizer.
//===----------------------------------------------------------------------===//
#include "llvm/Plugins/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo() { return {}; }
