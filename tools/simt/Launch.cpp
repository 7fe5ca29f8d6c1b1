//===- Launch.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/simt/Launch.h"

#include "runtime/cpu/FloatMode.h"
#include "tools/simt/Findings.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <sys/mman.h>

namespace dlc::simt {

Machine::Machine(DeviceMemory &memory) : memory(memory) {
  void *both = mmap(nullptr, 2 * sharedBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (both == MAP_FAILED)
    throw std::bad_alloc();
  const uintptr_t address = reinterpret_cast<uintptr_t>(both);
  sharedMemory = reinterpret_cast<unsigned char *>((address + sharedBytes - 1) / sharedBytes * sharedBytes);
  sharedShadow.resize(sharedBytes);
}

Machine::Outcome Machine::run(const dlc_simt_kernel &newKernel, uint32_t newGrid, uint32_t newBlock,
                              std::vector<uint64_t> newArguments) {
  const runtime::FloatMode flushes; // denormals, as the code for GPUs does
  kernel = &newKernel;
  grid = newGrid;
  blockSize = newBlock;
  arguments = std::move(newArguments);
  parameters.clear();
  for (uint64_t &argument : arguments)
    parameters.push_back(&argument);
  outcome = Outcome::done;
  isDropping = dropped.kernel == kernel->entry;
  ++launches;
  if (kernel->shared_bytes > sharedBytes)
    report("has " + std::to_string(kernel->shared_bytes) + " bytes of shared memory", Outcome::failed);
  std::vector<uint32_t> order(grid);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  for (uint32_t next : order) {
    block = next;
    if (outcome == Outcome::done)
      runBlock();
  }
  notePasses();
  return outcome;
}

void Machine::runThread(void *self, uint32_t number) {
  Machine &machine = *static_cast<Machine *>(self);
  Thread &thread = machine.threads[number];
  machine.kernel->code(&thread.calls, machine.parameters.data());
  const bool hasProducts = !thread.products.empty();
  if ((hasProducts || !thread.copies.empty()) && machine.outcome == Outcome::done)
    machine.report("block " + std::to_string(machine.block) + ", thread " + std::to_string(number) +
                       " ends before " + (hasProducts ? "products" : "copies") +
                       " that it has not waited for",
                   Outcome::failed);
}

void Machine::runBlock() {
  ++blocks;
  blockEpoch = 0;
  memset(sharedMemory, 0xff, kernel->shared_bytes);
  Thread thread = {};
  thread.calls = {sreg,          shared,   barrier,     warpBarrier,     shuffle,      load,
                  store,         copy,     endGroup,    waitForGroups,   loadMatrices, showToProducts,
                  beginProducts, multiply, endProducts, waitForProducts, results,      multiplyInWarp};
  thread.machine = this;
  threads.assign(blockSize, thread);
  for (uint32_t i = 0; i < blockSize; ++i)
    threads[i].number = i;
  fibres.start(blockSize, runThread, this);
  while (outcome == Outcome::done && resumeAll())
    if (!releaseBlock() && !releaseWarps() && outcome == Outcome::done)
      report("block " + std::to_string(block) +
                 ": some threads wait at a barrier or shuffle that others never reach",
             Outcome::failed);
  banks.endBlock(kernel->entry);
}

/// Lets each thread that does not wait run on, in some order; false when all have ended.
bool Machine::resumeAll() {
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < blockSize; ++i)
    if (!fibres.isDone(i))
      order.push_back(i);
  if (random() & 1)
    std::reverse(order.begin(), order.end());
  if (random() & 1)
    std::shuffle(order.begin(), order.end(), random);
  for (uint32_t i : order)
    if (threads[i].waits == Waits::no && outcome == Outcome::done)
      fibres.resume(i);
  return std::any_of(order.begin(), order.end(), [&](uint32_t i) { return !fibres.isDone(i); });
}

/// When all threads are at the block's barrier, none is any more.
bool Machine::releaseBlock() {
  if (!std::all_of(threads.begin(), threads.end(),
                   [](const Thread &thread) { return thread.waits == Waits::block; }))
    return false;
  ++blockEpoch;
  for (Thread &thread : threads)
    thread.waits = Waits::no;
  return true;
}

bool Machine::releaseWarps() {
  bool released = false;
  for (Thread &thread : threads)
    if (thread.waits != Waits::no && thread.waits != Waits::block)
      released |= releaseWarp(thread);
  return released;
}

/// Whether all threads of the mask have come to the same place.
bool Machine::releaseWarp(Thread &thread) {
  const uint32_t first = thread.number / 32 * 32, mask = thread.mask;
  const Waits what = thread.waits;
  if (!(mask >> thread.number % 32 & 1)) {
    report("thread " + std::to_string(thread.number) +
               " is not in the mask of its barrier or shuffle (number " + std::to_string(thread.site) + ")",
           Outcome::failed);
    return false;
  }
  for (uint32_t lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1)
      if (first + lane >= blockSize || threads[first + lane].waits != what ||
          threads[first + lane].mask != mask || threads[first + lane].site != thread.site)
        return false;
  if (what == Waits::shuffle)
    exchange(first, mask);
  if (what == Waits::matrices)
    shareMatrices(first);
  if (what == Waits::warpProduct)
    multiplyWarp(first);
  for (uint32_t lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1) {
      Thread &member = threads[first + lane];
      member.warpEpoch += what == Waits::warp;
      member.waits = Waits::no;
    }
  return true;
}

/// PTX's shfl.sync: `clamp` holds the last lane and, 8 bits higher, the bits of the lane that stay.
void Machine::exchange(uint32_t first, uint32_t mask) {
  uint32_t values[32];
  for (uint32_t lane = 0; lane < 32; ++lane)
    values[lane] = mask >> lane & 1 ? threads[first + lane].value : 0;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    Thread &thread = threads[first + lane];
    const uint32_t clamp = thread.clamp & 31, fixed = thread.clamp >> 8 & 31, by = thread.lane & 31;
    const int32_t last = static_cast<int32_t>((lane & fixed) | (clamp & ~fixed));
    const int32_t lowest = static_cast<int32_t>(lane & fixed);
    int32_t source = 0;
    bool inside = false;
    switch (thread.kind) {
    case DLC_SIMT_UP:
      source = static_cast<int32_t>(lane) - static_cast<int32_t>(by);
      inside = source >= last;
      break;
    case DLC_SIMT_DOWN:
      source = static_cast<int32_t>(lane + by);
      inside = source <= last;
      break;
    case DLC_SIMT_XOR:
      source = static_cast<int32_t>(lane ^ by);
      inside = source <= last;
      break;
    default:
      source = lowest | static_cast<int32_t>(by & ~fixed);
      inside = source <= last;
    }
    if (!inside)
      source = static_cast<int32_t>(lane);
    if (!(mask >> source & 1))
      report("thread " + std::to_string(thread.number) + " takes a value of lane " + std::to_string(source) +
                 ", which is not in the mask of the shuffle (number " + std::to_string(thread.site) + ")",
             Outcome::failed);
    thread.value = values[source];
  }
}

