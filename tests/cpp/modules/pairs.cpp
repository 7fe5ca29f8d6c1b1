// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Distances, and losses of pairs: gradients of all tensors that are no signs.
#include "tests/cpp/modules/cases.h"
#include <cmath>

using namespace cases;

static Program pairs(DType dtype) {
  Cases c(dtype);
  auto two = [](auto &m, std::vector<Tensor> &x) { return m(x[0], x[1]); };
  auto three = [](auto &m, std::vector<Tensor> &x) { return m(x[0], x[1], x[2]); };
  c.add("nn.CosineEmbeddingLoss()", "m(x[0], x[1], x[2])", nn::CosineEmbeddingLoss(),
        {{{4, 3}}, {{4, 3}}, {{4}, Kind::Sign}}, three);
  c.add("nn.CosineEmbeddingLoss(margin=0.2, reduction='none')", "m(x[0], x[1], x[2])",
        nn::CosineEmbeddingLoss({0.2, "none"}), {{{9, 3}}, {{9, 3}}, {{9}, Kind::Sign}}, three);
  c.add("nn.CosineEmbeddingLoss(margin=-0.5, reduction='sum')", "m(x[0], x[1], x[2])",
        nn::CosineEmbeddingLoss({-0.5, "sum"}), {{{5}}, {{5}}, {{}, Kind::Sign}}, three);
  c.add("nn.MarginRankingLoss()", "m(x[0], x[1], x[2])", nn::MarginRankingLoss(),
        {{{20}, Kind::Half}, {{20}, Kind::Half}, {{20}, Kind::Sign}}, three);
  c.add("nn.MarginRankingLoss(margin=0.5, reduction='sum')", "m(x[0], x[1], x[2])",
        nn::MarginRankingLoss({0.5, "sum"}), {{{4, 3}}, {{4, 3}}, {{4, 3}, Kind::Sign}}, three);
  c.add("nn.MarginRankingLoss(margin=-0.25, reduction='none')", "m(x[0], x[1], x[2])",
        nn::MarginRankingLoss({-0.25, "none"}), {{{4, 3}}, {{4, 3}}, {{4, 3}, Kind::Sign}}, three);
  c.add("nn.TripletMarginLoss()", "m(x[0], x[1], x[2])", nn::TripletMarginLoss(),
        {{{4, 3}}, {{4, 3}}, {{4, 3}}}, three);
  c.add("nn.TripletMarginLoss(margin=0.5, p=1, swap=True, reduction='sum')", "m(x[0], x[1], x[2])",
        nn::TripletMarginLoss({.margin = 0.5, .p = 1, .swap = true, .reduction = "sum"}),
        {{{4, 3}}, {{4, 3}}, {{4, 3}}}, three);
  c.add("nn.TripletMarginLoss(margin=3.0, p=3, eps=0.1, reduction='none')", "m(x[0], x[1], x[2])",
        nn::TripletMarginLoss({.margin = 3, .p = 3, .eps = 0.1, .reduction = "none"}), {{{3}}, {{3}}, {{3}}},
        three);
  c.add("lambda a, b: F.cosine_similarity(a, b)", {{{2, 3, 4}}, {{2, 3, 4}}},
        [](auto &x) { return F::cosine_similarity(x[0], x[1]); });
  c.add("lambda a, b: F.cosine_similarity(a, b, dim=-1)", {{{4, 3}}, {{1, 3}}},
        [](auto &x) { return F::cosine_similarity(x[0], x[1], -1); });
  c.add("lambda a, b: F.pairwise_distance(a, b, keepdim=True)", {{{4, 3}}, {{4, 3}}},
        [](auto &x) { return F::pairwise_distance(x[0], x[1], 2, 1e-6, true); });
  c.add("nn.CosineSimilarity()", "m(x[0], x[1])", nn::CosineSimilarity(), {{{2, 3, 4}}, {{2, 3, 4}}}, two);
  c.add("nn.CosineSimilarity(dim=-1, eps=3.0)", "m(x[0], x[1])", nn::CosineSimilarity(-1, 3),
        {{{5, 3}}, {{5, 3}}}, two); // some are shorter than eps
  c.add("nn.CosineSimilarity(dim=0)", "m(x[0], x[1] * 0)", nn::CosineSimilarity(0), {{{4}}, {{4}}},
        [](auto &m, std::vector<Tensor> &x) { return m(x[0], x[1] * 0.0); });
  c.add("nn.PairwiseDistance()", "m(x[0], x[1])", nn::PairwiseDistance(), {{{4, 3}}, {{4, 3}}}, two);
  c.add("nn.PairwiseDistance(p=1.0, keepdim=True)", "m(x[0], x[1])", nn::PairwiseDistance(1, 1e-6, true),
        {{{2, 1}}, {{2, 1}}}, two);
  c.add("nn.PairwiseDistance(p=3.0, eps=0.0)", "m(x[0], x[0])", nn::PairwiseDistance(3, 0), {{{3}}},
        [](auto &m, std::vector<Tensor> &x) { return m(x[0], x[0]); });
  c.add("nn.PairwiseDistance(p=float('inf'))", "m(x[0], x[1])", nn::PairwiseDistance(INFINITY),
        {{{4, 3}}, {{1, 3}}}, two);
  c.add("nn.TripletMarginWithDistanceLoss()", "m(x[0], x[1], x[2])", nn::TripletMarginWithDistanceLoss(),
        {{{4, 3}}, {{4, 3}}, {{4, 3}}}, three);
  c.add("nn.TripletMarginWithDistanceLoss(margin=0.5, swap=True, reduction='sum')", "m(x[0], x[1], x[2])",
        nn::TripletMarginWithDistanceLoss({.margin = 0.5, .swap = true, .reduction = "sum"}),
        {{{5, 2}}, {{5, 2}}, {{5, 2}}}, three);
  c.add("nn.TripletMarginWithDistanceLoss(distance_function=lambda a, b: 1 - F.cosine_similarity(a, b), "
        "reduction='none')",
        "m(x[0], x[1], x[2])",
        nn::TripletMarginWithDistanceLoss(
            [](const Tensor &a, const Tensor &b) { return 1 - F::cosine_similarity(a, b); },
            {.reduction = "none"}),
        {{{4, 3}}, {{4, 3}}, {{4, 3}}}, three);
  return c.program();
}

DLC_MODEL(pairs) { return pairs(float64); }
DLC_MODEL(pairs32) { return pairs(float32); }
