//===- Tensors.h - what a profiled call reads and writes ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_PROFILE_TENSORS_H
#define DLC_TOOLS_DLC_PROFILE_TENSORS_H

#include "dlc/abi.h"
#include <cstdint>
#include <string>
#include <vector>

namespace dlc::tool {

/// Memory for all inputs and outputs of a model, with every named dim at its bound. Inputs hold the values of
/// files ("NAME=FILE") or random ones in the range that the model allows. Errors are std::runtime_error.
class Tensors {
public:
  Tensors(const dlc_model &model, const std::vector<std::string> &files, uint64_t seed);

  const void *const *inputs() const { return inputPointers.data(); }
  void *const *outputs() { return outputPointers.data(); }

private:
  std::vector<std::vector<unsigned char>> memory;
  std::vector<const void *> inputPointers;
  std::vector<void *> outputPointers;
};

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_PROFILE_TENSORS_H
