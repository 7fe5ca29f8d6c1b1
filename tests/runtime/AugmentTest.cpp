//===- AugmentTest.cpp ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random crops and mirrored images: compared with all results that there can be.
//===----------------------------------------------------------------------===//
#include "dlc/data.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr int64_t channels = 2, height = 3, width = 4, imageSize = channels * height * width;
const float fill[channels] = {-1, -2};

using Image = std::vector<float>;

/// Image `sample`: all its pixels differ, from each other and from those of other images.
Image original(int64_t sample) {
  Image image;
  for (int64_t i = 0; i < imageSize; ++i)
    image.push_back(static_cast<float>(sample * imageSize + i));
  return image;
}

/// The image cut out of a padded one, mirrored afterwards: written apart from the loader's way.
Image changed(const Image &image, int64_t padding, int64_t top, int64_t left, bool mirrored,
              const float *border) {
  const int64_t paddedHeight = height + 2 * padding, paddedWidth = width + 2 * padding;
  Image result;
  for (int64_t c = 0; c < channels; ++c) {
    Image padded(static_cast<size_t>(paddedHeight * paddedWidth), border ? border[c] : 0);
    for (int64_t y = 0; y < height; ++y)
      for (int64_t x = 0; x < width; ++x)
        padded[static_cast<size_t>((y + padding) * paddedWidth + x + padding)] =
            image[static_cast<size_t>((c * height + y) * width + x)];
    for (int64_t y = 0; y < height; ++y)
      for (int64_t x = 0; x < width; ++x)
        result.push_back(
            padded[static_cast<size_t>((y + top) * paddedWidth + (mirrored ? width - 1 - x : x) + left)]);
  }
  return result;
}

class Augmented : public testing::Test {
protected:
  explicit Augmented(int64_t samples = 200) : samples(samples) {
    for (int64_t i = 0; i < samples; ++i) {
      Image image = original(i);
      pixels.insert(pixels.end(), image.begin(), image.end());
      labels.push_back(i);
    }
    arrays[0] = {DLC_I64, 1, {samples}, labels.size() * sizeof(int64_t), labels.data()};
    arrays[1] = {
        DLC_F32, 4, {samples, channels, height, width}, pixels.size() * sizeof(float), pixels.data()};
  }

  /// With `made`, of samples that a function makes; else of the arrays.
  dlc_status create(const dlc_augmentation *augmentation, int threads = 0, uint64_t seed = 3,
                    bool made = false) {
    dlc_loader_options options = {};
    options.struct_size = sizeof options;
    options.batch = 7;
    options.seed = seed;
    options.shuffle = 1;
    options.threads = threads;
    options.error = error;
    options.error_bytes = sizeof error;
    options.augmentation = augmentation;
    dlc_loader_destroy(loader);
    if (!made)
      return dlc_loader_create(pointers, 2, &options, &loader);
    const dlc_field fields[2] = {{DLC_I64, 0, {}, 0, 0, 0}, {DLC_F32, 3, {channels, height, width}, 0, 0, 0}};
    const dlc_dataset dataset = {samples, 2, 0, fields, get, this};
    return dlc_loader_create_dataset(&dataset, &options, &loader);
  }
  static dlc_status get(void *, int64_t sample, const dlc_sample *to) {
    const Image image = original(sample);
    std::copy(image.begin(), image.end(), static_cast<float *>(to->fields[1]));
    *static_cast<int64_t *>(to->fields[0]) = sample;
    return DLC_OK;
  }
  ~Augmented() override { dlc_loader_destroy(loader); }

  /// Each sample's image in that epoch.
  std::map<int64_t, Image> epoch(int64_t number) {
    std::map<int64_t, Image> result;
    int64_t rows;
    const void *batch[2];
    EXPECT_EQ(dlc_loader_start(loader, number), DLC_OK);
    while (dlc_loader_next(loader, &rows, batch) == DLC_OK && rows > 0)
      for (int64_t i = 0; i < rows; ++i) {
        const float *image = static_cast<const float *>(batch[1]) + i * imageSize;
        result[static_cast<const int64_t *>(batch[0])[i]] = Image(image, image + imageSize);
      }
    EXPECT_EQ(static_cast<int64_t>(result.size()), samples);
    return result;
  }

  int64_t samples;
  std::vector<float> pixels;
  std::vector<int64_t> labels;
  dlc_array arrays[2];
  const dlc_array *pointers[2] = {&arrays[0], &arrays[1]};
  dlc_loader *loader = nullptr;
  char error[512] = "";
};

