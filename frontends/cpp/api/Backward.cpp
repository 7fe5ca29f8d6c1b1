//===- Backward.cpp - gradients that are added up, as PyTorch has them ----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/autograd.h"
#include "frontends/cpp/api/Detail.h"
#include <map>

namespace dlc {
using namespace detail;
using record::Recorder;

/// The sums of gradients, by the number of the tensor that they are for.
static std::map<uint32_t, Tensor> sums;
/// The tensors that are computed of others and keep their gradients all the same (retain_grad()).
static std::vector<record::Id> retained;

void Tensor::backward(Where where) const { backward(Tensor(), where); }

void Tensor::backward(const Tensor &gradient, Where where) const {
  At at(where);
  if (!requires_grad())
    fail("backward: the tensor, " + describe(*this) +
             ", does not require a gradient: call requires_grad_() of what it is computed of, before it is",
         where);
  if (!gradient.defined() && numel() != 1)
    fail("backward: the tensor, " + describe(*this) +
             ", has more than one element; call backward() of its sum() or mean(), or give a gradient of its "
             "shape",
         where);
  std::vector<Tensor> leaves;
  for (record::Id id : Recorder::get().leavesUnder(handle, retained))
    leaves.push_back(Tensor::of(id));
  GradOptions options{.allow_unused = true};
  if (gradient.defined())
    options.grad_outputs = {gradient};
  std::vector<Tensor> gradients = dlc::grad(std::vector{*this}, leaves, options, where);
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!gradients[i].defined())
      continue;
    Tensor &sum = sums[leaves[i].id()];
    sum = (sum.defined() ? sum + gradients[i] : gradients[i]).detach();
  }
}

Gradient Tensor::grad() const {
  auto found = sums.find(handle);
  return Gradient(found == sums.end() ? Tensor() : found->second, handle);
}

void Tensor::retain_grad(Where where) const {
  if (!requires_grad())
    fail("retain_grad: expected a tensor that requires a gradient", where);
  retained.push_back(handle);
}

void Tensor::zero_grad() const { sums.erase(handle); }

void Gradient::zero_() {
  if (!defined())
    return;
  sums[of] = zeros_like(*this);
  *this = Gradient(sums[of], of);
}

void detail::moveGradient(uint32_t from, uint32_t to) {
  if (auto found = sums.find(from); found != sums.end())
    sums[to] = found->second;
}

} // namespace dlc
