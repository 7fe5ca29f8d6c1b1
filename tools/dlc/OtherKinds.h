//===- OtherKinds.h - files that are no models of dlc's ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_OTHERKINDS_H
#define DLC_TOOLS_DLC_OTHERKINDS_H

#include <string>

namespace dlc::tool {

/// Where the name of a file says that it is what other programs keep models or weights in: what it is, and
/// how a model for dlc comes out of it. Else "".
std::string findOtherKind(const std::string &file);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_OTHERKINDS_H
