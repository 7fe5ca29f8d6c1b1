//===- PreprocessingTest.cpp ----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dlc train did to its data, done to the rows of a program.
//===----------------------------------------------------------------------===//
#include "dlc/preprocessing.hpp"
#include "tests/runtime/TempFolder.h"
#include "tests/runtime/fuzz/Targets.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace {

const char *const whole = R"({
  "normalize": {
    "point": {"each": "column", "mean": [1, -2.5], "deviation": [2.0, 5e-1]},
    "image": {"mean": [0.5], "deviation": [0.25], "each": "channel"}
  },
  "columns": {"point": ["height", "the \"width\""], "plain": ["height"]},
  "targets": {"label": ["kind"]},
  "loss": "softmax-cross-entropy",
  "later": [{"a": [1, -0.5e+3, true, null, "x"]}, {}, []],
  "classes": ["cat", "dog"]
})";

struct Preprocessing : testing::Test {
  ~Preprocessing() override { dlc_preprocessing_free(preprocessing); }

  dlc_status read(const std::string &text) {
    dlc_preprocessing_free(preprocessing);
    const fuzz::MemoryFile file(reinterpret_cast<const uint8_t *>(text.data()), text.size());
    return dlc_preprocessing_read(file.path().c_str(), &preprocessing, error, sizeof error);
  }
  std::string refused(const std::string &text) {
    EXPECT_EQ(read(text), DLC_BAD_FILE) << text;
    const std::string sentence = error,
                      known = ": is damaged, or was not written by this version of dlc train: ";
    const size_t at = sentence.find(known);
    EXPECT_NE(at, std::string::npos) << sentence;
    return at == std::string::npos ? "" : sentence.substr(at + known.size());
  }

  TempFolder folder;
  dlc_preprocessing *preprocessing = nullptr;
  char error[500] = "";
};

TEST_F(Preprocessing, ChangesRows) {
  ASSERT_EQ(read(whole), DLC_OK) << error;
  EXPECT_EQ(dlc_preprocessing_means(preprocessing, "point"), 2);
  EXPECT_EQ(dlc_preprocessing_means(preprocessing, "image"), 1);
  EXPECT_EQ(dlc_preprocessing_means(preprocessing, "plain"), 0);
  EXPECT_EQ(dlc_preprocessing_means(preprocessing, nullptr), 0);
  std::vector<float> rows = {1, -2.5f, 4, 0};
  ASSERT_EQ(dlc_preprocessing_apply(preprocessing, "point", 2, 2, rows.data(), error, sizeof error), DLC_OK)
      << error;
  EXPECT_EQ(rows, (std::vector<float>{0, 0, 1.5f, 5}));
  rows = {1, 2, 3, 4}; // one row of two groups of two
  ASSERT_EQ(dlc_preprocessing_apply(preprocessing, "point", 1, 4, rows.data(), error, sizeof error), DLC_OK)
      << error;
  EXPECT_EQ(rows, (std::vector<float>{0, 0.5f, 11, 13}));
  ASSERT_EQ(dlc_preprocessing_apply(preprocessing, "plain", 2, 2, rows.data(), error, sizeof error), DLC_OK);
  EXPECT_EQ(rows[3], 13);
  EXPECT_EQ(dlc_preprocessing_apply(preprocessing, "point", 1, 3, rows.data(), error, sizeof error),
            DLC_INVALID_ARGUMENT);
  EXPECT_STREQ(
      error,
      "input 'point' has 2 means, which do not go into rows of 3 numbers: rows are as the model takes them");
  EXPECT_EQ(dlc_preprocessing_apply(preprocessing, "point", -1, 2, rows.data(), error, sizeof error),
            DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_preprocessing_apply(preprocessing, "point", 1, 2, nullptr, error, sizeof error),
            DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_preprocessing_apply(nullptr, "point", 1, 2, rows.data(), error, sizeof error),
            DLC_INVALID_ARGUMENT);
}

