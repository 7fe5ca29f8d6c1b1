//===- PointLocale.h ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers are written with a point, whatever the language of the program is that the runtime is part of.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_POINTLOCALE_H
#define DLC_RUNTIME_CORE_POINTLOCALE_H

#include <locale.h>

namespace dlc::runtime {

/// While it lives, the C library's functions read and write numbers of this thread as in C. Around every
/// strtod and every %e, %f or %g of a printf.
class PointLocale {
public:
  PointLocale() : point(newlocale(LC_ALL_MASK, "C", nullptr)), before(point ? uselocale(point) : nullptr) {}
  ~PointLocale() {
    if (!point)
      return;
    uselocale(before);
    freelocale(point);
  }
  PointLocale(const PointLocale &) = delete;
  PointLocale &operator=(const PointLocale &) = delete;

  /// False where there is no memory for it.
  bool isSet() const { return point != nullptr; }

private:
  locale_t point, before;
};

} // namespace dlc::runtime

#endif
