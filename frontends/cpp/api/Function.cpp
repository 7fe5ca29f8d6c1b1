//===- Function.cpp - gradients of the user's own -----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/autograd.h"
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/Random.h"
#include <algorithm>

namespace dlc {
using namespace detail;
using record::Recorder;

static int backwards = 0;
bool detail::isBackwardComputing() { return backwards > 0; }

InBackward::InBackward() { ++backwards; }
InBackward::~InBackward() { --backwards; }

[[noreturn]] void detail::failAt(const Tensor &tensor, const std::string &message) {
  record::Place place = Recorder::get().placeOf(tensor.id());
  throw Error(message, place.file, place.line, place.column, currentModule());
}

void detail::checkGradient(const char *function, const Tensor &gradient, const Tensor &of) {
  if (gradient.shape() != of.shape() || gradient.dtype() != of.dtype())
    failAt(gradient, std::string(function) + " gives a gradient of type " + describe(gradient) +
                         " for a tensor of type " + describe(of) + "; expected the same type");
}

/// What the body of a custom gradient is given, and what Context has in the place of the results.
struct detail::CustomGradient {
  std::vector<Tensor> values; ///< the outputs that have gradients
  std::vector<Tensor> inputs;
  std::vector<record::Id> placeholders;
  std::vector<Tensor> gradients;

  /// Calls the backward, which reads results in the place of outputs that were saved.
  std::vector<Tensor> call(Context &context, const std::vector<Tensor> &outputs, Backward backward) {
    std::vector<Tensor> given, results;
    record::Place place = Recorder::get().placeOf(values[0].id());
    for (const Tensor &value : values)
      given.push_back(Tensor::of(Recorder::get().placeholder(value.id(), place)));
    for (const Tensor &value : values)
      results.push_back(Tensor::of(Recorder::get().placeholder(value.id(), place)));
    for (const auto &list : {given, results})
      for (const Tensor &tensor : list)
        placeholders.push_back(tensor.id());
    auto at = [](const std::vector<Tensor> &tensors, const Tensor &tensor) {
      return size_t(std::find_if(tensors.begin(), tensors.end(),
                                 [&](const Tensor &each) { return each.id() == tensor.id(); }) -
                    tensors.begin());
    };
    for (Tensor &tensor : context.saved)
      if (size_t i = at(values, tensor); i < values.size() && at(inputs, tensor) == inputs.size())
        tensor = results[i];
    std::vector<Tensor> all;
    auto next = given.begin();
    for (const Tensor &output : outputs)
      all.push_back(is_floating_point(output.dtype()) ? *next++ : Tensor());
    InBackward guard;
    return backward(context, all);
  }
};

std::vector<Tensor> detail::listed(const Tensor &tensor) { return {tensor}; }
std::vector<Tensor> detail::listed(const std::vector<Tensor> &tensors) { return tensors; }

Context::Context() = default;
void Context::save_for_backward(const std::vector<Tensor> &tensors) { saved = tensors; }
std::vector<Tensor> Context::saved_tensors() const { return saved; }

std::vector<Tensor> detail::withBackward(Context &context, std::initializer_list<const Tensor *> arguments,
                                         const std::vector<Tensor> &outputs, Backward backward) {
  const std::vector<Tensor> inputs = tensorsOf(arguments);
  CustomGradient custom;
  for (const Tensor &output : outputs) {
    if (!output.defined())
      fail("forward gives a tensor without a value", Where());
    if (is_floating_point(output.dtype()))
      custom.values.push_back(output);
  }
  custom.inputs = inputs;
  if (custom.values.empty())
    return outputs;
  std::vector<Tensor> gradients = custom.call(context, outputs, backward);
  if (gradients.size() != inputs.size())
    failAt(outputs[0], "backward gives " + std::to_string(gradients.size()) +
                           " gradients; expected one for each of the " + std::to_string(inputs.size()) +
                           " tensors that forward takes, in order");
  std::vector<record::Id> values, by, given;
  for (const Tensor &value : custom.values)
    values.push_back(value.id());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!gradients[i].defined())
      continue;
    checkGradient("backward", gradients[i], inputs[i]);
    by.push_back(inputs[i].id());
    given.push_back(gradients[i].id());
  }
  record::Place place = Recorder::get().placeOf(values[0]);
  place.module = currentModule();
  auto results =
      unwrap(Recorder::get().customGradient(values, by, custom.placeholders, given, place), Where());
  std::vector<Tensor> all;
  size_t next = 0;
  for (const Tensor &output : outputs)
    all.push_back(is_floating_point(output.dtype()) ? unlessNoGrad(Tensor::of(results[next++]), Where())
                                                    : output);
  return all;
}

} // namespace dlc
