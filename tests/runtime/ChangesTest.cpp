//===- ChangesTest.cpp ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of images beside those of torchvision, what is drawn for them, and batches that are mixed.
//===----------------------------------------------------------------------===//
#include "dlc/data.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace {

constexpr int64_t high = 6, wide = 7;

struct Moved {
  int64_t channels;
  dlc_affine place;
  std::vector<float> expected;
};
struct Colored {
  int64_t channels;
  dlc_adjustment what;
  double factor;
  std::vector<float> expected;
};
#include "tests/runtime/changes.inc"

std::vector<float> imageOf(int64_t channels, int64_t first = 0) {
  std::vector<float> values;
  for (int64_t i = first; i < first + channels * high * wide; ++i)
    values.push_back(static_cast<float>((i * i * 37 + i * 11) % 101) / 100.0f);
  return values;
}

/// The largest difference.
float distance(const std::vector<float> &a, const std::vector<float> &b) {
  float most = a.size() == b.size() ? 0 : INFINITY;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i)
    most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

std::vector<float> changedBy(const char *text, const std::vector<float> &image, int64_t channels,
                             uint64_t seed, const float *black = nullptr, const float *white = nullptr) {
  dlc_changes *changes = nullptr;
  char error[500];
  EXPECT_EQ(dlc_changes_create(text, channels, high, wide, black, white, &changes, error, sizeof error),
            DLC_OK)
      << error;
  std::vector<float> result(image.size());
  EXPECT_EQ(dlc_changes_apply(changes, seed, image.data(), result.data()), DLC_OK);
  dlc_changes_free(changes);
  return result;
}

TEST(Changes, MovesAreThoseOfTorchvision) {
  for (const Moved &one : moved) {
    const std::vector<float> image = imageOf(one.channels);
    std::vector<float> result(image.size());
    ASSERT_EQ(dlc_image_affine(image.data(), one.channels, high, wide, &one.place, result.data()), DLC_OK);
    EXPECT_LT(distance(result, one.expected), 2e-5f) << one.place.angle;
  }
}

TEST(Changes, ColorsAreThoseOfTorchvision) {
  for (const Colored &one : colored) {
    std::vector<float> image = imageOf(one.channels);
    ASSERT_EQ(dlc_image_adjust(image.data(), one.channels, high, wide, one.what, one.factor), DLC_OK);
    EXPECT_LT(distance(image, one.expected), 2e-5f) << one.what << " " << one.factor << " " << one.channels;
  }
}

TEST(Changes, OutOfRange) {
  std::vector<float> image = imageOf(2), to(image.size());
  const dlc_affine still = {0, 0, 0, 1, 0, 0}, thin = {0, 0, 0, 0, 0, 0}, flat = {0, 0, 0, 1, 90, 0},
                   far = {0, 1e300, 0, 1, 0, 0};
  EXPECT_EQ(dlc_image_affine(image.data(), 2, high, wide, &still, to.data()), DLC_OK);
  EXPECT_EQ(to, image);
  EXPECT_EQ(dlc_image_affine(image.data(), 2, high, wide, &far, to.data()), DLC_OK);
  EXPECT_EQ(to, std::vector<float>(image.size()));
  for (const dlc_affine &bad : {thin, flat})
    EXPECT_EQ(dlc_image_affine(image.data(), 2, high, wide, &bad, to.data()), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_image_affine(image.data(), 2, high, wide, &still, image.data()), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_image_adjust(image.data(), 2, high, wide, DLC_HUE, 0.1), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_image_adjust(image.data(), 1, high, wide, DLC_HUE, 0.6), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_image_adjust(image.data(), 1, high, wide, DLC_CONTRAST, -1), DLC_INVALID_ARGUMENT);
}

