//===- Cifar.cpp ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the binary files of CIFAR-10 and CIFAR-100: records of fixed size without any header, so a file's
// size and its labels are all that can be checked.
//===----------------------------------------------------------------------===//
#include "runtime/core/File.h"

#include <cinttypes>
#include <cmath>

namespace dlc::runtime {

namespace {

constexpr size_t channels = 3, side = 32, pixelsPerChannel = side * side,
                 pixels = channels * pixelsPerChannel;

class CifarReader {
public:
  CifarReader(int32_t classes, dlc_array &images, dlc_array &labels, Error &error)
      : classes(classes), labelBytes(classes == 100 ? 2 : 1), images(images), labels(labels), error(error) {}

  dlc_status read(const char *const *paths, int32_t pathCount, int64_t imagesPerFile,
                  const dlc_scaling *scaling) {
    if (classes != 10 && classes != 100)
      return error.fail(DLC_INVALID_ARGUMENT, "%d classes, expected 10 or 100", classes);
    if (!paths || pathCount < 1 || imagesPerFile < 0)
      return error.fail(DLC_INVALID_ARGUMENT,
                        "%d files with %" PRId64
                        " images each: expected at least one file, and not less than 0",
                        pathCount, imagesPerFile);
    if (dlc_status status = fillTable(scaling))
      return status;
    int64_t total = 0;
    for (int32_t i = 0; i < pathCount; ++i)
      if (dlc_status status = countImages(paths[i], imagesPerFile, total))
        return status;
    if (dlc_status status = allocate(total))
      return status;
    for (int32_t i = 0; i < pathCount; ++i)
      if (dlc_status status = readFile(paths[i]))
        return status;
    if (next != total)
      return error.fail(DLC_BAD_FILE, "%s: became shorter while it was read", paths[pathCount - 1]);
    return DLC_OK;
  }

private:
  size_t recordBytes() const { return labelBytes + pixels; }

  /// A pixel has 256 values: each is scaled once for each channel.
  dlc_status fillTable(const dlc_scaling *scaling) {
    for (size_t channel = 0; channel < channels; ++channel) {
      dlc_scaling by = scaling ? scaling[channel] : dlc_scaling{1 / 255.0, 0, 1};
      if (!std::isfinite(by.scale) || !std::isfinite(by.mean) || !std::isfinite(by.deviation) ||
          by.deviation == 0)
        return error.fail(
            DLC_INVALID_ARGUMENT,
            "channel %zu: scale %g, mean %g, deviation %g: expected finite numbers and a deviation "
            "that is not 0",
            channel, by.scale, by.mean, by.deviation);
      for (int value = 0; value < 256; ++value)
        table[channel][value] = static_cast<float>((value * by.scale - by.mean) / by.deviation);
    }
    return DLC_OK;
  }

  /// Adds the number of a file's records, which its size says.
  dlc_status countImages(const char *path, int64_t expected, int64_t &total) {
    if (!path)
      return error.fail(DLC_INVALID_ARGUMENT, "the path of a CIFAR file is NULL");
    InputFile file;
    if (dlc_status status = file.open(path, error))
      return status;
    const uint64_t size = file.size(), records = size / recordBytes();
    if (size == 0 || size % recordBytes() != 0)
      return error.fail(DLC_BAD_FILE,
                        "%s: %" PRIu64
                        " bytes, expected whole records of %zu bytes: truncated, or not in the "
                        "binary format of CIFAR-%d (compressed files must be decompressed first)",
                        path, size, recordBytes(), classes);
    if (expected && records != static_cast<uint64_t>(expected))
      return error.fail(DLC_BAD_FILE, "%s: holds %" PRIu64 " images, expected %" PRId64, path, records,
                        expected);
    if (__builtin_add_overflow(total, static_cast<int64_t>(records), &total))
      return error.fail(DLC_BAD_FILE, "%s: too many images", path);
    return DLC_OK;
  }

  dlc_status allocate(int64_t count) {
    images.dtype = DLC_F32;
    images.rank = 4;
    images.shape[0] = count;
    images.shape[1] = channels;
    images.shape[2] = images.shape[3] = side;
    labels.dtype = DLC_I64;
    labels.rank = 1;
    labels.shape[0] = count;
    labels.bytes = static_cast<size_t>(count) * sizeof(int64_t);
    if (__builtin_mul_overflow(static_cast<size_t>(count), pixels * sizeof(float), &images.bytes) ||
        !(images.data = malloc(images.bytes)) || !(labels.data = malloc(labels.bytes)))
      return error.fail(DLC_OUT_OF_MEMORY, "no memory for %" PRId64 " images", count);
    return DLC_OK;
  }

  dlc_status readFile(const char *path) {
    InputFile file;
    if (dlc_status status = file.open(path, error))
      return status;
    constexpr size_t recordsAtOnce = 64;
    Array<unsigned char> window;
    if (!window.allocate(recordsAtOnce * recordBytes()))
      return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to read it", path);
    const uint64_t records = file.size() / recordBytes();
    for (uint64_t first = 0; first < records; first += recordsAtOnce) {
      const size_t now =
          records - first < recordsAtOnce ? static_cast<size_t>(records - first) : recordsAtOnce;
      if (dlc_status status = file.readAt(first * recordBytes(), window.data(), now * recordBytes(), error))
        return status;
      for (size_t i = 0; i < now; ++i)
        if (dlc_status status = takeRecord(window.data() + i * recordBytes(), path, first + i))
          return status;
    }
    return DLC_OK;
  }

  dlc_status takeRecord(const unsigned char *record, const char *path, uint64_t position) {
    const int label = record[labelBytes - 1];
    if (label >= classes)
      return error.fail(DLC_BAD_FILE,
                        "%s: image %" PRIu64
                        " has the label %d, expected less than %d: damaged, or not in the "
                        "binary format of CIFAR-%d",
                        path, position, label, classes, classes);
    if (next == images.shape[0])
      return error.fail(DLC_BAD_FILE, "%s: became longer while it was read", path);
    static_cast<int64_t *>(labels.data)[next] = label;
    float *values = static_cast<float *>(images.data) + static_cast<size_t>(next) * pixels;
    for (size_t channel = 0; channel < channels; ++channel)
      for (size_t i = 0; i < pixelsPerChannel; ++i)
        values[channel * pixelsPerChannel + i] =
            table[channel][record[labelBytes + channel * pixelsPerChannel + i]];
    ++next;
    return DLC_OK;
  }

  int32_t classes;
  size_t labelBytes;
  dlc_array &images, &labels;
  Error &error;
  int64_t next = 0; ///< where the next image goes
  float table[channels][256];
};

} // namespace
} // namespace dlc::runtime

extern "C" dlc_status dlc_read_cifar(const char *const *paths, int32_t path_count, int32_t classes,
                                     int64_t images_per_file, const dlc_scaling *scaling, dlc_array *images,
                                     dlc_array *labels, char *error, size_t error_bytes) {
  if (error && error_bytes)
    error[0] = 0;
  if (images)
    *images = dlc_array{};
  if (labels)
    *labels = dlc_array{};
  if (!images || !labels || images == labels)
    return DLC_INVALID_ARGUMENT;
  dlc::runtime::Error sentence;
  dlc_status status = dlc::runtime::CifarReader(classes, *images, *labels, sentence)
                          .read(paths, path_count, images_per_file, scaling);
  if (status != DLC_OK) {
    dlc_array_free(images);
    dlc_array_free(labels);
    sentence.copyTo(error, error_bytes);
  }
  return status;
}
