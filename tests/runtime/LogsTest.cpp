//===- LogsTest.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables and events, read back. The events are compared with bytes that TensorBoard 2.21 has read, and are
// decoded once more here.
//===----------------------------------------------------------------------===//
#include "dlc/logs.h"
#include "tests/runtime/TempFolder.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <tuple>
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

/// The fields of a protocol buffer: numbers, and what has a length as text.
struct Field {
  unsigned number = 0;
  uint64_t integer = 0;
  double real = 0;
  std::string text;
};
std::vector<Field> fieldsOf(const std::string &message) {
  std::vector<Field> fields;
  size_t at = 0;
  auto varint = [&] {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(message.at(at++));
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80)
        return value;
    }
  };
  while (at < message.size()) {
    const uint64_t key = varint();
    Field field;
    field.number = static_cast<unsigned>(key >> 3);
    if ((key & 7) == 0) {
      field.integer = varint();
    } else if ((key & 7) == 1) {
      memcpy(&field.real, message.substr(at, 8).data(), 8);
      at += 8;
    } else {
      const size_t length = (key & 7) == 2 ? varint() : 4;
      field.text = message.substr(at, length);
      at += length;
    }
    fields.push_back(field);
  }
  return fields;
}

/// Of the first field of this number; several numbers go down into messages.
Field fieldIn(const std::string &message, std::vector<unsigned> numbers) {
  for (const Field &field : fieldsOf(message))
    if (field.number == numbers.front()) {
      numbers.erase(numbers.begin());
      return numbers.empty() ? field : fieldIn(field.text, numbers);
    }
  ADD_FAILURE() << "no field " << numbers.front();
  return {};
}

std::vector<double> doublesIn(const std::string &packed) {
  std::vector<double> numbers(packed.size() / sizeof(double));
  memcpy(numbers.data(), packed.data(), packed.size());
  return numbers;
}

TEST_F(Logs, HistogramsHaveWhatIsFinite) {
  dlc_events *events = nullptr;
  ASSERT_EQ(dlc_events_open(folder.path.c_str(), &events, error, sizeof error), DLC_OK) << error;
  const float values[] = {-1, 3, NAN, 3, 0, INFINITY, 0.03125f};
  const double equal[] = {2, 2};
  EXPECT_EQ(dlc_events_histogram(events, "w", 7, DLC_F32, values, 7), DLC_OK);
  EXPECT_EQ(dlc_events_histogram(events, "w", 8, DLC_F64, equal, 2), DLC_OK);
  EXPECT_EQ(dlc_events_histogram(events, "w", 9, DLC_F64, nullptr, 0), DLC_OK);
  EXPECT_EQ(dlc_events_histogram(events, "w", 9, DLC_I64, equal, 2), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_events_histogram(events, "w", 9, DLC_F32, nullptr, 2), DLC_INVALID_ARGUMENT);
  dlc_events_close(events);
  const std::vector<std::string> all = records(TempFolder::readAll(onlyFileIn(folder.path)));
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(fieldIn(all[1], {2}).integer, 7u);
  EXPECT_EQ(fieldIn(all[1], {5, 1, 1}).text, "w");
  std::vector<double> numbers;
  for (unsigned field = 1; field <= 5; ++field)
    numbers.push_back(fieldIn(all[1], {5, 1, 5, field}).real);
  EXPECT_EQ(numbers, (std::vector<double>{-1, 3, 5, 5.03125, 19.0009765625}));
  const std::vector<double> limits = doublesIn(fieldIn(all[1], {5, 1, 5, 6}).text),
                            counts = doublesIn(fieldIn(all[1], {5, 1, 5, 7}).text);
  ASSERT_EQ(limits.size(), 64u);
  ASSERT_EQ(counts.size(), 64u);
  EXPECT_EQ(limits[0], -0.9375); // 64 of a width of 1/16
  EXPECT_EQ(limits[63], 3);
  for (size_t i = 0; i < 64; ++i)
    EXPECT_EQ(counts[i], i == 0 ? 1 : i == 16 ? 2 : i == 63 ? 2 : 0) << i;
  EXPECT_EQ(doublesIn(fieldIn(all[2], {5, 1, 5, 7}).text)[63], 2);
  EXPECT_EQ(fieldIn(all[3], {5, 1, 5, 3}).real, 0);
}

