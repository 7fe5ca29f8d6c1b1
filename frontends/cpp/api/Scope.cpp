//===- Scope.cpp - which module is being computed ---------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/ModuleState.h"
#include <algorithm>

namespace dlc {

/// From the outermost to the innermost.
static std::vector<std::pair<const nn::ModuleState *, Where>> scopes;

bool detail::isModuleComputing() { return !scopes.empty(); }

std::string detail::currentModule() { return scopes.empty() ? "" : scopes.back().first->path(); }

namespace nn {

static bool isOpen(const ModuleState &module) {
  return std::any_of(scopes.begin(), scopes.end(), [&](const auto &scope) { return scope.first == &module; });
}

Scope::Scope(const Module &module, Where where) {
  constexpr size_t deepest = 1000; // a module in a module: what calls itself would end in a crash
  if (scopes.size() == deepest)
    detail::fail("modules call each other more than " + std::to_string(deepest) +
                     " deep; does the forward of " + module.type_name() + " call the module itself?",
                 where);
  refuseLost(module, where);
  refuseLostAbove(module.state(), isOpen, where);
  module.state().isCalled = true;
  scopes.emplace_back(&module.state(), detail::effective(where));
}
Scope::~Scope() { scopes.pop_back(); }

void warnOfOtherMode(const ModuleState &module, const std::string &type) {
  if (scopes.size() < 2 || scopes.back().first != &module || module.parent || !module.isTraining)
    return;
  const ModuleState &outer = *scopes[scopes.size() - 2].first;
  if (!outer.isTraining)
    detail::warn(
        type + (module.description.empty() ? "" : "(" + module.description + ")") +
            " is no part of the module that calls it, and stays in training mode although that one is in "
            "eval(); register it with register_module",
        scopes.back().second);
}

Where callerOf() { return scopes.empty() ? Where() : scopes.back().second; }

Where Module::caller() { return scopes.empty() ? Where() : scopes.back().second; }

} // namespace nn
} // namespace dlc
