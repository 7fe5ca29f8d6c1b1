//===- ParameterGroups.cpp - parameters with settings of their own ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/backward/ParameterGroups.h"
#include "dialects/train/Recipe.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dlc::backward;

/// The groups of the recipe, and one without weight decay for each pattern of parameters that have none.
static FailureOr<SmallVector<train::GroupAttr>> groupsOf(train::ProgramOp program) {
  SmallVector<train::GroupAttr> groups;
  train::RecipeOp recipe = train::recipeOf(program);
  if (!recipe)
    return groups;
  if (std::optional<ArrayAttr> given = recipe.getGroups())
    llvm::append_range(groups, given->getAsRange<train::GroupAttr>());
  for (const std::string &glob : train::textsOf(recipe.getNoDecay())) {
    groups.push_back(train::GroupAttr::getChecked([&] { return program.emitError(); }, program.getContext(),
                                                  StringRef(glob + ":weight_decay=0")));
    if (!groups.back())
      return failure();
  }
  return groups;
}

FailureOr<ParameterGroups> ParameterGroups::declare(train::ProgramOp program, const Optimizer &optimizer) {
  FailureOr<SmallVector<train::GroupAttr>> all = groupsOf(program);
  if (failed(all))
    return failure();
  ParameterGroups groups;
  for (auto [position, group] : llvm::enumerate(*all))
    if (failed(groups.addGroup(program, group, "group" + std::to_string(position + 1), optimizer)))
      return failure();
  return groups;
}

LogicalResult ParameterGroups::addGroup(train::ProgramOp program, train::GroupAttr group, StringRef name,
                                        const Optimizer &optimizer) {
  llvm::SmallSetVector<Operation *, 8> members;
  for (StringRef glob : group.getGlobs()) {
    auto matches = matching(program, "group", glob);
    if (failed(matches))
      return failure();
    members.insert(matches->begin(), matches->end());
  }
  auto parameters = llvm::map_to_vector(members, [](Operation *op) { return cast<train::StateOp>(op); });
  for (StringRef setting : group.getNumbers())
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
  auto number = train::parseHyperparameter(name, text, emitError);
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