TEST_F(Logs, ImagesArePng) {
  dlc_events *events = nullptr;
  ASSERT_EQ(dlc_events_open(folder.path.c_str(), &events, error, sizeof error), DLC_OK) << error;
  const uint8_t pixels[] = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(dlc_events_image(events, "sample", 3, 1, 2, 3, pixels), DLC_OK);
  for (auto [height, width, channels] : {std::tuple(0, 2, 3), {1, 4097, 1}, {1, 2, 2}, {1, -1, 1}})
    EXPECT_EQ(dlc_events_image(events, "sample", 3, height, width, channels, pixels), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_events_image(events, "sample", 3, 1, 2, 3, nullptr), DLC_INVALID_ARGUMENT);
  dlc_events_close(events);
  const std::vector<std::string> all = records(TempFolder::readAll(onlyFileIn(folder.path)));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(fieldIn(all[1], {5, 1, 4, 1}).integer, 1u);
  EXPECT_EQ(fieldIn(all[1], {5, 1, 4, 2}).integer, 2u);
  EXPECT_EQ(fieldIn(all[1], {5, 1, 4, 3}).integer, 3u);
  // Every byte, as zlib's and Python's checksums have it: seven bytes in a stored block.
  const std::string expected("\x89PNG\r\n\x1a\n"
                             "\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x01\x08\x02\0\0\0"
                             "\x7b\x40\xe8\xdd"
                             "\0\0\0\x12IDAT\x78\x01\x01\x07\0\xf8\xff\0\x01\x02\x03\x04\x05\x06"
                             "\x00\x3f\x00\x16\x68\x41\x5f\x8d"
                             "\0\0\0\0IEND\xae\x42\x60\x82",
                             75);
  EXPECT_EQ(fieldIn(all[1], {5, 1, 4, 4}).text, expected);
}

TEST_F(Logs, SettingsAreThoseOfThePluginHparams) {
  dlc_events *events = nullptr;
  ASSERT_EQ(dlc_events_open(folder.path.c_str(), &events, error, sizeof error), DLC_OK) << error;
  const dlc_event_setting settings[] = {{"optimizer", "adam", 0}, {"lr", nullptr, 0.5}},
                          unnamed = {"", "x", 0};
  const char *const metrics[] = {"loss/valid"};
  EXPECT_EQ(dlc_events_hyperparameters(events, &unnamed, 1, metrics, 1), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_events_hyperparameters(events, settings, 2, metrics, 1), DLC_OK);
  EXPECT_EQ(dlc_events_hyperparameters(events, settings, 2, metrics, 1), DLC_INVALID_ARGUMENT); // once
  dlc_events_close(events);
  const std::vector<std::string> all = records(TempFolder::readAll(onlyFileIn(folder.path)));
  ASSERT_EQ(all.size(), 4u); // the last one as it was closed
  const std::vector<unsigned> content = {5, 1, 9, 1, 2};
  const char *const tags[] = {"_hparams_/experiment", "_hparams_/session_start_info",
                              "_hparams_/session_end_info"};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(fieldIn(all[i + 1], {5, 1, 1}).text, tags[i]);
    EXPECT_EQ(fieldIn(all[i + 1], {5, 1, 9, 1, 1}).text, "hparams");
  }
  const std::string experiment = fieldIn(fieldIn(all[1], content).text, {2}).text,
                    start = fieldIn(fieldIn(all[2], content).text, {3}).text,
                    end = fieldIn(fieldIn(all[3], content).text, {4}).text;
  EXPECT_EQ(fieldIn(experiment, {4, 1}).text, "optimizer");
  EXPECT_EQ(fieldIn(experiment, {4, 4}).integer, 1u); // text
  EXPECT_EQ(fieldIn(experiment, {5, 1, 2}).text, "loss/valid");
  EXPECT_EQ(fieldIn(start, {1, 1}).text, "optimizer");
  EXPECT_EQ(fieldIn(start, {1, 2, 3}).text, "adam");
  EXPECT_EQ(fieldIn(fieldsOf(start)[1].text, {2, 2}).real, 0.5);
  EXPECT_EQ(fieldIn(end, {1}).integer, 1u); // success
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
