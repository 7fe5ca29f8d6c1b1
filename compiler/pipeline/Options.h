//===- Options.h - what a compilation can be told --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain values with the defaults of the command line; this header knows no MLIR. How a model is trained is no
// option: the program's recipe says it (dialects/train/Recipe.h).
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PIPELINE_OPTIONS_H
#define DLC_COMPILER_PIPELINE_OPTIONS_H

#include "compiler/pipeline/Stage.h"
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dlc::pipeline {

struct Options {
  std::string name; ///< C prefix; empty: the program's own name

  bool checkIndices = false; ///< indices that the program computes are checked when it runs

  // For which machine.
  std::vector<std::string> targets{"cpu"}; ///< cpu, nvptx, each at most once: where there are several, a
                                           ///< library has code for all, and prefers the first
  std::string gpu;    ///< GPUs that get code of their own, sm_80,sm_90, or native; empty: the oldest
  bool simt = false;  ///< for nvptx: code of this machine in place of a GPU's
  bool cubin = false; ///< for nvptx: machine code by ptxas beside PTX
  std::string ptxas;  ///< empty: the one on PATH
  std::string triple; ///< empty: this machine's
  std::string cpu;    ///< empty: native, or generic where the triple is of another architecture
  std::string tune;   ///< a file of dlc tune; empty: what the CPU's table says
  /// For tests: AMX as calls of functions, for a CPU of 512 bits with it or without.
  bool amxCalls = false;
  unsigned optLevel = 3;
  std::string nvrtc; ///< NVIDIA's library that compiles their CUDA sources; empty: clang does
  std::string clang; ///< which compiles users' own operations; empty: the one on PATH
  /// What a compiled model may need while it runs, in GiB; more is an error, as it is rarely meant.
  double maxMemory = 32;
  /// The largest arena in bytes; where it would be larger, values are computed again instead of being kept.
  std::optional<int64_t> memoryBudget;
  int64_t ranks = 1; ///< processes that share a batch of the library's
  unsigned jobs = 0; ///< modules compiled at the same time; 0: one per core

  // What comes out.
  Stage emit = Stage::Lib;
  std::string outputFolder; ///< empty: text goes to standard output, files to the working directory
  /// Where files go in place of a folder, by name; null: into the folder.
  std::vector<std::pair<std::string, std::string>> *filesInMemory = nullptr;
  bool embedWeights = false;
  std::vector<std::string> bindings; ///< languages that get a file beside the header, each at most once
  /// A constant of more numbers is left out where a program is printed; 0: none is. Without a value, programs
  /// that others read (up to Stage::Backward) are whole, and those of later stages have constants of 16.
  std::optional<unsigned> elide;
  std::string dumpFolder;    ///< IR after each stage and pass; empty: none
  bool timePasses = false;   ///< prints where the time went
  bool verbose = false;      ///< prints what was written
  std::string libraryFolder; ///< with libdlc-runtime.a, for Stage::Shared (compiler/pipeline/Runtime.h)

  bool isFor(const char *target) const {
    return std::find(targets.begin(), targets.end(), target) != targets.end();
  }
};

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_OPTIONS_H
