//===- ImageForm.cpp - images as a model takes them ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/ImageForm.h"
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace dlc::tool::training {

dlc_image_form formOf(const dlc_input &input, const std::string &place) {
  const bool hasChannels = input.rank == 4;
  const dlc_image_form form = {hasChannels ? int32_t(input.shape[1]) : 1, input.dtype == DLC_U8 ? DLC_U8 : 0,
                               input.rank >= 3 ? input.shape[input.rank - 2] : 0,
                               input.rank >= 3 ? input.shape[input.rank - 1] : 0};
  const bool isImage = (input.rank == 3 || hasChannels) && (form.channels == 1 || form.channels == 3) &&
                       (input.dtype == DLC_F32 || input.dtype == DLC_U8);
  if (!isImage)
    throw Failure(
        place + ": has images, and input " + std::string("'") + input.name + "' (" +
        rowText(input.rank, input.shape) + ", " + dtypeName(input.dtype) +
        ") does not say of which size: expected float32 or uint8 of 1 x height x width (grey), 3 x height x "
        "width (red, green, blue) or height x width; a model of rows of numbers begins with a "
        "reshape of such an input (Flatten)");
  return form;
}

dlc_field fieldOf(const dlc_image_form &form) {
  dlc_field field = {};
  field.dtype = form.dtype ? form.dtype : int32_t(DLC_F32);
  field.rank = 3;
  field.shape[0] = form.channels;
  field.shape[1] = form.height;
  field.shape[2] = form.width;
  return field;
}

std::string describeForm(const dlc_image_form &form, int64_t images) {
  const std::string size = std::to_string(form.height) + "x" + std::to_string(form.width);
  return std::to_string(images) + " images, made " + (form.channels == 1 ? "grey" : "red, green and blue") +
         ", resized until they just cover " + size + ", and cropped to it at the centre; pixels are 0 to " +
         (form.dtype ? "255" : "1");
}

Array newArray(int32_t dtype, const std::vector<int64_t> &shape, const std::string &place) {
  Array array;
  array->dtype = dtype;
  array->rank = int32_t(shape.size());
  std::copy(shape.begin(), shape.end(), array->shape);
  array->bytes = size_t(elementCount(uint32_t(array->rank), array->shape)) * elementBytes(uint32_t(dtype));
  array->data = std::malloc(array->bytes);
  if (!array->data)
    throw Failure(place + ": no memory for its samples");
  return array;
}

/// Calls `each` for 0 to count - 1. The first failure, by its number, is thrown.
static void inParallel(int64_t count, const std::function<void(int64_t)> &each) {
  std::atomic<int64_t> next{0};
  std::mutex mutex;
  int64_t failedAt = count;
  std::exception_ptr failure;
  auto work = [&] {
    for (int64_t i; (i = next++) < count;)
      try {
        each(i);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (i < failedAt) {
          failedAt = i;
          failure = std::current_exception();
        }
        next = count; // what began before goes on to its end
      }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::min(std::thread::hardware_concurrency(), 16u); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  if (failure)
    std::rethrow_exception(failure);
}

Array readAll(const Rows &rows, const std::string &place) {
  const dlc_field field = rows.field();
  std::vector<int64_t> shape = {rows.count()};
  shape.insert(shape.end(), field.shape, field.shape + field.rank);
  Array array = newArray(field.dtype, shape, place);
  const size_t bytes = array->bytes / size_t(std::max<int64_t>(rows.count(), 1));
  inParallel(rows.count(),
             [&](int64_t i) { rows.read(i, static_cast<char *>(array->data) + size_t(i) * bytes); });
  return array;
}

} // namespace dlc::tool::training