/// What is drawn stays in its range and goes over all of it.
TEST(Changes, DrawsOverTheWholeRange) {
  std::vector<float> image(high * wide, 0.5f);
  double least = 1, most = 0;
  int stays = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const float value = changedBy("color:0.4", image, 1, seed)[0];
    least = std::min<double>(least, value);
    most = std::max<double>(most, value);
    stays += changedBy("erase:0.25", image, 1, seed) == image;
  }
  EXPECT_NEAR(least, 0.3, 0.005);
  EXPECT_NEAR(most, 0.7, 0.005);
  EXPECT_NEAR(stays, 300, 35);
  // Erased: one rectangle of black, whose area is a share of the whole.
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const std::vector<float> erased = changedBy("erase:1", image, 1, seed);
    int64_t top = high, left = wide, bottom = -1, right = -1, black = 0;
    for (int64_t i = 0; i < high * wide; ++i)
      if (erased[static_cast<size_t>(i)] == 0) {
        top = std::min(top, i / wide), bottom = std::max(bottom, i / wide);
        left = std::min(left, i % wide), right = std::max(right, i % wide);
        ++black;
      }
    EXPECT_EQ(black, bottom < 0 ? 0 : (bottom - top + 1) * (right - left + 1));
    EXPECT_LE(black, high * wide * 2 / 5);
  }
  // Turned by no degree: nothing changes.
  image = imageOf(3);
  EXPECT_EQ(changedBy("rotate:0", image, 3, 1), image);
  EXPECT_EQ(changedBy("affine:0", image, 3, 1), image);
  EXPECT_NE(changedBy("rotate:30", image, 3, 1), changedBy("rotate:30", image, 3, 2));
  EXPECT_EQ(changedBy("rotate:30,color:0.2/0.2/0.2/0.1", image, 3, 1),
            changedBy("rotate:30,color:0.2/0.2/0.2/0.1", image, 3, 1));
}

/// A normalized image is changed as it was before.
TEST(Changes, BlackAndWhiteOfNormalizedImages) {
  const std::vector<float> image = imageOf(3);
  const float mean[] = {0.4f, 0.5f, 0.6f}, deviation[] = {0.2f, 0.3f, 0.25f};
  float black[3], white[3];
  std::vector<float> normalized = image;
  for (int c = 0; c < 3; ++c) {
    black[c] = -mean[c] / deviation[c];
    white[c] = (1 - mean[c]) / deviation[c];
  }
  dlc::data::normalize(normalized.data(), high * wide, {mean, mean + 3}, {deviation, deviation + 3});
  for (const char *text :
       {"crop:2,flip", "rotate:40", "affine:10/0.2/0.8/1.2/10", "color:0.5/0.5/0.5/0.2", "erase:1"})
    for (uint64_t seed = 0; seed < 20; ++seed) {
      std::vector<float> expected = changedBy(text, image, 3, seed);
      dlc::data::normalize(expected.data(), high * wide, {mean, mean + 3}, {deviation, deviation + 3});
      EXPECT_LT(distance(changedBy(text, normalized, 3, seed, black, white), expected), 2e-5f) << text;
    }
}

