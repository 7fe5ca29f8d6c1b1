//===- Features.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of instruction sets. Each architecture has a file that knows them; on others there are none.
//===----------------------------------------------------------------------===//
#include "runtime/cpu/Features.h"

#include <cstdio>

namespace dlc::runtime {

#if !defined(__x86_64__) && !defined(__aarch64__)
uint32_t cpuFeatures() { return 0; }
NamedFeature knownFeature(size_t) { return {}; }
#endif

#if !defined(__x86_64__)
bool permitMatrixUnit() { return false; }
#endif

void describeFeatures(uint32_t features, char *text, size_t bytes) {
  if (!bytes)
    return;
  text[0] = 0;
  size_t used = 0;
  auto add = [&](const char *name) {
    int length = snprintf(text + used, bytes - used, "%s%s", used ? ", " : "", name);
    used += static_cast<size_t>(length);
    if (used >= bytes)
      used = bytes - 1;
  };
  for (size_t i = 0; knownFeature(i).name; ++i) {
    NamedFeature feature = knownFeature(i);
    if (features & feature.bit)
      add(feature.name);
    features &= ~feature.bit;
  }
  if (features)
    add("an instruction set unknown to this runtime");
}

} // namespace dlc::runtime
