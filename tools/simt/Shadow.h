//===- Shadow.h -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of each byte of a memory: whether it was ever written, and who used it last in the launch
// that runs. Two threads that use a byte, of which one writes it, must be ordered by a barrier between:
// threads of one block by a barrier of the block, threads of one warp also by one of the warp, threads of
// different blocks by nothing. A copy that runs beside its thread uses its bytes from its begin to its end:
// until then nobody may read what it writes, or write what it reads. So does a product of a warp group with
// what it reads, before which the writer must have shown it to such products.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_SIMT_SHADOW_H
#define DLC_TOOLS_SIMT_SHADOW_H

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace dlc::simt {

/// A thread of a launch, and how many barriers it has passed.
struct Who {
  uint32_t launch; ///< counts all launches, from 1; for shared memory, all blocks
  uint32_t block, thread;
  uint32_t blockEpoch, warpEpoch;

  uint32_t warp() const { return thread / 32; }
};

class Shadow {
public:
  /// Shared memory has other values in each launch (there: each block) than device memory, which keeps them.
  explicit Shadow(bool keepsValues = true) : keepsValues(keepsValues) {}
  void resize(uint64_t bytes);
  uint64_t size() const { return count; }

  /// The driver itself has written these bytes, or has moved them here.
  void written(uint64_t at, uint64_t bytes);
  void copied(uint64_t at, const Shadow &from, uint64_t fromAt, uint64_t bytes);

  enum Kind { loads, stores, copyReads, copyWrites, productReads };
  /// "" or what is wrong with the access, or with a copy that begins.
  std::string use(uint64_t at, uint64_t bytes, Kind kind, const Who &who);
  /// What the thread has written so far, products may read; of shared memory.
  void show(const Who &who);
  /// The end of what use() began: a copy or a product has read these bytes, or a copy has written them.
  void endRead(uint64_t at, uint64_t bytes, const Who &who);
  void endWrite(uint64_t at, uint64_t bytes, const Who &who);
  /// Whether all of these bytes were written in this launch, by whichever thread.
  bool isWritten(uint64_t at, uint64_t bytes, const Who &who) const;

private:
  enum Readers : uint8_t { none, one, manyOfWarp, manyOfBlock, manyBlocks };
  struct Use {
    uint32_t block = 0, thread = 0, blockEpoch = 0, warpEpoch = 0;
    bool isBefore(const Who &who) const;
  };
  struct Cell {
    Use writer, reader;
    uint32_t launch = 0; ///< that the rest is about
    bool initialised = false, hasWriter = false;
    Readers readers = none;
    bool isComing = false; ///< a copy writes it, the writer's
    uint16_t readings = 0; ///< copies and products that read it, one of them the reader's
    uint16_t unused = 0;   ///< so that cells can be compared as bytes
    uint32_t shows = 0;    ///< how often the writer had shown what it wrote, when it wrote
  };
  static_assert(sizeof(Cell) == 2 * sizeof(Use) + 16, "there is nothing between the members");
  std::string load(Cell &cell, uint64_t at, const Who &who);
  std::string store(Cell &cell, uint64_t at, const Who &who);
  std::string use(Cell &cell, uint64_t at, Kind kind, const Who &who);
  uint32_t showsOf(uint32_t thread) const { return thread < shows.size() ? shows[thread] : 0; }
  /// Makes the cell one of the launch that runs.
  void begin(Cell &cell, const Who &who) const;
  /// Changes each of these cells; how depends on what is in it alone. False where `change` says so.
  template <typename Change> bool changeAll(uint64_t at, uint64_t bytes, Change change);
  std::string conflict(const Cell &cell, uint64_t at, bool withReaders, const Who &who) const;
  static bool readersAreBefore(const Cell &cell, const Who &who);

  struct Free {
    void operator()(Cell *memory) const { free(memory); }
  };
  std::unique_ptr<Cell[], Free> cells;
  std::vector<uint32_t> shows; ///< by thread: counts all of them
  uint64_t count = 0;
  bool keepsValues;
};

} // namespace dlc::simt

#endif