TEST(Changes, TextsThatAreNone) {
  char error[500];
  int32_t mixes = -1;
  EXPECT_EQ(dlc_changes_check("crop:4,flip,rotate:15,affine:10/0.1,color:1/1/1/0.5,erase", &mixes, error,
                              sizeof error),
            DLC_OK);
  EXPECT_EQ(mixes, 0);
  EXPECT_EQ(dlc_changes_check("cutmix,mixup:0.4", &mixes, error, sizeof error), DLC_OK);
  EXPECT_EQ(mixes, 1);
  for (const char *text : {"",
                           ",",
                           "flip,",
                           "turn",
                           "rotate",
                           "rotate:",
                           "rotate:x",
                           "rotate:-1",
                           "rotate:361",
                           "rotate:1/2",
                           "crop:0",
                           "crop:1.5",
                           "crop:0x4",
                           "crop:99999",
                           "flip:1",
                           "flip,flip",
                           "crop:1,crop:2",
                           "color:",
                           "color:0.1/",
                           "color:0.1//0.2",
                           "color:0/0/0/0.6",
                           "affine:1/0/2/1",
                           "affine:1/2",
                           "erase:2",
                           "mixup:0",
                           "mixup,mixup",
                           "rotate:nan",
                           "rotate:inf",
                           "rotate:1e",
                           "affine:0/0/0/0/0/0"})
    EXPECT_TRUE(dlc_changes_check(text, nullptr, error, sizeof error) == DLC_INVALID_ARGUMENT && *error)
        << text;
  EXPECT_EQ(dlc_changes_check("flip,rotate", nullptr, error, sizeof error), DLC_INVALID_ARGUMENT);
  EXPECT_STREQ(error, "expected rotate:DEGREES with numbers in their ranges, got 'rotate'");
  dlc_changes *changes;
  EXPECT_EQ(dlc_changes_create("color:1", 2, high, wide, nullptr, nullptr, &changes, error, sizeof error),
            DLC_INVALID_ARGUMENT);
  EXPECT_STREQ(error, "augmentation: 'color' changes images of 1 or 3 channels, these have 2");
  EXPECT_EQ(dlc_changes_create("crop:9", 1, high, wide, nullptr, nullptr, &changes, error, sizeof error),
            DLC_INVALID_ARGUMENT);
  ASSERT_EQ(dlc_changes_create("mixup", 1, high, wide, nullptr, nullptr, &changes, error, sizeof error),
            DLC_OK);
  std::vector<float> image = imageOf(1), to(image.size());
  EXPECT_EQ(dlc_changes_apply(changes, 1, image.data(), to.data()), DLC_INVALID_ARGUMENT);
  dlc_changes_free(changes);
}

/// Images and targets of a loader's batches, by sample.
struct Loaded : testing::Test {
  static constexpr int64_t samples = 23, classes = 4, size = 3 * high * wide;

  Loaded() {
    for (int64_t i = 0; i < samples; ++i) {
      const std::vector<float> image = imageOf(3, i);
      pixels.insert(pixels.end(), image.begin(), image.end());
      for (int64_t c = 0; c < classes; ++c)
        targets.push_back(i % classes == c);
    }
    images = {DLC_F32, 4, {samples, 3, high, wide}, pixels.size() * 4, pixels.data()};
    labels = {DLC_F32, 2, {samples, classes}, targets.size() * 4, targets.data()};
  }

  dlc_loader_options optionsFor(const char *text, int32_t threads) {
    dlc_loader_options options = {};
    options.struct_size = sizeof options;
    options.batch = 5;
    options.seed = 3;
    options.shuffle = 1;
    options.threads = threads;
    options.augmentation = &augmentation;
    options.changes = text;
    options.mixed = &mixed;
    int32_t mixes = 0;
    dlc_changes_check(text, &mixes, nullptr, 0);
    options.mixed_count = mixes;
    options.error = error;
    options.error_bytes = sizeof error;
    return options;
  }

  /// All values of an epoch, from batch `first` on.
  std::vector<float> epoch(const char *text, int32_t threads, int64_t first = 0, bool isDataset = false) {
    const dlc_loader_options options = optionsFor(text, threads);
    const dlc_array *arrays[] = {&images, &labels};
    dlc_field fields[2] = {{DLC_F32, 3, {3, high, wide}, 0, 0, 0}, {DLC_F32, 1, {classes}, 0, 0, 0}};
    const dlc_dataset dataset = {samples, 2, 0, fields, get, this};
    dlc_loader *loader = nullptr;
    EXPECT_EQ(isDataset ? dlc_loader_create_dataset(&dataset, &options, &loader)
                        : dlc_loader_create(arrays, 2, &options, &loader),
              DLC_OK)
        << error;
    dlc_loader_start_at(loader, 2, first);
    std::vector<float> all;
    int64_t rows;
    const void *batch[2];
    while (dlc_loader_next(loader, &rows, batch) == DLC_OK && rows > 0) {
      const auto *values = static_cast<const float *>(batch[0]),
                 *parts = static_cast<const float *>(batch[1]);
      for (int64_t row = 0; row < rows; ++row) {
        all.insert(all.end(), values + row * size, values + (row + 1) * size);
        all.insert(all.end(), parts + row * classes, parts + (row + 1) * classes);
      }
    }
    dlc_loader_destroy(loader);
    return all;
  }

