//===- Containers.cpp - modules of modules ---------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/nn/containers.h"
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/ModuleState.h"
#include <algorithm>

namespace dlc::nn {
using namespace detail;

size_t Place::below(size_t size) const {
  const int64_t count = int64_t(size), front = place < 0 ? place + count : place;
  if (front >= 0 && front < count)
    return size_t(front);
  fail("there is no module " + std::to_string(place) + " in a list of " + std::to_string(size) +
           ", which are counted from 0, or from the end by negative numbers",
       where);
}

Sequential::Sequential() = default;
size_t Sequential::size() const { return children.size(); }
Module &Sequential::operator[](Place i) { return *children[i.below(children.size())]; }

void Sequential::append(Module *child, Where where) {
  std::shared_ptr<Module> owned(child);
  attach(children.size(), *owned, where);
  children.push_back(std::move(owned));
}

Sequential Sequential::operator[](Slice part) const {
  const int64_t count = int64_t(children.size());
  auto inside = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + count : at, 0, count); };
  if (part.step < 1)
    fail("Sequential: expected a step of at least 1, got " + std::to_string(part.step), Where());
  Sequential some;
  for (int64_t i = inside(part.start); i < inside(part.stop); i += part.step) {
    some.share(state().children[i].first, *children[i]); // names stay, as in PyTorch
    some.children.push_back(children[i]);
  }
  return some;
}

Tensor Sequential::computed(Tensor x) {
  Where where = caller();
  for (const auto &child : children)
    x = (*child)(x, where);
  return x;
}

ModuleDict::ModuleDict() = default;
size_t ModuleDict::size() const { return entries.size(); }

void ModuleDict::add(std::string_view name, Module *child, Where where) {
  std::shared_ptr<Module> owned(child);
  attach(name, *owned, where);
  entries.emplace_back(name, std::move(owned));
}

bool ModuleDict::contains(std::string_view name) const {
  return std::any_of(entries.begin(), entries.end(), [&](const auto &entry) { return entry.first == name; });
}

std::vector<std::string> ModuleDict::keys() const {
  std::vector<std::string> names;
  for (const auto &[name, module] : entries)
    names.push_back(name);
  return names;
}

Module &ModuleDict::at(std::string_view name, Where where) const {
  std::string known;
  for (const auto &[key, module] : entries) {
    if (key == name)
      return *module;
    known += (known.empty() ? "'" : ", '") + key + "'";
  }
  fail("ModuleDict: there is no module '" + std::string(name) + "'; it has " +
           (known.empty() ? "none" : known),
       where);
}

} // namespace dlc::nn
