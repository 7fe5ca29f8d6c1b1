//===- Layers.cpp - the basic layers --------------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/nn/layers.h"
#include "dlc/nn/containers.h"
#include "frontends/cpp/api/Attention.h"
#include "frontends/cpp/api/Init.h"
#include "frontends/cpp/api/Text.h"
#include <algorithm>
#include <cmath>

namespace dlc {

Tensor detail::drop(const Tensor &x, double p, const Where &where) {
  if (p == 0)
    return x;
  if (!(p > 0 && p < 1))
    fail("dropout: expected a probability of at least 0 and less than 1, got " + pythonNumber(p), where);
  Tensor random = Tensor::of(record::Recorder::get().randomState(placeOf(where)));
  return apply("nn.dropout", {x, random}, {{"ratio", p}, {"stream", int64_t(0)}}, where);
}

namespace nn {
using namespace detail;

Linear::Linear(int64_t in_features, int64_t out_features, bool bias, Where where) : bias(bias) {
  At at(where);
  requirePositive("in_features", in_features, where);
  requirePositive("out_features", out_features, where);
  double bound = 1 / std::sqrt(double(in_features));
  register_parameter("weight", uniformTensor({out_features, in_features}, bound, where));
  if (bias)
    register_parameter("bias", uniformTensor({out_features}, bound, where));
  set_description("in_features=" + std::to_string(in_features) +
                  ", out_features=" + std::to_string(out_features) + ", bias=" + (bias ? "True" : "False"));
}

Tensor Linear::forward(Tensor x) {
  At at(caller());
  Tensor rows = x.dim() == 1 ? x.unsqueeze(0) : x;
  Tensor y = apply("nn.matmul", {rows, parameter("weight")}, {{"transpose_b", true}}, caller());
  if (bias)
    y = y + parameter("bias");
  return x.dim() == 1 ? y.squeeze(0) : y;
}

Embedding::Embedding(int64_t num_embeddings, int64_t embedding_dim, std::optional<int64_t> padding_idx,
                     Where where)
    : padding(padding_idx) {
  At at(where);
  requirePositive("num_embeddings", num_embeddings, where);
  requirePositive("embedding_dim", embedding_dim, where);
  if (padding)
    padding = frontDim(*padding, num_embeddings, where);
  register_parameter("weight", normalTensor({num_embeddings, embedding_dim}, 1, where, padding));
  set_description(std::to_string(num_embeddings) + ", " + std::to_string(embedding_dim) +
                  (padding ? ", padding_idx=" + std::to_string(*padding) : ""));
}

Tensor Embedding::forward(Tensor indices) {
  return slicesAt(parameter("weight"), indices, 0, padding, caller());
}

Dropout::Dropout(double p, Where where) : p(p) {
  if (!(p >= 0 && p < 1))
    fail("Dropout: expected a probability of at least 0 and less than 1, got " + pythonNumber(p), where);
  set_description("p=" + pythonNumber(p) + ", inplace=False");
}

Tensor Dropout::forward(Tensor x) { return is_training() ? drop(x, p, caller()) : x; }

Flatten::Flatten(int64_t start, int64_t end) : start(start), end(end) {
  set_description("start_dim=" + std::to_string(start) + ", end_dim=" + std::to_string(end));
}
Tensor Flatten::forward(Tensor x) { return x.flatten(start, end, caller()); }

bool ModuleDict::contains(const std::string &name) const {
  return std::any_of(entries.begin(), entries.end(), [&](const auto &entry) { return entry.first == name; });
}

std::vector<std::string> ModuleDict::keys() const {
  std::vector<std::string> names;
  for (const auto &[name, module] : entries)
    names.push_back(name);
  return names;
}

Module &ModuleDict::at(const std::string &name, Where where) const {
  std::string known;
  for (const auto &[key, module] : entries) {
    if (key == name)
      return *module;
    known += (known.empty() ? "'" : ", '") + key + "'";
  }
  fail("ModuleDict: there is no module '" + name + "'; it has " + (known.empty() ? "none" : known), where);
}

Tensor Sequential::forward(Tensor x) {
  Where where = caller();
  for (const auto &child : children)
    x = (*child)(x, where);
  return x;
}

} // namespace nn
} // namespace dlc