TEST_F(Preprocessing, TablesAndWords) {
  ASSERT_EQ(read(whole), DLC_OK) << error;
  EXPECT_EQ(dlc_preprocessing_column_count(preprocessing, "point"), 2);
  EXPECT_STREQ(dlc_preprocessing_column(preprocessing, "point", 1), "the \"width\"");
  EXPECT_EQ(dlc_preprocessing_column(preprocessing, "point", 2), nullptr);
  EXPECT_STREQ(dlc_preprocessing_column(preprocessing, "label", 0), "kind");
  EXPECT_EQ(dlc_preprocessing_column_count(preprocessing, "image"), 0);
  EXPECT_EQ(dlc_classes_find(dlc_preprocessing_classes(preprocessing), "dog"), 1);

  EXPECT_EQ(dlc_preprocessing_input_count(preprocessing), 4);
  EXPECT_STREQ(dlc_preprocessing_input(preprocessing, 0), "point");
  EXPECT_STREQ(dlc_preprocessing_input(preprocessing, 3), "label");
  EXPECT_EQ(dlc_preprocessing_input(preprocessing, 4), nullptr);
  EXPECT_EQ(dlc_preprocessing_input(preprocessing, -1), nullptr);
  EXPECT_EQ(dlc_preprocessing_is_target(preprocessing, "label"), 1);
  EXPECT_EQ(dlc_preprocessing_is_target(preprocessing, "point"), 0);
  EXPECT_EQ(dlc_preprocessing_is_target(preprocessing, "none"), 0);
  double mean = 0, deviation = 0;
  EXPECT_EQ(dlc_preprocessing_mean(preprocessing, "point", 1, &mean, &deviation), DLC_OK);
  EXPECT_EQ(mean, -2.5);
  EXPECT_EQ(deviation, 0.5);
  EXPECT_EQ(dlc_preprocessing_mean(preprocessing, "point", 0, nullptr, nullptr), DLC_OK);
  EXPECT_EQ(dlc_preprocessing_mean(preprocessing, "point", 2, &mean, &deviation), DLC_NOT_FOUND);
  EXPECT_EQ(dlc_preprocessing_mean(preprocessing, "plain", 0, &mean, &deviation), DLC_NOT_FOUND);
  EXPECT_STREQ(dlc_preprocessing_loss(preprocessing), "softmax-cross-entropy");

  const dlc::data::Preprocessing inCpp(folder.write("p.json", whole));
  const dlc::data::Table table(folder.write("t.csv", "id,\"the \"\"width\"\"\",height\nx,-2,3\ny,-2.5,1\n"));
  const dlc::data::Array rows = inCpp.table("point", table);
  EXPECT_EQ(std::vector<float>(rows.data<float>(), rows.data<float>() + 4), (std::vector<float>{1, 1, 0, 0}));
  EXPECT_EQ(inCpp.columns("plain"), std::vector<std::string>{"height"});
  EXPECT_EQ(inCpp.loss(), "softmax-cross-entropy");
  EXPECT_EQ(inCpp.classes(), (std::vector<std::string>{"cat", "dog"}));
  const dlc::data::Table other(folder.write("o.csv", "height\n1\n"));
  try {
    inCpp.table("point", other);
    FAIL();
  } catch (const dlc::data::Error &failure) {
    EXPECT_EQ(failure.status, DLC_NOT_FOUND);
    EXPECT_STREQ(failure.what(),
                 "the table has no column 'the \"width\"', which input 'point' of the model needs");
  }
  EXPECT_THROW(inCpp.table("image", other), dlc::data::Error);
  EXPECT_THROW(dlc::data::Preprocessing(folder.file("none.json")), dlc::data::Error);
  ASSERT_EQ(read("{}"), DLC_OK) << error;
  EXPECT_EQ(dlc_preprocessing_classes(preprocessing), nullptr);
  EXPECT_EQ(dlc_preprocessing_loss(preprocessing), nullptr);
  EXPECT_EQ(dlc_preprocessing_input_count(preprocessing), 0);
}

TEST_F(Preprocessing, DamagedFiles) {
  EXPECT_EQ(refused(""), "expected an object");
  EXPECT_EQ(refused("[]"), "expected an object");
  EXPECT_EQ(refused("{} {}"), "something follows its end");
  EXPECT_EQ(refused(R"({"normalize": {"x": {"mean": [1, 2], "deviation": [1]}}})"),
            "means and deviations differ in number, or there are none");
  EXPECT_EQ(refused(R"({"normalize": {"x": {}}})"),
            "means and deviations differ in number, or there are none");
  EXPECT_EQ(refused(R"({"normalize": {"x": {"mean": [1], "deviation": [0]}}})"),
            "a deviation is not above 0");
  EXPECT_EQ(refused(R"({"normalize": {"x": {"mean": [1e999], "deviation": [1]}}})"),
            "expected a finite number");
  EXPECT_EQ(refused(R"({"normalize": {"x": {"mean": [01], "deviation": [1]}}})"), "expected a finite number");
  EXPECT_EQ(refused(R"({"columns": {"x": [3]}})"), "expected the name of a column");
  EXPECT_EQ(refused(R"({"columns": {"x": ["a"], "x": ["b"]}})"), "the columns of an input are there twice");
  EXPECT_EQ(refused(R"({"classes": ["a", "a"]})").empty(), false);
  EXPECT_EQ(refused(R"({"loss": "mse", "loss": "mse"})"), "the loss is there twice");
  EXPECT_EQ(refused(R"({"loss": 1})"), "expected the name of a loss");
  EXPECT_EQ(refused("{\"later\": " + std::string(100000, '[') + "}"), "objects are too deep in each other");
  const std::string text = whole;
  for (size_t bytes = 0; bytes < text.size(); ++bytes)
    refused(text.substr(0, bytes));
  std::mt19937 random(5);
  int valid = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string changed = text;
    for (int change = 0; change <= i % 3; ++change)
      changed[random() % changed.size()] = static_cast<char>(random());
    const dlc_status status = read(changed);
    ASSERT_TRUE(status == DLC_OK || (status == DLC_BAD_FILE && *error));
    valid += status == DLC_OK;
  }
  EXPECT_GT(valid, 100);
}

} // namespace
