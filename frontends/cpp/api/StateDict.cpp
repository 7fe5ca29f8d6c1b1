//===- StateDict.cpp - tensors by name, and who wants them --------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/StateDict.h"
#include "frontends/cpp/api/DTypes.h"
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/PackedElements.h"
#include "frontends/cpp/api/Text.h"
#include <algorithm>
#include <cstring>
#include <map>

namespace dlc::detail {

/// PyTorch counts the batches that a batch normalization has seen; dlc does not use it (docs/checkpoints.md).
static bool isBatchCounter(const std::string &name, const Array &tensor) {
  const std::string counter = "num_batches_tracked";
  const bool isNamedSo = name == counter || (name.size() > counter.size() && name.ends_with("." + counter));
  return isNamedSo && tensor.dtype() == DType::Int64 && tensor.shape().empty();
}

/// What is to be taken off names that the model does not have, such as the "module." of PyTorch's
/// DataParallel;
/// "" where it is not that.
static std::string prefixOf(const std::vector<std::string> &unexpected,
                            const std::vector<std::string> &missing) {
  if (unexpected.empty() || missing.empty() || !unexpected[0].ends_with("." + missing[0]))
    return "";
  const std::string prefix = unexpected[0].substr(0, unexpected[0].size() - missing[0].size());
  for (const std::string &name : missing)
    if (std::find(unexpected.begin(), unexpected.end(), prefix + name) == unexpected.end())
      return "";
  return "; take the prefix '" + prefix + "' off the names, in Python by {k.removeprefix('" + prefix +
         "'): v for k, v in weights.items()}";
}

MatchedTensors matchStateDict(const StateDict &tensors, const std::vector<WantedTensor> &wanted, bool strict,
                              const Where &where) {
  std::map<std::string, const Array *> unused;
  for (const auto &[name, tensor] : tensors)
    if (!unused.emplace(name, &tensor).second)
      fail("the state_dict has '" + name + "' twice", where);
  MatchedTensors result;
  auto &[missing, unexpected] = result.difference;
  for (const auto &[name, isOptional] : wanted) {
    auto entry = unused.extract(name);
    result.found.push_back(entry ? entry.mapped() : nullptr);
    if (!entry && !isOptional)
      missing.push_back(name);
  }
  for (const auto &[name, tensor] : tensors)
    if (unused.count(name) && !isBatchCounter(name, tensor))
      unexpected.push_back(name);
  if (strict && !(missing.empty() && unexpected.empty()))
    fail(
        "the state_dict is not that of the model:" + (missing.empty() ? "" : " it lacks " + listed(missing)) +
            (missing.empty() || unexpected.empty() ? "" : ";") +
            (unexpected.empty() ? "" : " the model has no " + listed(unexpected)) +
            prefixOf(unexpected, missing) + "; strict = false takes the tensors that both have",
        where);
  return result;
}

Array fittingArray(const std::string &name, DType dtype, const std::vector<int64_t> &shape,
                   const Array &given, const Where &where) {
  const bool isConverted = is_floating_point(dtype) && is_floating_point(given.dtype());
  if (given.shape() != shape || (given.dtype() != dtype && !isConverted))
    fail("'" + name + "' is " + name_of(dtype) + " " + textOf(shape) + "; got " + name_of(given.dtype()) +
             " " + textOf(given.shape()),
         where);
  if (given.dtype() == dtype)
    return given;
  auto *data = reinterpret_cast<const char *>(given.bytes().data());
  const record::Elements elements{shape, given.dtype(), {data, data + given.bytes().size()}};
  const record::Elements packed = pack(unpack(elements), shape, dtype);
  Array fitting(dtype, shape);
  std::memcpy(fitting.bytes().data(), packed.bytes.data(), packed.bytes.size());
  return fitting;
}

} // namespace dlc::detail
