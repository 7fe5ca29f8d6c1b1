//===- Pixels.h -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images as they come out of their files, and what becomes of them.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_IMAGES_PIXELS_H
#define DLC_RUNTIME_IMAGES_PIXELS_H

#include "dlc/images.h"
#include "runtime/core/Error.h"
#include "runtime/core/Memory.h"

namespace dlc::runtime {

constexpr int64_t mostSide = 65535, mostPixels = 89478485;

/// An image in memory: rows of pixels of 1 (grey) or 3 bytes.
struct Pixels {
  int64_t height = 0, width = 0, channels = 0;
  Array<unsigned char> bytes;

  /// Takes memory for it; says why not where it is too large.
  dlc_status allocate(const char *name, int64_t rows, int64_t columns, int64_t colours, Error &error);
};

/// A file in memory.
struct FileBytes {
  const char *name; ///< for messages
  const unsigned char *bytes;
  size_t count;
};

/// Decodes a file of PNG or JPEG. Grey images have 1 channel, all others 3.
dlc_status decode(const FileBytes &file, Pixels &pixels, Error &error);
dlc_status decodePng(const FileBytes &file, Pixels &pixels, Error &error);
dlc_status decodeJpeg(const FileBytes &file, Pixels &pixels, Error &error);

/// Gives an image the form's number of channels.
dlc_status recolour(const char *name, Pixels &pixels, int64_t channels, Error &error);
/// Gives it the form's size.
dlc_status resize(const char *name, Pixels &pixels, int64_t height, int64_t width, Error &error);
/// Its bytes as the form has them, numbers from 0 to 1 or bytes, channel by channel.
void toPlanes(const Pixels &pixels, const dlc_image_form &form, void *to);
/// What a form's elements are.
inline int32_t dtypeOf(const dlc_image_form &form) { return form.dtype ? form.dtype : DLC_F32; }

/// Whether there is such a form; where `isSized`, it must have a height and a width.
dlc_status checkForm(const dlc_image_form *form, bool isSized, Error &error);
/// All of that.
dlc_status readImage(const FileBytes &file, const dlc_image_form &form, Pixels &pixels, Error &error);
/// Reads a whole file, of at most 1 GiB.
dlc_status readBytes(const char *path, Array<unsigned char> &bytes, Error &error);

} // namespace dlc::runtime

#endif
