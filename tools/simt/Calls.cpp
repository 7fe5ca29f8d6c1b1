//===- Calls.cpp - what the code of a kernel calls ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/simt/Launch.h"

#include <cstring>

namespace dlc::simt {

Machine::Thread &Machine::threadOf(const dlc_simt *calls) {
  return *reinterpret_cast<Thread *>(const_cast<dlc_simt *>(calls));
}

uint32_t Machine::sreg(const dlc_simt *calls, uint32_t which) {
  const Thread &thread = threadOf(calls);
  const Machine &machine = *thread.machine;
  switch (which) {
  case DLC_SIMT_THREAD:
    return thread.number;
  case DLC_SIMT_BLOCK:
    return machine.block;
  case DLC_SIMT_BLOCK_SIZE:
    return machine.blockSize;
  case DLC_SIMT_GRID_SIZE:
    return machine.grid;
  default:
    return thread.number % warpSize;
  }
}

void *Machine::shared(const dlc_simt *calls) { return threadOf(calls).machine->sharedMemory; }

void Machine::barrier(const dlc_simt *calls, uint32_t site) {
  Thread &thread = threadOf(calls);
  if (thread.machine->skips(site))
    return;
  thread.site = site;
  thread.machine->wait(thread, Waits::block);
}

void Machine::warpBarrier(const dlc_simt *calls, uint32_t mask, uint32_t site) {
  Thread &thread = threadOf(calls);
  if (thread.machine->skips(site))
    return;
  thread.mask = mask;
  thread.site = site;
  thread.machine->wait(thread, Waits::warp);
}

uint32_t Machine::shuffle(const dlc_simt *calls, uint32_t kind, uint32_t mask, uint32_t value, uint32_t lane,
                          uint32_t clamp, uint32_t site) {
  Thread &thread = threadOf(calls);
  thread.mask = mask;
  thread.site = site;
  thread.kind = kind;
  thread.value = value;
  thread.lane = lane;
  thread.clamp = clamp;
  thread.machine->wait(thread, Waits::shuffle);
  return thread.value;
}

void Machine::loadMatrices(const dlc_simt *calls, const void *row, uint32_t count, uint32_t transposed,
                           uint32_t *words, uint32_t site) {
  Thread &thread = threadOf(calls);
  if (thread.number % warpSize < 8 * count) { // others need no row
    thread.machine->access(thread, row, 16, site, Shadow::loads);
    thread.machine->noteBanks(Banks::matrices, thread, row, 16, site);
  }
  thread.mask = UINT32_MAX;
  thread.site = site;
  thread.kind = transposed;
  thread.value = count;
  thread.row = static_cast<const unsigned char *>(row);
  thread.machine->wait(thread, Waits::matrices);
  memcpy(words, thread.words, count * sizeof *words);
}

void Machine::load(const dlc_simt *calls, const void *address, uint32_t bytes, uint32_t site) {
  Thread &thread = threadOf(calls);
  thread.machine->access(thread, address, bytes, site, Shadow::loads);
  thread.machine->noteBanks(Banks::load, thread, address, bytes, site);
}

void Machine::store(const dlc_simt *calls, const void *address, uint32_t bytes, uint32_t site) {
  Thread &thread = threadOf(calls);
  thread.machine->access(thread, address, bytes, site, Shadow::stores);
  thread.machine->noteBanks(Banks::store, thread, address, bytes, site);
}

void Machine::access(Thread &thread, const void *address, uint32_t bytes, uint32_t site, Shadow::Kind kind) {
  std::string wrong;
  Outcome why = Outcome::failed;
  if (isShared(address)) {
    wrong = checkShared(thread, address, bytes, kind);
  } else if (!fibres.isOnStack(address)) {
    wrong = checkDevice(whoIs(thread), static_cast<const unsigned char *>(address), bytes, kind);
    why = Outcome::illegalAddress;
  }
  if (!wrong.empty())
    stop(thread,
         std::string(kind == Shadow::stores ? "writes " : "reads ") + std::to_string(bytes) +
             " bytes (access " + std::to_string(site) + ") " + wrong,
         why);
}

std::string Machine::checkShared(const Thread &thread, const void *address, uint32_t bytes,
                                 Shadow::Kind kind) {
  const uint64_t offset = sharedOffset(address);
  std::string wrong;
  if (offset + bytes > kernel->shared_bytes)
    wrong = "which has " + std::to_string(kernel->shared_bytes) + " bytes";
  else if (offset % bytes != 0 && bytes <= 16)
    wrong = "which is not aligned";
  else
    wrong = sharedShadow.use(offset, bytes, kind, whoIsInBlock(thread));
  return wrong.empty() ? "" : "at " + std::to_string(offset) + " of shared memory, " + wrong;
}

/// An access must be inside one of the kernel's operands, or the sizes of the dims, which come last.
std::string Machine::checkDevice(const Who &who, const unsigned char *address, uint32_t bytes,
                                 Shadow::Kind kind) {
  const bool writes = kind == Shadow::stores;
  uint32_t rights = 0, number = 0;
  const unsigned char *start = nullptr;
  for (uint32_t i = 0; i <= kernel->operand_count; ++i) {
    const bool isDims = i == kernel->operand_count;
    const uint64_t size = isDims ? kernel->dim_count * sizeof(int64_t) : kernel->operands[i].bytes;
    const unsigned char *begin = reinterpret_cast<const unsigned char *>(arguments[i]);
    if (address < begin || static_cast<uint64_t>(address - begin) + bytes > size)
      continue;
    if (!start) {
      start = begin;
      number = i;
    }
    rights |= isDims ? static_cast<uint32_t>(DLC_ACCESS_READ) : kernel->operands[i].access;
  }
  if (!start)
    return "outside of all operands";
  auto at = [&](const std::string &what) { // a text only where something is wrong: most accesses are right
    return "at " + std::to_string(address - start) + " of " +
           (number == kernel->operand_count ? std::string("the dims") : "operand " + std::to_string(number)) +
           ", " + what;
  };
  if (kind != Shadow::copyReads && bytes <= 16 && reinterpret_cast<uintptr_t>(address) % bytes != 0)
    return at("which is not aligned");
  DeviceMemory::Allocation *allocation = memory.find(address, bytes);
  if (!allocation)
    return at("which is not the device's memory");
  const uint64_t offset = static_cast<uint64_t>(address - allocation->begin);
  if (writes && !(rights & DLC_ACCESS_WRITE))
    return at("which the kernel only reads");
  if (!writes && !(rights & DLC_ACCESS_READ) && !allocation->shadow.isWritten(offset, bytes, who))
    return at("which the kernel only writes, and has not written yet");
  const std::string wrong = allocation->shadow.use(offset, bytes, kind, who);
  return wrong.empty() ? "" : at(wrong);
}

} // namespace dlc::simt