/// PTX's ldmatrix: lane 8 i + r has the address of row r of matrix number i. Of each matrix, a lane gets the
/// elements (lane / 4, 2 (lane % 4)) and the next one of the row; transposed, the row and the column change
/// places.
void Machine::shareMatrices(uint32_t first) {
  for (uint32_t lane = 0; lane < warpSize; ++lane)
    for (uint32_t matrix = 0; matrix < threads[first + lane].value; ++matrix)
      for (uint32_t half = 0; half < 2; ++half) {
        const uint32_t slow = lane / 4, fast = 2 * (lane % 4) + half;
        const bool transposed = threads[first + lane].kind != 0;
        const unsigned char *row = threads[first + 8 * matrix + (transposed ? fast : slow)].row;
        memcpy(reinterpret_cast<unsigned char *>(&threads[first + lane].words[matrix]) + 2 * half,
               row + 2 * (transposed ? slow : fast), 2);
      }
}

void Machine::report(const std::string &what, Outcome why) {
  addFinding("kernel " + std::string(kernel->entry) + ": " + what);
  outcome = why;
}

void Machine::stop(const Thread &thread, const std::string &what, Outcome why) {
  report("block " + std::to_string(block) + ", thread " + std::to_string(thread.number) + " " + what, why);
  fibres.pause(); // for good
}

void Machine::wait(Thread &thread, Waits what) {
  thread.waits = what;
  fibres.pause();
}

bool Machine::skips(uint32_t site) {
  if (site >= passes.size())
    passes.resize(site + 1);
  ++passes[site];
  return isDropping && site == dropped.site;
}

void Machine::notePasses() {
  for (uint32_t site = 0; site < passes.size(); ++site)
    if (passes[site])
      barriers[{kernel->entry, site}] += passes[site];
  passes.clear();
}

} // namespace dlc::simt
