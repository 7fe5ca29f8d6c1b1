//===- Target.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the description of a target once, at create, so that nothing after it has to.
//===----------------------------------------------------------------------===//
#include "runtime/core/Target.h"

#include "runtime/core/DType.h"
#include "runtime/core/Layout.h"

#include <cstring>

namespace dlc::runtime {

static_assert(sizeof(dlc_target) == 72 && sizeof(dlc_placement) == 32 && sizeof(dlc_kernel_info) == 24 &&
                  sizeof(dlc_place) == 8 && sizeof(dlc_launch) == 16 && sizeof(dlc_function) == 40,
              "raise DLC_ABI_VERSION and tell the compiler");

namespace {

bool isPermutation(const int32_t *permutation, uint32_t rank) {
  uint32_t seen = 0;
  for (uint32_t i = 0; i < rank; ++i) {
    if (permutation[i] < 0 || permutation[i] >= static_cast<int32_t>(rank))
      return false;
    seen |= 1u << permutation[i];
  }
  return seen == (1u << rank) - 1;
}

bool arePanels(const dlc_symbol &symbol, const dlc_placement &placement) {
  if (symbol.rank < 2)
    return false;
  uint32_t last = symbol.rank - 1;
  if (placement.permutation)
    last = static_cast<uint32_t>(placement.permutation[last]);
  return symbol.shape[last] % placement.panel == 0;
}

bool isPlacementSound(const dlc_symbol &symbol, const dlc_placement &placement, uint64_t arenaBytes) {
  if (logicalBytes(symbol) > placement.bytes || placement.offset % 64 != 0 || placement.offset > arenaBytes ||
      placement.bytes > arenaBytes - placement.offset)
    return false;
  if (placement.permutation && !isPermutation(placement.permutation, symbol.rank))
    return false;
  return !placement.panel || arePanels(symbol, placement);
}

/// An average and its parameter change places byte by byte.
bool liesAlike(const dlc_symbol &symbol, const dlc_placement &placement, const dlc_placement &other) {
  if (placement.bytes != other.bytes || placement.panel != other.panel ||
      !placement.permutation != !other.permutation)
    return false;
  return !placement.permutation ||
         memcmp(placement.permutation, other.permutation, symbol.rank * sizeof *placement.permutation) == 0;
}

/// Whether a tensor of the caller's has `offset` bytes, where it is largest.
bool isInside(uint64_t offset, uint32_t rank, const int64_t *shape, uint32_t dtype) {
  int64_t count = 0;
  return elementCount(rank, shape, count) &&
         offset <= static_cast<uint64_t>(count) * static_cast<uint64_t>(dtypeBytes(dtype));
}

bool isPlaceSound(const dlc_model &model, const dlc_target &target, dlc_place place, bool takesInputs) {
  const uint32_t number = placeNumber(place);
  const uint64_t offset = placeOffset(place);
  switch (placeKind(place)) {
  case DLC_PLACE_WORKING:
    return number == 0 && offset <= target.arena_bytes;
  case DLC_PLACE_STATE:
    return number < model.symbol_count && offset <= target.placements[number].bytes;
  case DLC_PLACE_INPUT:
    return takesInputs && number < model.input_count &&
           isInside(offset, model.inputs[number].rank, model.inputs[number].shape,
                    model.inputs[number].dtype);
  case DLC_PLACE_OUTPUT:
    return number < model.output_count && isInside(offset, model.outputs[number].rank,
                                                   model.outputs[number].shape, model.outputs[number].dtype);
  default:
    return false;
  }
}

bool isCopySizeSound(const dlc_model &model, const dlc_axis &size) {
  if (size.factor < 0 || (size.dim_count && !size.dims))
    return false;
  for (uint32_t i = 0; i < size.dim_count; ++i)
    if (size.dims[i] >= model.dim_count)
      return false;
  return true;
}

bool isLaunchSound(const dlc_target &target, const dlc_function &function, const dlc_launch &launch) {
  if (launch.first_place > function.place_count ||
      launch.place_count > function.place_count - launch.first_place)
    return false;
  if (launch.kernel == DLC_COPY)
    return launch.place_count == 2 && launch.copy_size < function.copy_count;
  if (launch.copy_size &&
      (target.kind != DLC_TARGET_CPU || !isSummed(launch) || launch.place_count == 0 ||
       sizeOfSum(launch) >= function.copy_count))
    return false;
  return launch.kernel < target.kernel_count;
}

bool isFunctionSound(const dlc_model &model, const dlc_target &target, const dlc_function &function,
                     bool takesInputs) {
  for (uint32_t i = 0; i < function.place_count; ++i)
    if (!isPlaceSound(model, target, function.places[i], takesInputs))
      return false;
  for (uint32_t i = 0; i < function.copy_count; ++i)
    if (!isCopySizeSound(model, function.copy_sizes[i]))
      return false;
  for (uint32_t i = 0; i < function.launch_count; ++i)
    if (!isLaunchSound(target, function, function.launches[i]))
      return false;
  return true;
}

} // namespace

bool isTargetSound(const dlc_model &model, const dlc_target &target) {
  for (uint32_t i = 0; i < model.symbol_count; ++i)
    if (!isPlacementSound(model.symbols[i], target.placements[i], target.arena_bytes))
      return false;
  for (uint32_t i = 0; i < model.symbol_count; ++i)
    if (uint32_t number = model.symbols[i].average_of;
        number && !liesAlike(model.symbols[i], target.placements[i], target.placements[number - 1]))
      return false;
  for (uint32_t i = 0; i < functionCount(model); ++i)
    if (!isFunctionSound(model, target, target.functions[i], i != DLC_APPLY))
      return false;
  const dlc_backend &backend = backendOf(target);
  return backend.kind == target.kind && backend.isSound(model, target);
}

} // namespace dlc::runtime
