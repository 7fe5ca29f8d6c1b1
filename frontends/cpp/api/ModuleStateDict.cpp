//===- ModuleStateDict.cpp - the initial values of modules by name ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/DTypes.h"
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/PackedElements.h"
#include "frontends/cpp/api/ModuleState.h"
#include "frontends/cpp/api/StateDict.h"
#include <map>

namespace dlc::nn {
using namespace detail;

static Array arrayOf(const record::Elements &elements) {
  Array array(elements.dtype, elements.shape);
  std::span<std::byte> bytes = array.bytes();
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = std::byte(elements.bytes[i % elements.bytes.size()]); // one element, where all are the same
  return array;
}

StateDict Module::state_dict(Where where) const {
  StateDict tensors;
  shared->forEachEntry("", [&](const std::string &name, Entry &entry) {
    if (!entry.isTied)
      tensors.emplace_back(name, arrayOf(unwrap(record::Recorder::get().valueOf(entry.tensor.id()), where)));
  });
  return tensors;
}

/// What `tensor` begins with.
static record::Elements elementsFor(const std::string &name, const Tensor &tensor, const Array &given,
                                    const Where &where) {
  std::vector<int64_t> shape;
  for (const Dim &dim : tensor.shape())
    shape.push_back(dim.value());
  const Array fitting = fittingArray(name, tensor.dtype(), shape, given, where);
  auto *data = reinterpret_cast<const char *>(fitting.bytes().data());
  return {fitting.shape(), fitting.dtype(), {data, data + fitting.bytes().size()}};
}

StateDifference Module::load_state_dict(const StateDict &tensors, bool strict, Where where) {
  std::vector<WantedTensor> wanted;
  std::vector<Tensor> targets;
  shared->forEachEntry("", [&](const std::string &name, Entry &entry) {
    wanted.push_back({name, entry.isTied});
    targets.push_back(entry.tensor);
  });
  auto [found, difference] = matchStateDict(tensors, wanted, strict, where);
  std::map<record::Id, std::pair<std::string, record::Elements>> values;
  for (size_t i = 0; i < targets.size(); ++i) {
    if (!found[i])
      continue;
    record::Elements elements = elementsFor(wanted[i].name, targets[i], *found[i], where);
    auto [known, isNew] = values.try_emplace(targets[i].id(), wanted[i].name, elements);
    const auto &[name, first] = known->second;
    if (!isNew && first.bytes != elements.bytes)
      fail("'" + name + "' and '" + wanted[i].name +
               "' are one parameter, for which the state_dict has different values",
           where);
  }
  for (const auto &[id, value] : values)
    unwrap(record::Recorder::get().setState(id, value.second), where);
  return difference;
}

StateDifference Module::load_state_dict(const std::string &path, bool strict, Where where) {
  return load_state_dict(load_tensors(path, where), strict, where);
}

} // namespace dlc::nn
