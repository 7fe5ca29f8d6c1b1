//===- LibraryTest.cpp - object files as a library -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/Library.h"
#include "gtest/gtest.h"

using namespace dlc::emit;

TEST(Library, ArchivesAreEqualForEqualMembers) {
  Member members[] = {{"a.o", "first"}, {"a-name-that-is-longer-than-the-header-has-room-for.o", "second"}};
  auto one = makeArchive(members), two = makeArchive(members);
  ASSERT_TRUE(bool(one) && bool(two));
  EXPECT_EQ(*one, *two);
  EXPECT_EQ(one->substr(0, 8), "!<arch>\n");
  EXPECT_NE(one->find("second"), std::string::npos);
}
