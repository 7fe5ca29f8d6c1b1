// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Tables: rows, and bags of rows.
#include "tests/cpp/modules/cases.h"

using namespace cases;

static void addBags(Cases &c) {
  c.add("nn.EmbeddingBag(7, 3)", nn::EmbeddingBag(7, 3), {{{4, 5}, Kind::Index, 7}});
  c.add("nn.EmbeddingBag(3, 2, padding_idx=1)", nn::EmbeddingBag(3, 2, {.padding_idx = 1}),
        {{{9, 2}, Kind::Index, 3}});
  c.add("nn.EmbeddingBag(4, 1, mode='sum')", nn::EmbeddingBag(4, 1, {.mode = "sum"}),
        {{{1, 1}, Kind::Index, 4}});
  auto weighted = [](auto &m, std::vector<Tensor> &x) { return m(x[0], {.per_sample_weights = x[1]}); };
  c.add("nn.EmbeddingBag(5, 2, mode='sum', padding_idx=-1)", "m(x[0], per_sample_weights=x[1])",
        nn::EmbeddingBag(5, 2, {.mode = "sum", .padding_idx = -1}), {{{3, 4}, Kind::Index, 5}, {{3, 4}}},
        weighted);
  c.add("nn.EmbeddingBag(5, 2, mode='sum')", "m(x[0], per_sample_weights=x[1])",
        nn::EmbeddingBag(5, 2, {.mode = "sum"}), {{{6, 3}, Kind::Index, 5}, {{6, 3}}}, weighted);
  c.add("nn.EmbeddingBag(9, 4, mode='max')", nn::EmbeddingBag(9, 4, {.mode = "max"}),
        {{{2, 3}, Kind::Index, 9}});
  c.add("nn.EmbeddingBag(3, 2, mode='max', padding_idx=0)",
        nn::EmbeddingBag(3, 2, {.mode = "max", .padding_idx = 0}), {{{9, 2}, Kind::Index, 3}});
}

/// Indices in one row; some bags are empty, or have nothing but padding.
static void addOffsets(Cases &c) {
  for (const char *mode : {"sum", "mean", "max"}) {
    std::string name = mode;
    auto at = [](std::initializer_list<double> offsets) {
      return [offsets = std::vector<double>(offsets)](auto &m, std::vector<Tensor> &x) {
        return m(x[0], {.offsets = from_data(offsets, {int64_t(offsets.size())}, int64)});
      };
    };
    c.add("nn.EmbeddingBag(7, 3, mode='" + name + "')", "m(x[0], torch.tensor([0, 2, 2, 5]))",
          nn::EmbeddingBag(7, 3, {.mode = mode}), {{{8}, Kind::Index, 7}}, at({0, 2, 2, 5}));
    c.add("nn.EmbeddingBag(3, 2, mode='" + name + "', padding_idx=2)", "m(x[0], torch.tensor([0, 1, 2, 4]))",
          nn::EmbeddingBag(3, 2, {.mode = mode, .padding_idx = 2}), {{{9}, Kind::Index, 3}},
          at({0, 1, 2, 4}));
    c.add("nn.EmbeddingBag(4, 1, mode='" + name + "', include_last_offset=True)",
          "m(x[0], torch.tensor([0, 3, 6]))",
          nn::EmbeddingBag(4, 1, {.mode = mode, .include_last_offset = true}), {{{6}, Kind::Index, 4}},
          at({0, 3, 6}));
  }
  c.add("nn.EmbeddingBag(4, 3, mode='sum')", "m(x[0], torch.tensor([0, 4]), per_sample_weights=x[1])",
        nn::EmbeddingBag(4, 3, {.mode = "sum"}), {{{7}, Kind::Index, 4}, {{7}}},
        [](auto &m, std::vector<Tensor> &x) {
          return m(x[0], {.offsets = from_data({0, 4}, {2}, int64), .per_sample_weights = x[1]});
        });
}

static Program embedding(DType dtype) {
  Cases c(dtype);
  c.add("nn.Embedding(7, 3)", nn::Embedding(7, 3), {{{2, 5}, Kind::Index, 7}});
  c.add("nn.Embedding(5, 4, padding_idx=1)", nn::Embedding(5, 4, 1), {{{3, 4}, Kind::Index, 5}});
  c.add("nn.Embedding(20, 1, padding_idx=-1)", nn::Embedding(20, 1, -1), {{{30}, Kind::Index, 20}});
  addBags(c);
  addOffsets(c);
  return c.program();
}

DLC_MODEL(embedding) { return embedding(float64); }
DLC_MODEL(embedding32) { return embedding(float32); }
