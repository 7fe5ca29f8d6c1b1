//===- ImagesTest.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images and folders of them: pixels are those that torchvision makes of the same files, and hostile files
// are refused.
//===----------------------------------------------------------------------===//
#include "dlc/images.hpp"
#include "tests/runtime/TempFolder.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace {

struct Pixels8 {
  int32_t channels, side;
  std::vector<int> expected; ///< of 8 x 8 all pixels; of 16 x 16 the sums of rows
};
struct Case {
  const char *name;
  std::vector<unsigned char> file;
  std::vector<Pixels8> forms;
};
#include "tests/runtime/images.inc"

const Case &caseOf(const std::string &name) {
  for (const Case &one : cases)
    if (one.name == name)
      return one;
  throw std::runtime_error("no case " + name);
}
std::string bytesOfCase(const std::string &name) {
  const std::vector<unsigned char> &file = caseOf(name).file;
  return {file.begin(), file.end()};
}

struct Images : testing::Test {
  ~Images() override { dlc_image_folder_close(images); }

  dlc_status decode(const std::string &file, dlc_image_form form = {3, 0, 8, 8}) {
    values.assign(static_cast<size_t>(form.channels * form.height * form.width), -1);
    return dlc_decode_image(file.data(), file.size(), "it", &form, values.data(), error, sizeof error);
  }
  std::string refused(const std::string &file) {
    EXPECT_EQ(decode(file), DLC_BAD_FILE);
    return error;
  }
  dlc_status open(const dlc_classes *classes = nullptr) {
    dlc_image_folder_close(images);
    return dlc_image_folder_open(folder.file("d").c_str(), classes, &images, error, sizeof error);
  }
  void put(const std::string &name, const std::string &content) {
    std::filesystem::create_directories(std::filesystem::path(folder.file("d/" + name)).parent_path());
    folder.write("d/" + name, content);
  }
  std::string withoutFolder() const { return std::string(error).substr(folder.path.size() + 1); }

  TempFolder folder;
  dlc_image_folder *images = nullptr;
  std::vector<float> values;
  char error[500] = "";
};

TEST_F(Images, PixelsAreThoseOfTorchvision) {
  for (const Case &one : cases)
    for (const Pixels8 &form : one.forms) {
      SCOPED_TRACE(std::string(one.name) + ", " + std::to_string(form.channels) + " channels");
      const std::string file(one.file.begin(), one.file.end());
      ASSERT_EQ(decode(file, {form.channels, 0, form.side, form.side}), DLC_OK) << error;
      std::vector<int> found;
      for (size_t i = 0; i < values.size(); ++i) {
        const float byte = values[i] * 255;
        EXPECT_NEAR(byte, std::round(byte), 1e-4f);
        EXPECT_EQ(values[i], std::round(byte) / 255.0f);
        if (form.side == 8 || i % 16 == 0)
          found.push_back(0);
        found.back() += static_cast<int>(std::round(byte));
      }
      EXPECT_EQ(found, form.expected);
    }
}

TEST_F(Images, AsBytes) {
  const std::string file = bytesOfCase("colours_png"), path = folder.write("a.png", file);
  ASSERT_EQ(decode(file), DLC_OK) << error;
  const dlc_image_form form = {3, DLC_U8, 8, 8};
  std::vector<uint8_t> bytes(3 * 8 * 8 + 1, 77);
  ASSERT_EQ(dlc_decode_image(file.data(), file.size(), "it", &form, bytes.data(), error, sizeof error),
            DLC_OK);
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(static_cast<float>(bytes[i]) / 255.0f, values[i]);
  EXPECT_EQ(bytes.back(), 77);
  dlc_array array;
  ASSERT_EQ(dlc_read_image(path.c_str(), &form, &array, error, sizeof error), DLC_OK) << error;
  EXPECT_EQ(array.dtype, DLC_U8);
  EXPECT_EQ(array.bytes, 3u * 8 * 8);
  EXPECT_EQ(memcmp(array.data, bytes.data(), array.bytes), 0);
  dlc_array_free(&array);
}

