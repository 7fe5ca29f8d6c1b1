//===- ParameterGroups.cpp - parameters with settings of their own ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/backward/ParameterGroups.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dlc::backward;

FailureOr<ParameterGroups> ParameterGroups::declare(train::ProgramOp program, ArrayRef<std::string> texts,
                                                    const Optimizer &optimizer) {
  ParameterGroups groups;
  for (auto [position, text] : llvm::enumerate(texts))
    if (failed(groups.addGroup(program, text, "group" + std::to_string(position + 1), optimizer)))
      return failure();
  return groups;
}

LogicalResult ParameterGroups::addGroup(train::ProgramOp program, StringRef text, StringRef name,
                                        const Optimizer &optimizer) {
  // From the right: names of parameters may have colons.
  auto [globs, numbers] = text.rsplit(':');
  SmallVector<StringRef> alternatives, list;
  globs.split(alternatives, '|');
  numbers.split(list, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (list.empty() || llvm::is_contained(alternatives, ""))
    return program.emitError() << "group '" << text
                               << "': expected GLOB|GLOB...:NAME=NUMBER,..., such as "
                                  "'*.bias|*norm*:weight-decay=0,lr-scale=0.1'";
  llvm::SmallSetVector<Operation *, 8> members;
  for (StringRef glob : alternatives) {
    auto matches = matching(program, "group", glob);
    if (failed(matches))
      return failure();
    members.insert(matches->begin(), matches->end());
  }
  auto parameters = llvm::map_to_vector(members, [](Operation *op) { return cast<train::StateOp>(op); });
  for (StringRef setting : list)
    if (failed(addSetting(program, setting, name, parameters, optimizer)))
      return failure();
  return success();
}

LogicalResult ParameterGroups::addSetting(train::ProgramOp program, StringRef setting, StringRef group,
                                          ArrayRef<train::StateOp> members, const Optimizer &optimizer) {
  auto emitError = [&] { return program.emitError() << group << ": "; };
  auto [written, text] = setting.split('=');
  std::string name = written.str(); // "weight-decay" as on the command line, "weight_decay" as in C
  llvm::replace(name, '-', '_');
  auto names = llvm::to_vector(optimizer.getHyperparameterNames());
  llvm::replace(names, StringRef("learning_rate"),
                StringRef("lr_scale")); // so that a schedule of the rate is for all groups
  if (!llvm::is_contained(names, name))
    return emitError() << "the optimizer has no '" << written << "' for a group; it has "
                       << llvm::join(names, ", ");
  auto number = parseHyperparameter(name, text, emitError);
  if (failed(number))
    return failure();
  bool isNothing = name == "weight_decay" && *number == 0;
  train::StateOp state = isNothing ? nullptr
                                   : declareHyperparameter(program, (group + "_" + name).str(), *number,
                                                           train::rangeOfHyperparameter(name));
  for (train::StateOp parameter : members) {
    auto [known, inserted] = settings[parameter].try_emplace(name, state);
    if (!inserted && (known->second || state)) // to have no decay twice is no contradiction
      return emitError() << "another group sets " << name << " of '" << parameter.getSymName() << "', too";
  }
  return success();
}
