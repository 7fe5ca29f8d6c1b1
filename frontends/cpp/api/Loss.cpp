//===- Loss.cpp - what losses share --------------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Loss.h"
#include "dlc/nn/loss.h"
#include <limits>

namespace dlc {

namespace detail {

Tensor reduce(const Tensor &x, const std::string &reduction, const Where &where) {
  if (reduction == "none")
    return x;
  if (reduction != "mean" && reduction != "sum")
    fail("reduction: expected mean, sum or none, got '" + reduction + "'", where);
  return reduction == "mean" ? x.mean() : x.sum();
}

Tensor lossOperation(const char *operation, const std::vector<Tensor> &operands, const std::string &reduction,
                     record::Attributes attributes, const Where &where) {
  if (reduction != "mean" && reduction != "sum")
    return {};
  attributes.emplace_back("reduction", record::Spelled{"#nn<loss_reduction " + reduction + ">"});
  return applyAll(operation, operands, attributes, where).front();
}

void requireSameShape(const char *function, const Tensor &x, const Tensor &target, const Where &where) {
  if (x.shape() != target.shape())
    fail(std::string(function) + ": expected a target of shape " + str(x.shape()) + ", got " +
             str(target.shape()) +
             (is_floating_point(target.dtype())
                  ? ""
                  : std::string(" of integers; labels, the numbers of classes, are for cross_entropy")),
         where);
}

Tensor notBelowZero(const Tensor &x) { return x.clamp(0, std::numeric_limits<double>::infinity()); }

} // namespace detail

namespace nn {
using namespace detail;

Tensor LossModule::operator()(const Tensor &output, const Tensor &target, Where where) {
  return dlc::detail::called(*this, where, output, target);
}

Tensor LossModule::targetOf(const Tensor &output, Where where) const {
  return input("target", output.shape(), output.dtype(), where);
}

Tensor ClassLossModule::targetOf(const Tensor &output, Where where) const {
  Shape shape = output.shape();
  if (shape.empty())
    fail(type_name() + ": expected scores [rows, classes, ...], got one number", where);
  shape.erase(shape.begin() + (shape.size() > 1));
  return input("labels", shape, int64, where);
}

Tensor MultiLabelMarginLoss::targetOf(const Tensor &output, Where where) const {
  return input("labels", output.shape(), int64, where);
}

} // namespace nn
} // namespace dlc
