//===- Shadow.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/simt/Shadow.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace dlc::simt {

bool Shadow::Use::isBefore(const Who &who) const {
  if (block != who.block)
    return false;
  return thread == who.thread || blockEpoch != who.blockEpoch ||
         (thread / 32 == who.warp() && warpEpoch != who.warpEpoch);
}

void Shadow::written(uint64_t at, uint64_t bytes) {
  for (uint64_t i = at; i < at + bytes; ++i)
    cells[i].initialised = true;
}

void Shadow::copied(uint64_t at, const Shadow &from, uint64_t fromAt, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i)
    cells[at + i].initialised = from.cells[fromAt + i].initialised;
}

void Shadow::resize(uint64_t bytes) {
  // Zeros are a cell of which nothing is known, and cost nothing until they are used.
  cells.reset(static_cast<Cell *>(calloc(bytes ? bytes : 1, sizeof(Cell))));
  if (!cells)
    throw std::bad_alloc();
  count = bytes;
}

void Shadow::begin(Cell &cell, const Who &who) const {
  if (cell.launch == who.launch)
    return;
  const bool initialised = cell.initialised && keepsValues;
  cell = Cell{};
  cell.initialised = initialised;
  cell.launch = who.launch;
}

/// The bytes of an access mostly have the same history: what became of the first becomes of all that are like
/// it.
template <typename Change> bool Shadow::changeAll(uint64_t at, uint64_t bytes, Change change) {
  Cell before, after;
  for (uint64_t i = at; i < at + bytes; ++i) {
    if (i != at && memcmp(&cells[i], &before, sizeof before) == 0) {
      cells[i] = after;
      continue;
    }
    before = cells[i];
    if (!change(cells[i], i))
      return false;
    after = cells[i];
  }
  return true;
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

std::string Shadow::conflict(const Cell &cell, uint64_t at, bool withReaders, const Who &who) const {
  if (cell.isComing)
    return "which a copy writes that " + nameOf(cell.writer.block, cell.writer.thread) +
           " has not waited for (byte " + std::to_string(at) + ")";
  if (withReaders && cell.readings)
    // Copies read the device's memory, products that of a block.
    return std::string("which a ") + (keepsValues ? "copy" : "product") + " reads that " +
           nameOf(cell.reader.block, cell.reader.thread) + (cell.readings == 1 ? "" : " or another one") +
           " has not waited for (byte " + std::to_string(at) + ")";
  if (cell.hasWriter && !cell.writer.isBefore(who))
    return "which " + nameOf(cell.writer.block, cell.writer.thread) +
           " writes with no barrier between (byte " + std::to_string(at) + ")";
  if (withReaders && !readersAreBefore(cell, who))
    return "which " + nameOf(cell.reader.block, cell.reader.thread) +
           (cell.readers == one ? "" : " and others read") + (cell.readers == one ? " reads" : "") +
           " with no barrier between (byte " + std::to_string(at) + ")";
  return "";
}

std::string Shadow::load(Cell &cell, uint64_t at, const Who &who) {
  if (!cell.initialised)
    return "which nothing has written (byte " + std::to_string(at) + ")";
  if (std::string wrong = conflict(cell, at, /*withReaders=*/false, who); !wrong.empty())
    return wrong;
  if (readersAreBefore(cell, who))
    cell.readers = one; // whoever is behind this read is behind those before it
  else if (cell.reader.block != who.block)
    cell.readers = manyBlocks;
  else if (cell.readers != manyBlocks)
    cell.readers =
        cell.readers != manyOfBlock && cell.reader.thread / 32 == who.warp() ? manyOfWarp : manyOfBlock;
  cell.reader = {who.block, who.thread, who.blockEpoch, who.warpEpoch};
  return "";
}

std::string Shadow::store(Cell &cell, uint64_t at, const Who &who) {
  if (std::string wrong = conflict(cell, at, /*withReaders=*/true, who); !wrong.empty())
    return wrong;
  cell.initialised = cell.hasWriter = true;
  cell.writer = {who.block, who.thread, who.blockEpoch, who.warpEpoch};
  cell.shows = showsOf(who.thread);
  cell.readers = none;
  return "";
}

std::string Shadow::use(uint64_t at, uint64_t bytes, Kind kind, const Who &who) {
  std::string wrong;
  changeAll(at, bytes, [&](Cell &cell, uint64_t i) {
    wrong = use(cell, i, kind, who);
    return wrong.empty();
  });
  return wrong;
}

std::string Shadow::use(Cell &cell, uint64_t at, Kind kind, const Who &who) {
  const bool writes = kind == stores || kind == copyWrites;
  begin(cell, who);
  if (std::string wrong = writes ? store(cell, at, who) : load(cell, at, who); !wrong.empty())
    return wrong;
  if (kind == productReads && cell.hasWriter && cell.shows == showsOf(cell.writer.thread))
    return "which " + nameOf(cell.writer.block, cell.writer.thread) +
           " writes, and does not show to products (byte " + std::to_string(at) + ")";
  cell.isComing = kind == copyWrites;
  cell.readings += kind == copyReads || kind == productReads;
  return "";
}

void Shadow::endRead(uint64_t at, uint64_t bytes, const Who &who) {
  changeAll(at, bytes, [&](Cell &cell, uint64_t i) {
    begin(cell, who);
    --cell.readings;
    load(cell, i, who); // as late as now
    return true;
  });
}

void Shadow::endWrite(uint64_t at, uint64_t bytes, const Who &who) {
  changeAll(at, bytes, [&](Cell &cell, uint64_t) {
    begin(cell, who);
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
  return std::all_of(cells.get() + at, cells.get() + at + bytes,
                     [&](const Cell &cell) { return cell.launch == who.launch && cell.hasWriter; });
}

} // namespace dlc::simt
