//===- Pixels.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Colours and sizes of images, with Pillow's arithmetic, so that each pixel is the one that PyTorch's users
// have.
//===----------------------------------------------------------------------===//
#include "runtime/images/Pixels.h"

#include <cinttypes>
#include <cmath>

namespace dlc::runtime {

dlc_status Pixels::allocate(const char *name, int64_t rows, int64_t columns, int64_t colours, Error &error) {
  if (rows < 1 || columns < 1 || rows > mostSide || columns > mostSide || rows * columns > mostPixels)
    return error.fail(DLC_BAD_FILE,
                      "%s: is an image of %" PRId64 " x %" PRId64 " pixels, expected at most %" PRId64
                      " a side and %" PRId64 " in all",
                      name, rows, columns, mostSide, mostPixels);
  height = rows;
  width = columns;
  channels = colours;
  return bytes.allocate(static_cast<size_t>(rows * columns * colours))
             ? DLC_OK
             : error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for its pixels", name);
}

dlc_status decode(const FileBytes &file, Pixels &pixels, Error &error) {
  if (file.count >= 8 && memcmp(file.bytes, "\x89PNG\r\n\x1a\n", 8) == 0)
    return decodePng(file, pixels, error);
  if (file.count >= 3 && memcmp(file.bytes, "\xff\xd8\xff", 3) == 0)
    return decodeJpeg(file, pixels, error);
  return error.fail(DLC_BAD_FILE, "%s: is neither a PNG nor a JPEG image", file.name);
}

dlc_status recolour(const char *name, Pixels &pixels, int64_t channels, Error &error) {
  if (pixels.channels == channels)
    return DLC_OK;
  const auto count = static_cast<size_t>(pixels.height * pixels.width);
  Array<unsigned char> bytes;
  if (!bytes.allocate(count * static_cast<size_t>(channels)))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for its pixels", name);
  const unsigned char *from = pixels.bytes.data();
  for (size_t i = 0; i < count; ++i) {
    if (channels == 3) {
      memset(bytes.data() + 3 * i, from[i], 3);
      continue;
    }
    const unsigned char *colour = from + 3 * i;
    bytes[i] = static_cast<unsigned char>(
        (colour[0] * 19595u + colour[1] * 38470u + colour[2] * 7471u + 0x8000u) >> 16);
  }
  pixels.bytes.swap(bytes);
  pixels.channels = channels;
  return DLC_OK;
}

namespace {

/// How a row of `from` pixels is resized to `to`: each new pixel is the weighted mean of a window of `count`
/// neighbours, with weights in fixed point.
struct Weights {
  static constexpr int bits = 22;
  struct Window {
    int64_t first, count;
    size_t weights;
  };
  Array<Window> windows;
  Array<int32_t> values;

  /// Makes the windows of `wanted` pixels from `first` on. A pixel's weight falls linearly with its distance,
  /// over one pixel of the larger of both images.
  bool make(int64_t from, int64_t to, int64_t first, int64_t wanted) {
    const double scale = static_cast<double>(from) / static_cast<double>(to), wide = scale < 1 ? 1 : scale;
    if (!windows.allocate(static_cast<size_t>(wanted)))
      return false;
    Array<double> exact;
    if (!exact.allocate(static_cast<size_t>(std::ceil(wide)) * 2 + 1))
      return false;
    for (int64_t i = 0; i < wanted; ++i) {
      const double centre = (static_cast<double>(first + i) + 0.5) * scale;
      auto begin = static_cast<int64_t>(centre - wide + 0.5), end = static_cast<int64_t>(centre + wide + 0.5);
      begin = begin < 0 ? 0 : begin;
      end = end > from ? from : end;
      double sum = 0;
      for (int64_t x = begin; x < end; ++x) {
        const double distance = std::fabs((static_cast<double>(x) - centre + 0.5) * (1 / wide));
        exact[static_cast<size_t>(x - begin)] = distance < 1 ? 1 - distance : 0;
        sum += exact[static_cast<size_t>(x - begin)];
      }
      windows[static_cast<size_t>(i)] = {begin, end - begin, values.size()};
      for (int64_t x = 0; x < end - begin; ++x) {
        const double share = sum != 0 ? exact[static_cast<size_t>(x)] / sum : exact[static_cast<size_t>(x)];
        if (!values.append(static_cast<int32_t>(0.5 + share * (1 << bits))))
          return false;
      }
    }
    return true;
  }

