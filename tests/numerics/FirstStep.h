//===- FirstStep.h - a model's first step, compiled and interpreted -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program on random inputs, once compiled and once by the interpreter, and compares. The interpreter
// takes the program as it was imported, without the canonicalizer's changes.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_NUMERICS_FIRSTSTEP_H
#define DLC_TESTS_NUMERICS_FIRSTSTEP_H

#include "compiler/pipeline/Options.h"
#include "tests/numerics/Programs.h"

namespace dlc::numerics {

struct Comparison {
  std::string difference; ///< empty: all numbers agree
  std::string summary;    ///< of what was compared
};

/// Whether the passes up to the stage backward accept the program; if not, `reasons` are their errors.
bool derives(const Program &program, const pipeline::Options &options, std::string &reasons);

/// Of a program with a loss: grad_step and then train_step. Loss, every gradient, every updated parameter
/// and running statistic must agree, and each gradient with finite differences of the interpreted loss.
Comparison compareFirstStep(const Program &program, pipeline::Options options);

/// Of a program without a loss: every output of predict.
Comparison comparePrediction(const Program &program, pipeline::Options options);

} // namespace dlc::numerics

#endif // DLC_TESTS_NUMERICS_FIRSTSTEP_H
