//===- Shadow.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/simt/Shadow.h"

#include <algorithm>
#include <new>

namespace dlc::simt {

void Shadow::written(uint64_t at, uint64_t bytes) {
  forCells(at, bytes, [](Cell &cell, uint64_t) { return cell.initialised = true; });
}

void Shadow::copied(uint64_t at, const Shadow &from, uint64_t fromAt, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes;) {
    const uint64_t to = at + i, source = fromAt + i;
    const bool isWord = to % wordBytes == 0 && source % wordBytes == 0 && bytes - i >= wordBytes &&
                        !from.splits[source / wordBytes];
    const uint64_t step = isWord ? wordBytes : 1;
    const bool initialised = from.cellAt(source).initialised;
    forCells(to, step, [&](Cell &cell, uint64_t) {
      cell.initialised = initialised;
      return true;
    });
    i += step;
  }
}

template <typename T> static T *zeros(uint64_t count) {
  // Zeros are a cell of which nothing is known, and cost nothing until they are used.
  auto *memory = static_cast<T *>(calloc(count + 1, sizeof(T)));
  if (!memory)
    throw std::bad_alloc();
  return memory;
}

void Shadow::resize(uint64_t bytes) {
  const uint64_t wordCount = (bytes + wordBytes - 1) / wordBytes;
  words.reset(zeros<Cell>(wordCount));
  parts.reset(zeros<Cell>(wordCount * wordBytes));
  splits.reset(zeros<uint8_t>(wordCount));
  count = bytes;
}

void Shadow::split(uint64_t word, uint64_t grain) {
  const uint64_t begin = word * wordBytes, before = grainOf(word);
  // Backwards: a cell is at its first byte, and nothing is read behind what was written.
  for (uint64_t at = begin + wordBytes; at > begin; at -= grain)
    parts[at - grain] = before == wordBytes ? words[word] : parts[(at - grain) & ~(before - 1)];
  while (grainOf(word) > grain)
    ++splits[word];
}

void Shadow::join(uint64_t word) {
  const uint64_t begin = word * wordBytes, grain = grainOf(word);
  for (uint64_t at = begin + grain; at < begin + wordBytes; at += grain)
    if (!(parts[at] == parts[begin]))
      return;
  words[word] = parts[begin];
  splits[word] = 0;
}

Shadow::Cell &Shadow::current(Cell &cell, const Who &who) const {
  if (cell.launch != who.launch) {
    const bool initialised = cell.initialised && keepsValues;
    cell = Cell{};
    cell.initialised = initialised;
    cell.launch = who.launch;
  }
  return cell;
}

bool Shadow::readersAreBefore(const Cell &cell, const Who &who) {
  switch (cell.readers) {
  case none:
    return true;
  case one:
    return cell.reader.isBefore(who);
  case manyBlocks:
    return false;
  case manyOfWarp:
    if (cell.reader.block == who.block && cell.reader.thread / 32 == who.warp() &&
        cell.reader.warpEpoch != who.warpEpoch)
      return true;
    [[fallthrough]];
  case manyOfBlock:
    return cell.reader.block == who.block && cell.reader.blockEpoch != who.blockEpoch;
  }
  return false;
}

static std::string nameOf(uint32_t block, uint32_t thread) {
  return "thread " + std::to_string(thread) + " of block " + std::to_string(block);
}

std::string Shadow::conflict(const Cell &cell, uint64_t at, bool writes, const Who &who) const {
  const std::string byte = " (byte " + std::to_string(at) + ")";
  if (!writes && !cell.initialised)
    return "which nothing has written" + byte;
  if (cell.isComing)
    return "which a copy writes that " + nameOf(cell.writer.block, cell.writer.thread) +
           " has not waited for" + byte;
  if (writes && cell.readings)
    // Copies read the device's memory, products that of a block.
    return std::string("which a ") + (keepsValues ? "copy" : "product") + " reads that " +
           nameOf(cell.reader.block, cell.reader.thread) + (cell.readings == 1 ? "" : " or another one") +
           " has not waited for" + byte;
  if (cell.hasWriter && !cell.writer.isBefore(who))
    return "which " + nameOf(cell.writer.block, cell.writer.thread) + " writes with no barrier between" +
           byte;
  return "which " + nameOf(cell.reader.block, cell.reader.thread) +
         (cell.readers == one ? " reads" : " and others read") + " with no barrier between" + byte;
}

void Shadow::load(Cell &cell, const Who &who) {
  if (readersAreBefore(cell, who))
    cell.readers = one; // whoever is behind this read is behind those before it
  else if (cell.reader.block != who.block)
    cell.readers = manyBlocks;
  else if (cell.readers != manyBlocks)
    cell.readers =
        cell.readers != manyOfBlock && cell.reader.thread / 32 == who.warp() ? manyOfWarp : manyOfBlock;
  cell.reader = {who.block, who.thread, who.blockEpoch, who.warpEpoch};
}

void Shadow::store(Cell &cell, const Who &who) {
  cell.initialised = cell.hasWriter = true;
  cell.writer = {who.block, who.thread, who.blockEpoch, who.warpEpoch};
  cell.shows = showsOf(who.thread);
  cell.readers = none;
  cell.reader = {};
}

std::string Shadow::use(uint64_t at, uint64_t bytes, Kind kind, const Who &who) {
  const bool writes = kind == stores || kind == copyWrites;
  std::string wrong;
  const bool isRight = forCells(at, bytes, [&](Cell &any, uint64_t first) {
    Cell &cell = current(any, who);
    if (!(writes ? mayStore(cell, who) : mayLoad(cell, who))) {
      wrong = conflict(cell, first, writes, who);
      return false;
    }
    writes ? store(cell, who) : load(cell, who);
    if (kind == productReads && cell.hasWriter && cell.shows == showsOf(cell.writer.thread)) {
      wrong = "which " + nameOf(cell.writer.block, cell.writer.thread) +
              " writes, and does not show to products (byte " + std::to_string(first) + ")";
      return false;
    }
    cell.isComing = kind == copyWrites;
    cell.readings += kind == copyReads || kind == productReads;
    return true;
  });
  // What is written as a whole is whole again.
  if (isRight && writes)
    for (uint64_t word = (at + wordBytes - 1) / wordBytes; (word + 1) * wordBytes <= at + bytes; ++word)
      if (splits[word])
        join(word);
  return wrong;
}

void Shadow::endRead(uint64_t at, uint64_t bytes, const Who &who) {
  forCells(at, bytes, [&](Cell &any, uint64_t) {
    Cell &cell = current(any, who);
    --cell.readings;
    if (mayLoad(cell, who))
      load(cell, who); // as late as now
    return true;
  });
}

void Shadow::endWrite(uint64_t at, uint64_t bytes, const Who &who) {
  forCells(at, bytes, [&](Cell &any, uint64_t) {
    Cell &cell = current(any, who);
    cell.isComing = false;
    cell.writer = {who.block, who.thread, who.blockEpoch, who.warpEpoch};
    cell.shows = showsOf(who.thread);
    return true;
  });
}

void Shadow::show(const Who &who) {
  if (who.thread >= shows.size())
    shows.resize(who.thread + 1);
  ++shows[who.thread];
}

bool Shadow::isWritten(uint64_t at, uint64_t bytes, const Who &who) const {
  for (uint64_t i = at; i < at + bytes; ++i)
    if (const Cell &cell = cellAt(i); cell.launch != who.launch || !cell.hasWriter)
      return false;
  return true;
}

} // namespace dlc::simt
