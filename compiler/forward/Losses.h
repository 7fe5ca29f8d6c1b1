//===- Losses.h - the losses that a program can get ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FORWARD_LOSSES_H
#define DLC_COMPILER_FORWARD_LOSSES_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace dlc::forward {

/// Their names, as the command line and the pass have them.
const std::vector<std::string> &losses();
/// Whether the target of a loss is a label: the number of a class.
bool hasClasses(llvm::StringRef loss);

} // namespace dlc::forward

#endif // DLC_COMPILER_FORWARD_LOSSES_H
