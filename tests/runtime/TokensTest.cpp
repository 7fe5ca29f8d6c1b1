//===- TokensTest.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows of files of tokens: what they hold, that they depend on the step alone, and what is refused.
//===----------------------------------------------------------------------===//
#include "dlc/runtime.h"
#include "tests/runtime/TempFolder.h"

#include <gtest/gtest.h>
#include <set>
#include <unistd.h>
#include <vector>

namespace {

std::string bytesOf(const std::vector<int64_t> &tokens, int width) {
  std::string bytes;
  for (int64_t token : tokens)
    for (int i = 0; i < width; ++i)
      bytes += static_cast<char>(token >> 8 * i);
  return bytes;
}

/// Token i is i.
std::string counting(int64_t count, int width) {
  std::vector<int64_t> tokens;
  for (int64_t i = 0; i < count; ++i)
    tokens.push_back(i);
  return bytesOf(tokens, width);
}

class Tokens : public testing::Test {
protected:
  Tokens() {
    options.struct_size = sizeof options;
    options.token_bytes = 2;
    options.window = 4;
    options.batch = 3;
    options.error = error;
    options.error_bytes = sizeof error;
  }
  ~Tokens() override { dlc_tokens_close(tokens); }

  dlc_status open(const std::string &bytes) {
    dlc_tokens_close(tokens);
    path = folder.write("tokens", bytes);
    return dlc_tokens_open(path.c_str(), &options, &tokens);
  }
  /// Of one batch; the targets are checked to be the next tokens of a file that counts.
  std::vector<int64_t> batch(int64_t step) {
    std::vector<int64_t> inputs(static_cast<size_t>(options.batch * options.window)), targets(inputs);
    EXPECT_EQ(dlc_tokens_batch(tokens, step, inputs.data(), targets.data()), DLC_OK) << error;
    for (size_t i = 0; i < inputs.size(); ++i)
      EXPECT_EQ(targets[i], inputs[i] + 1);
    return inputs;
  }
  void expectRefused(dlc_status status, dlc_status expected, const char *part) {
    EXPECT_EQ(status, expected);
    EXPECT_NE(std::string(error).find(part), std::string::npos) << error;
  }

