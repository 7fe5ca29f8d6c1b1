//===- Banks.cpp ------------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/simt/Banks.h"

#include <algorithm>
#include <set>

namespace dlc::simt {

void Banks::note(Request request, uint32_t site, uint32_t thread, uint64_t offset, uint32_t bytes) {
  constexpr uint32_t mostBytes = 16;
  if (!isCounting)
    return;
  if (begun.size() <= thread)
    begun.resize(thread + 1);
  Access &last = begun[thread];
  const bool goesOn = last.offset != none && (request == load || request == store) &&
                      last.place.first == request && site == last.lastSite + 1 &&
                      offset == last.offset + last.bytes && last.bytes % bytes == 0 &&
                      last.offset % mostBytes + last.bytes + bytes <= mostBytes;
  if (goesOn) {
    last.bytes += bytes;
    last.lastSite = site;
    return;
  }
  take(thread, last);
  last = {{request, site}, static_cast<uint32_t>(offset), bytes, site};
}

/// In pieces that instructions can have.
void Banks::take(uint32_t thread, Access &access) {
  while (access.bytes) {
    uint32_t bytes = 1;
    while (2 * bytes <= access.bytes && access.offset % (2 * bytes) == 0)
      bytes *= 2;
    Requests &requests = ofBlock[access.place];
    requests.bytes = std::max(requests.bytes, bytes);
    if (requests.times.size() <= thread)
      requests.times.resize(thread + 1);
    const uint32_t time = requests.times[thread]++;
    auto [found, isFirst] = requests.offsets.try_emplace({time, thread / lanes});
    if (isFirst)
      found->second.fill(none);
    found->second[thread % lanes] = access.offset;
    access.offset += bytes;
    access.bytes -= bytes;
  }
  access.offset = none;
}

Banks::Passes Banks::passesOf(const std::array<uint32_t, lanes> &offsets, uint32_t bytes) {
  constexpr uint32_t wordBytes = 4, banks = 32;
  const uint32_t words = std::max(bytes / wordBytes, 1u);
  Passes passes;
  for (uint32_t first = 0; first < lanes; first += lanes / words) {
    std::array<std::set<uint32_t>, banks> wanted;
    for (uint32_t lane = first; lane < first + lanes / words; ++lane)
      for (uint32_t word = 0; offsets[lane] != none && word < words; ++word) {
        const uint32_t number = offsets[lane] / wordBytes + word;
        wanted[number % banks].insert(number);
      }
    size_t most = 0;
    for (const std::set<uint32_t> &ofBank : wanted)
      most = std::max(most, ofBank.size());
    passes.taken += most;
    passes.least += most != 0;
  }
  return passes;
}

void Banks::endBlock(const std::string &kernel) {
  for (uint32_t thread = 0; thread < begun.size(); ++thread)
    take(thread, begun[thread]);
  begun.clear();
  for (const auto &[place, requests] : ofBlock)
    for (const auto &[when, offsets] : requests.offsets) {
      const Passes passes = passesOf(offsets, requests.bytes);
      Passes &all = ofKernels[{kernel, place}];
      all.taken += passes.taken;
      all.least += passes.least;
    }
  ofBlock.clear();
}

std::string Banks::report() const {
  static constexpr const char *names[] = {"load", "store", "copy", "matrices"};
  std::string text;
  for (const auto &[where, passes] : ofKernels)
    text += where.first + " " + names[where.second.first] + " " + std::to_string(where.second.second) + " " +
            std::to_string(passes.taken) + " " + std::to_string(passes.least) + "\n";
  return text;
}

} // namespace dlc::simt
