//===- Parameters.cpp - what modules learn and keep --------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/PackedElements.h"
#include "frontends/cpp/api/Loops.h"
#include "frontends/cpp/api/ModuleState.h"
#include "frontends/cpp/api/Text.h"
#include <fnmatch.h>
#include <map>

namespace dlc::nn {
using namespace detail;

static void checkName(const ModuleState &state, const std::string &name, const Where &where) {
  if (name.empty() || name.find('.') != std::string::npos)
    fail("expected a parameter's name without points, got '" + name + "'", where);
  for (const Entry &entry : state.entries)
    if (entry.name == name)
      fail("the module has a parameter '" + name + "' already", where);
}

namespace {
/// Who registered a parameter.
struct Owner {
  std::weak_ptr<ModuleState> module;
  std::string type, name;
};
} // namespace
static std::map<uint32_t, Owner> owners;

std::string ownerOf(uint32_t state) {
  auto found = owners.find(state);
  if (found == owners.end())
    return "";
  const auto &[weak, type, name] = found->second;
  std::shared_ptr<ModuleState> module = weak.lock();
  if (!module)
    return "'" + name + "' of " + type;
  const ModuleState *root = module.get();
  while (root->parent)
    root = root->parent;
  const std::string path = module->path();
  const std::string description =
      root == module.get() && !root->description.empty() ? "(" + root->description + ")" : "";
  return "'" + (path.empty() ? "" : path + ".") + name + "' of " +
         (root == module.get() ? type : root->madeAs) + description;
}

static Tensor makeState(const Tensor &initial, bool isBuffer, const Where &where) {
  auto &recorder = record::Recorder::get();
  if (!initial.defined())
    fail("a tensor without a value was given", where);
  record::Elements elements = unwrap(recorder.valueOf(initial.id()), where);
  return Tensor::of(unwrap(recorder.state(elements, placeOf(where), isBuffer), where));
}

Tensor Module::register_parameter(std::string_view called, const Tensor &initial, Where where) {
  const std::string name(called);
  checkName(*shared, name, where);
  if (!is_floating_point(initial.dtype(where)))
    fail("parameter '" + name + "': expected floating-point numbers, got " + name_of(initial.dtype()) +
             "; integers have no gradients, register_buffer takes them",
         where);
  Tensor parameter = makeState(initial, /*isBuffer=*/false, where);
  shared->entries.push_back({name, parameter});
  shared->madeAs = type_name();
  owners[parameter.id()] = {shared, type_name(), name};
  if (name == "weight")
    weight = Parameter(parameter);
  else if (name == "bias")
    bias = Parameter(parameter);
  return parameter;
}

Tensor Module::register_buffer(std::string_view called, const Tensor &initial, Where where) {
  const std::string name(called);
  checkName(*shared, name, where);
  Tensor buffer = makeState(initial, /*isBuffer=*/true, where).requires_grad_(false, where);
  shared->entries.push_back({name, buffer, /*isBuffer=*/true});
  return buffer;
}

void Module::update_buffer(std::string_view called, const Tensor &value, Where where) {
  const std::string name(called);
  for (Entry &entry : shared->entries) {
    if (entry.name != name || !entry.isBuffer)
      continue;
    if (!value.defined())
      fail("update_buffer: buffer '" + name + "' is given a tensor without a value", where);
    if (value.shape() != entry.tensor.shape() || value.dtype() != entry.tensor.dtype())
      fail("update_buffer: buffer '" + name + "' is " + name_of(entry.tensor.dtype()) + " " +
               str(entry.tensor.shape()) + ", got " + name_of(value.dtype()) + " " + str(value.shape()),
           where);
    if (!is_training())
      return;
    requireNoLoopBody(name, where);
    entry.updates.push_back(value);
    return;
  }
  fail("update_buffer: " + type_name() + " has no buffer '" + name + "'", where);
}

void Module::tie_parameter(std::string_view called, const Tensor &parameter, Where where) {
  const std::string name(called);
  for (Entry &entry : shared->entries) {
    if (entry.name != name)
      continue;
    if (entry.tensor.shape() != parameter.shape(where) || entry.tensor.dtype() != parameter.dtype())
      fail("tie_parameter: expected a parameter of shape " + str(entry.tensor.shape()) + ", got " +
               str(parameter.shape()),
           where);
    record::Recorder::get().alias(entry.tensor.id(), parameter.id()); // other handles to this one
    entry.tensor = parameter;
    entry.isTied = true;
    return;
  }
  fail("tie_parameter: " + type_name() + " has no parameter '" + name + "'", where);
}

Tensor Module::parameter(std::string_view name, Where where) const {
  for (const Entry &entry : shared->entries)
    if (entry.name == name)
      return entry.tensor;
  fail(type_name() + " has no parameter '" + std::string(name) + "'", where);
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

static std::vector<Tensor> withoutNames(const std::vector<std::pair<std::string, Tensor>> &named) {
  std::vector<Tensor> result;
  for (const auto &[name, tensor] : named)
    result.push_back(tensor);
  return result;
}
std::vector<Tensor> Module::parameters() const { return withoutNames(named_parameters()); }
std::vector<Tensor> Module::buffers() const { return withoutNames(named_buffers()); }

static Tensor entryAt(ModuleState &state, const std::string &path, bool isBuffer, const char *what,
                      const std::string &type, const Where &where) {
  Tensor found;
  std::vector<std::string> known;
  state.forEachEntry("", [&](const std::string &name, Entry &entry) {
    if (entry.isBuffer != isBuffer)
      return;
    known.push_back(name);
    if (name == path)
      found = entry.tensor;
  });
  if (!found.defined())
    fail(type + " has no " + what + " '" + path + "'; it has " + (known.empty() ? "none" : listed(known)),
         where);
  return found;
}
Tensor Module::get_parameter(const std::string &path, Where where) const {
  return entryAt(*shared, path, false, "parameter", type_name(), where);
}
Tensor Module::get_buffer(const std::string &path, Where where) const {
  return entryAt(*shared, path, true, "buffer", type_name(), where);
}

int64_t Module::parameter_count() const {
  int64_t count = 0;
  shared->forEachEntry("", [&](const std::string &, Entry &entry) {
    if (!entry.isBuffer && !entry.isTied && entry.tensor.requires_grad())
      count += entry.tensor.numel().factor;
  });
  return count;
}

void Module::requires_grad_(bool on, Where where) {
  shared->forEachEntry("", [&](const std::string &, Entry &entry) {
    if (!entry.isBuffer)
      entry.tensor.requires_grad_(on, where);
  });
}

void Module::zero_grad() const {
  for (const Tensor &parameter : parameters())
    parameter.zero_grad();
}

void Module::freeze(std::string_view given, Where where) {
  const std::string pattern(given);
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

void Module::to(DType dtype, Where where) {
  if (dtype != float32 && dtype != float64)
    fail(std::string("to: expected float32 or float64, in which models are trained, got ") + name_of(dtype),
         where);
  auto &recorder = record::Recorder::get();
  std::vector<Tensor> tensors;
  shared->forEachEntry("", [&](const std::string &name, Entry &entry) {
    if (!is_floating_point(entry.tensor.dtype()) || entry.tensor.dtype() == dtype)
      return;
    if (auto use = recorder.useOf(entry.tensor.id()))
      fail("to: '" + name + "' was used at " + use->file + ":" + std::to_string(use->line) + " already, as " +
               describe(entry.tensor),
           where);
    tensors.push_back(entry.tensor);
  });
  for (const Tensor &tensor : tensors) {
    std::vector<int64_t> sizes;
    for (const Dim &dim : tensor.shape())
      sizes.push_back(dim.value());
    unwrap(recorder.setState(tensor.id(), pack(tensor.values(where), sizes, dtype)), where);
  }
}

} // namespace dlc::nn
