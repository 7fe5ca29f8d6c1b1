//===- TableTest.cpp ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CSV files: what RFC 4180 allows is read, all else is refused with its line.
//===----------------------------------------------------------------------===//
#include "dlc/data.h"
#include "tests/runtime/TempFolder.h"

#include <gtest/gtest.h>
#include <vector>

namespace {

struct Table : testing::Test {
  ~Table() override { dlc_table_free(table); }

  dlc_status read(const std::string &text, char separator = 0, bool noHeader = false) {
    dlc_table_free(table);
    dlc_table_options options = {};
    options.struct_size = sizeof options;
    options.separator = separator;
    options.no_header = noHeader;
    return dlc_table_read(folder.write("t.csv", text).c_str(), &options, &table, error, sizeof error);
  }
  /// The sentence about a file that is refused, without the folder.
  std::string refused(const std::string &text) {
    EXPECT_EQ(read(text), DLC_BAD_FILE);
    EXPECT_EQ(table, nullptr);
    return std::string(error).substr(folder.path.size() + 1);
  }
  std::string cell(int64_t row, int32_t column) const {
    const char *text = dlc_table_cell(table, row, column);
    return text ? text : "(none)";
  }
  template <typename T> std::vector<T> numbers(std::vector<int32_t> columns, int32_t dtype) {
    dlc_array array;
    std::vector<T> values;
    if (dlc_table_numbers(table, columns.data(), static_cast<int32_t>(columns.size()), dtype, &array, error,
                          sizeof error) == DLC_OK) {
      EXPECT_EQ(array.shape[0], dlc_table_rows(table));
      EXPECT_EQ(array.shape[1], static_cast<int64_t>(columns.size()));
      const auto *begin = static_cast<const T *>(array.data);
      values.assign(begin, begin + array.bytes / sizeof(T));
      error[0] = 0;
    }
    dlc_array_free(&array);
    return values;
  }
  /// The sentence about a column of numbers that is refused.
  std::string refusedNumbers(const std::string &text, int32_t dtype) {
    EXPECT_EQ(read("x,y\n1,2\n" + text), DLC_OK) << error;
    EXPECT_TRUE(numbers<char>({0, 1}, dtype).empty());
    return std::string(error).substr(folder.path.size() + 1);
  }