TEST_F(Images, ReadAsTheyAreAndInOtherForms) {
  const std::string path = folder.write("a.png", bytesOfCase("colours_png"));
  dlc_image_form form = {3, 0, 0, 0};
  dlc_array array;
  ASSERT_EQ(dlc_read_image(path.c_str(), &form, &array, error, sizeof error), DLC_OK) << error;
  EXPECT_EQ(std::vector<int64_t>(array.shape, array.shape + array.rank),
            (std::vector<int64_t>{1, 3, 19, 30}));
  dlc_array_free(&array);
  // Neither side is the other: 7 x 20 of 19 x 30 are 12 x 20, of which three rows are cut off above.
  form = {1, 0, 7, 20};
  ASSERT_EQ(dlc_read_image(path.c_str(), &form, &array, error, sizeof error), DLC_OK) << error;
  dlc_array whole;
  form = {1, 0, 12, 20};
  ASSERT_EQ(dlc_read_image(path.c_str(), &form, &whole, error, sizeof error), DLC_OK) << error;
  const auto *part = static_cast<float *>(array.data), *all = static_cast<float *>(whole.data);
  EXPECT_EQ(std::vector<float>(part, part + 140), std::vector<float>(all + 2 * 20, all + 9 * 20));
  dlc_array_free(&array);
  dlc_array_free(&whole);
  for (const dlc_image_form &bad :
       {dlc_image_form{2, 0, 8, 8}, dlc_image_form{3, 0, 8, 0}, dlc_image_form{3, 1, 8, 8},
        dlc_image_form{3, 0, -8, -8}, dlc_image_form{3, 0, 65535, 65535}})
    EXPECT_EQ(dlc_read_image(path.c_str(), &bad, &array, error, sizeof error), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_read_image(folder.file("none.png").c_str(), &form, &array, error, sizeof error),
            DLC_IO_ERROR);
}

TEST_F(Images, DamageIsSaid) {
  EXPECT_EQ(refused("GIF89a and more"), "it: is neither a PNG nor a JPEG image");
  EXPECT_EQ(refused(""), "it: is neither a PNG nor a JPEG image");
  for (const Case &one : cases) {
    const std::string file(one.file.begin(), one.file.end());
    for (size_t bytes = 0; bytes + 12 < file.size(); bytes += 1 + file.size() / 50) // PNG's end has 12 bytes
      EXPECT_EQ(decode(file.substr(0, bytes)), DLC_BAD_FILE) << one.name << ", " << bytes;
  }
  std::string png = bytesOfCase("colours_png");
  png[60] = static_cast<char>(png[60] ^ 1);
  EXPECT_NE(refused(png).find("it: truncated or damaged: libpng says: "), std::string::npos) << error;
  std::string jpeg = bytesOfCase("colours_jpeg");
  EXPECT_NE(
      refused(jpeg.substr(0, jpeg.size() - 30)).find("it: truncated or damaged: libjpeg says: Premature end"),
      std::string::npos)
      << error;
}

/// A picture that claims to be much larger than it is must not take the memory or the time.
TEST_F(Images, SizesAreLimited) {
  // The sizes of PNG have a checksum with them, those of JPEG do not.
  std::string jpeg = bytesOfCase("colours_jpeg");
  size_t frame = jpeg.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  for (size_t i = 5; i < 9; ++i)
    jpeg[frame + i] = static_cast<char>(0xff);
  EXPECT_NE(refused(jpeg).find("libjpeg says: "), std::string::npos)
      << error; // libjpeg's own limit is 65,500
  jpeg[frame + 5] = jpeg[frame + 7] = static_cast<char>(0xf0);
  EXPECT_EQ(refused(jpeg),
            "it: is an image of 61695 x 61695 pixels, expected at most 65535 a side and 89478485 in all");
  // A thin line covers a square only where it becomes long: what is cut off is not made.
  std::string line = bytesOfCase("narrow_png");
  ASSERT_EQ(decode(line, {3, 0, 1000, 1000}), DLC_OK) << error;
}

