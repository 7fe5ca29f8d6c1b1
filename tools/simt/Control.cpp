//===- Control.cpp --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/simt/Control.h"

#include "tools/simt/Findings.h"
#include "tools/simt/Objects.h"

namespace dlc::simt {

namespace {

/// Texts outlive the call that asked for them.
const char *keep(std::string text) {
  static std::string kept;
  kept = std::move(text);
  return kept.c_str();
}

void reset() {
  Driver &driver = Driver::get();
  driver.calls = driver.failingCall = 0;
  driver.failedCall.clear();
  driver.deviceCount = 1;
  driver.sm = 80;
  driver.capabilities.clear();
  driver.eager = driver.machine.copiesAtOnce = false;
  driver.memory.capacity = uint64_t{8} << 30;
  driver.machine.random.seed(1);
  driver.machine.dropped = {"", 0};
  driver.machine.barriers.clear();
  driver.machine.banks.clear();
}

void failCall(uint64_t number, int status) {
  Driver::get().failingCall = number;
  Driver::get().failingStatus = static_cast<Status>(status);
}

uint64_t calls() { return Driver::get().calls; }
const char *failedCall() { return Driver::get().failedCall.c_str(); }

void setDevices(int count, int sm) {
  Driver::get().deviceCount = count;
  Driver::get().sm = sm;
  Driver::get().capabilities.clear();
}
void setCapability(int device, int sm) { Driver::get().capabilities[device] = sm; }

void setMemory(uint64_t bytes) { Driver::get().memory.capacity = bytes; }
void setSeed(uint32_t seed) { Driver::get().machine.random.seed(seed); }
void setEager(int eager) { Driver::get().eager = Driver::get().machine.copiesAtOnce = eager != 0; }

void dropBarrier(const char *entry, uint32_t site) {
  Driver::get().machine.dropped = {entry ? entry : "", site};
}

const char *barriers() {
  std::string text;
  for (const auto &[meeting, times] : Driver::get().machine.barriers)
    text += meeting.kernel + " " + std::to_string(meeting.site) + "\n";
  return keep(std::move(text));
}

void countBanks(int count) { Driver::get().machine.banks.isCounting = count != 0; }
const char *banks() { return keep(Driver::get().machine.banks.report()); }

const char *findings() { return keep(takeFindings()); }

const char *leaks() {
  const Driver &driver = Driver::get();
  std::string text;
  auto line = [&](size_t count, const char *what) {
    if (count)
      text += std::to_string(count) + " " + what + "\n";
  };
  line(driver.contexts.size(), "contexts");
  line(driver.modules.size(), "modules");
  line(driver.streams.size(), "streams");
  line(driver.events.size(), "events");
  line(driver.graphs.size(), "graphs");
  line(driver.executables.size(), "executable graphs");
  line(driver.pinned.size(), "pieces of pinned memory");
  line(driver.memory.count(), "pieces of device memory");
  line(Driver::stack().size(), "current contexts");
  return keep(std::move(text));
}

} // namespace
} // namespace dlc::simt

extern "C" const dlc::simt::Control *dlcStandInDriver() {
  using namespace dlc::simt;
  static const Control control = {reset,         failCall,   calls,   failedCall, setDevices,
                                  setCapability, setMemory,  setSeed, setEager,   dropBarrier,
                                  barriers,      countBanks, banks,   findings,   leaks};
  return &control;
}
