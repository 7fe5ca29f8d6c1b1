//===- OptionRules.h - when an option has an effect ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_OPTIONRULES_H
#define DLC_TOOLS_DLC_OPTIONRULES_H

#include "tools/dlc/Commands.h"

namespace dlc::tool {

/// What other options ask for, or the model's own recipe says.
struct ChosenTraining {
  std::string loss, optimizer = "sgd", labelType = "i64";
  bool hasMomentum = false;
};

/// A sentence about the first option on the command line that changes nothing, given what the others say; ""
/// where all have an effect. `trains`: the program has a loss, its own or that of --loss.
std::string findOptionWithoutEffect(const Invocation &invocation, bool trains, const ChosenTraining &training);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_OPTIONRULES_H
