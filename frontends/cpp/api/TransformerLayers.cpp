//===- TransformerLayers.cpp - what layers of encoders and decoders share ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/TransformerLayers.h"
#include "dlc/activations.h"
#include "dlc/nn/init.h"
#include "frontends/cpp/api/ModuleState.h"
#include <cstring>

namespace dlc {

namespace detail {
using namespace nn;

MultiheadAttention attentionOf(int64_t size, int64_t heads, const TransformerLayerOptions &options,
                               const Where &where) {
  return MultiheadAttention(
      size, heads, {.dropout = options.dropout, .bias = options.bias, .batch_first = options.batch_first},
      where);
}

LayerNorm normOf(int64_t size, const TransformerLayerOptions &options, const Where &where) {
  return LayerNorm(size, {.eps = options.layer_norm_eps, .bias = options.bias}, where);
}

Tensor activate(const Tensor &x, const TransformerLayerOptions &options, const Where &where) {
  return std::strcmp(options.activation, "gelu") == 0 ? gelu(x, "none", where) : relu(x, where);
}

void checkActivation(const TransformerLayerOptions &options, const Where &where) {
  if (std::strcmp(options.activation, "gelu") != 0 && std::strcmp(options.activation, "relu") != 0)
    fail(std::string("activation: expected relu or gelu, got '") + options.activation + "'", where);
}

void requireSame(const Module &layer, const std::type_info &type, const Where &where) {
  if (typeid(layer) != type)
    fail("the layer is of class " + nameOf(typeid(layer)) + ", and copies of it as " + nameOf(type) +
             " would be made, without what it adds; make the layers in a ModuleList<" +
             nameOf(typeid(layer)) + ">, and call one after the other",
         where);
}

void copyParameters(const Module &from, const Module &to, const Where &where) {
  auto source = from.named_parameters(), target = to.named_parameters();
  for (size_t i = 0; i < source.size(); ++i)
    init::values_(target[i].second, source[i].second.values(where), where);
}

} // namespace detail
} // namespace dlc
