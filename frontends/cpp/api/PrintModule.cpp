//===- PrintModule.cpp - modules as PyTorch prints them ----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/ModuleState.h"
#include <ostream>

namespace dlc::nn {

static std::string textOf(const ModuleState &state, const std::string &type, int depth);

/// The children's lines: equal ones of a list become one, "(0-5): 6 x Linear(...)".
static std::string childrenOf(const ModuleState &state, bool isList, int depth) {
  std::string indent(2 * depth, ' '), text;
  for (size_t i = 0; i < state.children.size();) {
    const auto &[name, child] = state.children[i];
    std::string childText = textOf(*child, child->type, depth + 1);
    size_t first = i++;
    while (isList && i < state.children.size() &&
           textOf(*state.children[i].second, state.children[i].second->type, depth + 1) == childText)
      ++i;
    text += "\n" + indent + "  (" + name;
    text += i - first > 1 ? "-" + std::to_string(i - 1) + "): " + std::to_string(i - first) + " x " : "): ";
    text += childText;
  }
  return text + (text.empty() ? "" : "\n" + indent);
}

static std::string textOf(const ModuleState &state, const std::string &type, int depth) {
  return type + '(' + state.description + childrenOf(state, type == "ModuleList", depth) + ')';
}

std::ostream &operator<<(std::ostream &out, const Module &module) {
  return out << textOf(module.state(), module.type_name(), 0);
}

} // namespace dlc::nn
