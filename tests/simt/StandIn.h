//===- StandIn.h ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_SIMT_STANDIN_H
#define DLC_TESTS_SIMT_STANDIN_H

#include "tools/simt/Control.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace dlc::simt {

/// The stand-in driver, which dlopen finds where the program's RPATH leads.
inline const Control &standIn() {
  static const Control *control = [] {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    auto *find =
        driver ? reinterpret_cast<decltype(&dlcStandInDriver)>(dlsym(driver, "dlcStandInDriver")) : nullptr;
    if (!find) {
      fputs("libcuda.so.1 is not the stand-in driver\n", stderr);
      exit(2);
    }
    return find();
  }();
  return *control;
}

} // namespace dlc::simt

#endif
