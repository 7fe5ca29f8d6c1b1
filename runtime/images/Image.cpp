//===- Image.cpp ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One image, from its file to numbers.
//===----------------------------------------------------------------------===//
#include "runtime/core/DType.h"
#include "runtime/core/File.h"
#include "runtime/data/Answer.h"
#include "runtime/images/Pixels.h"

#include <cinttypes>

namespace dlc::runtime {

dlc_status checkForm(const dlc_image_form *form, bool isSized, Error &error) {
  if (!form || (form->channels != 1 && form->channels != 3))
    return error.fail(DLC_INVALID_ARGUMENT, "an image has 1 channel or 3, got %d", form ? form->channels : 0);
  if (form->dtype != 0 && form->dtype != DLC_U8)
    return error.fail(DLC_INVALID_ARGUMENT, "an image is of dtype 0 (float32) or DLC_U8, got %d",
                      form->dtype);
  const int64_t height = form->height, width = form->width;
  if (!isSized && height == 0 && width == 0)
    return DLC_OK;
  if (height < 1 || width < 1 || height > mostSide || width > mostSide || height * width > mostPixels)
    return error.fail(DLC_INVALID_ARGUMENT,
                      "images of %" PRId64 " x %" PRId64 " pixels: expected 1 to %" PRId64
                      " a side and at most %" PRId64 " in all",
                      height, width, mostSide, mostPixels);
  return DLC_OK;
}

dlc_status readImage(const FileBytes &file, const dlc_image_form &form, Pixels &pixels, Error &error) {
  if (dlc_status status = decode(file, pixels, error))
    return status;
  if (dlc_status status = recolour(file.name, pixels, form.channels, error))
    return status;
  return form.height ? resize(file.name, pixels, form.height, form.width, error) : DLC_OK;
}

dlc_status readBytes(const char *path, Array<unsigned char> &bytes, Error &error) {
  constexpr uint64_t most = uint64_t{1} << 30;
  InputFile file;
  if (dlc_status status = file.open(path, error))
    return status;
  if (file.size() > most)
    return error.fail(DLC_BAD_FILE, "%s: has %" PRIu64 " bytes, expected an image of at most %" PRIu64, path,
                      file.size(), most);
  if (!bytes.allocate(static_cast<size_t>(file.size())))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to read it", path);
  return file.readAt(0, bytes.data(), bytes.size(), error);
}

namespace {

dlc_status readArray(const char *path, const dlc_image_form *form, dlc_array &out, Error &error) {
  if (!path)
    return error.fail(DLC_INVALID_ARGUMENT, "the path of the image is NULL");
  if (dlc_status status = checkForm(form, /*isSized=*/false, error))
    return status;
  Array<unsigned char> bytes;
  Pixels pixels;
  if (dlc_status status = readBytes(path, bytes, error))
    return status;
  if (dlc_status status = readImage({path, bytes.data(), bytes.size()}, *form, pixels, error))
    return status;
  out.dtype = dtypeOf(*form);
  out.rank = 4;
  const int64_t shape[] = {1, pixels.channels, pixels.height, pixels.width};
  memcpy(out.shape, shape, sizeof shape);
  out.bytes = pixels.bytes.size() * dtypeBytes(static_cast<uint32_t>(out.dtype));
  out.data = malloc(out.bytes);
  if (!out.data)
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for its pixels", path);
  toPlanes(pixels, *form, out.data);
  return DLC_OK;
}

dlc_status decodeImage(const FileBytes &file, const dlc_image_form *form, void *to, Error &error) {
  if (!file.bytes || !to)
    return error.fail(DLC_INVALID_ARGUMENT, "the image or its place is NULL");
  if (dlc_status status = checkForm(form, /*isSized=*/true, error))
    return status;
  Pixels pixels;
  if (dlc_status status = readImage(file, *form, pixels, error))
    return status;
  toPlanes(pixels, *form, to);
  return DLC_OK;
}

} // namespace
} // namespace dlc::runtime

extern "C" {

dlc_status dlc_read_image(const char *path, const dlc_image_form *form, dlc_array *out, char *error,
                          size_t error_bytes) {
  return dlc::runtime::answerArray(out, error, error_bytes,
                                   [&](dlc_array &array, dlc::runtime::Error &sentence) {
                                     return dlc::runtime::readArray(path, form, array, sentence);
                                   });
}

dlc_status dlc_decode_image(const void *bytes, size_t count, const char *name, const dlc_image_form *form,
                            void *to, char *error, size_t error_bytes) {
  if (error && error_bytes)
    error[0] = 0;
  dlc::runtime::Error sentence;
  const dlc::runtime::FileBytes file = {name ? name : "an image", static_cast<const unsigned char *>(bytes),
                                        count};
  const dlc_status status = dlc::runtime::decodeImage(file, form, to, sentence);
  if (status != DLC_OK)
    sentence.copyTo(error, error_bytes);
  return status;
}

} // extern "C"
