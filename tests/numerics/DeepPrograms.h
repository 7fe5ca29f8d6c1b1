//===- DeepPrograms.h - programs of several equal layers ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_NUMERICS_DEEPPROGRAMS_H
#define DLC_TESTS_NUMERICS_DEEPPROGRAMS_H

#include "compiler/interpret/Tensor.h"

#include <random>
#include <string>
#include <vector>

namespace dlc::numerics {

/// Layers of one kind, one after the other.
struct Layers {
  const char *name;
  std::string (*declarations)(int layer);
  std::string (*body)(int layer);                                    ///< makes %h<layer + 1> of %h<layer>
  const char *type;                                                  ///< of all %h
  std::vector<std::pair<const char *, std::vector<int64_t>>> states; ///< of a layer, without its number
  std::vector<int64_t> shape;
};

constexpr int depth = 5;
extern const Layers perceptron, images;
/// Whose values leave the cache of a core: GELUs are then done again without a memory budget.
extern const Layers wide;

std::string programText(const Layers &layers);
/// Multiples of size / 128, from -size to size.
interpret::Tensor randomTensor(std::mt19937 &numbers, llvm::ArrayRef<int64_t> shape, double size);

} // namespace dlc::numerics

#endif // DLC_TESTS_NUMERICS_DEEPPROGRAMS_H
