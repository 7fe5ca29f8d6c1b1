//===- Copies.cpp - copies to shared memory that run beside a thread ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU does such a copy at any time between its begin and the end of a wait for its group. Here it is done
// at one of both: what is right in both, and uses nothing that a copy uses in the meantime, is right at any
// time.
//===----------------------------------------------------------------------===//
#include "tools/simt/Launch.h"

#include <cstring>

namespace dlc::simt {

void Machine::copy(const dlc_simt *calls, void *to, const void *from, uint32_t bytes, uint32_t sourceBytes,
                   uint32_t site) {
  Thread &thread = threadOf(calls);
  thread.machine->begin(thread,
                        {static_cast<unsigned char *>(to), static_cast<const unsigned char *>(from), bytes,
                         sourceBytes, thread.group},
                        site);
}

void Machine::endGroup(const dlc_simt *calls, uint32_t site) {
  Thread &thread = threadOf(calls);
  if (!thread.machine->skips(site))
    ++thread.group;
}

void Machine::waitForGroups(const dlc_simt *calls, uint32_t running, uint32_t site) {
  Thread &thread = threadOf(calls);
  running += thread.machine->skips(site);
  while (!thread.copies.empty() && thread.copies.front().group + running < thread.group) {
    thread.machine->end(thread, thread.copies.front());
    thread.copies.pop_front();
  }
}

void Machine::begin(Thread &thread, const Copy &copy, uint32_t site) {
  const Who who = whoIs(thread);
  std::string wrong;
  Outcome why = Outcome::failed;
  if ((copy.bytes != 4 && copy.bytes != 8 && copy.bytes != 16) || copy.sourceBytes > copy.bytes)
    wrong =
        "of which " + std::to_string(copy.sourceBytes) + " are read: there are copies of 4, 8 and 16 bytes";
  else if (reinterpret_cast<uintptr_t>(copy.from) % copy.bytes != 0)
    wrong = "from a place which is not aligned";
  else if (!isShared(copy.to))
    wrong = "to a place which is not shared memory";
  else if (wrong = checkShared(thread, copy.to, copy.bytes, Shadow::copyWrites);
           wrong.empty() && copy.sourceBytes) {
    wrong = checkDevice(who, copy.from, copy.sourceBytes, Shadow::copyReads);
    why = Outcome::illegalAddress;
  }
  if (!wrong.empty())
    stop(thread,
         "copies " + std::to_string(copy.bytes) + " bytes (copy " + std::to_string(site) + ") " + wrong, why);
  noteBanks(Banks::copy, thread, copy.to, copy.bytes, site);
  if (copiesAtOnce)
    move(copy);
  thread.copies.push_back(copy);
}

void Machine::move(const Copy &copy) {
  memcpy(copy.to, copy.from, copy.sourceBytes);
  memset(copy.to + copy.sourceBytes, 0, copy.bytes - copy.sourceBytes);
}

void Machine::end(Thread &thread, const Copy &copy) {
  if (!copiesAtOnce)
    move(copy);
  sharedShadow.endWrite(sharedOffset(copy.to), copy.bytes, whoIsInBlock(thread));
  if (copy.sourceBytes) {
    DeviceMemory::Allocation *allocation = memory.find(copy.from, copy.sourceBytes);
    allocation->shadow.endRead(static_cast<uint64_t>(copy.from - allocation->begin), copy.sourceBytes,
                               whoIs(thread));
  }
}

} // namespace dlc::simt
