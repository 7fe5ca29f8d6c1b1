//===- DescribeStatus.h - how dlc-describe ends ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_LIBDLC_DESCRIBESTATUS_H
#define DLC_TOOLS_LIBDLC_DESCRIBESTATUS_H

namespace dlc::tool {

/// The exit status where memory ran out. Nothing is printed: dlc knows how much there was.
constexpr int outOfMemoryStatus = 75;

} // namespace dlc::tool

#endif // DLC_TOOLS_LIBDLC_DESCRIBESTATUS_H
