//===- dlc/images.hpp - images in C++ --------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dlc/images.h as classes of C++17, beside those of dlc/data.hpp. A program that includes it links
// libdlc-images.a, libpng and libjpeg as well.
//===----------------------------------------------------------------------===//
#ifndef DLC_IMAGES_HPP
#define DLC_IMAGES_HPP

#include "dlc/data.hpp"
#include "dlc/images.h"

namespace dlc::data {

/// 3 channels or 1, and the height and width that images get; with DLC_U8, their pixels are bytes.
inline dlc_image_form image_form(int32_t channels, int64_t height, int64_t width, dlc_dtype dtype = DLC_F32) {
  return {channels, dtype == DLC_F32 ? 0 : dtype, height, width};
}

/// An image as an array [1][channels][height][width] of numbers from 0 to 1, or of bytes; in a form without a height and a
/// width it stays as large as it is.
inline Array read_image(const std::string &path, const dlc_image_form &form = {3, 0, 0, 0}) {
  return Array::from([&](auto... to) { return dlc_read_image(path.c_str(), &form, to...); });
}

/// The images of a folder, and their classes: the names of the subfolders that they are in.
class ImageFolder : public Dataset {
public:
  /// Lists the files; they are read when their batch is made. `classes`: those of the training, where this
  /// folder is to have their numbers.
  ImageFolder(const std::string &path, const dlc_image_form &form,
              const std::vector<std::string> &classes = {})
      : form(form), folder(nullptr, dlc_image_folder_close) {
    char error[512] = "";
    dlc_image_folder *opened = nullptr;
    std::unique_ptr<dlc_classes, decltype(&dlc_classes_free)> known(nullptr, dlc_classes_free);
    if (!classes.empty()) {
      std::vector<const char *> words;
      for (const std::string &word : classes)
        words.push_back(word.c_str());
      dlc_classes *made = nullptr;
      check(dlc_classes_create(words.data(), static_cast<int64_t>(words.size()), &made, error, sizeof error),
            error);
      known.reset(made);
    }
    check(dlc_image_folder_open(path.c_str(), known.get(), &opened, error, sizeof error), error);
    folder.reset(opened);
    check(dlc_image_folder_dataset(opened, &form, &made, error, sizeof error), error);
  }
  /// The number of images.
  int64_t size() const override { return made.samples; }
  /// The image, and its class where there are any.
  std::vector<dlc_field> fields() const override { return {made.fields, made.fields + made.field_count}; }
  /// Reads an image.
  void get(int64_t sample, Sample &to) const override {
    char error[512] = "";
    check(dlc_image_folder_read(folder.get(), sample, &form, to.field<float>(0), error, sizeof error), error);
    if (made.field_count > 1)
      *to.field<int64_t>(1) = label(sample);
  }
  /// The file of an image.
  std::string path(int64_t image) const {
    const char *text = dlc_image_folder_path(folder.get(), image);
    return text ? text : "";
  }
  /// The class of an image, -1 where there is none.
  int64_t label(int64_t image) const { return dlc_image_folder_label(folder.get(), image); }
  /// The names of the classes, in the order of their numbers.
  std::vector<std::string> classes() const {
    const dlc_classes *all = dlc_image_folder_classes(folder.get());
    std::vector<std::string> names;
    for (int64_t i = 0; i < dlc_classes_count(all); ++i)
      names.push_back(dlc_classes_name(all, i));
    return names;
  }

private:
  static void check(dlc_status status, const char *error) {
    if (status != DLC_OK)
      throw Error(status, error);
  }

  dlc_image_form form;
  std::unique_ptr<dlc_image_folder, decltype(&dlc_image_folder_close)> folder;
  dlc_dataset made = {};
};

} // namespace dlc::data

#endif // DLC_IMAGES_HPP
