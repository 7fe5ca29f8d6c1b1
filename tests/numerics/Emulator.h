//===- Emulator.h - calls of a model on another machine --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process, of an emulator, that holds a model compiled for another machine (emulated.c is its other end).
// Calls go through its standard input and output. Chosen by the environment:
//   DLC_TEST_TRIPLE    e.g. aarch64-linux-gnu        DLC_TEST_CPU      e.g. generic
//   DLC_TEST_CC        its C compiler                DLC_TEST_RUNTIME  its libdlc-runtime.a
//   DLC_TEST_EMULATOR  what runs its programs        DLC_TEST_SERVER  emulated.c, compiled
// DLC_TEST_CPU alone, such as cascadelake, is the kind of CPU that this machine is taken for.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_NUMERICS_EMULATOR_H
#define DLC_TESTS_NUMERICS_EMULATOR_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace dlc::numerics {

/// Memory of this process, which the call reads and may change.
struct Buffer {
  void *data;
  size_t bytes;
};
using Argument = std::variant<int64_t, Buffer, std::vector<Buffer>>;

class Emulator {
public:
  /// The environment's choice; empty without one.
  static std::string triple();
  static std::string setting(const char *name);

  /// Starts `program` in the emulator; a test failure where that is not possible.
  explicit Emulator(const std::string &program);
  ~Emulator();
  Emulator(const Emulator &) = delete;
  Emulator &operator=(const Emulator &) = delete;

  /// A function that returns a status; a test failure and -1 where the process has ended.
  int status(const char *function, llvm::ArrayRef<Argument> arguments);
  /// One that returns a pointer, which means something over there only.
  int64_t pointer(const char *function, llvm::ArrayRef<Argument> arguments);
  std::string text(const char *function, llvm::ArrayRef<Argument> arguments);

private:
  void request(const char *function, uint64_t result, llvm::ArrayRef<Argument> arguments);
  void takeBack(llvm::ArrayRef<Argument> arguments);
  void put(const void *from, size_t bytes);
  void put(uint64_t number) { put(&number, sizeof number); }
  void get(void *to, size_t bytes);
  uint64_t get() {
    uint64_t number = 0;
    get(&number, sizeof number);
    return number;
  }

  int process = -1, in = -1, out = -1;
  bool broken = false;
};

} // namespace dlc::numerics

#endif // DLC_TESTS_NUMERICS_EMULATOR_H
