// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Losses: gradients of the outputs and, where PyTorch has them, of the targets.
#include "tests/cpp/modules/cases.h"

using namespace cases;

static Program losses(DType dtype) {
  Cases c(dtype);
  auto two = [](auto &m, std::vector<Tensor> &x) { return m(x[0], x[1]); };
  auto three = [](auto &m, std::vector<Tensor> &x) { return m(x[0], x[1], x[2]); };
  auto constant = [&](std::vector<double> numbers) {
    return from_data(numbers, {int64_t(numbers.size())}, dtype);
  };
  c.add("nn.MSELoss()", "m(x[0], x[1])", nn::MSELoss(), {{{4, 3}}, {{4, 3}}}, two);
  c.add("nn.MSELoss(reduction='sum')", "m(x[0], x[1])", nn::MSELoss({"sum"}), {{{2, 1, 3}}, {{2, 1, 3}}},
        two);
  c.add("nn.MSELoss(reduction='none')", "m(x[0], x[1])", nn::MSELoss({"none"}),
        {{{3, 5}, Kind::Half}, {{3, 5}, Kind::Half}}, two);
  c.add("nn.L1Loss()", "m(x[0], x[1])", nn::L1Loss(), {{{4, 3}}, {{4, 3}}}, two);
  c.add("nn.L1Loss(reduction='sum')", "m(x[0], x[1])", nn::L1Loss({"sum"}), {{{2, 1, 3}}, {{2, 1, 3}}}, two);
  c.add("nn.L1Loss(reduction='none')", "m(x[0], x[1])", nn::L1Loss({"none"}),
        {{{3, 5}, Kind::Half}, {{3, 5}, Kind::Half}}, two);
  c.add("nn.SmoothL1Loss()", "m(x[0], x[1])", nn::SmoothL1Loss(),
        {{{3, 5}, Kind::Half}, {{3, 5}, Kind::Half}}, two);
  c.add("nn.SmoothL1Loss(beta=0.5, reduction='sum')", "m(x[0], x[1])", nn::SmoothL1Loss({0.5, "sum"}),
        {{{5}}, {{5}}}, two);
  c.add("nn.SmoothL1Loss(beta=0.0, reduction='none')", "m(x[0], x[1])", nn::SmoothL1Loss({0, "none"}),
        {{{4, 3}}, {{4, 3}}}, two);
  c.add("nn.HuberLoss()", "m(x[0], x[1])", nn::HuberLoss(), {{{3, 5}, Kind::Half}, {{3, 5}, Kind::Half}},
        two);
  c.add("nn.HuberLoss(delta=0.5, reduction='sum')", "m(x[0], x[1])", nn::HuberLoss({0.5, "sum"}),
        {{{1}}, {{1}}}, two);
  c.add("nn.HuberLoss(delta=1.5, reduction='none')", "m(x[0], x[1])", nn::HuberLoss({1.5, "none"}),
        {{{3, 5}, Kind::Half}, {{3, 5}, Kind::Half}}, two);
  c.add("nn.CrossEntropyLoss()", "m(x[0], x[1])", nn::CrossEntropyLoss(), {{{4, 3}}, {{4}, Kind::Index, 3}},
        two);
  c.add("nn.CrossEntropyLoss(weight=torch.tensor([0.5, 2, 1], dtype=torch.float64), ignore_index=1, "
        "label_smoothing=0.1)",
        "m(x[0], x[1])",
        nn::CrossEntropyLoss({.weight = constant({0.5, 2, 1}), .ignore_index = 1, .label_smoothing = 0.1}),
        {{{2, 3, 4}}, {{2, 4}, Kind::Index, 3}}, two);
  c.add("nn.CrossEntropyLoss(weight=torch.tensor([0.5, 2, 1], dtype=torch.float64), label_smoothing=0.2, "
        "reduction='sum')",
        "m(x[0], x[1])",
        nn::CrossEntropyLoss({.weight = constant({0.5, 2, 1}), .label_smoothing = 0.2, .reduction = "sum"}),
        {{{4, 3}}, {{4}, Kind::Index, 3}}, two);
  c.add(
      "nn.CrossEntropyLoss(weight=torch.tensor([0.5, 2, 1], dtype=torch.float64), ignore_index=2, "
      "label_smoothing=0.2, reduction='none')",
      "m(x[0], x[1])",
      nn::CrossEntropyLoss(
          {.weight = constant({0.5, 2, 1}), .ignore_index = 2, .label_smoothing = 0.2, .reduction = "none"}),
      {{{2, 3, 2, 2}}, {{2, 2, 2}, Kind::Index, 3}}, two);
  c.add("nn.CrossEntropyLoss(reduction='none')", "m(x[0], x[1])", nn::CrossEntropyLoss({.reduction = "none"}),
        {{{3}}, {{}, Kind::Index, 3}}, two);
  c.add("nn.CrossEntropyLoss()", "m(x[0], x[1])", nn::CrossEntropyLoss(), {{{5}}, {{}, Kind::Index, 5}}, two);
  c.add("nn.CrossEntropyLoss()", "m(x[0], x[1])", nn::CrossEntropyLoss(),
        {{{4, 3}}, {{4, 3}, Kind::Probability}}, two);
  c.add("nn.CrossEntropyLoss(weight=torch.tensor([0.5, 2, 1], dtype=torch.float64), label_smoothing=0.1)",
        "m(x[0], x[1])", nn::CrossEntropyLoss({.weight = constant({0.5, 2, 1}), .label_smoothing = 0.1}),
        {{{2, 3, 4}}, {{2, 3, 4}, Kind::Probability}}, two);
  c.add("nn.CrossEntropyLoss(reduction='none')", "m(x[0], x[1])", nn::CrossEntropyLoss({.reduction = "none"}),
        {{{3}}, {{3}, Kind::Probability}}, two);
  c.add("nn.NLLLoss()", "m(x[0], x[1])", nn::NLLLoss(), {{{4, 3}}, {{4}, Kind::Index, 3}}, two);
  c.add("nn.NLLLoss(weight=torch.tensor([0.5, 2, 1], dtype=torch.float64), ignore_index=0, reduction='sum')",
        "m(x[0], x[1])",
        nn::NLLLoss({.weight = constant({0.5, 2, 1}), .ignore_index = 0, .reduction = "sum"}),
        {{{2, 3, 4}}, {{2, 4}, Kind::Index, 3}}, two);
  c.add("nn.NLLLoss(weight=torch.tensor([0.5, 2, 1], dtype=torch.float64), ignore_index=1, reduction='none')",
        "m(x[0], x[1])",
        nn::NLLLoss({.weight = constant({0.5, 2, 1}), .ignore_index = 1, .reduction = "none"}),
        {{{4, 3}}, {{4}, Kind::Index, 3}}, two);
  c.add("nn.BCELoss()", "m(x[0], x[1])", nn::BCELoss(),
        {{{4, 3}, Kind::Probability}, {{4, 3}, Kind::Probability}}, two);
  c.add("nn.BCELoss(weight=torch.tensor([0.5, 2, 1], dtype=torch.float64))", "m(x[0], x[1])",
        nn::BCELoss({.weight = constant({0.5, 2, 1})}),
        {{{4, 3}, Kind::Probability}, {{4, 3}, Kind::Probability}}, two);
  c.add("nn.BCELoss(reduction='none')", "m(x[0], x[1])", nn::BCELoss({.reduction = "none"}),
        {{{2, 1}, Kind::Probability}, {{2, 1}, Kind::Probability}}, two);
  c.add("nn.BCEWithLogitsLoss()", "m(x[0], x[1])", nn::BCEWithLogitsLoss(),
        {{{4, 3}}, {{4, 3}, Kind::Probability}}, two);
  c.add("nn.BCEWithLogitsLoss(pos_weight=torch.tensor([0.5, 2, 1], dtype=torch.float64))", "m(x[0], x[1])",
        nn::BCEWithLogitsLoss({.pos_weight = constant({0.5, 2, 1})}),
        {{{4, 3}, Kind::Half}, {{4, 3}, Kind::Probability}}, two);
  c.add("nn.BCEWithLogitsLoss(weight=torch.tensor([0.5, 2, 1], dtype=torch.float64), reduction='sum')",
        "m(x[0], x[1])", nn::BCEWithLogitsLoss({.weight = constant({0.5, 2, 1}), .reduction = "sum"}),
        {{{4, 3}}, {{4, 3}, Kind::Probability}}, two);
  c.add("nn.BCEWithLogitsLoss(reduction='none')", "m(x[0], x[1])",
        nn::BCEWithLogitsLoss({.reduction = "none"}), {{{4, 3}, Kind::Half}, {{4, 3}, Kind::Probability}},
        two);
  c.add("nn.KLDivLoss()", "m(x[0], x[1])", nn::KLDivLoss(), {{{4, 3}}, {{4, 3}, Kind::Probability}}, two);
  c.add("nn.KLDivLoss(reduction='batchmean')", "m(x[0], x[1])", nn::KLDivLoss({.reduction = "batchmean"}),
        {{{2, 3, 2}}, {{2, 3, 2}, Kind::Probability}}, two);
  c.add("nn.KLDivLoss(reduction='sum', log_target=True)", "m(x[0], x[1])",
        nn::KLDivLoss({.log_target = true, .reduction = "sum"}), {{{4, 3}}, {{4, 3}}}, two);
  c.add("nn.HingeEmbeddingLoss()", "m(x[0], x[1])", nn::HingeEmbeddingLoss(),
        {{{4, 3}}, {{4, 3}, Kind::Sign}}, two);
  c.add("nn.HingeEmbeddingLoss(margin=0.5, reduction='sum')", "m(x[0], x[1])",
        nn::HingeEmbeddingLoss({0.5, "sum"}), {{{4, 3}, Kind::Half}, {{4, 3}, Kind::Sign}}, two);
  c.add("nn.HingeEmbeddingLoss(margin=1.5, reduction='none')", "m(x[0], x[1])",
        nn::HingeEmbeddingLoss({1.5, "none"}), {{{4, 3}, Kind::Half}, {{4, 3}, Kind::Sign}}, two);
  c.add("nn.SoftMarginLoss()", "m(x[0], x[1])", nn::SoftMarginLoss(), {{{4, 3}}, {{4, 3}, Kind::Sign}}, two);
  c.add("nn.SoftMarginLoss(reduction='sum')", "m(x[0], x[1])", nn::SoftMarginLoss({"sum"}),
        {{{4, 3}, Kind::Half}, {{4, 3}, Kind::Sign}}, two);
  c.add("nn.SoftMarginLoss(reduction='none')", "m(x[0], x[1])", nn::SoftMarginLoss({"none"}),
        {{{1}}, {{1}, Kind::Sign}}, two);
  c.add("nn.PoissonNLLLoss()", "m(x[0], x[1])", nn::PoissonNLLLoss(), {{{4, 3}}, {{4, 3}, Kind::Positive}},
        two);
  c.add("nn.PoissonNLLLoss(log_input=False, reduction='sum')", "m(x[0], x[1])",
        nn::PoissonNLLLoss({.log_input = false, .reduction = "sum"}),
        {{{4, 3}, Kind::Positive}, {{4, 3}, Kind::Positive}}, two);
  c.add("nn.PoissonNLLLoss(full=True, reduction='none')", "m(x[0], x[1])",
        nn::PoissonNLLLoss({.full = true, .reduction = "none"}), {{{4, 3}}, {{4, 3}, Kind::Positive}}, two);
  c.add("nn.MultiLabelSoftMarginLoss()", "m(x[0], x[1])", nn::MultiLabelSoftMarginLoss(),
        {{{4, 3}}, {{4, 3}, Kind::Probability}}, two);
  c.add("nn.MultiLabelSoftMarginLoss(weight=torch.tensor([0.5, 2, 1], dtype=torch.float64), reduction='sum')",
        "m(x[0], x[1])", nn::MultiLabelSoftMarginLoss({.weight = constant({0.5, 2, 1}), .reduction = "sum"}),
        {{{4, 3}}, {{4, 3}, Kind::Probability}}, two);
  c.add("nn.MultiLabelSoftMarginLoss(reduction='none')", "m(x[0], x[1])",
        nn::MultiLabelSoftMarginLoss({.reduction = "none"}), {{{2, 1}}, {{2, 1}, Kind::Probability}}, two);
  c.add("nn.GaussianNLLLoss()", "m(x[0], x[1], x[2])", nn::GaussianNLLLoss(),
        {{{4, 3}}, {{4, 3}}, {{4, 3}, Kind::Positive}}, three);
  c.add("nn.GaussianNLLLoss(full=True, reduction='sum')", "m(x[0], x[1], x[2])",
        nn::GaussianNLLLoss({.full = true, .reduction = "sum"}),
        {{{4, 3}}, {{4, 3}}, {{4, 1}, Kind::Positive}}, three);
  c.add("nn.GaussianNLLLoss(reduction='none')", "m(x[0], x[1], x[2])",
        nn::GaussianNLLLoss({.reduction = "none"}), {{{4, 3}}, {{4, 3}}, {{4}, Kind::Positive}}, three);
  c.add("nn.MultiMarginLoss()", "m(x[0], x[1])", nn::MultiMarginLoss(), {{{4, 3}}, {{4}, Kind::Index, 3}},
        two);
  c.add("nn.MultiMarginLoss(p=2, margin=0.5, reduction='sum')", "m(x[0], x[1])",
        nn::MultiMarginLoss({.p = 2, .margin = 0.5, .reduction = "sum"}),
        {{{5, 4}, Kind::Half}, {{5}, Kind::Index, 4}}, two);
  c.add("nn.MultiMarginLoss(weight=torch.tensor([0.5, 2, 1], dtype=torch.float64), reduction='none')",
        "m(x[0], x[1])", nn::MultiMarginLoss({.weight = constant({0.5, 2, 1}), .reduction = "none"}),
        {{{6, 3}, Kind::Half}, {{6}, Kind::Index, 3}}, two);
  c.add("nn.MultiMarginLoss()", "m(x[0], x[1])", nn::MultiMarginLoss(), {{{3}}, {{}, Kind::Index, 3}}, two);
  c.add("nn.MultiLabelMarginLoss()", "m(x[0], x[1])", nn::MultiLabelMarginLoss(),
        {{{4, 3}}, {{4, 3}, Kind::Index, 3}}, two);
  auto less = [](auto &m, std::vector<Tensor> &x) { return m(x[0], x[1] - 1); };
  c.add("nn.MultiLabelMarginLoss(reduction='sum')", "m(x[0], x[1] - 1)", nn::MultiLabelMarginLoss({"sum"}),
        {{{6, 4}}, {{6, 4}, Kind::Index, 5}}, less);
  c.add("nn.MultiLabelMarginLoss(reduction='none')", "m(x[0], x[1] - 1)", nn::MultiLabelMarginLoss({"none"}),
        {{{9, 2}, Kind::Half}, {{9, 2}, Kind::Index, 3}}, less);
  c.add("nn.MultiLabelMarginLoss()", "m(x[0], x[1] - 1)", nn::MultiLabelMarginLoss(),
        {{{5}}, {{5}, Kind::Index, 6}}, less);
  return c.program();
}

DLC_MODEL(losses) { return losses(float64); }
DLC_MODEL(losses32) { return losses(float32); }