TEST_F(Images, MutationsOfFilesAreReadOrRefused) {
  std::mt19937 random(7);
  int valid = 0, refusals = 0;
  for (const Case &one : cases)
    for (int i = 0; i < 300; ++i) {
      std::string file(one.file.begin(), one.file.end());
      for (size_t change = 0; change <= i % 3u; ++change)
        file[random() % file.size()] = static_cast<char>(random());
      const dlc_status status = decode(file);
      ASSERT_TRUE(status == DLC_OK || (status == DLC_BAD_FILE && *error)) << status;
      ++(status == DLC_OK ? valid : refusals);
    }
  EXPECT_GT(valid, 50);
  EXPECT_GT(refusals, 1000);
}

TEST_F(Images, FoldersAreClasses) {
  put("dog/b.PNG", bytesOfCase("grey_png"));
  put("dog/a.jpeg", bytesOfCase("colours_jpeg"));
  put("cat/x/1.png", bytesOfCase("colours_png"));
  put("cat/x2/1.png", bytesOfCase("palette_png"));
  put("cat/x/y/0.jpg", bytesOfCase("grey_jpeg"));
  put("cat/z.png", bytesOfCase("alpha_png"));
  put("cat/.hidden.png", "nothing");
  put("cat/notes.txt", "nothing");
  put("readme.txt", "nothing");
  ASSERT_EQ(open(), DLC_OK) << error;
  const dlc_classes *classes = dlc_image_folder_classes(images);
  ASSERT_EQ(dlc_classes_count(classes), 2);
  EXPECT_STREQ(dlc_classes_name(classes, 0), "cat");
  std::vector<std::string> found;
  for (int64_t i = 0; i < dlc_image_folder_count(images); ++i)
    found.push_back(std::to_string(dlc_image_folder_label(images, i)) + " " +
                    std::string(dlc_image_folder_path(images, i)).substr(folder.file("d/").size()));
  // The order of torchvision.datasets.ImageFolder.
  EXPECT_EQ(found, (std::vector<std::string>{"0 cat/z.png", "0 cat/x/1.png", "0 cat/x/y/0.jpg",
                                             "0 cat/x2/1.png", "1 dog/a.jpeg", "1 dog/b.PNG"}));
  EXPECT_EQ(dlc_image_folder_path(images, 6), nullptr);
  EXPECT_EQ(dlc_image_folder_label(images, -1), -1);

  const dlc_image_form form = {3, 0, 8, 8};
  dlc_dataset dataset;
  ASSERT_EQ(dlc_image_folder_dataset(images, &form, &dataset, error, sizeof error), DLC_OK) << error;
  dlc_loader_options options = {};
  options.struct_size = sizeof options;
  options.batch = 4;
  options.threads = 2;
  dlc_loader *loader;
  ASSERT_EQ(dlc_loader_create_dataset(&dataset, &options, &loader), DLC_OK);
  dlc_loader_start(loader, 0);
  int64_t rows, sample = 0;
  const void *batch[2];
  while (dlc_loader_next(loader, &rows, batch) == DLC_OK && rows > 0)
    for (int64_t row = 0; row < rows; ++row, ++sample) {
      values.resize(192);
      ASSERT_EQ(dlc_image_folder_read(images, sample, &form, values.data(), error, sizeof error), DLC_OK);
      const auto *image = static_cast<const float *>(batch[0]) + row * 192;
      EXPECT_EQ(std::vector<float>(image, image + 192), values);
      EXPECT_EQ(static_cast<const int64_t *>(batch[1])[row], dlc_image_folder_label(images, sample));
    }
  EXPECT_EQ(sample, 6);
  dlc_loader_destroy(loader);
}