  static dlc_status get(void *context, int64_t sample, const dlc_sample *to) {
    auto &self = *static_cast<Loaded *>(context);
    std::copy_n(self.pixels.data() + sample * size, size, static_cast<float *>(to->fields[0]));
    std::copy_n(self.targets.data() + sample * classes, classes, static_cast<float *>(to->fields[1]));
    return DLC_OK;
  }

  std::vector<float> pixels, targets;
  dlc_array images, labels;
  dlc_augmentation augmentation = {0, 0, 0, 0, nullptr};
  int32_t mixed = 1;
  char error[500] = "";
};

TEST_F(Loaded, SameBitsWithAnyThreadsFromAnyBatchAndOfDatasets) {
  for (const char *text : {"flip", "rotate:20", "crop:2,affine:10/0.1/0.9/1.1/5,color:0.4/0.4/0.4/0.1,erase",
                           "mixup", "flip,cutmix", "rotate:5,mixup:0.4,cutmix"}) {
    const std::vector<float> one = epoch(text, 0);
    ASSERT_EQ(one.size(), static_cast<size_t>(samples * (size + classes)));
    EXPECT_EQ(epoch(text, 4), one) << text;
    EXPECT_EQ(epoch(text, 3, 0, /*isDataset=*/true), one) << text;
    const std::vector<float> rest(one.begin() + 2 * 5 * (size + classes), one.end());
    EXPECT_EQ(epoch(text, 2, 2), rest) << text;
    EXPECT_NE(one, epoch("rotate:0", 1)) << text;
  }
}

/// Each row is a mixture of its own sample and of the one before in the batch, by one share for the whole
/// batch.
TEST_F(Loaded, MixupMixesWithTheRowBefore) {
  const std::vector<float> plain = epoch("rotate:0", 1), mixture = epoch("mixup:1", 1);
  std::set<float> shares;
  const size_t length = size + classes;
  for (size_t batch = 0; batch < 5; ++batch) {
    const size_t first = batch * 5, rows = batch == 4 ? 3 : 5;
    float share = -1;
    for (size_t row = 0; row < rows; ++row) {
      const float *own = &plain[(first + row) * length],
                  *before = &plain[(first + (row + rows - 1) % rows) * length],
                  *found = &mixture[(first + row) * length];
      for (size_t i = 0; i < length && share < 0; ++i)
        if (std::fabs(own[i] - before[i]) > 0.5f)
          share = (found[i] - before[i]) / (own[i] - before[i]);
      for (size_t i = 0; i < length; ++i)
        ASSERT_NEAR(found[i], share * own[i] + (1 - share) * before[i], 1e-5f);
    }
    EXPECT_TRUE(share > 0 && share < 1) << share;
    shares.insert(share);
  }
  EXPECT_EQ(shares.size(), 5u);
}

/// Each pixel is of one of the two samples, those of the one before are a rectangle, and targets are mixed by
/// its area.
TEST_F(Loaded, CutmixPastesARectangle) {
  const std::vector<float> plain = epoch("rotate:0", 1), mixture = epoch("cutmix", 1);
  const size_t length = size + classes;
  std::set<int64_t> areas;
  for (size_t batch = 0; batch < 5; ++batch) {
    const size_t first = batch * 5, rows = batch == 4 ? 3 : 5;
    std::set<size_t> pasted;
    for (size_t row = 0; row < rows; ++row)
      for (size_t i = 0; i < static_cast<size_t>(size); ++i) {
        const float own = plain[(first + row) * length + i],
                    before = plain[(first + (row + rows - 1) % rows) * length + i],
                    found = mixture[(first + row) * length + i];
        ASSERT_TRUE(found == own || found == before);
        if (found != own)
          pasted.insert(i % (high * wide));
      }
    int64_t top = high, left = wide, bottom = -1, right = -1;
    for (const size_t at : pasted) {
      const auto y = static_cast<int64_t>(at) / wide, x = static_cast<int64_t>(at) % wide;
      top = std::min(top, y), bottom = std::max(bottom, y), left = std::min(left, x),
      right = std::max(right, x);
    }
    const int64_t area = pasted.empty() ? 0 : (bottom - top + 1) * (right - left + 1);
    EXPECT_EQ(static_cast<int64_t>(pasted.size()), area);
    areas.insert(area);
    for (size_t row = 0; row < rows; ++row)
      for (size_t c = size; c < length; ++c) {
        const float share = 1 - static_cast<float>(area) / (high * wide);
        EXPECT_NEAR(mixture[(first + row) * length + c],
                    share * plain[(first + row) * length + c] +
                        (1 - share) * plain[(first + (row + rows - 1) % rows) * length + c],
                    1e-5f);
      }
  }
  EXPECT_GT(areas.size(), 2u);
}

