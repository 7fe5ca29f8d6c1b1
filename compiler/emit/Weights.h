//===- Weights.h - initial parameters as a safetensors file ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_WEIGHTS_H
#define DLC_COMPILER_EMIT_WEIGHTS_H

#include "dialects/train/Train.h"
#include "llvm/Support/raw_ostream.h"

namespace dlc::emit {

/// Whether `create` reads the state from the weights file: parameters, buffers and constants with initial
/// values; the others are in the library.
bool isInWeightsFile(train::StateOp state);

/// The file's content: https://huggingface.co/docs/safetensors.
void writeWeights(train::ProgramOp program, llvm::raw_ostream &out);

} // namespace dlc::emit

#endif // DLC_COMPILER_EMIT_WEIGHTS_H
