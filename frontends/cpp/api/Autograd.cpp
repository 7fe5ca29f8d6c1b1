//===- Autograd.cpp - gradients as tensors --------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/autograd.h"
#include "frontends/cpp/api/Detail.h"

namespace dlc {
using namespace detail;
using record::Recorder;

static int noGrads = 0;

NoGrad::NoGrad() { ++noGrads; }
NoGrad::~NoGrad() { --noGrads; }

bool detail::isNoGrad() { return noGrads > 0; }

Tensor detail::unlessNoGrad(const Tensor &result, const Where &where) {
  return noGrads && is_floating_point(result.dtype()) ? result.detach(where) : result;
}

Tensor Tensor::detach(Where where) const {
  if (!defined())
    fail("detach: a tensor without a value was given", where);
  return Tensor::of(Recorder::get().detach(handle, placeOf(where)));
}

bool Tensor::requires_grad() const { return defined() && Recorder::get().requiresGrad(handle); }

Tensor Tensor::requires_grad_(bool on, Where where) const {
  if (!defined())
    fail("requires_grad_: a tensor without a value was given", where);
  unwrap(Recorder::get().setRequiresGrad(handle, on), where);
  return *this;
}

/// "output 1 of 2", or "the output".
static std::string nameOf(const char *what, size_t i, size_t count) {
  return count == 1 ? std::string("the ") + what
                    : std::string(what) + " " + std::to_string(i) + " of " + std::to_string(count);
}

static void checkDifferentiable(const char *what, const std::vector<Tensor> &tensors, const char *advice,
                                const Where &where) {
  if (tensors.empty())
    fail(std::string("grad: expected at least one ") + what, where);
  for (size_t i = 0; i < tensors.size(); ++i) {
    std::string name = "grad: " + nameOf(what, i, tensors.size());
    if (!tensors[i].defined())
      fail(name + " has no value", where);
    if (!is_floating_point(tensors[i].dtype()))
      fail(name + " consists of " + name_of(tensors[i].dtype()) +
               ", which have no gradients; expected floating-point numbers",
           where);
    if (!tensors[i].requires_grad())
      fail(name + ", " + describe(tensors[i]) + ", does not require a gradient: " + advice, where);
  }
}

/// One seed for each output: 0 stands for ones.
static std::vector<record::Id> seedsOf(const std::vector<Tensor> &outputs, const std::vector<Tensor> &given,
                                       const Where &where) {
  if (!given.empty() && given.size() != outputs.size())
    fail("grad: expected grad_outputs for each of " + std::to_string(outputs.size()) + " outputs, got " +
             std::to_string(given.size()),
         where);
  std::vector<record::Id> seeds(outputs.size(), 0);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor &output = outputs[i];
    if (given.empty() || !given[i].defined()) {
      if (output.numel() != Dim(1))
        fail("grad: " + nameOf("output", i, outputs.size()) + ", " + describe(output) +
                 ", has more than one element; give grad_outputs, or differentiate its sum()",
             where);
      continue;
    }
    if (given[i].shape() != output.shape() || given[i].dtype() != output.dtype())
      fail("grad: expected grad_outputs of the type of " + nameOf("output", i, outputs.size()) + ", " +
               describe(output) + ", got " + describe(given[i]),
           where);
    seeds[i] = given[i].id();
  }
  return seeds;
}

std::vector<Tensor> grad(const std::vector<Tensor> &outputs, const std::vector<Tensor> &inputs,
                         const GradOptions &options, Where where) {
  checkDifferentiable("input", inputs, "call requires_grad_() before it is used", where);
  checkDifferentiable("output", outputs,
                      "nothing that it is computed of does; gradients can be differentiated again where grad "
                      "was given create_graph",
                      where);
  std::vector<record::Id> seeds = seedsOf(outputs, options.grad_outputs, where), from, by;
  for (const Tensor &output : outputs)
    from.push_back(output.id());
  for (const Tensor &input : inputs)
    by.push_back(input.id());
  auto found =
      unwrap(Recorder::get().gradients(from, by, seeds, options.create_graph, placeOf(where)), where);
  std::vector<Tensor> gradients;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i] && !options.allow_unused)
      fail("grad: no output depends on " + nameOf("input", i, inputs.size()) + ", " + describe(inputs[i]) +
               "; with allow_unused it has a gradient without a value",
           where);
    gradients.push_back(Tensor::of(found[i]));
  }
  return gradients;
}

std::vector<Tensor> grad(const Tensor &output, const std::vector<Tensor> &inputs, const GradOptions &options,
                         Where where) {
  return grad(std::vector{output}, inputs, options, where);
}
Tensor grad(const Tensor &output, const Tensor &input, const GradOptions &options, Where where) {
  return grad(std::vector{output}, std::vector{input}, options, where)[0];
}

} // namespace dlc
