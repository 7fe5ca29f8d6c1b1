//===- Images.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "runtime/cuda/Images.h"

#include "runtime/core/Memory.h"

#include <cstdio>

namespace dlc::runtime::cuda {

namespace {

bool fits(const dlc_image &image, const Gpu &gpu) {
  if (image.kind == DLC_IMAGE_SIMT || gpu.standIn)
    return image.kind == DLC_IMAGE_SIMT && gpu.standIn;
  const uint32_t sm = image.sm & ~DLC_SM_EXACT;
  if (image.sm & DLC_SM_EXACT)
    return sm == gpu.sm;
  return sm <= gpu.sm && (image.kind == DLC_IMAGE_PTX || sm / 10 == gpu.sm / 10);
}

/// Machine code before text, then what was made for the newer GPU, or for this one alone.
bool isBetter(const dlc_image &image, const dlc_image &other) {
  if (image.kind != other.kind)
    return image.kind == DLC_IMAGE_CUBIN;
  const uint32_t sm = image.sm & ~DLC_SM_EXACT, otherSm = other.sm & ~DLC_SM_EXACT;
  return sm != otherSm ? sm > otherSm : image.sm > other.sm;
}

const dlc_image *best(const dlc_target &target, const Gpu &gpu, const Array<bool> &refused) {
  const dlc_image *found = nullptr;
  for (uint32_t i = 0; i < target.image_count; ++i) {
    const dlc_image &image = target.images[i];
    if (!refused[i] && fits(image, gpu) && (!found || isBetter(image, *found)))
      found = &image;
  }
  return found;
}

} // namespace

bool hasImageFor(const dlc_target &target, const Gpu &gpu) {
  for (uint32_t i = 0; i < target.image_count; ++i)
    if (fits(target.images[i], gpu))
      return true;
  return false;
}

dlc_status loadImage(const dlc_model &model, const dlc_target &target, const Gpu &gpu, Module &module,
                     Error &error) {
  Array<bool> refused;
  if (!refused.allocate(target.image_count))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for an instance", model.name);
  dlc_status status =
      error.fail(DLC_UNSUPPORTED_DEVICE, "%s: the library has no code for the GPU %s", model.name, gpu.name);
  while (const dlc_image *image = best(target, gpu, refused)) {
    char log[512] = "";
    JitOption options[] = {errorLogBuffer, errorLogBytes};
    void *values[] = {log, reinterpret_cast<void *>(sizeof log - 1)};
    const Status answer = gpu.api.cuModuleLoadDataEx(&module, image->data, 2, options, values);
    if (answer == success)
      return DLC_OK;
    module = nullptr;
    log[sizeof log - 1] = '\0';
    status = error.fail(answer == outOfMemory ? DLC_OUT_OF_MEMORY : DLC_UNSUPPORTED_DEVICE,
                        "%s: the driver (CUDA %d.%d) refuses the %s for sm_%u%s on the GPU %s: %s%s%s",
                        model.name, gpu.driverVersion / 1000, gpu.driverVersion % 1000 / 10,
                        image->kind == DLC_IMAGE_PTX ? "PTX" : "code", image->sm & ~DLC_SM_EXACT,
                        image->sm & DLC_SM_EXACT ? "a" : "", gpu.name, Gpu::Answer(gpu, answer).text,
                        *log ? "; its log: " : "", log);
    refused[static_cast<size_t>(image - target.images)] = true;
  }
  return status;
}

} // namespace dlc::runtime::cuda
