//===- FuzzTarget.h - arbitrary text as a program --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_UNIT_PIPELINE_FUZZTARGET_H
#define DLC_TESTS_UNIT_PIPELINE_FUZZTARGET_H

#include "llvm/ADT/StringRef.h"
#include <random>
#include <string>

/// True if the text was a valid module. It is then run through the passes that its RUN lines name,
/// interpreted and compiled, down to the plan: each may refuse it. A crash is a bug.
bool fuzzProgram(llvm::StringRef text);

/// Changes numbers, types, words and lines, so that much of it can still be parsed.
std::string mutateText(std::string text, std::mt19937 &random);

#endif // DLC_TESTS_UNIT_PIPELINE_FUZZTARGET_H
