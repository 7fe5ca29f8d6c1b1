//===- write_seeds.cpp ---------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//     fuzz-seeds FOLDER
//
// Writes a valid file for each parser to FOLDER/<parser>: what its fuzzer begins with.
//===----------------------------------------------------------------------===//
#include "tests/runtime/fuzz/Seeds.h"

#include <filesystem>
#include <fstream>

int main(int argc, char **argv) {
  if (argc != 2)
    return 1;
  int number = 0;
  for (const fuzz::Seed &seed : fuzz::seeds()) {
    const std::filesystem::path folder = std::filesystem::path(argv[1]) / seed.name;
    std::filesystem::create_directories(folder);
    std::ofstream file(folder / ("seed" + std::to_string(number++)), std::ios::binary);
    if (!(file << seed.bytes).flush())
      return 1;
  }
  return 0;
}
