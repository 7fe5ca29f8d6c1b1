//===- StateDict.h - tensors by name, and who wants them ----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_STATEDICT_H
#define DLC_FRONTENDS_CPP_API_STATEDICT_H

#include "dlc/array.h"

namespace dlc::detail {

struct WantedTensor {
  std::string name;
  bool isOptional = false; ///< has its values by another name, too
};

struct MatchedTensors {
  std::vector<const Array *> found; ///< for each that is wanted; null where there is none
  StateDifference difference;
};

/// Throws where a name is there twice, and, if `strict`, where the names are others than those that are
/// wanted.
MatchedTensors matchStateDict(const StateDict &tensors, const std::vector<WantedTensor> &wanted, bool strict,
                              const Where &where);

/// `given` for a tensor of this name, dtype and shape: floating-point numbers become those of the dtype, as
/// in PyTorch. Throws where the shape or another dtype differs.
Array fittingArray(const std::string &name, DType dtype, const std::vector<int64_t> &shape,
                   const Array &given, const Where &where);

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_STATEDICT_H
