//===- Banks.h - how well warps use the banks of shared memory --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory has 32 banks, each of which gives one word of 4 bytes at a time, to whichever lanes of a warp
// ask for it; neighbouring words are in neighbouring banks (CUDA C++ programming guide, "Shared Memory"). A
// request of a warp whose lanes want several words of one bank takes so many passes. Lanes that want 8 or 16
// bytes each come in two or four parts, as they must: 32 banks give no more at once. Of accesses of a thread
// to neighbouring elements, which follow each other in the kernel, LLVM makes one of up to 16 bytes in PTX,
// and so does this.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_SIMT_BANKS_H
#define DLC_TOOLS_SIMT_BANKS_H

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dlc::simt {

class Banks {
public:
  enum Request { load, store, copy, matrices };

  bool isCounting = false;

  /// Notes that a thread of the block that runs asks for `bytes` at an offset of shared memory, at a place of
  /// the kernel. What the lanes of a warp ask for when they are there for the same time is one request.
  void note(Request request, uint32_t site, uint32_t thread, uint64_t offset, uint32_t bytes);
  /// The block was one of this kernel.
  void endBlock(const std::string &kernel);
  /// "kernel request site passes least" in lines: all passes so far, and as many as there would be if no two
  /// lanes wanted other words of one bank.
  std::string report() const;
  void clear() { *this = Banks(); }

private:
  static constexpr uint32_t lanes = 32, none = UINT32_MAX;
  using Place = std::pair<Request, uint32_t /*site*/>;
  /// The last access of a thread, which may become a part of a larger one.
  struct Access {
    Place place;
    uint32_t offset = none, bytes = 0, lastSite = 0;
  };
  struct Requests {
    uint32_t bytes = 0;
    std::vector<uint32_t> times; ///< that each thread was there
    std::map<std::pair<uint32_t /*time*/, uint32_t /*warp*/>, std::array<uint32_t, lanes>> offsets;
  };
  struct Passes {
    uint64_t taken = 0, least = 0;
  };
  static Passes passesOf(const std::array<uint32_t, lanes> &offsets, uint32_t bytes);
  void take(uint32_t thread, Access &access);

  std::vector<Access> begun; ///< by each thread
  std::map<Place, Requests> ofBlock;
  std::map<std::pair<std::string, Place>, Passes> ofKernels;
};

} // namespace dlc::simt

#endif
