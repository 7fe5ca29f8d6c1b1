//===- Targets.h ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the fuzzers call: each takes arbitrary bytes as a file. A crash, a sanitizer report or a failed
// check inside is a bug; an error status is not.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_RUNTIME_FUZZ_TARGETS_H
#define DLC_TESTS_RUNTIME_FUZZ_TARGETS_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

/// All return true if the bytes were a valid file.
bool fuzzSafetensors(const uint8_t *bytes, size_t size);
bool fuzzIdx(const uint8_t *bytes, size_t size);
bool fuzzCifar(const uint8_t *bytes, size_t size);
bool fuzzTokens(const uint8_t *bytes, size_t size);
bool fuzzNpy(const uint8_t *bytes, size_t size);
bool fuzzNpz(const uint8_t *bytes, size_t size);
bool fuzzPreprocessing(const uint8_t *bytes, size_t size);
bool fuzzShards(const uint8_t *bytes, size_t size);
bool fuzzTable(const uint8_t *bytes, size_t size);
bool fuzzRows(const uint8_t *bytes, size_t size);
bool fuzzTensors(const uint8_t *bytes, size_t size);
bool fuzzLbfgs(const uint8_t *bytes, size_t size);
bool fuzzInflate(const uint8_t *bytes, size_t size);

namespace fuzz {

/// A check that also stops a fuzzer.
inline void require(bool condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "fuzz target: %s\n", what);
  abort();
}

/// A file in memory.
class MemoryFile {
public:
  MemoryFile(const uint8_t *bytes, size_t size) : descriptor(memfd_create("fuzz", MFD_CLOEXEC)) {
    require(descriptor >= 0 && write(descriptor, bytes, size) == static_cast<ssize_t>(size),
            "no file in memory");
  }
  ~MemoryFile() { close(descriptor); }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor); }

private:
  int descriptor;
};

} // namespace fuzz

#endif