TEST_F(Images, ClassesOfTheTrainingStay) {
  put("b/1.png", bytesOfCase("grey_png"));
  const char *const words[] = {"a", "b", "c"};
  dlc_classes *classes;
  ASSERT_EQ(dlc_classes_create(words, 3, &classes, error, sizeof error), DLC_OK);
  ASSERT_EQ(open(classes), DLC_OK) << error;
  EXPECT_EQ(dlc_image_folder_label(images, 0), 1);
  put("d/1.png", bytesOfCase("grey_png"));
  EXPECT_EQ(open(classes), DLC_BAD_FILE);
  EXPECT_EQ(withoutFolder(), "d: its subfolder 'd' is none of the 3 classes that the training had");
  dlc_classes_free(classes);
}

TEST_F(Images, FoldersThatAreNone) {
  std::filesystem::create_directories(folder.file("d"));
  EXPECT_EQ(open(), DLC_BAD_FILE);
  EXPECT_EQ(withoutFolder(), "d: has no images (.png, .jpg, .jpeg) and no subfolders of them");
  put("1.png", bytesOfCase("grey_png"));
  ASSERT_EQ(open(), DLC_OK) << error;
  EXPECT_EQ(dlc_image_folder_classes(images), nullptr);
  EXPECT_EQ(dlc_image_folder_label(images, 0), -1);
  std::filesystem::create_directories(folder.file("d/empty"));
  EXPECT_EQ(open(), DLC_BAD_FILE);
  EXPECT_EQ(withoutFolder(), "d: the subfolder of class 'empty' has no images (.png, .jpg, .jpeg)");
  put("empty/1.WebP", "RIFF");
  EXPECT_EQ(open(), DLC_BAD_FILE);
  EXPECT_EQ(withoutFolder(),
            "d/empty/1.WebP: is an image of another kind, expected PNG and JPEG: convert it");
  std::filesystem::remove(folder.file("d/empty/1.WebP"));
  std::filesystem::create_directory_symlink("..", folder.file("d/empty/up"));
  EXPECT_EQ(open(), DLC_BAD_FILE);
  EXPECT_NE(withoutFolder().find("more than 32 folders in each other"), std::string::npos) << error;
  EXPECT_EQ(dlc_image_folder_open(folder.file("absent").c_str(), nullptr, &images, error, sizeof error),
            DLC_IO_ERROR);
}

TEST_F(Images, InCpp) {
  put("b/1.png", bytesOfCase("grey_png"));
  put("b/2.png", bytesOfCase("colours_png"));
  const dlc::data::ImageFolder pictures(folder.file("d"), dlc::data::image_form(1, 8, 8), {"a", "b"});
  EXPECT_EQ(pictures.classes(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(pictures.label(1), 1);
  dlc_loader_options options = {};
  options.batch = 2;
  dlc::data::Loader loader(pictures, options);
  for (auto [pixels, labels] : loader) {
    EXPECT_EQ(pixels.shape, (std::vector<int64_t>{2, 1, 8, 8}));
    EXPECT_EQ(static_cast<const int64_t *>(labels.data)[0], 1);
    const dlc::data::Array one = dlc::data::read_image(pictures.path(1), dlc::data::image_form(1, 8, 8));
    EXPECT_EQ(std::vector<float>(one.data<float>(), one.data<float>() + 64),
              std::vector<float>(static_cast<const float *>(pixels.data) + 64,
                                 static_cast<const float *>(pixels.data) + 128));
  }
  EXPECT_THROW(dlc::data::ImageFolder(folder.file("absent"), dlc::data::image_form(1, 8, 8)),
               dlc::data::Error);
  folder.write("d/b/3.png", "no image");
  const dlc::data::ImageFolder damaged(folder.file("d"), dlc::data::image_form(1, 8, 8));
  dlc::data::Loader fails(damaged, options);
  fails.start(0);
  EXPECT_EQ(fails.next(), 2);
  EXPECT_THROW(fails.next(), dlc::data::Error);
}

} // namespace
