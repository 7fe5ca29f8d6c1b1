//===- FirstStep.h - a model's first step, compiled and interpreted -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `dlc verify` compares (compiler/verify), of programs that tests compile: for the machine that the
// tests are for, with guarded memory.
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

/// Of a program with a loss: grad_step and then train_step. Loss, every gradient, every updated parameter
/// and running statistic must agree, and each gradient with finite differences of the interpreted loss.
/// Of a program without a loss: every output of predict.
Comparison compareFirstStep(const Program &program, pipeline::Options options);

} // namespace dlc::numerics

#endif // DLC_TESTS_NUMERICS_FIRSTSTEP_H
