//===- LogsTest.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables and events, read back. The events are compared with bytes that TensorBoard 2.21 has read, and are
// decoded once more here.
//===----------------------------------------------------------------------===//
#include "dlc/logs.h"
#include "tests/runtime/TempFolder.h"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace {

struct Logs : testing::Test {
  TempFolder folder;
  char error[300] = "";

  dlc_csv *open(const std::string &path, std::vector<const char *> columns, dlc_status expected = DLC_OK) {
    dlc_csv *csv = nullptr;
    EXPECT_EQ(dlc_csv_open(path.c_str(), columns.data(), static_cast<int32_t>(columns.size()), &csv, error,
                           sizeof error),
              expected)
        << error;
    return csv;
  }
};

TEST_F(Logs, TablesGrow) {
  const std::string path = folder.file("log.csv");
  const double first[] = {1, 0.1}, second[] = {2, -1e300}, third[] = {3, 1.0 / 3};
  dlc_csv *csv = open(path, {"epoch", "loss"});
  EXPECT_EQ(dlc_csv_row(csv, first), DLC_OK);
  EXPECT_EQ(TempFolder::readAll(path), "epoch,loss\n1,0.10000000000000001\n"); // at once
  EXPECT_EQ(dlc_csv_row(csv, second), DLC_OK);
  dlc_csv_close(csv);
  {
    std::ofstream(path, std::ios::app) << "3,0.2";
  } // a program was killed here
  csv = open(path, {"epoch", "loss"});
  EXPECT_EQ(dlc_csv_row(csv, third), DLC_OK);
  dlc_csv_close(csv);
  EXPECT_EQ(TempFolder::readAll(path),
            "epoch,loss\n1,0.10000000000000001\n2,-1.0000000000000001e+300\n3,0.33333333333333331\n");
  dlc_csv_close(nullptr);
}

TEST_F(Logs, OtherTablesAreRefused) {
  const std::string path = folder.file("log.csv");
  dlc_csv_close(open(path, {"epoch", "loss"}));
  for (auto columns : {std::vector<const char *>{"epoch"},
                       {"epoch", "loss", "rate"},
                       {"epoch", "los"},
                       {"epoch", "lossy"}}) {
    EXPECT_EQ(open(path, columns, DLC_BAD_FILE), nullptr);
    EXPECT_NE(strstr(error, "log.csv: its columns are others"), nullptr) << error;
  }
  open(folder.file("no/log.csv"), {"epoch"}, DLC_IO_ERROR);
  open(path, {"a,b"}, DLC_INVALID_ARGUMENT);
  open(path, {}, DLC_INVALID_ARGUMENT);
  EXPECT_EQ(TempFolder::readAll(path), "epoch,loss\n");
  EXPECT_EQ(dlc_csv_row(nullptr, nullptr), DLC_INVALID_ARGUMENT);
}

TEST_F(Logs, TablesGoOnFromACheckpoint) {
  const std::string path = folder.file("log.csv");
  dlc_csv *csv = open(path, {"epoch", "step", "loss"});
  for (double epoch : {1, 2, 3, 4}) {
    const double row[] = {epoch, 156 * epoch, 100};
    EXPECT_EQ(dlc_csv_row(csv, row), DLC_OK);
  }
  EXPECT_EQ(dlc_csv_cut(csv, 1, 312), DLC_OK);
  EXPECT_EQ(TempFolder::readAll(path), "epoch,step,loss\n1,156,100\n2,312,100\n");
  const double row[] = {3, 468, 0.5};
  EXPECT_EQ(dlc_csv_row(csv, row), DLC_OK);
  EXPECT_EQ(dlc_csv_cut(csv, 1, 468), DLC_OK); // nothing is later
  EXPECT_EQ(TempFolder::readAll(path), "epoch,step,loss\n1,156,100\n2,312,100\n3,468,0.5\n");
  EXPECT_EQ(dlc_csv_cut(csv, 3, 0), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_csv_cut(csv, -1, 0), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_csv_cut(nullptr, 0, 0), DLC_INVALID_ARGUMENT);
  dlc_csv_close(csv);
  {
    std::ofstream(path, std::ios::app) << "a note\n4\n";
  } // lines without such a number stay
  csv = open(path, {"epoch", "step", "loss"});
  EXPECT_EQ(dlc_csv_cut(csv, 1, 156), DLC_OK);
  EXPECT_EQ(TempFolder::readAll(path), "epoch,step,loss\n1,156,100\n");
  EXPECT_EQ(dlc_csv_cut(csv, 1, -1), DLC_OK);
  EXPECT_EQ(TempFolder::readAll(path), "epoch,step,loss\n");
  dlc_csv_close(csv);
}

std::string onlyFileIn(const std::string &path) {
  return std::filesystem::directory_iterator(path)->path().string();
}

/// The data of the records.
std::vector<std::string> records(const std::string &file) {
  std::vector<std::string> result;
  for (size_t at = 0; at < file.size();) {
    uint64_t length = 0;
    memcpy(&length, file.data() + at, sizeof length);
    result.push_back(file.substr(at + 12, length));
    at += 16 + length;
  }
  return result;
}

TEST_F(Logs, EventsAreTensorBoards) {
  dlc_events *events = nullptr;
  ASSERT_EQ(dlc_events_open(folder.path.c_str(), &events, error, sizeof error), DLC_OK) << error;
  EXPECT_EQ(dlc_events_scalar(events, "loss", 300, 0.5), DLC_OK);
  const std::string file = TempFolder::readAll(onlyFileIn(folder.path));
  dlc_events_close(events);
  // The checksum of the length 24, as TensorBoard's own writer has it, and the one of nine known bytes (RFC
  // 3720).
  const std::string firstLength = file.substr(0, 12);
  EXPECT_EQ(firstLength, std::string("\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22", 12));
  const std::vector<std::string> all = records(file);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].substr(9), "\x1a\x0d"
                              "brain.Event:2");
  // step 300; a summary of 13 bytes: a value of 11: the tag and 0.5f.
  EXPECT_EQ(all[1].substr(9), std::string("\x10\xac\x02\x2a\x0d\x0a\x0b\x0a\x04loss\x15\0\0\0\x3f", 18));
}

TEST_F(Logs, EventsNeedAFolder) {
  dlc_events *events = nullptr;
  EXPECT_EQ(dlc_events_open(folder.file("nowhere").c_str(), &events, error, sizeof error), DLC_IO_ERROR);
  EXPECT_NE(strstr(error, "nowhere: no file of events can be made"), nullptr) << error;
  EXPECT_EQ(dlc_events_open(nullptr, &events, error, sizeof error), DLC_INVALID_ARGUMENT);
  ASSERT_EQ(dlc_events_open(folder.path.c_str(), &events, nullptr, 0), DLC_OK);
  EXPECT_EQ(dlc_events_scalar(events, std::string(1001, 'a').c_str(), 1, 1), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_events_scalar(events, std::string(1000, 'a').c_str(), -1, 1), DLC_OK);
  dlc_events_close(events);
  dlc_events_close(nullptr);
}

} // namespace