  TempFolder folder;
  dlc_table *table = nullptr;
  char error[300] = "";
};

TEST_F(Table, ReadsCells) {
  ASSERT_EQ(read("\xef\xbb\xbf a , \"b, \"\"c\"\"\"\r\n1,2\r\n\r\n \"3\n4\" ,  five six \n ,\n7,\"\""),
            DLC_OK)
      << error;
  EXPECT_EQ(dlc_table_rows(table), 4);
  EXPECT_EQ(dlc_table_columns(table), 2);
  EXPECT_STREQ(dlc_table_name(table, 0), "a");
  EXPECT_STREQ(dlc_table_name(table, 1), "b, \"c\"");
  EXPECT_EQ(dlc_table_find(table, "b, \"c\""), 1);
  EXPECT_EQ(dlc_table_find(table, "b"), -1);
  EXPECT_EQ(cell(0, 0) + "|" + cell(0, 1), "1|2");
  EXPECT_EQ(cell(1, 0) + "|" + cell(1, 1), "3\n4|five six");
  EXPECT_EQ(cell(2, 0) + "|" + cell(2, 1), "|");
  EXPECT_EQ(cell(3, 0) + "|" + cell(3, 1), "7|");
  EXPECT_EQ(dlc_table_line(table, 0), 2);
  EXPECT_EQ(dlc_table_line(table, 1), 4);
  EXPECT_EQ(dlc_table_line(table, 2), 6); // after a cell of two lines
  EXPECT_EQ(cell(4, 0), "(none)");
  EXPECT_EQ(cell(0, 2), "(none)");
  EXPECT_EQ(cell(-1, 0), "(none)");
}

TEST_F(Table, OtherSeparatorsAndNoHeader) {
  ASSERT_EQ(read("1\t 2\n3\t\n", '\t', /*noHeader=*/true), DLC_OK) << error;
  EXPECT_STREQ(dlc_table_name(table, 1), "2");
  EXPECT_EQ(cell(0, 1) + "|" + cell(1, 1), "2|");
  EXPECT_EQ(read("1\n", '"'), DLC_INVALID_ARGUMENT);
}

TEST_F(Table, Numbers) {
  ASSERT_EQ(read("a,b,c\n1,-2.5e-1,9007199254740993\n+4,.5, 3.0 \n"), DLC_OK) << error;
  EXPECT_EQ(numbers<float>({1, 0}, DLC_F32), (std::vector<float>{-0.25f, 1, 0.5f, 4}));
  EXPECT_EQ(numbers<double>({1}, DLC_F64), (std::vector<double>{-0.25, 0.5}));
  EXPECT_EQ(numbers<int64_t>({2, 0}, DLC_I64), (std::vector<int64_t>{9007199254740993, 1, 3, 4}));
  EXPECT_EQ(numbers<int32_t>({0}, DLC_I32), (std::vector<int32_t>{1, 4}));
  EXPECT_TRUE(numbers<float>({3}, DLC_F32).empty());
  EXPECT_TRUE(numbers<float>({0}, DLC_BOOL).empty());
}

TEST_F(Table, RefusesWhatIsNoNumber) {
  EXPECT_EQ(refusedNumbers("3,four\n", DLC_F32), "t.csv: line 3, column 'y': expected a number, got 'four'");
  EXPECT_EQ(refusedNumbers("3,\n", DLC_F32),
            "t.csv: line 3, column 'y': expected a number, the cell is empty");
  EXPECT_EQ(refusedNumbers("0x10,1\n", DLC_F64), "t.csv: line 3, column 'x': expected a number, got '0x10'");
  EXPECT_EQ(
      refusedNumbers("nan,1\n", DLC_F64),
      "t.csv: line 3, column 'x': expected a number, got 'nan', which is too large, or not a finite number");
  EXPECT_EQ(
      refusedNumbers("1e39,1\n", DLC_F32),
      "t.csv: line 3, column 'x': expected a number, got '1e39', which is too large, or not a finite number");
  EXPECT_EQ(refusedNumbers("1,2.5\n", DLC_I64),
            "t.csv: line 3, column 'y': expected a whole number, got '2.5', which is not whole or too large");
  EXPECT_EQ(refusedNumbers("1,3000000000\n", DLC_I32), "t.csv: line 3, column 'y': expected a whole number, "
                                                       "got '3000000000', which is not whole or too large");
  EXPECT_EQ(refusedNumbers("1,9223372036854775808\n", DLC_I64),
            "t.csv: line 3, column 'y': expected a whole number, got '9223372036854775808', which is not "
            "whole or too "
            "large");
}

TEST_F(Table, WordsAreClasses) {
  ASSERT_EQ(read("kind,x\nwalk,1\n\"idle\",2\njump,3\nwalk,4\n\xc3\xa9,5\n"), DLC_OK) << error;
  dlc_classes *classes = nullptr;
  ASSERT_EQ(dlc_table_classes(table, 0, &classes, error, sizeof error), DLC_OK) << error;
  ASSERT_EQ(dlc_classes_count(classes), 4);
  const char *const expected[] = {"idle", "jump", "walk", "\xc3\xa9"};
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_STREQ(dlc_classes_name(classes, i), expected[i]);
    EXPECT_EQ(dlc_classes_find(classes, expected[i]), i);
  }
  for (int64_t beyond : {-1, 4})
    EXPECT_EQ(dlc_classes_name(classes, beyond), nullptr);
  for (const char *other : {"", "a", "idl", "idles", "zzz"})
    EXPECT_EQ(dlc_classes_find(classes, other), -1) << other;
  dlc_array labels;
  ASSERT_EQ(dlc_table_labels(table, 0, classes, &labels, error, sizeof error), DLC_OK) << error;
  ASSERT_EQ(labels.rank, 1u);
  ASSERT_EQ(labels.dtype, DLC_I64);
  const auto *numbers = static_cast<const int64_t *>(labels.data);
  EXPECT_EQ(std::vector<int64_t>(numbers, numbers + labels.shape[0]), (std::vector<int64_t>{2, 0, 1, 2, 3}));
  dlc_array_free(&labels);

  // They stay when the table goes, and number the words of another one.
  ASSERT_EQ(read("x,kind\n1,jump\n2,walk\n"), DLC_OK);
  ASSERT_EQ(dlc_table_labels(table, 1, classes, &labels, error, sizeof error), DLC_OK) << error;
  EXPECT_EQ(static_cast<const int64_t *>(labels.data)[1], 2);
  dlc_array_free(&labels);
  ASSERT_EQ(read("kind\njump\nfly\n"), DLC_OK);
  EXPECT_EQ(dlc_table_labels(table, 0, classes, &labels, error, sizeof error), DLC_BAD_FILE);
  EXPECT_EQ(std::string(error).substr(folder.path.size() + 1),
            "t.csv: line 3, column 'kind': the class 'fly' is none of the 4 known");
  EXPECT_EQ(labels.data, nullptr);
  dlc_classes_free(classes);
}

