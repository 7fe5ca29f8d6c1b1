//===- FuzzTarget.h - imports arbitrary bytes -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_UNIT_PT2_FUZZTARGET_H
#define DLC_TESTS_UNIT_PT2_FUZZTARGET_H

#include "llvm/ADT/StringRef.h"

/// True if the bytes were a program that dlc imports. A crash is a bug, and so is a refusal without reason.
bool fuzzImport(llvm::StringRef archive);
/// The same of an archive with this graph, which no checksum guards.
bool fuzzGraph(llvm::StringRef json);

#endif // DLC_TESTS_UNIT_PT2_FUZZTARGET_H
