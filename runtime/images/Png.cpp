//===- Png.cpp ------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes PNG by libpng, which returns from errors by longjmp: what it jumps over has no destructors.
//===----------------------------------------------------------------------===//
#include "runtime/images/Pixels.h"

#include <csetjmp>
#include <cstdio>
#include <png.h>

namespace dlc::runtime {

namespace {

struct PngReader {
  const FileBytes &file;
  Pixels &pixels;
  Error &error;
  size_t position = 0;
  png_structp png = nullptr;
  png_infop info = nullptr;
  dlc_status status = DLC_OK;
  char sentence[160] = "";

  explicit PngReader(const FileBytes &file, Pixels &pixels, Error &error)
      : file(file), pixels(pixels), error(error) {}
  PngReader(const PngReader &) = delete;
  PngReader &operator=(const PngReader &) = delete;
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }

  static void onError(png_structp png, png_const_charp text) {
    auto &self = *static_cast<PngReader *>(png_get_error_ptr(png));
    snprintf(self.sentence, sizeof self.sentence, "%s", text);
    png_longjmp(png, 1);
  }
  static void onWarning(png_structp, png_const_charp) {}
  static void onRead(png_structp png, png_bytep to, size_t count) {
    auto &self = *static_cast<PngReader *>(png_get_io_ptr(png));
    if (count > self.file.count - self.position)
      png_error(png, "it ends too early");
    memcpy(to, self.file.bytes + self.position, count);
    self.position += count;
  }

  bool create() {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, onError, onWarning);
    info = png ? png_create_info_struct(png) : nullptr;
    return info != nullptr;
  }
  /// Calls libpng; false where it, or `status`, says why not.
  bool read(void (*step)(PngReader &)) {
    if (setjmp(png_jmpbuf(png)))
      return false;
    step(*this);
    return status == DLC_OK;
  }
};

void readHeader(PngReader &reader) {
  png_structp png = reader.png;
  png_set_read_fn(png, &reader, PngReader::onRead);
  png_set_user_limits(png, mostSide, mostSide);
  png_set_chunk_malloc_max(png, 8 << 20);
  png_set_chunk_cache_max(png, 128);
  png_read_info(png, reader.info);
  const int kind = png_get_color_type(png, reader.info);
  png_set_expand(png); // palettes, and fewer than 8 bits
  png_set_scale_16(png);
  if ((kind & PNG_COLOR_MASK_ALPHA) || png_get_valid(png, reader.info, PNG_INFO_tRNS))
    png_set_strip_alpha(png);
  png_set_interlace_handling(png);
  const bool isGrey = kind == PNG_COLOR_TYPE_GRAY || kind == PNG_COLOR_TYPE_GRAY_ALPHA;
  reader.status = reader.pixels.allocate(reader.file.name, png_get_image_height(png, reader.info),
                                         png_get_image_width(png, reader.info), isGrey ? 1 : 3, reader.error);
  png_read_update_info(png, reader.info);
}

void readRows(PngReader &reader) {
  Pixels &pixels = reader.pixels;
  const auto rowBytes = static_cast<size_t>(pixels.width * pixels.channels);
  if (png_get_rowbytes(reader.png, reader.info) != rowBytes)
    png_error(reader.png, "rows of another size");
  const bool isInterlaced = png_get_interlace_type(reader.png, reader.info) == PNG_INTERLACE_ADAM7;
  for (int pass = 0; pass < (isInterlaced ? PNG_INTERLACE_ADAM7_PASSES : 1); ++pass)
    for (int64_t row = 0; row < pixels.height; ++row)
      png_read_row(reader.png, pixels.bytes.data() + static_cast<size_t>(row) * rowBytes, nullptr);
  png_read_end(reader.png, nullptr);
}

} // namespace

dlc_status decodePng(const FileBytes &file, Pixels &pixels, Error &error) {
  PngReader reader(file, pixels, error);
  if (!reader.create())
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to decode it", file.name);
  if (reader.read(readHeader) && reader.read(readRows))
    return DLC_OK;
  if (reader.status != DLC_OK)
    return reader.status;
  return error.fail(DLC_BAD_FILE, "%s: truncated or damaged: libpng says: %s", file.name, reader.sentence);
}

} // namespace dlc::runtime
