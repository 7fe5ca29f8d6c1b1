//===- MessagesTest.cpp ---------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages for users of a model name none of the compiler's operations, and write types as users know them.
//===----------------------------------------------------------------------===//
#include "compiler/support/Messages.h"

#include <gtest/gtest.h>

namespace {

using dlc::forUsersOfModels;

TEST(Messages, TheOperationInFrontIsLeftOut) {
  EXPECT_EQ(forUsersOfModels("'nn.matmul' op expects equal inner dims, got 4 of a and 3 of b"),
            "expects equal inner dims, got 4 of a and 3 of b");
  EXPECT_EQ(forUsersOfModels("'train.state' op has a tensor that is too large"),
            "has a tensor that is too large");
}

TEST(Messages, TypesHaveTheFormOfTheModel) {
  EXPECT_EQ(
      forUsersOfModels(
          "'nn.sqrt' op operand #0 must be a float, but got 'tensor<?x4xi32, #nn.dims<\"32*batch\", _>>'"),
      "operand #0 must be a float, but got int32 [32*batch, 4]");
  EXPECT_EQ(forUsersOfModels("operand 1 of type 'tensor<2x3xf32>' is too large"),
            "operand 1 of type float32 [2, 3] is too large");
  EXPECT_EQ(forUsersOfModels("got tensor<f64> and tensor<?xf32, #nn.dims<seq>>"),
            "got float64 [] and float32 [seq]");
  EXPECT_EQ(forUsersOfModels("'nn.add' op expects operands of one dtype, got 'i1' and 'bf16'"),
            "expects operands of one dtype, got bool and bfloat16");
  EXPECT_EQ(forUsersOfModels("expects a float, got 'i64'; convert it"),
            "expects a float, got int64; convert it");
}

TEST(Messages, AllElseStays) {
  for (const char *text : {"", "plain", "node 'nn.a' has no gradient", "a 'tensor<' without an end",
                           "'nn.x' op", "'relu' op expects", "tensor<?xf32>", "output 'nn.matmul op'",
                           "got 'f31' and 'i64'", "input 'f32' and 'i64'", "got 'f", "tensor<4xindex>"})
    EXPECT_EQ(forUsersOfModels(text), text);
}

} // namespace
