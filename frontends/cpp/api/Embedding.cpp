//===- Embedding.cpp - rows of tables -------------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/nn/embedding.h"
#include "frontends/cpp/api/Init.h"

namespace dlc::nn {
using namespace detail;

/// padding_idx counted from the front.
static std::optional<int64_t> frontPadding(std::optional<int64_t> padding, int64_t rows, const Where &where) {
  if (padding && (*padding < -rows || *padding >= rows))
    fail("padding_idx: expected a row from " + std::to_string(-rows) + " to " + std::to_string(rows - 1) +
             ", got " + std::to_string(*padding),
         where);
  return padding && *padding < 0 ? *padding + rows : padding;
}

/// Registers the table; gives padding_idx counted from the front.
static std::optional<int64_t> registerTable(Module &module, int64_t rows, int64_t columns,
                                            std::optional<int64_t> padding, const Where &where) {
  At at(where);
  requirePositive("num_embeddings", rows, where);
  requirePositive("embedding_dim", columns, where);
  padding = frontPadding(padding, rows, where);
  module.register_parameter("weight", normalTensor({rows, columns}, 1, where, padding));
  return padding;
}

static std::string describePadding(std::optional<int64_t> padding) {
  return padding ? ", padding_idx=" + std::to_string(*padding) : "";
}

Embedding::Embedding(int64_t num_embeddings, int64_t embedding_dim, std::optional<int64_t> padding_idx,
                     Where where)
    : padding(registerTable(*this, num_embeddings, embedding_dim, padding_idx, where)) {
  set_description(std::to_string(num_embeddings) + ", " + std::to_string(embedding_dim) +
                  describePadding(padding));
}

static void requireIndices(const char *function, const Tensor &indices, const Where &where) {
  if (indices.dtype() != int64 && indices.dtype() != int32)
    fail(std::string(function) + ": expected indices of int64 or int32, got " + describe(indices) +
             "; convert them with to(dlc::int64)",
         where);
}

Tensor Embedding::computed(Tensor indices) {
  requireIndices("Embedding", indices, caller());
  return slicesAt(parameter("weight"), indices, 0, padding, caller());
}

Tensor functional::embedding(const Tensor &indices, const Tensor &weight, std::optional<int64_t> padding_idx,
                             Where where) {
  requireIndices("embedding", indices, where);
  if (weight.dim() != 2)
    fail("embedding: expected a weight [rows, columns], got " + describe(weight), where);
  return slicesAt(weight, indices, 0,
                  frontPadding(padding_idx, staticSize("embedding", weight, 0, where), where), where);
}

Tensor functional::one_hot(const Tensor &labels, int64_t num_classes, Where where) {
  At at(where);
  requireIndices("one_hot", labels, where);
  requirePositive("num_classes", num_classes, where);
  record::Recorder::get().limitIndices(labels.id(), num_classes);
  return (labels.unsqueeze(-1) == arange(0, double(num_classes), 1, labels.dtype())).to(int64);
}

//===-- Bags -------------------------------------------------------------------------------------===//

EmbeddingBag::EmbeddingBag(int64_t num_embeddings, int64_t embedding_dim, EmbeddingBagOptions options,
                           Where where)
    : padding(registerTable(*this, num_embeddings, embedding_dim, options.padding_idx, where)),
      mode(options.mode), hasLastOffset(options.include_last_offset) {
  if (mode != "sum" && mode != "mean" && mode != "max")
    fail("mode: expected sum, mean or max, got '" + mode + "'", where);
  set_description(std::to_string(num_embeddings) + ", " + std::to_string(embedding_dim) + ", mode='" + mode +
                  "'" + describePadding(padding));
}

Tensor EmbeddingBag::operator()(const Tensor &indices, Bags bags, Where where) {
  return dlc::detail::called(*this, where, indices, bags);
}

/// Truth values [bags, places]: whether a place of the indices belongs to a bag.
static Tensor membersOf(const Tensor &indices, const Tensor &offsets, bool hasLast, const Where &where) {
  if (!offsets.defined() || offsets.dim() != 1 || is_floating_point(offsets.dtype()) ||
      offsets.dtype() == boolean)
    fail("EmbeddingBag: expected offsets of integers [bags] beside indices [places], got " +
             (offsets.defined() ? describe(offsets) : "none"),
         where);
  Dim places = indices.size(0), bags = offsets.size(0);
  if (places.is_static())
    record::Recorder::get().limitIndices(offsets.id(), places.factor + 1);
  if (hasLast)
    bags = staticSize("EmbeddingBag with include_last_offset", offsets, 0, where) - 1;
  auto count = [&](const Shape &shape, int64_t axis) {
    return apply("nn.iota", {}, {{"axis", axis}}, where, {{shape, int64}});
  };
  // A place is in the last bag that begins before it.
  Tensor bagOf = (offsets.unsqueeze(1).to(int64) <= count({1, places}, 1)).to(int64).sum(0, true) - 1;
  return count({bags, 1}, 0) == bagOf;
}

Tensor EmbeddingBag::forward(Tensor indices) { return forward(indices, Bags()); }
Tensor EmbeddingBag::forward(Tensor indices, Bags bags) {
  Where where = caller();
  At at(where);
  const Tensor &weights = bags.per_sample_weights;
  bool isFlat = indices.dim() == 1;
  if ((!isFlat && indices.dim() != 2) || (!isFlat && bags.offsets.defined()))
    fail("EmbeddingBag: expected indices [bags, places], or [places] with offsets [bags], got " +
             describe(indices) + (bags.offsets.defined() ? " and offsets" : ""),
         where);
  if (weights.defined() && (mode != "sum" || weights.shape() != indices.shape()))
    fail("EmbeddingBag: expected per_sample_weights for the mode sum, of the shape of the indices, " +
             str(indices.shape()) + ", got " + describe(weights) + " for the mode " + mode,
         where);
  Tensor rows = slicesAt(parameter("weight"), indices, 0, padding, where);
  Tensor counts = isFlat ? membersOf(indices, bags.offsets, hasLastOffset, where) : Tensor();
  if (padding) {
    Tensor isRow = indices != *padding;
    counts = counts.defined() ? counts & isRow : isRow;
  }
  if (mode == "max") {
    Tensor all = isFlat ? rows.unsqueeze(0) : rows;
    if (!counts.defined())
      return all.amax(1);
    constexpr double none = -std::numeric_limits<double>::infinity();
    Tensor largest = dlc::where(counts.unsqueeze(2), all, none).amax(1);
    return dlc::where(largest > none, largest, 0.0);
  }
  Tensor factors = counts.defined() ? counts.to(rows.dtype()) : Tensor(), number = factors;
  if (weights.defined())
    factors = factors.defined() ? factors * weights : weights;
  if (!factors.defined())
    return mode == "mean" ? rows.mean(1) : rows.sum(1);
  Tensor sums = isFlat ? factors.matmul(rows) : (rows * factors.unsqueeze(2)).sum(1);
  return mode == "mean" ? sums / maximum(number.sum(1, true), 1) : sums;
}

} // namespace dlc::nn
