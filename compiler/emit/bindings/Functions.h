//===- Functions.h - the functions of a model that take no tensors ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_BINDINGS_FUNCTIONS_H
#define DLC_COMPILER_EMIT_BINDINGS_FUNCTIONS_H

#include "compiler/emit/bindings/Description.h"

namespace dlc::emit::bindings {

/// Fills in `functions`, after all else is known.
void addFunctions(Description &description);

} // namespace dlc::emit::bindings

#endif // DLC_COMPILER_EMIT_BINDINGS_FUNCTIONS_H