  TempFolder folder;
  std::string path;
  dlc_tokens_options options = {};
  dlc_tokens *tokens = nullptr;
  char error[512] = "";
};

TEST_F(Tokens, WindowsInOrder) {
  ASSERT_EQ(open(counting(22, 2)), DLC_OK); // windows at 0, 4, 8, 12, 16; 20 has no four
  EXPECT_EQ(dlc_tokens_count(tokens), 22);
  EXPECT_EQ(dlc_tokens_batches(tokens), 2);
  EXPECT_EQ(batch(0), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  EXPECT_EQ(batch(1), (std::vector<int64_t>{12, 13, 14, 15, 16, 17, 18, 19, 0, 1, 2, 3}));
  EXPECT_EQ(batch(2), (std::vector<int64_t>{4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(batch(INT64_MAX / 5 * 5), batch(0)); // five steps are three epochs; no sum overflows
}

TEST_F(Tokens, TheLastWindowHasATarget) {
  ASSERT_EQ(open(counting(9, 2)), DLC_OK);
  options.batch = 3;
  EXPECT_EQ(dlc_tokens_batches(tokens), 1);
  EXPECT_EQ(batch(0), (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3}));
  ASSERT_EQ(open(counting(8, 2)), DLC_OK); // 7 has no token after it
  EXPECT_EQ(batch(0), (std::vector<int64_t>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}));
}

TEST_F(Tokens, RandomWindowsFollowFromSeedAndStep) {
  options.random = 1;
  options.seed = 7;
  ASSERT_EQ(open(counting(300, 2)), DLC_OK);
  const std::vector<int64_t> third = batch(3);
  std::set<int64_t> starts;
  for (int64_t step = 0; step < 2000; ++step) {
    const std::vector<int64_t> rows = batch(step);
    for (size_t row = 0; row < 3; ++row)
      starts.insert(rows[4 * row]);
  }
  EXPECT_EQ(starts.size(), 296u); // every place is drawn: 295 is the last with a token after it
  ASSERT_EQ(open(counting(300, 2)), DLC_OK);
  EXPECT_EQ(batch(3), third) << "as if nothing had been read before";
  options.seed = 8;
  ASSERT_EQ(open(counting(300, 2)), DLC_OK);
  EXPECT_NE(batch(3), third);
}

TEST_F(Tokens, FourBytesAndAPartOfTheFile) {
  options.token_bytes = 4;
  options.first = 70000;
  options.count = 9;
  options.batch = 2;
  ASSERT_EQ(open(counting(70100, 4)), DLC_OK);
  EXPECT_EQ(dlc_tokens_count(tokens), 9);
  EXPECT_EQ(batch(0), (std::vector<int64_t>{70000, 70001, 70002, 70003, 70004, 70005, 70006, 70007}));
}

TEST_F(Tokens, WindowsLongerThanTheBuffer) {
  options.window = 20000;
  options.batch = 2;
  ASSERT_EQ(open(counting(40001, 2)), DLC_OK);
  const std::vector<int64_t> both = batch(0);
  for (size_t i = 0; i < both.size(); ++i)
    ASSERT_EQ(both[i], static_cast<int64_t>(i));
}

TEST_F(Tokens, TargetsAreOptional) {
  ASSERT_EQ(open(counting(9, 2)), DLC_OK);
  std::vector<int64_t> inputs(12, -1);
  EXPECT_EQ(dlc_tokens_batch(tokens, 0, inputs.data(), nullptr), DLC_OK);
  EXPECT_EQ(inputs[7], 7);
}

TEST_F(Tokens, RefusesTokensBeyondTheVocabulary) {
  options.vocabulary = 9;
  ASSERT_EQ(open(counting(9, 2)), DLC_OK);
  batch(0);
  options.vocabulary = 8;
  ASSERT_EQ(open(counting(9, 2)), DLC_OK);
  std::vector<int64_t> inputs(12), targets(12);
  expectRefused(dlc_tokens_batch(tokens, 0, inputs.data(), targets.data()), DLC_BAD_FILE,
                "token number 8 is 8, expected less than 8");
  options.vocabulary = 0;
  options.token_bytes = 4;
  ASSERT_EQ(open(bytesOf({0, 1, 2, 3, -1}, 4)), DLC_OK);
  expectRefused(dlc_tokens_batch(tokens, 0, inputs.data(), targets.data()), DLC_BAD_FILE,
                "token number 4 is 4294967295, expected less than 2147483648");
}

TEST_F(Tokens, RefusesTruncatedFiles) {
  const std::string whole = counting(9, 2);
  for (size_t size = 0; size < whole.size(); ++size) {
    const bool isWhole = size >= 10 && size % 2 == 0; // a window and a token
    EXPECT_EQ(open(whole.substr(0, size)), isWhole ? DLC_OK : DLC_BAD_FILE) << size;
  }
  expectRefused(open(whole.substr(0, 17)), DLC_BAD_FILE, "17 bytes are no whole number of tokens of 2 bytes");
  expectRefused(open(whole.substr(0, 8)), DLC_BAD_FILE, "4 tokens, expected at least the 4 of a window");
  options.first = 4;
  options.count = 6;
  expectRefused(open(whole), DLC_BAD_FILE, "holds 9 tokens, expected 6 from number 4 on");
  options.first = 10;
  options.count = 0;
  expectRefused(open(whole), DLC_BAD_FILE, "expected 0 from number 10 on");
}

TEST_F(Tokens, AFileThatBecomesShorterIsAnError) {
  ASSERT_EQ(open(counting(9, 2)), DLC_OK);
  ASSERT_EQ(truncate(path.c_str(), 10), 0);
  std::vector<int64_t> inputs(12), targets(12);
  expectRefused(dlc_tokens_batch(tokens, 0, inputs.data(), targets.data()), DLC_BAD_FILE, "truncated");
}

TEST_F(Tokens, RefusesBadArguments) {
  const std::string bytes = counting(9, 2);
  auto refused = [&](const char *part) { expectRefused(open(bytes), DLC_INVALID_ARGUMENT, part); };
  const dlc_tokens_options good = options;
  options.token_bytes = 3;
  refused("tokens of 3 bytes");
  options = good;
  options.window = 0;
  refused("windows of 0 tokens");
  options = good;
  options.batch = -1;
  refused("batches of -1");
  options = good;
  options.first = -1;
  refused("first token -1");
  options = good;
  options.struct_size = sizeof(void *);
  refused(
      "struct_size is 8, expected 88: set it to sizeof(dlc_tokens_options), not to the size of a pointer");
  options = good;
  EXPECT_EQ(dlc_tokens_open(nullptr, &options, &tokens), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_tokens_open(path.c_str(), nullptr, &tokens), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_tokens_open(path.c_str(), &options, nullptr), DLC_INVALID_ARGUMENT);
  expectRefused(dlc_tokens_open("/nowhere/tokens", &options, &tokens), DLC_IO_ERROR, "/nowhere/tokens");
  ASSERT_EQ(open(bytes), DLC_OK);
  int64_t inputs[12];
  expectRefused(dlc_tokens_batch(tokens, -1, inputs, nullptr), DLC_INVALID_ARGUMENT, "batch -1");
  EXPECT_EQ(dlc_tokens_batch(tokens, 0, nullptr, inputs), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_tokens_batch(nullptr, 0, inputs, nullptr), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_tokens_count(nullptr), 0);
  EXPECT_EQ(dlc_tokens_batches(nullptr), 0);
  dlc_tokens_close(nullptr);
}

// A separator belongs to the document that it ends; each row begins with document 0, whatever stood before.
TEST(Documents, AreNumberedInEachRow) {
  const int64_t tokens[] = {5, 9, 9, 7, /**/ 9, 1, 2, 9, /**/ 1, 2, 3, 4};
  int64_t documents[12], targets[] = {9, 9, 7, 9, /**/ 1, 2, 9, 3, /**/ 2, 3, 4, 5};
  ASSERT_EQ(dlc_tokens_documents(tokens, 3, 4, 9, documents, targets, -100), DLC_OK);
  EXPECT_EQ(std::vector(documents, documents + 12),
            (std::vector<int64_t>{0, 0, 1, 2, /**/ 0, 1, 1, 1, /**/ 0, 0, 0, 0}));
  EXPECT_EQ(std::vector(targets, targets + 12),
            (std::vector<int64_t>{9, -100, -100, 9, /**/ -100, 2, 9, -100, /**/ 2, 3, 4, 5}));
}

TEST(Documents, MayTakeThePlaceOfTheTokens) {
  int64_t tokens[] = {0, 1, 0, 0, 1};
  ASSERT_EQ(dlc_tokens_documents(tokens, 1, 5, 0, tokens, nullptr, 0), DLC_OK);
  EXPECT_EQ(std::vector(tokens, tokens + 5), (std::vector<int64_t>{0, 1, 1, 2, 3}));
}

TEST(Documents, AreRefusedWithoutArrays) {
  int64_t one = 1, kept = 7;
  EXPECT_EQ(dlc_tokens_documents(nullptr, 1, 1, 0, &kept, nullptr, 0), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_tokens_documents(&one, 1, 1, 0, nullptr, nullptr, 0), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_tokens_documents(&one, -1, 1, 0, &kept, nullptr, 0), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_tokens_documents(&one, 1, -1, 0, &kept, nullptr, 0), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_tokens_documents(&one, 0, 1, 0, &kept, nullptr, 0), DLC_OK);
  EXPECT_EQ(kept, 7);
}

} // namespace
