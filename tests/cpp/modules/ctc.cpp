// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH
// LLVM-exception
//
// Sequences without an alignment. PyTorch's gradient of log_probs is that of what log_softmax was taken of,
// so a log_softmax comes before.
#include "tests/cpp/modules/cases.h"

using namespace cases;

static Tensor numbers(const std::vector<double> &values) {
  return from_data(values, {int64_t(values.size())}, int64);
}

/// `first` is added to the targets, which are no blanks: PyTorch's gradient of those is not the derivative.
static void add(Cases &c, const std::string &options, const nn::CTCLossOptions &given, int first,
                const std::vector<In> &inputs, const std::vector<double> &lengths,
                const std::vector<double> &targetLengths) {
  auto list = [](const std::vector<double> &values) {
    return cases::listed(std::vector<int64_t>(values.begin(), values.end()));
  };
  c.add("nn.CTCLoss(" + options + ")",
        "m(torch.log_softmax(x[0], -1), x[1] + " + std::to_string(first) + ", torch.tensor(" + list(lengths) +
            "), torch.tensor(" + list(targetLengths) + "))",
        nn::CTCLoss(given), inputs, [=](auto &m, std::vector<Tensor> &x) {
          return m(log_softmax(x[0], -1), x[1] + first, numbers(lengths), numbers(targetLengths));
        });
}

static Program ctc(DType dtype) {
  Cases c(dtype);
  // Of many targets, some have equal neighbours.
  add(c, "", {}, 1, {{{7, 3, 4}}, {{3, 3}, Kind::Index, 3}}, {7, 5, 6}, {3, 2, 3});
  add(c, "blank=2, reduction='sum'", {.blank = 2, .reduction = "sum"}, 0,
      {{{6, 5, 3}}, {{5, 2}, Kind::Index, 2}}, {6, 5, 4, 6, 3}, {2, 1, 2, 0, 1});
  add(c, "reduction='none'", {.reduction = "none"}, 1, {{{9, 4, 2}}, {{4, 4}, Kind::Index, 1}}, {9, 9, 8, 7},
      {3, 4, 2, 1});
  add(c, "zero_infinity=True", {.zero_infinity = true}, 1, {{{3, 4, 5}}, {{4, 5}, Kind::Index, 4}},
      {3, 3, 1, 2}, {5, 2, 1, 4});
  add(c, "reduction='none', zero_infinity=True", {.reduction = "none", .zero_infinity = true}, 1,
      {{{4, 3, 3}}, {{3, 2}, Kind::Index, 2}}, {0, 4, 0}, {0, 2, 2});
  c.add("nn.CTCLoss(blank=1)", "m(torch.log_softmax(x[0], -1), 2 * x[1], torch.tensor(5), torch.tensor(2))",
        nn::CTCLoss({.blank = 1}), {{{5, 3}}, {{2}, Kind::Index, 2}}, [](auto &m, std::vector<Tensor> &x) {
          return m(log_softmax(x[0], -1), x[1] * 2, numbers({5}), numbers({2}));
        });
  add(c, "", {}, 1, {{{1, 1, 2}}, {{1, 1}, Kind::Index, 1}}, {1}, {1});
  return c.program();
}

DLC_MODEL(ctc) { return ctc(float64); }
DLC_MODEL(ctc32) { return ctc(float32); }