/// Means and variances of the shares that mixup draws: 1/2, and 1 / (4 (2 alpha + 1)).
TEST_F(Loaded, SharesAreOfTheBetaDistribution) {
  for (const double alpha : {0.2, 1.0, 5.0}) {
    const std::string text = "mixup:" + std::to_string(alpha);
    dlc_loader_options options = optionsFor(text.c_str(), 0);
    options.batch = 2;
    options.shuffle = 0;
    const dlc_array *arrays[] = {&images, &labels};
    dlc_loader *loader = nullptr;
    ASSERT_EQ(dlc_loader_create(arrays, 2, &options, &loader), DLC_OK) << error;
    double sum = 0, squares = 0;
    int64_t rows, count = 0;
    const void *batch[2];
    for (int64_t number = 0; number < 500; ++number) {
      dlc_loader_start(loader, number);
      while (dlc_loader_next(loader, &rows, batch) == DLC_OK && rows > 1) {
        // Samples 0 and 1, 2 and 3 ...: of classes that differ; the first one's own class.
        const double share = static_cast<const float *>(batch[1])[count % 11 % 2 == 0 ? 0 : 2];
        sum += share, squares += share * share, ++count;
      }
    }
    dlc_loader_destroy(loader);
    const double mean = sum / static_cast<double>(count),
                 variance = squares / static_cast<double>(count) - mean * mean;
    EXPECT_EQ(count, 5500);
    EXPECT_NEAR(mean, 0.5, 0.02) << alpha;
    EXPECT_NEAR(variance, 1 / (4 * (2 * alpha + 1)), 0.006) << alpha;
  }
}

TEST_F(Loaded, MixedArraysAreChecked) {
  const dlc_array *arrays[] = {&images, &labels};
  dlc_loader *loader;
  auto refused = [&](dlc_loader_options options) {
    EXPECT_EQ(dlc_loader_create(arrays, 2, &options, &loader), DLC_INVALID_ARGUMENT);
    return std::string(error);
  };
  dlc_loader_options options = optionsFor("mixup", 1);
  options.mixed_count = 0;
  EXPECT_EQ(refused(options), "0 arrays are to be mixed, expected one or more for mixup and cutmix");
  options = optionsFor("flip", 1);
  options.mixed_count = 1;
  EXPECT_NE(refused(options).find("expected none without mixup and cutmix"), std::string::npos) << error;
  for (const int32_t bad : {0, 2, -1}) {
    options = optionsFor("mixup", 1);
    options.mixed = &bad;
    EXPECT_NE(refused(options).find("expected another array, of DLC_F32, once"), std::string::npos) << error;
  }
  labels.dtype = DLC_I32;
  EXPECT_NE(refused(optionsFor("mixup", 1)).find("of DLC_F32"), std::string::npos) << error;
  options = optionsFor("flip", 1);
  options.augmentation = nullptr;
  EXPECT_NE(refused(options).find("augmentation is NULL"), std::string::npos) << error;
  options = optionsFor("flip", 1);
  augmentation.mirror = 1;
  EXPECT_NE(refused(options).find("in its fields and in the changes, too"), std::string::npos) << error;
}

} // namespace
