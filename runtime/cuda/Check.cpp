//===- Check.cpp ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a description for GPUs is sound, and whether this machine can run it.
//===----------------------------------------------------------------------===//
#include "runtime/core/Target.h"
#include "runtime/cuda/Images.h"
#include "runtime/cuda/Open.h"

namespace dlc::runtime::cuda {

namespace {

bool isKernelSound(const dlc_device_kernel &kernel) {
  return kernel.name && kernel.entry && (kernel.operands || !kernel.operand_count) && kernel.grid >= 1 &&
         kernel.grid <= INT32_MAX && kernel.block >= 1 && kernel.block <= 1024;
}

/// Bytes from the place on that it may use.
uint64_t bytesBehind(const dlc_model &model, const dlc_target &target, dlc_place place) {
  const uint32_t number = placeNumber(place);
  switch (placeKind(place)) {
  case DLC_PLACE_STATE:
    return target.placements[number].bytes - placeOffset(place);
  case DLC_PLACE_INPUT:
    return bytesAtBounds(model.inputs[number]) - placeOffset(place);
  case DLC_PLACE_OUTPUT:
    return bytesAtBounds(model.outputs[number]) - placeOffset(place);
  default:
    return target.arena_bytes - placeOffset(place);
  }
}

bool isLaunchSound(const dlc_model &model, const dlc_target &target, const dlc_function &function,
                   const dlc_launch &launch) {
  if (launch.kernel == DLC_COPY)
    return true;
  const dlc_device_kernel &kernel = target.device_kernels[launch.kernel];
  if (launch.place_count != kernel.operand_count)
    return false;
  for (uint32_t i = 0; i < launch.place_count; ++i)
    if (kernel.operands[i].bytes > bytesBehind(model, target, function.places[launch.first_place + i]))
      return false;
  return true;
}

} // namespace

bool isSound(const dlc_model &model, const dlc_target &target) {
  if (!target.device_kernels || !target.images || !target.image_count)
    return false;
  for (uint32_t i = 0; i < target.kernel_count; ++i)
    if (!isKernelSound(target.device_kernels[i]))
      return false;
  for (uint32_t i = 0; i < target.image_count; ++i)
    if (!target.images[i].data || target.images[i].kind > DLC_IMAGE_SIMT)
      return false;
  for (uint32_t i = 0; i < functionCount(model); ++i)
    for (uint32_t k = 0; k < target.functions[i].launch_count; ++k)
      if (!isLaunchSound(model, target, target.functions[i], target.functions[i].launches[k]))
        return false;
  return true;
}

dlc_status check(const dlc_model &model, const dlc_target &target, const dlc_create_options &options,
                 Error &error) {
  if (options.arena)
    return error.fail(DLC_INVALID_ARGUMENT, "%s: an arena is given, but a GPU has memory of its own",
                      model.name);
  Gpu gpu;
  if (dlc_status status = gpu.open(options.device, model.name, error))
    return status;
  if (hasImageFor(target, gpu))
    return DLC_OK;
  const uint32_t least = target.features & ~DLC_SM_EXACT;
  return error.fail(
      DLC_UNSUPPORTED_DEVICE,
      "%s was compiled for GPUs of compute capability %u.%u%s, and the GPU %s has %u.%u: compile it for "
      "sm_%u, too (--gpu)",
      model.name, least / 10, least % 10, target.features & DLC_SM_EXACT ? "" : " or newer", gpu.name,
      gpu.sm / 10, gpu.sm % 10, gpu.sm);
}

} // namespace dlc::runtime::cuda
