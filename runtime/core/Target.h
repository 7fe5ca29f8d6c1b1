//===- Target.h -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_TARGET_H
#define DLC_RUNTIME_CORE_TARGET_H

#include "runtime/core/Backend.h"

namespace dlc::runtime {

inline uint32_t placeKind(dlc_place place) { return place & 7; }
inline uint32_t placeNumber(dlc_place place) { return place >> 3 & ((1u << 21) - 1); }
inline uint64_t placeOffset(dlc_place place) { return place >> 24; }

/// What a launch of a kernel says of a sum over ranks (DLC_SUM_OVER_RANKS).
inline bool isSummed(const dlc_launch &launch) {
  return launch.kernel != DLC_COPY && (launch.copy_size & DLC_SUM_OVER_RANKS) != 0;
}
inline uint32_t sizeOfSum(const dlc_launch &launch) {
  return launch.copy_size & ~(DLC_SUM_OVER_RANKS | DLC_SUM_OF_F64);
}
inline int32_t dtypeOfSum(const dlc_launch &launch) {
  return launch.copy_size & DLC_SUM_OF_F64 ? DLC_F64 : DLC_F32;
}

/// How many tables of launches each target of the model has.
inline uint32_t functionCount(const dlc_model &model) {
  uint32_t count = 0;
  while (count < DLC_FUNCTIONS && model.functions >> count)
    ++count;
  return count;
}

/// The part of the runtime that runs the target's code.
inline const Backend &backendOf(const dlc_target &target) {
  return target.backend ? *target.backend : dlc_cpu_backend;
}

/// Whether places, forms and tables of launches fit the model, whose interface is sound, and each other.
bool isTargetSound(const dlc_model &model, const dlc_target &target);

} // namespace dlc::runtime

#endif
