//===- CifarTest.cpp ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading CIFAR's binary files, and refusing what is none.
//===----------------------------------------------------------------------===//
#include "dlc/runtime.h"
#include "tests/runtime/TempFolder.h"

#include <cmath>
#include <gtest/gtest.h>

namespace {

constexpr size_t pixels = 3 * 32 * 32;

/// A record whose pixel i is (first + i) mod 256.
std::string record(const std::string &labels, int first) {
  std::string bytes = labels;
  for (size_t i = 0; i < pixels; ++i)
    bytes += static_cast<char>((static_cast<size_t>(first) + i) % 256);
  return bytes;
}

class Cifar : public testing::Test {
protected:
  ~Cifar() override {
    dlc_array_free(&images);
    dlc_array_free(&labels);
  }

  dlc_status read(const std::vector<std::string> &files, int32_t classes = 10, int64_t perFile = 0,
                  const dlc_scaling *scaling = nullptr) {
    std::vector<std::string> paths;
    for (const std::string &bytes : files)
      paths.push_back(folder.write("batch" + std::to_string(paths.size()), bytes));
    std::vector<const char *> names;
    for (const std::string &path : paths)
      names.push_back(path.c_str());
    dlc_array_free(&images);
    dlc_array_free(&labels);
    return dlc_read_cifar(names.data(), static_cast<int32_t>(names.size()), classes, perFile, scaling,
                          &images, &labels, error, sizeof error);
  }
  float pixel(size_t image, size_t position) const {
    return static_cast<const float *>(images.data)[image * pixels + position];
  }
  int64_t label(size_t image) const { return static_cast<const int64_t *>(labels.data)[image]; }
  void expectRefused(dlc_status status, dlc_status expected, const char *part) {
    EXPECT_EQ(status, expected);
    EXPECT_NE(std::string(error).find(part), std::string::npos) << error;
    EXPECT_EQ(images.data, nullptr);
    EXPECT_EQ(labels.data, nullptr);
  }

  TempFolder folder;
  dlc_array images = {}, labels = {};
  char error[512] = "";
};

TEST_F(Cifar, ReadsFilesInOrder) {
  ASSERT_EQ(read({record({3}, 0) + record({9}, 7), record({0}, 250)}), DLC_OK) << error;
  EXPECT_EQ(images.dtype, DLC_F32);
  EXPECT_EQ(images.rank, 4);
  EXPECT_EQ(std::vector<int64_t>(images.shape, images.shape + 4), (std::vector<int64_t>{3, 3, 32, 32}));
  EXPECT_EQ(images.bytes, 3 * pixels * sizeof(float));
  EXPECT_EQ(labels.dtype, DLC_I64);
  EXPECT_EQ(labels.rank, 1);
  EXPECT_EQ(labels.shape[0], 3);
  EXPECT_EQ(label(0), 3);
  EXPECT_EQ(label(1), 9);
  EXPECT_EQ(label(2), 0);
  EXPECT_FLOAT_EQ(pixel(0, 5), 5 / 255.0f);
  EXPECT_FLOAT_EQ(pixel(1, 5), 12 / 255.0f);
  EXPECT_FLOAT_EQ(pixel(2, 1030), float((250 + 1030) % 256) / 255.0f);
}

TEST_F(Cifar, ReadsMoreThanOneWindow) {
  std::string bytes;
  for (int i = 0; i < 150; ++i)
    bytes += record({static_cast<char>(i % 10)}, i);
  ASSERT_EQ(read({bytes}, 10, 150), DLC_OK) << error;
  for (size_t i = 0; i < 150; ++i) {
    EXPECT_EQ(label(i), static_cast<int64_t>(i % 10));
    EXPECT_FLOAT_EQ(pixel(i, 3071), static_cast<float>((i + 3071) % 256) / 255.0f);
  }
}

TEST_F(Cifar, ScalesEachChannel) {
  const dlc_scaling scaling[3] = {{1 / 255.0, 0.4914, 0.2470}, {1 / 255.0, 0.4822, 0.2435}, {1, 0, 2}};
  ASSERT_EQ(read({record({1}, 0)}, 10, 0, scaling), DLC_OK) << error;
  EXPECT_FLOAT_EQ(pixel(0, 100), static_cast<float>((100 / 255.0 - 0.4914) / 0.2470));
  EXPECT_FLOAT_EQ(pixel(0, 1024), static_cast<float>(-0.4822 / 0.2435));
  EXPECT_FLOAT_EQ(pixel(0, 2048 + 9), 4.5f);
}

TEST_F(Cifar, TakesTheFineLabelOfCifar100) {
  ASSERT_EQ(read({record({19, 99}, 4)}, 100), DLC_OK) << error;
  EXPECT_EQ(label(0), 99);
  EXPECT_FLOAT_EQ(pixel(0, 0), 4 / 255.0f);
}

TEST_F(Cifar, RefusesWhatIsNoWholeFile) {
  const std::string two = record({1}, 0) + record({2}, 0);
  expectRefused(read({""}), DLC_BAD_FILE, "0 bytes, expected whole records of 3073");
  expectRefused(read({two.substr(0, two.size() - 1)}), DLC_BAD_FILE, "6145 bytes, expected whole records");
  expectRefused(read({two + "x"}), DLC_BAD_FILE, "6147 bytes, expected whole records");
  expectRefused(read({two}, 10, 3), DLC_BAD_FILE, "holds 2 images, expected 3");
  expectRefused(read({two, record({1}, 0)}, 10, 2), DLC_BAD_FILE, "batch1: holds 1 images, expected 2");
  expectRefused(read({two}, 100), DLC_BAD_FILE, "expected whole records of 3074");
}

TEST_F(Cifar, RefusesLabelsThatAreNone) {
  expectRefused(read({record({0}, 0) + record({10}, 0)}), DLC_BAD_FILE,
                "image 1 has the label 10, expected less");
  expectRefused(read({record({0, 100}, 0)}, 100), DLC_BAD_FILE, "label 100");
}

TEST_F(Cifar, RefusesBadArguments) {
  expectRefused(read({record({0}, 0)}, 20), DLC_INVALID_ARGUMENT, "20 classes");
  expectRefused(read({}), DLC_INVALID_ARGUMENT, "0 files");
  expectRefused(read({record({0}, 0)}, 10, -1), DLC_INVALID_ARGUMENT, "-1 images");
  const dlc_scaling scaling[3] = {{1, 0, 1}, {1, 0, 0}, {1, 0, 1}};
  expectRefused(read({record({0}, 0)}, 10, 0, scaling), DLC_INVALID_ARGUMENT, "channel 1");
  const char *none[] = {nullptr};
  expectRefused(dlc_read_cifar(none, 1, 10, 0, nullptr, &images, &labels, error, sizeof error),
                DLC_INVALID_ARGUMENT, "NULL");
  const char *missing[] = {"/nowhere/data_batch_1.bin"};
  expectRefused(dlc_read_cifar(missing, 1, 10, 0, nullptr, &images, &labels, error, sizeof error),
                DLC_IO_ERROR, "/nowhere/data_batch_1.bin");
  EXPECT_EQ(dlc_read_cifar(missing, 1, 10, 0, nullptr, nullptr, &labels, nullptr, 0), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_read_cifar(missing, 1, 10, 0, nullptr, &images, &images, nullptr, 0), DLC_INVALID_ARGUMENT);
}

} // namespace
