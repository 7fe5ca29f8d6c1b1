//===- PrintModule.cpp - modules as PyTorch prints them ----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/ModuleState.h"
#include <ostream>

namespace dlc::nn {

static void print(std::ostream &out, const ModuleState &state, const std::string &type, int depth) {
  out << type << '(' << state.description;
  std::string indent(2 * depth, ' ');
  for (const auto &[name, child] : state.children) {
    out << '\n' << indent << "  (" << name << "): ";
    print(out, *child, child->type, depth + 1);
  }
  out << (state.children.empty() ? "" : "\n" + indent) << ')';
}

std::ostream &operator<<(std::ostream &out, const Module &module) {
  print(out, module.state(), module.type_name(), 0);
  return out;
}

} // namespace dlc::nn
