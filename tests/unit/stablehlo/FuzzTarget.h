//===- FuzzTarget.h - imports arbitrary texts -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_UNIT_STABLEHLO_FUZZTARGET_H
#define DLC_TESTS_UNIT_STABLEHLO_FUZZTARGET_H

#include "llvm/ADT/StringRef.h"

/// True if the text is a program that dlc imports with these values (a safetensors file; empty: none). A
/// crash is a bug, and so is a refusal without reason.
bool fuzzStablehlo(llvm::StringRef text, llvm::StringRef weights);

#endif // DLC_TESTS_UNIT_STABLEHLO_FUZZTARGET_H
