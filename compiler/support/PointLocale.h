//===- PointLocale.h - numbers as text in programs of all languages ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command dlc never sets a locale, but libdlc is part of programs that do.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SUPPORT_POINTLOCALE_H
#define DLC_COMPILER_SUPPORT_POINTLOCALE_H

#include <locale.h>

namespace dlc {

/// While it lives, this thread writes and reads numbers as in C, with a point.
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

private:
  locale_t point, before;
};

} // namespace dlc

#endif // DLC_COMPILER_SUPPORT_POINTLOCALE_H
