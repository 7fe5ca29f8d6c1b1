//===- DimNames.cpp - symbolic dims of a model's inputs
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/DimNames.h"
#include "frontends/common/OpMaker.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace dlc::frontend {

/// They are few in real models; every operation that has named dims looks them up.
static constexpr size_t maxNamed = 256;

void DimNames::findBatch(ArrayRef<InputDims> inputs) {
  for (const InputDims &input : inputs)
    if (!input.dims.empty() && input.dims.front().isSymbolic) {
      batchKey = input.dims.front().key;
      return;
    }
}

const nn::Dim *DimNames::find(StringRef key) const {
  auto found = known.find(key.str());
  return found == known.end() ? nullptr : &found->second;
}

/// A name that #nn.dims can hold.
static std::string identifier(StringRef key) {
  std::string name;
  for (char c : key)
    name += isAlnum(c) || c == '_' ? c : '_';
  return name.empty() || !isAlpha(name[0]) ? "dim_" + name : name;
}

std::string DimNames::freeName(const std::string &base, const StringSet<> &taken) const {
  auto isUsed = [&](StringRef text) {
    return taken.contains(text) || any_of(dims, [&](const Declared &dim) { return dim.name == text; });
  };
  std::string name = base;
  for (int i = 1; isUsed(name); ++i)
    name = base + "_" + std::to_string(i);
  return name;
}

void DimNames::declareBatch(const StringSet<> &taken) {
  if (!dims.empty() && !hasBatch())
    dims.insert(dims.begin(), {freeName("batch", taken), 1, ""});
}

Expected<nn::Dim> DimNames::symbolic(const std::string &key, StringRef where, const StringSet<> &taken) {
  auto found = known.find(key);
  if (found != known.end())
    return found->second;
  bool isBatch = batchKey == key;
  auto option = options.dims.find(key);
  int64_t bound = isBatch ? options.batch : 0;
  bool isOpen = isBatch && options.openBatch;
  if (option != options.dims.end() && isBatch && options.batch)
    return createStringError("--batch and --dim both give the size of the batch, '" + key +
                             "': leave one out");
  if (option != options.dims.end()) {
    bound = option->second.second;
    isOpen = option->second.first != bound;
    if (!isBatch && option->second.first == bound)
      return known[key] = nn::Dim(bound);
  }
  if (bound == 0 && options.anySizes)
    bound = 1;
  if (bound == 0) {
    std::string problem = (where + " is symbolic" + (key.empty() ? "" : " ('" + key + "')") +
                           ": give its size with " + (isBatch ? "--batch=N" : "--dim '" + key + "=N'"))
                              .str();
    if (!checking)
      return createStringError(problem);
    bound = 1; // what else is wrong shows with any size
    if (!isBatch)
      missing.push_back(problem);
  }
  if (bound < 0 || bound > maxDim)
    return createStringError(where + " cannot have the size " + Twine(bound));
  if (dims.size() == maxNamed)
    return createStringError(where + " is one symbolic dim too many: a program has at most " +
                             Twine(maxNamed));
  bool isNamed = isBatch && !batchName.empty();
  std::string name = freeName(isNamed ? batchName : key.empty() ? "batch" : identifier(key), taken);
  dims.insert(isBatch ? dims.begin() : dims.end(), Declared{name, bound, key, isOpen});
  nn::Dim dim;
  dim.names.push_back(name);
  return known[key] = dim;
}

Expected<nn::Shape> DimNames::shapeOf(const InputDims &input, const StringSet<> &taken) {
  if (size_t rank = input.dims.size(); rank > size_t(nn::maxRank))
    return createStringError("input '" + input.name + "' has " + Twine(rank) +
                             " dims; a tensor has at most " + Twine(nn::maxRank));
  nn::Shape shape;
  Error errors = Error::success();
  for (const InputDim &dim : input.dims) {
    size_t i = shape.size();
    std::string where = "dim " + std::to_string(i) + " of input '" + input.name + "'";
    if (dim.size < 0 || dim.size > maxDim)
      errors = joinErrors(std::move(errors),
                          createStringError(where + " has the size " + Twine(dim.size) +
                                            (dim.size < 0 ? ", which is negative" : ", which is too large")));
    if (!dim.isSymbolic) {
      shape.push_back(dim.size);
      continue;
    }
    std::string key = dim.key;
    if (key.empty())
      // Unnamed leading dims are the batch, too.
      key = i == 0 && batchKey ? *batchKey : input.name + "." + std::to_string(i);
    Expected<nn::Dim> named = symbolic(key, where, taken);
    shape.push_back(named ? nn::Dim(dim.size) * *named : nn::Dim(1));
    if (!named)
      errors = joinErrors(std::move(errors), named.takeError());
  }
  if (errors)
    return errors;
  return shape;
}

int64_t DimNames::boundOf(const nn::Dim &dim) const {
  int64_t size = dim.factor;
  for (const std::string &name : dim.names)
    for (const Declared &declared : dims)
      if (declared.name == name && (size < 0 || MulOverflow(size, declared.bound, size)))
        size = -1;
  return size;
}

std::vector<std::string> DimNames::checkOptions() const {
  std::vector<std::string> problems = missing;
  std::string names;
  for (const auto &[key, dim] : known)
    names += (names.empty() ? "" : ", ") + ("'" + key + "'");
  for (const auto &[key, sizes] : options.dims)
    if (!known.count(key))
      problems.push_back("the model has no symbolic dim '" + key + "' (it has " +
                         (names.empty() ? "none" : names) + ")");
  return problems;
}

} // namespace dlc::frontend
