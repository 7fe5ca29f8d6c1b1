//===- ProgramSymbolsTest.cpp - the names of a program that is imported
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/ProgramSymbols.h"
#include <gtest/gtest.h>

namespace {

using dlc::frontend::ProgramSymbols;

TEST(ProgramSymbols, WhatTheModelHasKeepsItsName) {
  ProgramSymbols symbols;
  symbols.addModelName("rng");
  EXPECT_EQ(symbols.unique("rng"), "rng");
}

TEST(ProgramSymbols, WhatIsAddedIsCalledOtherwiseThanAllOfTheModel) {
  ProgramSymbols symbols;
  symbols.addModelName("rng");
  symbols.addModelName("rng_1");
  EXPECT_EQ(symbols.added("rng"), "rng_2");
  EXPECT_EQ(symbols.added("forward"), "forward");
}

TEST(ProgramSymbols, ASecondOfOneNameTakesNoOtherOnesName) {
  ProgramSymbols symbols;
  symbols.addModelName("w_1");
  symbols.take("w");
  EXPECT_EQ(symbols.unique("w"), "w_2");
  EXPECT_EQ(symbols.unique("w_1"), "w_1");
}

TEST(ProgramSymbols, FreeNamesAreTakenFromThenOn) {
  ProgramSymbols symbols;
  auto isTaken = [](llvm::StringRef name) { return name == "y"; };
  EXPECT_EQ(symbols.freeModelName("x", isTaken), "x");
  EXPECT_EQ(symbols.freeModelName("x", isTaken), "x_1");
  EXPECT_EQ(symbols.freeModelName("y", isTaken), "y_1");
  EXPECT_TRUE(symbols.modelNames().contains("x_1"));
}

} // namespace
