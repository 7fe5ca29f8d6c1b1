//===- Control.h ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How tests steer the stand-in driver and ask what it has seen. The function dlcStandInDriver, which no other
// libcuda.so.1 has, returns this table. Texts are valid until the next call.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_SIMT_CONTROL_H
#define DLC_TOOLS_SIMT_CONTROL_H

#include <cstdint>

namespace dlc::simt {

struct Control {
  /// Everything as after loading, but what is still there stays.
  void (*reset)();

  /// The driver's call with this number since `reset`, from 1, answers with that status; 0: none does.
  void (*failCall)(uint64_t number, int status);
  uint64_t (*calls)();         ///< so many since `reset`
  const char *(*failedCall)(); ///< the name of the one that was made to fail, or ""

  void (*setDevices)(int count, int sm);
  void (*setCapability)(int device, int sm); ///< of one of them
  void (*setMemory)(uint64_t bytes);
  void (*setSeed)(uint32_t seed); ///< of the orders of blocks, threads and nodes
  /// 1: work is done at once; 0: when the host waits for it, as late as can be. The same of the copies of
  /// kernels.
  void (*setEager)(int eager);

  /// This barrier of a kernel, or this end of a group of copies or products, is left out, or one group less
  /// is waited for there; NULL: all is as it should be.
  void (*dropBarrier)(const char *entry, uint32_t site);
  const char *(*barriers)(); ///< "entry site\n" for each that was passed since `reset`

  /// Whether requests for shared memory are counted, and what was since `reset`, as Banks::report has it.
  void (*countBanks)(int count);
  const char *(*banks)();

  const char *(*findings)(); ///< lines about what was done wrong, since the last call
  const char *(*leaks)();    ///< lines about what has not been given back
};

} // namespace dlc::simt

extern "C" const dlc::simt::Control *dlcStandInDriver();

#endif
