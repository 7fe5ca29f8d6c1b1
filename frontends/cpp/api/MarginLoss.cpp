//===- MarginLoss.cpp - margins between the scores of classes ------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/nn/loss.h"
#include "frontends/cpp/api/Loss.h"

namespace dlc::nn {
using namespace detail;

/// The number of classes of scores [rows, classes] or [classes], whose labels have the dims `labels`.
static int64_t classesOf(const char *function, const Tensor &x, const Tensor &target, const Shape &labels,
                         const Where &where) {
  if (x.dim() < 1 || x.dim() > 2 || is_floating_point(target.dtype()) || target.shape() != labels)
    fail(std::string(function) + ": expected scores [rows, classes], or [classes], and labels of the shape " +
             str(labels) + ", got " + describe(x) + " and " + describe(target),
         where);
  return staticSize(function, x, -1, where);
}

Tensor functional::multi_margin_loss(const Tensor &x, const Tensor &target, MultiMarginOptions options,
                                     Where where) {
  At at(where);
  Shape rows = x.shape();
  if (!rows.empty())
    rows.pop_back();
  int64_t classes = classesOf("multi_margin_loss", x, target, rows, where);
  if (options.p != 1 && options.p != 2)
    fail("multi_margin_loss: expected p to be 1 or 2, got " + std::to_string(options.p), where);
  record::Recorder::get().limitIndices(target.id(), classes);
  Tensor isLabel = target.unsqueeze(-1) == arange(0, double(classes), 1, target.dtype());
  Tensor score = dlc::where(isLabel, x, 0.0).sum(-1, true), above = relu(options.margin - score + x);
  Tensor terms = options.p == 2 ? above * above : above;
  if (options.weight.defined())
    terms = terms * dlc::where(isLabel, options.weight, 0.0).sum(-1, true);
  return reduce(dlc::where(isLabel, 0.0, terms).sum(-1) / double(classes), options.reduction, where);
}

Tensor functional::multilabel_margin_loss(const Tensor &x, const Tensor &target, LossOptions options,
                                          Where where) {
  At at(where);
  int64_t classes = classesOf("multilabel_margin_loss", x, target, x.shape(), where);
  record::Recorder::get().limitIndices(target.id(), classes, -1);
  // [..., labels, classes]: which class the label names, until the first -1.
  Tensor isNone = (target < 0).to(x.dtype()).cumsum(-1) > 0;
  Tensor isLabel =
      (target.unsqueeze(-1) == arange(0, double(classes), 1, target.dtype())) & !isNone.unsqueeze(-1);
  Tensor isOther = isLabel.to(x.dtype()).sum(-2, true) == 0;
  Tensor row = x.unsqueeze(-2), score = dlc::where(isLabel, row, 0.0).sum(-1, true);
  Tensor terms = dlc::where(isOther & !isNone.unsqueeze(-1), relu(1 - score + row), 0.0);
  return reduce(terms.sum({-2, -1}) / double(classes), options.reduction, where);
}

} // namespace dlc::nn
