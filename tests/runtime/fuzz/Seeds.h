//===- Seeds.h -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A valid file for each parser that is fuzzed: what mutations begin with.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_RUNTIME_FUZZ_SEEDS_H
#define DLC_TESTS_RUNTIME_FUZZ_SEEDS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fuzz {

struct Seed {
  const char *name; ///< of the parser: "fuzz-<name>" is its fuzzer
  bool (*target)(const uint8_t *, size_t);
  std::string bytes;
};

/// One for each parser, or more.
std::vector<Seed> seeds();

} // namespace fuzz

#endif
