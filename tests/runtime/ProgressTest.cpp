//===- ProgressTest.cpp ---------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The progress line: its text, and silence where nobody looks.
//===----------------------------------------------------------------------===//
#include "runtime/data/Progress.h"

#include "dlc/runtime.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace {

std::string line(const dlc::runtime::Progress &progress, size_t columns = 199) {
  char text[200];
  int width = dlc::runtime::mostBar;
  dlc::runtime::formatProgress(text, sizeof text, columns, width, progress);
  return text;
}

TEST(Progress, Text) {
  EXPECT_EQ(line({"epoch 2", "", 469, 938, 0.43124, 2, 1.9}),
            "epoch 2  [############............]  469/938  loss 0.4312  1.9 s left");
  EXPECT_EQ(line({"epoch 2", "", 938, 938, 0.25, 3.84, 0}),
            "epoch 2  [########################]  938/938  loss 0.25  3.8 s");
  EXPECT_EQ(line({"epoch 2", "lr 0.1", 469, 938, 0.5, 2, 2}),
            "epoch 2  [############............]  469/938  loss 0.5  lr 0.1  2.0 s left");
  EXPECT_EQ(line({"epoch 2", "", 0, 938, 2.3, 0, -1}),
            "epoch 2  [........................]  0/938  loss 2.3");
  EXPECT_EQ(line({"epoch 2", "", 1, 2, NAN, 1, 1}),
            "epoch 2  [############............]  1/2  loss nan  1.0 s left");
  EXPECT_EQ(line({"epoch 2", "", 0, 0, 1, 1, -1}), "epoch 2  [########################]  0/0  loss 1  1.0 s");
}

TEST(Progress, LongTimes) {
  auto left = [](double seconds) {
    const std::string text = line({"x", "", 1, 2, 1, 1, seconds});
    return text.substr(text.find("loss 1") + 8);
  };
  EXPECT_EQ(left(99.9), "99.9 s left");
  EXPECT_EQ(left(185), "3 min 05 s left");
  EXPECT_EQ(left(5999.9), "99 min 59 s left");
  EXPECT_EQ(left(6000), "1 h 40 min left");
  EXPECT_EQ(left(1e300), "277777 h 46 min left");
}

/// The bar becomes shorter, so that what stands behind it is seen.
TEST(Progress, NarrowTerminals) {
  const dlc::runtime::Progress half = {"epoch 2", "", 469, 938, 0.43124, 2, 1.9};
  EXPECT_EQ(line(half, 69), "epoch 2  [############............]  469/938  loss 0.4312  1.9 s left");
  EXPECT_EQ(line(half, 61), "epoch 2  [########........]  469/938  loss 0.4312  1.9 s left");
  EXPECT_EQ(line(half, 20), "epoch 2  [##..]  469/938  loss 0.4312  1.9 s left");
}

/// It does not become longer again, as it would flicker while the numbers change.
TEST(Progress, BarsStayShort) {
  char text[100];
  int width = 24;
  dlc::runtime::formatProgress(text, sizeof text, 61, width, {"epoch 2", "", 469, 938, 0.43124, 2, 1.9});
  dlc::runtime::formatProgress(text, sizeof text, 61, width, {"epoch 2", "", 470, 938, 0.4, 2, 1.9});
  EXPECT_STREQ(text, "epoch 2  [########........]  470/938  loss 0.4  1.9 s left");
}

/// Everything that `work` writes to stderr while stderr is `descriptor`.
template <typename Work> void withStderr(int descriptor, Work work) {
  int saved = dup(STDERR_FILENO);
  dup2(descriptor, STDERR_FILENO);
  work();
  dup2(saved, STDERR_FILENO);
  close(saved);
}

void show(int64_t done) {
  dlc_progress *progress;
  ASSERT_EQ(dlc_progress_create("epoch 1", 1000, &progress), DLC_OK);
  for (int64_t i = 1; i <= done; ++i)
    dlc_progress_update(progress, i, 0.5);
  dlc_progress_update(progress, done, 0.5); // after the end: nothing
  dlc_progress_destroy(progress);
}
void showThousand() { show(1000); }
void showHalf() { show(500); }

TEST(Progress, IsSilentWhereStderrIsNoTerminal) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  withStderr(ends[1], showThousand);
  close(ends[1]);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

/// What `work` shows on a terminal, up to some text; "" where there is no pseudo terminal.
template <typename Work> std::string onTerminal(Work work, const std::string &last) {
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
    return "";
  int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
  EXPECT_GE(terminal, 0);
  withStderr(terminal, work);
  std::string shown;
  char text[4096];
  for (ssize_t got; shown.find(last) == std::string::npos && (got = read(master, text, sizeof text)) > 0;)
    shown.append(text, static_cast<size_t>(got));
  close(terminal);
  close(master);
  return shown;
}

TEST(Progress, RewritesOneLineOfATerminal) {
  const std::string shown = onTerminal(showThousand, "\n");
  if (shown.empty())
    GTEST_SKIP() << "no pseudo terminal here";
  EXPECT_EQ(std::count(shown.begin(), shown.end(), '\n'), 1) << shown;
  EXPECT_NE(shown.find("1000/1000  loss 0.5"), std::string::npos) << shown;
  EXPECT_LT(shown.size(), 1000u) << "at most ten times a second";
}

TEST(Progress, RemovesALineThatIsNotComplete) {
  const std::string end = "\r\x1b[K", shown = onTerminal(showHalf, end);
  if (shown.empty())
    GTEST_SKIP() << "no pseudo terminal here";
  EXPECT_EQ(shown.substr(shown.size() - end.size()), end) << shown;
  EXPECT_EQ(shown.find('\n'), std::string::npos) << shown;
}

TEST(Progress, RefusesBadArguments) {
  dlc_progress *progress = nullptr;
  EXPECT_EQ(dlc_progress_create(nullptr, 1, &progress), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_progress_create("x", -1, &progress), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_progress_create("x", 1, nullptr), DLC_INVALID_ARGUMENT);
  dlc_progress_update(nullptr, 1, 1);
  dlc_progress_destroy(nullptr);
}

} // namespace
