//===- ManifestChecks.cpp - a manifest against the library's tables ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/ElementBytes.h"
#include "tools/dlc/Printable.h"
#include "tools/dlc/profile/Manifest.h"
#include <stdexcept>

namespace dlc::tool {

namespace {

[[noreturn]] void fail(const Manifest &manifest, const std::string &field, const std::string &problem) {
  throw std::runtime_error(manifest.path + ": error: the manifest of '" + printable(manifest.name) +
                           "' is not that of its library: '" + printable(field) + "' " + problem +
                           ": compile the model again");
}

/// Bytes behind what a place names; 0 where it names nothing.
uint64_t roomAt(const dlc_model &model, dlc_place place) {
  const uint64_t offset = place >> 24, number = place >> 3 & ((1u << 21) - 1);
  const dlc_target &target = *model.targets;
  uint64_t bytes = 0;
  switch (place & 7) {
  case DLC_PLACE_WORKING:
    bytes = number == 0 ? target.arena_bytes : 0;
    break;
  case DLC_PLACE_STATE:
    bytes = number < model.symbol_count ? target.placements[number].bytes : 0;
    break;
  case DLC_PLACE_INPUT:
    if (number < model.input_count)
      bytes = uint64_t(elementCount(model.inputs[number].rank, model.inputs[number].shape)) *
              elementBytes(model.inputs[number].dtype);
    break;
  case DLC_PLACE_OUTPUT:
    if (number < model.output_count)
      bytes = uint64_t(elementCount(model.outputs[number].rank, model.outputs[number].shape)) *
              elementBytes(model.outputs[number].dtype);
    break;
  default:
    break;
  }
  return bytes > offset ? bytes - offset : 0;
}

/// Whether all elements lie in so many bytes. Numbers of a manifest may be as large as they like.
bool liesIn(const ResultInfo &result, uint64_t bytes) {
  using Wide = unsigned __int128;
  const Wide most = bytes / elementBytes(result.dtype);
  Wide last = 0, count = 1;
  for (size_t axis = 0; axis < result.shape.size(); ++axis) {
    const auto size = static_cast<uint64_t>(result.shape[axis]);
    if (size == 0)
      return true;
    last += Wide(size - 1) * static_cast<uint64_t>(result.strides[axis]);
    count *= size;
    if (last >= most || count > most) // strides of 0 would have a few bytes read for ever
      return false;
  }
  return last < most;
}

void checkLaunch(const Manifest &manifest, const std::string &field, const LaunchInfo &info,
                 const dlc_model &model, const dlc_function &function, const dlc_launch &launch) {
  if (launch.kernel >= model.targets->kernel_count || launch.first_place > function.place_count ||
      launch.place_count > function.place_count - launch.first_place)
    fail(manifest, field, "is damaged in the library");
  const dlc_kernel_info &kernel = model.targets->kernels[launch.kernel];
  if (info.kernel != kernel.name)
    fail(manifest, field + ".kernel",
         "is '" + printable(info.kernel) + "', where the library has '" + printable(kernel.name) + "'");
  if (info.chunks != kernel.chunks)
    fail(manifest, "chunks of " + info.kernel,
         "is " + std::to_string(info.chunks) + ", where the library has " + std::to_string(kernel.chunks));
  for (size_t i = 0; i < info.results.size(); ++i) {
    const ResultInfo &result = info.results[i];
    const std::string name = field + ".results[" + std::to_string(i) + "]";
    if (result.place >= launch.place_count)
      fail(manifest, name + ".place",
           "is " + std::to_string(result.place) + ", but the launch has " +
               std::to_string(launch.place_count) + " places");
    const uint64_t room = roomAt(model, function.places[launch.first_place + result.place]);
    if (!liesIn(result, room))
      fail(manifest, name + ".shape",
           "and 'strides' reach beyond the " + std::to_string(room) + " bytes at its place");
  }
}

void checkFunction(const Manifest &manifest, uint32_t kind, const std::vector<LaunchInfo> &launches,
                   const dlc_model &model) {
  const dlc_function &function = model.targets->functions[kind];
  const std::string field = std::string(functionNames[kind]) + ".launches";
  size_t next = 0;
  for (uint32_t i = 0; i < function.launch_count; ++i) {
    const dlc_launch &launch = function.launches[i];
    if (launch.kernel == DLC_COPY)
      continue;
    if (next < launches.size())
      checkLaunch(manifest, field + "[" + std::to_string(next) + "]", launches[next], model, function,
                  launch);
    ++next;
  }
  if (next != launches.size())
    fail(manifest, field,
         "has " + std::to_string(launches.size()) + " entries, where the library launches " +
             std::to_string(next) + " kernels");
}

} // namespace

void checkAgainst(const Manifest &manifest, const dlc_model &model) {
  if (!model.name || manifest.name != model.name)
    fail(manifest, "name", "is another than the library's");
  for (uint32_t kind = 0; kind < DLC_FUNCTIONS; ++kind) {
    const auto found = manifest.functions.find(functionNames[kind]);
    const bool isThere = found != manifest.functions.end(), isWanted = model.functions >> kind & 1;
    if (isThere != isWanted)
      fail(manifest, std::string("functions: ") + functionNames[kind],
           isWanted ? "is missing" : "is none of the library's");
    if (isThere)
      checkFunction(manifest, kind, found->second, model);
  }
}

} // namespace dlc::tool
