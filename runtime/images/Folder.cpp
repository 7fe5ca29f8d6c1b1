//===- Folder.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder of images as a data set.
//===----------------------------------------------------------------------===//
#include "runtime/images/Folder.h"
#include "runtime/data/Answer.h"

#include <cinttypes>
#include <cstdio>

using dlc::runtime::Error;

struct dlc_image_folder {
  ~dlc_image_folder() { dlc_classes_free(classes); }

  dlc::runtime::ImageList list;
  dlc_classes *classes = nullptr;
  dlc_image_form form = {}; ///< of the data set
  dlc_field fields[2] = {};
};

namespace {

dlc_status copyClasses(const dlc_classes *from, dlc_classes **to, Error &error) {
  dlc::runtime::Array<const char *> words;
  for (int64_t i = 0; i < dlc_classes_count(from); ++i)
    if (!words.append(dlc_classes_name(from, i)))
      return error.fail(DLC_OUT_OF_MEMORY, "no memory for the classes");
  char text[256] = "";
  const dlc_status status =
      dlc_classes_create(words.data(), static_cast<int64_t>(words.size()), to, text, sizeof text);
  return status == DLC_OK ? DLC_OK : error.fail(status, "%s", text);
}

dlc_status addClass(const char *path, const char *name, dlc_image_folder &folder, Error &error) {
  const int64_t label = dlc_classes_find(folder.classes, name);
  const dlc::runtime::Printable word(name);
  if (label < 0)
    return error.fail(DLC_BAD_FILE,
                      "%s: its subfolder '%s' is none of the %" PRId64 " classes that the training had", path,
                      word.text, dlc_classes_count(folder.classes));
  const size_t before = folder.list.files.size(), bytes = strlen(path) + strlen(name) + 2;
  dlc::runtime::Array<char> place;
  if (!place.allocate(bytes))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for the names of its files", path);
  snprintf(place.data(), bytes, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", name);
  if (dlc_status status = folder.list.add(place.data(), /*isDeep=*/true, label, error))
    return status;
  return folder.list.files.size() > before
             ? DLC_OK
             : error.fail(DLC_BAD_FILE, "%s: the subfolder of class '%s' has no images (.png, .jpg, .jpeg)",
                          path, word.text);
}

dlc_status openFolder(const char *path, const dlc_classes *classes, dlc_image_folder &folder, Error &error) {
  if (!path || !*path)
    return error.fail(DLC_INVALID_ARGUMENT, "the path of the folder of images is NULL or empty");
  dlc::runtime::FolderNames subfolders;
  if (dlc_status status = subfolders.read(path, error))
    return status;
  if (subfolders.names.size() == 0) {
    if (dlc_status status = folder.list.add(path, /*isDeep=*/false, -1, error))
      return status;
    return folder.list.files.size() > 0
               ? DLC_OK
               : error.fail(DLC_BAD_FILE, "%s: has no images (.png, .jpg, .jpeg) and no subfolders of them",
                            path);
  }
  char text[256] = "";
  if (classes) {
    if (dlc_status status = copyClasses(classes, &folder.classes, error))
      return status;
  } else if (dlc_status status =
                 dlc_classes_create(subfolders.names.data(), static_cast<int64_t>(subfolders.names.size()),
                                    &folder.classes, text, sizeof text)) {
    return error.fail(status, "%s: %s", path, text);
  }
  for (const char *name : subfolders.names)
    if (dlc_status status = addClass(path, name, folder, error))
      return status;
  return DLC_OK;
}

const dlc::runtime::ImageFile *fileOf(const dlc_image_folder *folder, int64_t image) {
  return image >= 0 && image < dlc_image_folder_count(folder)
             ? &folder->list.files[static_cast<size_t>(image)]
             : nullptr;
}

dlc_status readFile(const dlc_image_folder *folder, int64_t image, const dlc_image_form *form, void *to,
                    Error &error) {
  const dlc::runtime::ImageFile *file = fileOf(folder, image);
  if (!file || !to)
    return error.fail(DLC_INVALID_ARGUMENT, "image %" PRId64 ", expected 0 to %" PRId64 ", and memory for it",
                      image, dlc_image_folder_count(folder) - 1);
  if (dlc_status status = dlc::runtime::checkForm(form, /*isSized=*/true, error))
    return status;
  dlc::runtime::Array<unsigned char> bytes;
  dlc::runtime::Pixels pixels;
  if (dlc_status status = dlc::runtime::readBytes(file->path, bytes, error))
    return status;
  if (dlc_status status =
          dlc::runtime::readImage({file->path, bytes.data(), bytes.size()}, *form, pixels, error))
    return status;
  dlc::runtime::toPlanes(pixels, *form, to);
  return DLC_OK;
}

/// Reads a sample for the data set.
dlc_status getImage(void *context, int64_t sample, const dlc_sample *to) {
  const auto *folder = static_cast<const dlc_image_folder *>(context);
  if (folder->classes)
    *static_cast<int64_t *>(to->fields[1]) = dlc_image_folder_label(folder, sample);
  return dlc_image_folder_read(folder, sample, &folder->form, to->fields[0], to->error, to->error_bytes);
}

dlc_status makeDataset(dlc_image_folder *folder, const dlc_image_form *form, dlc_dataset *out, Error &error) {
  if (!folder || !out)
    return error.fail(DLC_INVALID_ARGUMENT, "the folder or the data set is NULL");
  if (dlc_status status = dlc::runtime::checkForm(form, /*isSized=*/true, error))
    return status;
  folder->form = *form;
  dlc_field image = {}, label = {};
  image.dtype = dlc::runtime::dtypeOf(*form);
  image.rank = 3;
  image.shape[0] = form->channels;
  image.shape[1] = form->height;
  image.shape[2] = form->width;
  label.dtype = DLC_I64;
  folder->fields[0] = image;
  folder->fields[1] = label;
  *out = {dlc_image_folder_count(folder), folder->classes ? 2 : 1, 0, folder->fields, getImage, folder};
  return DLC_OK;
}

/// A sentence where `call` fails.
template <typename Call> dlc_status answered(char *error, size_t error_bytes, const Call &call) {
  if (error && error_bytes)
    error[0] = 0;
  Error sentence;
  const dlc_status status = call(sentence);
  if (status != DLC_OK)
    sentence.copyTo(error, error_bytes);
  return status;
}

} // namespace

extern "C" {

dlc_status dlc_image_folder_open(const char *path, const dlc_classes *classes, dlc_image_folder **out,
                                 char *error, size_t error_bytes) {
  return dlc::runtime::answerObject(
      out, error, error_bytes, "a folder of images", dlc_image_folder_close,
      [&](dlc_image_folder &folder, Error &sentence) { return openFolder(path, classes, folder, sentence); });
}

int64_t dlc_image_folder_count(const dlc_image_folder *folder) {
  return folder ? static_cast<int64_t>(folder->list.files.size()) : 0;
}

const char *dlc_image_folder_path(const dlc_image_folder *folder, int64_t image) {
  const dlc::runtime::ImageFile *file = fileOf(folder, image);
  return file ? file->path : nullptr;
}

int64_t dlc_image_folder_label(const dlc_image_folder *folder, int64_t image) {
  const dlc::runtime::ImageFile *file = fileOf(folder, image);
  return file ? file->label : -1;
}

const dlc_classes *dlc_image_folder_classes(const dlc_image_folder *folder) {
  return folder ? folder->classes : nullptr;
}

dlc_status dlc_image_folder_read(const dlc_image_folder *folder, int64_t image, const dlc_image_form *form,
                                 void *to, char *error, size_t error_bytes) {
  return answered(error, error_bytes,
                  [&](Error &sentence) { return readFile(folder, image, form, to, sentence); });
}

dlc_status dlc_image_folder_dataset(dlc_image_folder *folder, const dlc_image_form *form, dlc_dataset *out,
                                    char *error, size_t error_bytes) {
  return answered(error, error_bytes,
                  [&](Error &sentence) { return makeDataset(folder, form, out, sentence); });
}

void dlc_image_folder_close(dlc_image_folder *folder) { dlc::runtime::destroyObjects(folder, 1); }

} // extern "C"
