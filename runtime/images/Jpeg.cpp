//===- Jpeg.cpp -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes JPEG by libjpeg, which returns from errors by longjmp: what it jumps over has no destructors. It
// paints over damage and only warns; here that is an error, too.
//===----------------------------------------------------------------------===//
#include "runtime/images/Pixels.h"

#include <csetjmp>
#include <cstdio>
#include <jpeglib.h>
// Its numbers depend on what jpeglib.h says of the version.
#include <jerror.h>

namespace dlc::runtime {

namespace {

/// A picture of a few bytes may have thousands of scans, each of which takes the time of decoding it once.
constexpr int mostScans = 500;
constexpr long mostMemory = 1L << 30;

struct JpegReader {
  const FileBytes &file;
  Pixels &pixels;
  Error &error;
  jpeg_decompress_struct jpeg = {};
  jpeg_error_mgr errors = {};
  jpeg_progress_mgr progress = {};
  jmp_buf back;
  dlc_status status = DLC_OK;
  char sentence[JMSG_LENGTH_MAX] = "";

  JpegReader(const FileBytes &file, Pixels &pixels, Error &error)
      : file(file), pixels(pixels), error(error) {}
  JpegReader(const JpegReader &) = delete;
  JpegReader &operator=(const JpegReader &) = delete;
  ~JpegReader() { jpeg_destroy_decompress(&jpeg); }

  static JpegReader &of(j_common_ptr jpeg) { return *static_cast<JpegReader *>(jpeg->client_data); }
  [[noreturn]] static void onError(j_common_ptr jpeg) {
    JpegReader &self = of(jpeg);
    if (jpeg->err->msg_code == JERR_OUT_OF_MEMORY)
      self.status = self.error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to decode it", self.file.name);
    jpeg->err->format_message(jpeg, self.sentence);
    longjmp(self.back, 1);
  }
  /// Levels below 0 are warnings.
  static void onMessage(j_common_ptr jpeg, int level) {
    const int code = jpeg->err->msg_code;
    const bool isHarmless = code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR ||
                            code == JWRN_ADOBE_XFORM || code == JWRN_TOO_MUCH_DATA;
    if (level < 0 && !isHarmless)
      onError(jpeg);
  }
  static void onProgress(j_common_ptr jpeg) {
    if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number <= mostScans)
      return;
    JpegReader &self = of(jpeg);
    snprintf(self.sentence, sizeof self.sentence, "it has more than %d scans", mostScans);
    longjmp(self.back, 1);
  }

  bool read(void (*step)(JpegReader &)) {
    if (setjmp(back))
      return false;
    step(*this);
    return status == DLC_OK;
  }
};

void beginJpeg(JpegReader &reader) {
  reader.jpeg.err = jpeg_std_error(&reader.errors);
  reader.errors.error_exit = JpegReader::onError;
  reader.errors.emit_message = JpegReader::onMessage;
  reader.jpeg.client_data = &reader;
  jpeg_create_decompress(&reader.jpeg);
  reader.jpeg.client_data = &reader;
  reader.progress.progress_monitor = JpegReader::onProgress;
  reader.jpeg.progress = &reader.progress;
  reader.jpeg.mem->max_memory_to_use = mostMemory;
  jpeg_mem_src(&reader.jpeg, reader.file.bytes, reader.file.count);
  jpeg_read_header(&reader.jpeg, TRUE);
  const int colours = reader.jpeg.num_components;
  reader.jpeg.out_color_space = colours == 1 ? JCS_GRAYSCALE : colours == 4 ? JCS_CMYK : JCS_RGB;
  reader.status = reader.pixels.allocate(reader.file.name, reader.jpeg.image_height, reader.jpeg.image_width,
                                         colours == 1 ? 1 : 3, reader.error);
}

/// Four colours of ink on white paper; programs of Adobe write how much of it is missing.
void toRed(const unsigned char *inks, int64_t width, bool isMissing, unsigned char *row) {
  for (int64_t x = 0; x < width; ++x, inks += 4, row += 3) {
    const int black = isMissing ? 255 - inks[3] : inks[3];
    for (int colour = 0; colour < 3; ++colour) {
      const int ink = isMissing ? 255 - inks[colour] : inks[colour], product = ink * (255 - black) + 128,
                value = 255 - black - (((product >> 8) + product) >> 8);
      row[colour] = static_cast<unsigned char>(value < 0 ? 0 : value);
    }
  }
}

void decodeRows(JpegReader &reader) {
  jpeg_decompress_struct &jpeg = reader.jpeg;
  Pixels &pixels = reader.pixels;
  jpeg_start_decompress(&jpeg);
  const auto rowBytes = static_cast<size_t>(pixels.width * pixels.channels);
  JSAMPARRAY inks = nullptr;
  if (jpeg.out_color_components == 4) // of libjpeg's own memory
    inks =
        jpeg.mem->alloc_sarray(reinterpret_cast<j_common_ptr>(&jpeg), JPOOL_IMAGE, jpeg.output_width * 4, 1);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW row = pixels.bytes.data() + jpeg.output_scanline * rowBytes;
    jpeg_read_scanlines(&jpeg, inks ? inks : &row, 1);
    if (inks)
      toRed(inks[0], pixels.width, jpeg.saw_Adobe_marker, row);
  }
  jpeg_finish_decompress(&jpeg);
}

} // namespace

dlc_status decodeJpeg(const FileBytes &file, Pixels &pixels, Error &error) {
  JpegReader reader(file, pixels, error);
  if (reader.read(beginJpeg) && reader.read(decodeRows))
    return DLC_OK;
  if (reader.status != DLC_OK)
    return reader.status;
  return error.fail(DLC_BAD_FILE, "%s: truncated or damaged: libjpeg says: %s", file.name, reader.sentence);
}

} // namespace dlc::runtime
