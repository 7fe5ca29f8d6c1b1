//===- Module.cpp - the tree of modules -------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/ModuleState.h"
#include "frontends/cpp/api/Text.h"
#include <algorithm>

namespace dlc::nn {
using namespace detail;

Module::Module() : shared(std::make_shared<ModuleState>()) {}

Module::Module(std::shared_ptr<ModuleState> state) : shared(std::move(state)) {
  for (const Entry &entry : shared->entries)
    if (entry.name == "weight")
      weight = Parameter(entry.tensor);
    else if (entry.name == "bias")
      bias = Parameter(entry.tensor);
}

Layer::~Layer() = default;

ModuleState &Module::state() const { return *shared; }

/// Children may live on in copies: they are roots then.
ModuleState::~ModuleState() {
  for (auto &[name, child] : children)
    if (child->parent == this) // and not shared with a part of this module
      child->parent = nullptr;
}

Tensor Module::forward(Tensor x) { return computed(x); }

Tensor Module::computed(Tensor) {
  fail(type_name() + " has no forward that takes one tensor; call others with dlc::nn::call(module, ...)",
       caller());
}

Tensor Layer::forward(const Tensor &x, Where where) {
  Scope scope(*this, where);
  if (!x.defined())
    fail(type_name() + ": a tensor without a value was given", where);
  // As a Layer & a module is called here although its class overrides what it computes; an override itself
  // asks for what its base computes.
  return isCalledByOwnClass(*this, where) ? computed(x) : static_cast<Module *>(this)->forward(x);
}

Tensor Module::operator()(const Tensor &x, Where where) {
  if (!x.defined()) {
    Scope scope(*this, where);
    fail(type_name() + ": a tensor without a value was given", where);
  }
  return dlc::detail::called(*this, where, x);
}

std::string Module::type_name() const { return shared->type.empty() ? nameOf(typeid(*this)) : shared->type; }

void Module::attach(size_t place, const Module &child, Where where) {
  attach(std::to_string(place), child, where);
}

void Module::attach(std::string_view called, const Module &child, Where where) {
  const std::string name(called);
  ModuleState &state = child.state();
  if (name.empty() || name.find('.') != std::string::npos)
    fail("register_module: expected a name without points, got '" + name + "'", where);
  for (const auto &[taken, other] : shared->children)
    if (taken == name)
      fail("register_module: there is a module '" + name + "' already, of class " + other->type +
               " and registered at " + other->registeredAt + "; each has a name of its own, as '" + name +
               "2'",
           where);
  if (state.parent)
    fail("register_module: the module '" + name + "' is registered as '" + state.path() +
             "' already; a module that is used twice is registered once and called twice, and single "
             "parameters are "
             "shared by tie_parameter",
         where);
  for (const ModuleState *above = shared.get(); above; above = above->parent)
    if (above == &state)
      fail("register_module: a module cannot be a part of itself", where);
  refuseRegisteringLost(child, where);
  state.parent = shared.get();
  state.name = name;
  state.registeredAt = std::string(where.file_name()) + ":" + std::to_string(where.line());
  state.type = child.type_name();
  shared->children.emplace_back(name, child.shared);
  shared->madeAs = type_name();
}

void Module::share(const std::string &name, const Module &child) {
  shared->children.emplace_back(name, child.shared);
}

std::string ModuleState::path() const {
  if (!parent)
    return "";
  std::string above = parent->path();
  return above.empty() ? name : above + "." + name;
}

std::vector<std::pair<std::string, Module>> Module::named_children() const {
  std::vector<std::pair<std::string, Module>> result;
  for (const auto &[name, child] : shared->children)
    result.emplace_back(name, Module(child));
  return result;
}

std::vector<std::pair<std::string, Module>> Module::named_modules() const {
  shared->type = type_name(); // a handle does not know its class
  std::vector<std::pair<std::string, Module>> result{{"", Module(shared)}};
  for (const auto &[name, child] : named_children())
    for (const auto &[path, module] : child.named_modules())
      result.emplace_back(path.empty() ? name : name + "." + path, module);
  return result;
}

Module Module::get_submodule(const std::string &path, Where where) const {
  shared->type = type_name(); // a handle does not know its class
  std::shared_ptr<ModuleState> state = shared;
  for (size_t begin = 0, end = 0; end != std::string::npos && !path.empty(); begin = end + 1) {
    end = path.find('.', begin);
    const std::string name = path.substr(begin, end - begin);
    auto child = std::find_if(state->children.begin(), state->children.end(),
                              [&](const auto &each) { return each.first == name; });
    if (child == state->children.end()) {
      std::vector<std::string> known;
      for (const auto &each : state->children)
        known.push_back(each.first);
      fail("get_submodule: " + (begin ? "'" + path.substr(0, begin - 1) + "'" : type_name()) +
               " has no module '" + name + "'; it has " + (known.empty() ? "none" : listed(known)),
           where);
    }
    state = child->second;
  }
  return Module(state);
}

static std::vector<Module> withoutNames(const std::vector<std::pair<std::string, Module>> &named) {
  std::vector<Module> modules;
  for (const auto &[name, module] : named)
    modules.push_back(module);
  return modules;
}
std::vector<Module> Module::modules() const { return withoutNames(named_modules()); }
std::vector<Module> Module::children() const { return withoutNames(named_children()); }

void Module::for_each(const std::function<void(Module &)> &visit) const {
  shared->type = type_name();
  for (Module &child : children())
    child.for_each(visit);
  Module self(shared);
  visit(self);
}

static void setTraining(ModuleState &state, bool on) {
  state.isTraining = on;
  for (auto &[name, child] : state.children)
    setTraining(*child, on);
}
void Module::train(bool on) { setTraining(*shared, on); }
bool Module::is_training() const {
  warnOfOtherMode(*shared, type_name());
  return shared->isTraining;
}

std::string Module::path() const { return shared->path(); }
void Module::set_description(std::string_view text) { shared->description = text; }

} // namespace dlc::nn
