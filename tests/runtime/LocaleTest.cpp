//===- LocaleTest.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text that the runtime reads and writes in a program whose language writes 0,5: it is the same as in all
// others. CMake gives the locale in LOCPATH.
//===----------------------------------------------------------------------===//
#include "dlc/data.h"
#include "dlc/logs.h"
#include "dlc/runtime.h"
#include "runtime/core/Error.h"
#include "runtime/data/Progress.h"
#include "tests/runtime/TempFolder.h"
#include "tests/runtime/TinyModel.h"

#include <clocale>
#include <cstring>
#include <gtest/gtest.h>

namespace {

struct Locale : testing::Test {
  Locale() {
    std::setlocale(LC_ALL, "de_DE.UTF-8");
    char half[8];
    snprintf(half, sizeof half, "%.1f", 0.5);
    EXPECT_STREQ(half, "0,5") << "the test itself runs in another language";
  }
  ~Locale() override { std::setlocale(LC_ALL, "C"); }

  TempFolder folder;
  char error[300] = "";
};

TEST_F(Locale, TablesThatAreWritten) {
  const std::string path = folder.file("log.csv");
  const char *columns[] = {"epoch", "loss"};
  const double rows[][2] = {{1, 0.5}, {1.25, -1e-300}, {1.75, 2.5}};
  dlc_csv *csv = nullptr;
  ASSERT_EQ(dlc_csv_open(path.c_str(), columns, 2, &csv, error, sizeof error), DLC_OK) << error;
  for (const double *row : rows)
    EXPECT_EQ(dlc_csv_row(csv, row), DLC_OK);
  EXPECT_EQ(TempFolder::readAll(path), "epoch,loss\n1,0.5\n1.25,-1e-300\n1.75,2.5\n");
  EXPECT_EQ(dlc_csv_cut(csv, 0, 1.5), DLC_OK); // behind the first row that is larger
  EXPECT_EQ(TempFolder::readAll(path), "epoch,loss\n1,0.5\n1.25,-1e-300\n");
  EXPECT_EQ(dlc_csv_cut(csv, 1, 0.25), DLC_OK);
  EXPECT_EQ(TempFolder::readAll(path), "epoch,loss\n");
  dlc_csv_close(csv);
}

TEST_F(Locale, TablesThatAreRead) {
  dlc_table *table = nullptr;
  ASSERT_EQ(
      dlc_table_read(folder.write("t.csv", "x\n0.25\n1e-3\n").c_str(), nullptr, &table, error, sizeof error),
      DLC_OK);
  const int32_t column = 0;
  dlc_array array;
  ASSERT_EQ(dlc_table_numbers(table, &column, 1, DLC_F64, &array, error, sizeof error), DLC_OK) << error;
  EXPECT_EQ(static_cast<const double *>(array.data)[0], 0.25);
  EXPECT_EQ(static_cast<const double *>(array.data)[1], 1e-3);
  dlc_array_free(&array);
  dlc_table_free(table);
}

TEST_F(Locale, Curves) {
  dlc_events *events = nullptr;
  ASSERT_EQ(dlc_events_open(folder.path.c_str(), &events, error, sizeof error), DLC_OK) << error;
  EXPECT_EQ(dlc_events_scalar(events, "loss/train", 7, 0.5), DLC_OK);
  dlc_events_close(events);
  const std::string path = std::filesystem::directory_iterator(folder.path)->path().string();
  const float half = 0.5f;
  const std::string bytes(reinterpret_cast<const char *>(&half), sizeof half);
  EXPECT_NE(TempFolder::readAll(path).find("loss/train"), std::string::npos);
  EXPECT_NE(TempFolder::readAll(path).find(bytes), std::string::npos);
}

TEST_F(Locale, ProgressAndErrors) {
  char text[200];
  int width = dlc::runtime::mostBar;
  dlc::runtime::formatProgress(text, sizeof text, sizeof text - 1, width,
                               {"epoch 2", "", 469, 938, 0.43124, 2, 1.9});
  EXPECT_NE(strstr(text, "loss 0.4312  1.9 s left"), nullptr) << text;
  tiny::Instance instance;
  EXPECT_EQ(dlc_instance_set_hyperparameter(instance, "learning_rate", -0.5), DLC_INVALID_ARGUMENT);
  EXPECT_NE(instance.lastError().find("is -0.5, expected"), std::string::npos) << instance.lastError();
}

/// What the program has chosen for itself stays.
TEST_F(Locale, StaysTheProgramsOwn) {
  dlc_csv *csv = nullptr;
  const char *column = "loss";
  const double half = 0.5;
  ASSERT_EQ(dlc_csv_open(folder.file("log.csv").c_str(), &column, 1, &csv, error, sizeof error), DLC_OK);
  EXPECT_EQ(dlc_csv_row(csv, &half), DLC_OK);
  dlc_csv_close(csv);
  char text[8];
  snprintf(text, sizeof text, "%.1f", half);
  EXPECT_STREQ(text, "0,5");
}

} // namespace
