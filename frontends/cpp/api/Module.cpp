//===- Module.cpp - the tree of modules -------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/ModuleState.h"
#include <cstdlib>
#include <cxxabi.h>
#include <fnmatch.h>
#include <typeinfo>

namespace dlc::nn {
using namespace detail;

Module::Module() : shared(std::make_shared<ModuleState>()) {}

Module::~Module() = default;

/// Children may live on in copies: they are roots then.
ModuleState::~ModuleState() {
  for (auto &[name, child] : children)
    child->parent = nullptr;
}

Tensor Module::forward(Tensor) {
  fail(type_name() + " has no forward that takes one tensor; call others with dlc::nn::call(module, ...)",
       caller());
}

Tensor Module::operator()(const Tensor &x, Where where) {
  Scope scope(*this, where);
  return forward(x);
}

std::string Module::type_name() const {
  if (!shared->type.empty())
    return shared->type;
  int status = 0;
  char *full = abi::__cxa_demangle(typeid(*this).name(), nullptr, nullptr, &status);
  std::string name = full ? full : typeid(*this).name();
  std::free(full);
  std::string plain = name.substr(0, name.find('<')); // template arguments have colons, too
  size_t colon = plain.rfind("::");
  return colon == std::string::npos ? plain : plain.substr(colon + 2);
}

void Module::attach(const std::string &name, const Module &child, Where where) {
  ModuleState &state = child.state();
  if (name.empty() || name.find('.') != std::string::npos)
    fail("register_module: expected a name without points, got '" + name + "'", where);
  for (const auto &[taken, other] : shared->children)
    if (taken == name)
      fail("register_module: there is a module '" + name + "' already", where);
  if (state.parent)
    fail("register_module: the module '" + name + "' is registered as '" + state.path() +
             "' already; a module that is used twice is registered once and called twice, and single "
             "parameters are "
             "shared by tie_parameter",
         where);
  for (const ModuleState *above = shared.get(); above; above = above->parent)
    if (above == &state)
      fail("register_module: a module cannot be a part of itself", where);
  state.parent = shared.get();
  state.name = name;
  state.type = child.type_name();
  shared->children.emplace_back(name, child.shared);
}

static void checkName(const ModuleState &state, const std::string &name, const Where &where) {
  if (name.empty() || name.find('.') != std::string::npos)
    fail("expected a parameter's name without points, got '" + name + "'", where);
  for (const Entry &entry : state.entries)
    if (entry.name == name)
      fail("the module has a parameter '" + name + "' already", where);
}

static Tensor makeState(const Tensor &initial, const Where &where) {
  auto &recorder = record::Recorder::get();
  record::Elements elements = unwrap(recorder.valueOf(initial.id()), where);
  return Tensor::of(unwrap(recorder.state(elements, placeOf(where)), where));
}

Tensor Module::register_parameter(const std::string &name, const Tensor &initial, Where where) {
  checkName(*shared, name, where);
  if (!is_floating_point(initial.dtype()))
    fail("parameter '" + name + "': expected floating-point numbers, got " + name_of(initial.dtype()) +
             "; integers have no gradients, register_buffer takes them",
         where);
  shared->entries.push_back({name, makeState(initial, where)});
  return shared->entries.back().tensor;
}

Tensor Module::register_buffer(const std::string &name, const Tensor &initial, Where where) {
  checkName(*shared, name, where);
  Tensor buffer = makeState(initial, where).requires_grad_(false, where);
  shared->entries.push_back({name, buffer, /*isBuffer=*/true});
  return buffer;
}

void Module::tie_parameter(const std::string &name, const Tensor &parameter, Where where) {
  for (Entry &entry : shared->entries) {
    if (entry.name != name)
      continue;
    if (entry.tensor.shape() != parameter.shape() || entry.tensor.dtype() != parameter.dtype())
      fail("tie_parameter: expected a parameter of shape " + str(entry.tensor.shape()) + ", got " +
               str(parameter.shape()),
           where);
    entry.tensor = parameter;
    entry.isTied = true;
    return;
  }
  fail("tie_parameter: " + type_name() + " has no parameter '" + name + "'", where);
}

Tensor Module::parameter(const std::string &name, Where where) const {
  for (const Entry &entry : shared->entries)
    if (entry.name == name)
      return entry.tensor;
  fail(type_name() + " has no parameter '" + name + "'", where);
}

std::string ModuleState::path() const {
  if (!parent)
    return "";
  std::string above = parent->path();
  return above.empty() ? name : above + "." + name;
}

void ModuleState::forEachEntry(const std::string &prefix,
                               const std::function<void(const std::string &, Entry &)> &visit) {
  for (Entry &entry : entries)
    visit(prefix + entry.name, entry);
  for (auto &[child, state] : children)
    state->forEachEntry(prefix + child + ".", visit);
}

static std::vector<std::pair<std::string, Tensor>> entriesOf(ModuleState &state, bool buffers) {
  std::vector<std::pair<std::string, Tensor>> result;
  state.forEachEntry("", [&](const std::string &name, Entry &entry) {
    if (entry.isBuffer == buffers && !entry.isTied)
      result.emplace_back(name, entry.tensor);
  });
  return result;
}
std::vector<std::pair<std::string, Tensor>> Module::named_parameters() const {
  return entriesOf(*shared, false);
}
std::vector<std::pair<std::string, Tensor>> Module::named_buffers() const { return entriesOf(*shared, true); }

std::vector<Tensor> Module::parameters() const {
  std::vector<Tensor> result;
  for (const auto &[name, tensor] : named_parameters())
    result.push_back(tensor);
  return result;
}

int64_t Module::parameter_count() const {
  int64_t count = 0;
  shared->forEachEntry("", [&](const std::string &, Entry &entry) {
    if (!entry.isBuffer && !entry.isTied && entry.tensor.requires_grad())
      count += entry.tensor.numel().factor;
  });
  return count;
}

void Module::freeze(const std::string &pattern, Where where) {
  bool found = false;
  shared->forEachEntry("", [&](const std::string &name, Entry &entry) {
    if (entry.isBuffer || fnmatch(pattern.c_str(), name.c_str(), 0) != 0)
      return;
    entry.tensor.requires_grad_(false, where);
    found = true;
  });
  if (!found)
    fail("freeze: no parameter has a name like '" + pattern + "'", where);
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
bool Module::is_training() const { return shared->isTraining; }

std::string Module::path() const { return shared->path(); }
void Module::set_description(const std::string &text) { shared->description = text; }

} // namespace dlc::nn