  /// The weighted mean of bytes that lie `step` apart.
  unsigned char sum(const unsigned char *from, size_t step, const Window &window) const {
    const int32_t *weight = values.data() + window.weights;
    from += static_cast<size_t>(window.first) * step;
    int64_t total = int64_t{1} << (bits - 1);
    for (int64_t i = 0; i < window.count; ++i, from += step)
      total += static_cast<int64_t>(*from) * weight[i];
    total >>= bits;
    return static_cast<unsigned char>(total > 255 ? 255 : total);
  }
};

/// `wanted` columns from `first` on, of an image that is made `to` wide.
bool resizeRows(Pixels &pixels, int64_t to, int64_t first, int64_t wanted) {
  Weights weights;
  Array<unsigned char> bytes;
  const auto channels = static_cast<size_t>(pixels.channels), columns = static_cast<size_t>(wanted);
  const auto rows = static_cast<size_t>(pixels.height), before = static_cast<size_t>(pixels.width);
  if (!weights.make(pixels.width, to, first, wanted) || !bytes.allocate(rows * columns * channels))
    return false;
  for (size_t y = 0; y < rows; ++y)
    for (size_t x = 0; x < columns; ++x)
      for (size_t c = 0; c < channels; ++c)
        bytes[(y * columns + x) * channels + c] =
            weights.sum(pixels.bytes.data() + y * before * channels + c, channels, weights.windows[x]);
  pixels.bytes.swap(bytes);
  pixels.width = wanted;
  return true;
}

/// Rows likewise.
bool resizeColumns(Pixels &pixels, int64_t to, int64_t first, int64_t wanted) {
  Weights weights;
  Array<unsigned char> bytes;
  const auto rowBytes = static_cast<size_t>(pixels.width * pixels.channels),
             rows = static_cast<size_t>(wanted);
  if (!weights.make(pixels.height, to, first, wanted) || !bytes.allocate(rows * rowBytes))
    return false;
  for (size_t y = 0; y < rows; ++y)
    for (size_t x = 0; x < rowBytes; ++x)
      bytes[y * rowBytes + x] = weights.sum(pixels.bytes.data() + x, rowBytes, weights.windows[y]);
  pixels.bytes.swap(bytes);
  pixels.height = wanted;
  return true;
}

/// Where a part in the middle begins; halves are rounded to even numbers.
int64_t middle(int64_t whole, int64_t part) {
  return static_cast<int64_t>(std::nearbyint(static_cast<double>(whole - part) / 2));
}

} // namespace

dlc_status resize(const char *name, Pixels &pixels, int64_t height, int64_t width, Error &error) {
  // The side that covers exactly, and the other one in proportion, rounded down.
  int64_t rows = height, columns = width;
  if (pixels.width * height <= pixels.height * width)
    rows = width * pixels.height / pixels.width;
  else
    columns = height * pixels.width / pixels.height;
  // What is cut off is not made, so that a thin line of an image takes no memory.
  if ((columns == pixels.width && columns == width) ||
      resizeRows(pixels, columns, middle(columns, width), width))
    if ((rows == pixels.height && rows == height) ||
        resizeColumns(pixels, rows, middle(rows, height), height))
      return DLC_OK;
  return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for its pixels", name);
}

void toPlanes(const Pixels &pixels, const dlc_image_form &form, void *to) {
  const auto count = static_cast<size_t>(pixels.height * pixels.width),
             channels = static_cast<size_t>(pixels.channels);
  auto *bytes = static_cast<unsigned char *>(to);
  auto *numbers = static_cast<float *>(to);
  for (size_t c = 0; c < channels; ++c)
    for (size_t i = 0; i < count; ++i) {
      const unsigned char pixel = pixels.bytes[i * channels + c];
      if (form.dtype == DLC_U8)
        *bytes++ = pixel;
      else
        *numbers++ = static_cast<float>(pixel) / 255.0f;
    }
}

} // namespace dlc::runtime