TEST_F(Table, ClassesOfWordsThatWereWrittenDown) {
  dlc_classes *classes = nullptr;
  const char *const words[] = {"idle", "jump", "walk"};
  ASSERT_EQ(dlc_classes_create(words, 3, &classes, error, sizeof error), DLC_OK) << error;
  ASSERT_EQ(read("kind\nwalk\nidle\n"), DLC_OK) << error;
  dlc_array labels;
  ASSERT_EQ(dlc_table_labels(table, 0, classes, &labels, error, sizeof error), DLC_OK) << error;
  EXPECT_EQ(static_cast<const int64_t *>(labels.data)[0], 2);
  EXPECT_EQ(static_cast<const int64_t *>(labels.data)[1], 0);
  dlc_array_free(&labels);
  dlc_classes_free(classes);

  const char *const twice[] = {"idle", "idle"}, *const unsorted[] = {"walk", "idle"},
                    *const null[] = {nullptr};
  EXPECT_EQ(dlc_classes_create(unsorted, 2, &classes, error, sizeof error), DLC_INVALID_ARGUMENT);
  EXPECT_STREQ(error,
               "classes: expected different words in the order of their bytes, got 'walk' before 'idle'");
  EXPECT_EQ(classes, nullptr);
  EXPECT_EQ(dlc_classes_create(twice, 2, &classes, error, sizeof error), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_classes_create(null, 1, &classes, error, sizeof error), DLC_INVALID_ARGUMENT);
  EXPECT_STREQ(error, "classes: word 0 is NULL");
  EXPECT_EQ(dlc_classes_create(words, 0, &classes, error, sizeof error), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_classes_create(nullptr, 3, &classes, error, sizeof error), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_classes_create(words, 3, nullptr, nullptr, 0), DLC_INVALID_ARGUMENT);
}

TEST_F(Table, RefusesClassesThatAreSlips) {
  ASSERT_EQ(read("kind\nwalk\n7\n"), DLC_OK);
  dlc_classes *classes = nullptr;
  EXPECT_EQ(dlc_table_classes(table, 0, &classes, error, sizeof error), DLC_BAD_FILE);
  EXPECT_EQ(std::string(error).substr(folder.path.size() + 1),
            "t.csv: line 2, column 'kind': 'walk' is no number, but line 3 has '7': classes are all numbers "
            "or all words");
  EXPECT_EQ(classes, nullptr);
  for (int32_t column : {-1, 1})
    EXPECT_EQ(dlc_table_classes(table, column, &classes, error, sizeof error), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_table_classes(nullptr, 0, &classes, nullptr, 0), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_table_classes(table, 0, nullptr, nullptr, 0), DLC_INVALID_ARGUMENT);
  dlc_array labels;
  EXPECT_EQ(dlc_table_labels(table, 0, nullptr, &labels, nullptr, 0), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_classes_count(nullptr), 0);
  EXPECT_EQ(dlc_classes_find(nullptr, "walk"), -1);
  dlc_classes_free(nullptr);
}

TEST_F(Table, RefusesDamagedFiles) {
  EXPECT_EQ(refused("a,b\n1,2\n1\n"), "t.csv: line 3: has 1 cells, expected 2 as the first line has");
  EXPECT_EQ(refused("a,b\n1,2,3\n"), "t.csv: line 2: has 3 cells, expected 2 as the first line has");
  EXPECT_EQ(refused("a,b\n1,\"2\n3,4\n"), "t.csv: line 2: a quote begins that does not end");
  EXPECT_EQ(refused("a,b\n1,\"2\"x\n"),
            "t.csv: line 2: text after a cell's closing quote; a quote inside of quotes is written twice");
  EXPECT_EQ(refused("a,a\n1,2\n"), "t.csv: line 1: columns 1 and 2 are both called 'a'");
  EXPECT_EQ(refused("a,b\n"), "t.csv: has no rows below its header");
  EXPECT_EQ(refused(""), "t.csv: is empty, expected a line with the columns' names");
  EXPECT_EQ(refused(std::string("a\n1\0002\n", 6)), "t.csv: has a byte 0, and so is no table in UTF-8");
  EXPECT_EQ(refused("\x1f\x8b\x08"), "t.csv: compressed with gzip: decompress the table (gunzip)");
  EXPECT_EQ(dlc_table_read(folder.file("none").c_str(), nullptr, &table, error, sizeof error), DLC_IO_ERROR);
  EXPECT_EQ(dlc_table_read(nullptr, nullptr, &table, error, sizeof error), DLC_INVALID_ARGUMENT);
}

/// Each prefix and each change of one byte of a table ends in a table or a sentence.
TEST_F(Table, AnyBytes) {
  const std::string good = "a,\"b\"\r\n1,\"2 \"\"\"\n\n3,4";
  for (size_t i = 0; i <= good.size(); ++i) {
    read(good.substr(0, i));
    for (char c : {'"', ',', '\n', '\r', ' ', 'x'}) {
      std::string changed = good;
      changed.insert(i, 1, c);
      if (read(changed) == DLC_OK)
        for (int64_t row = 0; row < dlc_table_rows(table); ++row)
          EXPECT_LE(cell(row, dlc_table_columns(table) - 1).size(), good.size());
    }
  }
}

} // namespace
