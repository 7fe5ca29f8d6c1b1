//===- Loops.h - what cannot be in the body of a loop ----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_LOOPS_H
#define DLC_FRONTENDS_CPP_API_LOOPS_H

#include "dlc/types.h"
#include <string>

namespace dlc::detail {

/// Throws in the body of a for_loop or while_loop: a buffer of this name would move there, in runs that do
/// not count, too.
void requireNoLoopBody(const std::string &buffer, const Where &where);

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_LOOPS_H