TEST_F(Augmented, EveryCropAndBothSidesComeAboutEquallyOften) {
  const dlc_augmentation options = {1, 1, 1, 0, fill};
  ASSERT_EQ(create(&options), DLC_OK) << error;
  std::map<std::vector<int64_t>, int> seen;
  const int epochs = 9;
  for (int e = 0; e < epochs; ++e)
    for (const auto &[sample, image] : epoch(e)) {
      bool found = false;
      for (int64_t top = 0; top <= 2; ++top)
        for (int64_t left = 0; left <= 2; ++left)
          for (bool mirrored : {false, true})
            if (image == changed(original(sample), 1, top, left, mirrored, fill)) {
              ++seen[{top, left, mirrored}];
              found = true;
            }
      ASSERT_TRUE(found) << "sample " << sample << " is no crop of its image";
    }
  EXPECT_EQ(seen.size(), 18u);
  // 1800 images, 100 expected of each kind: five standard deviations are 48.
  for (const auto &[kind, count] : seen)
    EXPECT_NEAR(count, 100, 48) << kind[0] << kind[1] << kind[2];
}

TEST_F(Augmented, BorderIsZeroUnlessSaid) {
  const dlc_augmentation options = {1, 2, 0, 0, nullptr};
  ASSERT_EQ(create(&options), DLC_OK) << error;
  for (const auto &[sample, image] : epoch(0)) {
    bool found = false;
    for (int64_t top = 0; top <= 4; ++top)
      for (int64_t left = 0; left <= 4; ++left)
        found |= image == changed(original(sample), 2, top, left, false, nullptr);
    ASSERT_TRUE(found) << "sample " << sample;
  }
}

TEST_F(Augmented, DependsOnSeedEpochAndSampleOnly) {
  const dlc_augmentation options = {1, 1, 1, 0, fill};
  ASSERT_EQ(create(&options), DLC_OK) << error;
  const auto first = epoch(4), other = epoch(5);
  EXPECT_NE(first, other);
  for (int threads : {1, 3}) {
    ASSERT_EQ(create(&options, threads), DLC_OK) << error;
    EXPECT_EQ(epoch(4), first);
  }
  ASSERT_EQ(create(&options, 0, 4), DLC_OK) << error;
  EXPECT_NE(epoch(4), first);
}

TEST_F(Augmented, ImagesThatAreMadeChangeAsThoseOfArrays) {
  const dlc_augmentation options = {1, 1, 1, 0, fill};
  ASSERT_EQ(create(&options), DLC_OK) << error;
  const auto first = epoch(4);
  for (int threads : {0, 3}) {
    ASSERT_EQ(create(&options, threads, 3, /*made=*/true), DLC_OK) << error;
    EXPECT_EQ(epoch(4), first);
  }
}

TEST_F(Augmented, NothingAskedChangesNothing) {
  const dlc_augmentation options = {1, 0, 0, 0, nullptr};
  ASSERT_EQ(create(&options), DLC_OK) << error;
  for (const auto &[sample, image] : epoch(1))
    EXPECT_EQ(image, original(sample));
}

TEST_F(Augmented, ImagesMayHaveNoChannels) {
  arrays[1].rank = 3;
  arrays[1].shape[1] = channels * height;
  arrays[1].shape[2] = width;
  const dlc_augmentation options = {1, 0, 1, 0, nullptr};
  ASSERT_EQ(create(&options), DLC_OK) << error;
  int mirrored = 0;
  for (const auto &[sample, image] : epoch(1)) {
    const bool isMirrored = image != original(sample);
    mirrored += isMirrored;
    EXPECT_EQ(image, changed(original(sample), 0, 0, 0, isMirrored, nullptr));
  }
  EXPECT_NEAR(mirrored, 100, 40);
}

TEST_F(Augmented, RefusesWhatCannotBe) {
  const float infinite[channels] = {0, INFINITY};
  const struct {
    dlc_augmentation options;
    const char *part;
  } cases[] = {
      {{2, 0, 0, 0, nullptr}, "array 2"},         {{-1, 0, 0, 0, nullptr}, "array -1"},
      {{0, 0, 0, 0, nullptr}, "expected images"}, {{1, 4, 0, 0, nullptr}, "padding is 4"},
      {{1, -1, 0, 0, nullptr}, "padding is -1"},  {{1, 0, 2, 0, nullptr}, "mirror is 2"},
      {{1, 0, 0, 5, nullptr}, "reserved is 5"},   {{1, 1, 0, 0, infinite}, "fill[1]"},
  };
  for (const auto &[options, part] : cases) {
    EXPECT_EQ(create(&options), DLC_INVALID_ARGUMENT);
    EXPECT_NE(std::string(error).find(part), std::string::npos) << error;
    EXPECT_EQ(loader, nullptr);
  }
}

} // namespace
