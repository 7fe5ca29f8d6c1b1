//===- StateDict.cpp - tensors by name, and who wants them --------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/StateDict.h"
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/Text.h"
#include <map>

namespace dlc::detail {

/// PyTorch counts the batches that a batch normalization has seen; dlc does not use it (docs/checkpoints.md).
static bool isBatchCounter(const std::string &name, const Array &tensor) {
  const std::string counter = "num_batches_tracked";
  const bool isNamedSo = name == counter || (name.size() > counter.size() && name.ends_with("." + counter));
  return isNamedSo && tensor.dtype() == DType::Int64 && tensor.shape().empty();
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
            "; strict = false takes the tensors that both have",
        where);
  return result;
}

} // namespace dlc::detail
