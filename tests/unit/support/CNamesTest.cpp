//===- CNamesTest.cpp - the model's names as C identifiers -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/support/CNames.h"
#include "gtest/gtest.h"

using dlc::cIdentifier;

TEST(CNames, KeepsIdentifiers) { EXPECT_EQ(cIdentifier("fc1_Weight2"), "fc1_Weight2"); }

TEST(CNames, ReplacesWhatCDoesNotAllow) {
  EXPECT_EQ(cIdentifier("fc1.weight"), "fc1_weight");
  EXPECT_EQ(cIdentifier("onnx::Gemm_0"), "onnx__Gemm_0");
  EXPECT_EQ(cIdentifier("0"), "_0");
  EXPECT_EQ(cIdentifier(""), "_");
  EXPECT_EQ(cIdentifier("\xc3\xa9t\xc3\xa9"), "__t__");
}

TEST(CNames, AvoidsKeywordsOfCAndCxx) {
  EXPECT_EQ(cIdentifier("int"), "int_");
  EXPECT_EQ(cIdentifier("class"), "class_");
  EXPECT_EQ(cIdentifier("int32_t"), "int32_t_");
  EXPECT_EQ(cIdentifier("EOF"), "EOF_");
}

TEST(CNames, GivesDifferentNamesToDifferentThings) {
  dlc::CNames names({"loss"});
  EXPECT_EQ(names.unique("loss"), "loss_2");
  EXPECT_EQ(names.unique("a.b"), "a_b");
  EXPECT_EQ(names.unique("a_b"), "a_b_2");
  EXPECT_EQ(names.unique("a/b"), "a_b_3");
}
