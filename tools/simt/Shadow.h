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
//
// Most accesses are of whole words, so that one cell stands for the bytes of a word until an access touches a
// part of it; then there is one for each half, or for each byte.
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
  /// Of copies and products.
  void endRead(uint64_t at, uint64_t bytes, const Who &who);
  void endWrite(uint64_t at, uint64_t bytes, const Who &who);
  /// Whether all of these bytes were written in this launch, by whichever thread.
  bool isWritten(uint64_t at, uint64_t bytes, const Who &who) const;

private:
  enum Readers : uint8_t { none, one, manyOfWarp, manyOfBlock, manyBlocks };
  struct Use {
    uint32_t block = 0, thread = 0, blockEpoch = 0, warpEpoch = 0;
    bool isBefore(const Who &who) const {
      return block == who.block && (thread == who.thread || blockEpoch != who.blockEpoch ||
                                    (thread / 32 == who.warp() && warpEpoch != who.warpEpoch));
    }
    bool operator==(const Use &other) const {
      return block == other.block && thread == other.thread && blockEpoch == other.blockEpoch &&
             warpEpoch == other.warpEpoch;
    }
  };
  struct Cell {
    Use writer, reader;
    uint32_t launch = 0; ///< that the rest is about
    bool initialised = false, hasWriter = false;
    Readers readers = none;
    bool isComing = false; ///< a copy writes it, the writer's
    uint16_t readings = 0; ///< copies and products that read it, one of them the reader's
    uint32_t shows = 0;    ///< how often the writer had shown what it wrote, when it wrote
    bool operator==(const Cell &other) const {
      return writer == other.writer && reader == other.reader && launch == other.launch &&
             initialised == other.initialised && hasWriter == other.hasWriter && readers == other.readers &&
             isComing == other.isComing && readings == other.readings && shows == other.shows;
    }
  };
  static bool mayLoad(const Cell &cell, const Who &who) {
    return cell.initialised && !cell.isComing && (!cell.hasWriter || cell.writer.isBefore(who));
  }
  static bool mayStore(const Cell &cell, const Who &who) {
    return !cell.isComing && !cell.readings && (!cell.hasWriter || cell.writer.isBefore(who)) &&
           readersAreBefore(cell, who);
  }
  static void load(Cell &cell, const Who &who);
  void store(Cell &cell, const Who &who);
  uint32_t showsOf(uint32_t thread) const { return thread < shows.size() ? shows[thread] : 0; }
  /// What the cell says about the launch that runs.
  Cell &current(Cell &cell, const Who &who) const;
  /// Of an access that is not allowed: why.
  std::string conflict(const Cell &cell, uint64_t at, bool writes, const Who &who) const;
  static bool readersAreBefore(const Cell &cell, const Who &who);

  static constexpr uint64_t wordBytes = 4;
  /// How many bytes of the word a cell stands for.
  uint64_t grainOf(uint64_t word) const { return wordBytes >> splits[word]; }
  const Cell &cellAt(uint64_t at) const {
    const uint64_t word = at / wordBytes;
    return splits[word] ? parts[at & ~(grainOf(word) - 1)] : words[word];
  }
  Cell &cellAt(uint64_t at) { return const_cast<Cell &>(const_cast<const Shadow *>(this)->cellAt(at)); }
  /// Gives each `grain` bytes of the word a cell of their own, where they have none.
  void split(uint64_t word, uint64_t grain);
  /// One cell for the word again, where all of its bytes are in the same state.
  void join(uint64_t word);
  /// Calls `function(cell, first byte)` for the cells of these bytes until it returns false.
  template <typename Function> bool forCells(uint64_t at, uint64_t bytes, Function function) {
    const uint64_t end = at + bytes;
    while (at < end) {
      const uint64_t word = at / wordBytes, wordEnd = (word + 1) * wordBytes;
      const uint64_t here = end < wordEnd ? end : wordEnd;
      // Of the bounds' lowest bits, the lowest one: both are multiples of it.
      const uint64_t bounds = at | here | wordBytes, grain = bounds & (~bounds + 1);
      if (grain < grainOf(word))
        split(word, grain);
      for (const uint64_t step = grainOf(word); at < here; at += step)
        if (!function(cellAt(at), at))
          return false;
    }
    return true;
  }

  struct Free {
    void operator()(void *memory) const { free(memory); }
  };
  template <typename T> using Array = std::unique_ptr<T[], Free>;
  Array<Cell> words;           ///< of those that are whole
  Array<Cell> parts;           ///< by byte, of the others
  Array<uint8_t> splits;       ///< of a word: how often it was halved
  std::vector<uint32_t> shows; ///< by thread: counts all of them
  uint64_t count = 0;
  bool keepsValues;
};

} // namespace dlc::simt

#endif
