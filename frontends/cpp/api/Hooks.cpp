//===- Hooks.cpp - who looks on while a model is described ----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hook of gradients is called once, with placeholders in the place of gradients; what it makes of them is a
// part of the training step.
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/ModuleState.h"
#include <algorithm>

namespace dlc {
using namespace detail;
using record::Recorder;

RemovableHandle::RemovableHandle() = default;
RemovableHandle::RemovableHandle(std::function<void()> action) : action(std::move(action)) {}

void RemovableHandle::remove() {
  if (std::function<void()> once = std::move(action))
    once();
  action = nullptr;
}

RemovableHandle Tensor::addHook(const std::function<Tensor(Tensor)> &hook, const Where &where) const {
  if (!requires_grad())
    fail("register_hook: expected a tensor that requires a gradient", where);
  auto &recorder = Recorder::get();
  Tensor gradient = Tensor::of(recorder.placeholder(handle, placeOf(where)));
  Tensor changed = [&] {
    InBackward guard;
    return hook(gradient);
  }();
  if (!changed.defined())
    return RemovableHandle();
  checkGradient("the hook", changed, *this);
  size_t number = unwrap(recorder.hook(handle, gradient.id(), changed.id(), placeOf(where)), where);
  return RemovableHandle([number] { Recorder::get().unhook(number); });
}

namespace nn {

/// Adds a hook to one of the lists of a module.
template <typename Hook>
static RemovableHandle added(const std::shared_ptr<ModuleState> &module,
                             std::vector<std::shared_ptr<const Hook>> ModuleState::*list, const Hook &hook) {
  auto entry = std::make_shared<const Hook>(hook);
  ((*module).*list).push_back(entry);
  return RemovableHandle([list, entry, weak = std::weak_ptr(module)] {
    if (std::shared_ptr<ModuleState> state = weak.lock())
      std::erase((*state).*list, entry);
  });
}
RemovableHandle Module::addForwardHook(const ForwardHook &hook) {
  return added(shared, &ModuleState::hooks, hook);
}
RemovableHandle Module::addBackwardHook(const BackwardHook &hook) {
  return added(shared, &ModuleState::backwardHooks, hook);
}

} // namespace nn

Tensor detail::entered(const nn::Module &module, const Tensor &input) {
  if (module.state().backwardHooks.empty() || !input.requires_grad())
    return input;
  return Tensor::of(Recorder::get().identity(input.id(), placeOf(nn::callerOf())));
}

/// The gradients of some tensors, in the record of a function of them.
static std::vector<Tensor> gradientsOf(const std::vector<Tensor> &tensors, const record::Place &place) {
  std::vector<Tensor> gradients;
  for (const Tensor &tensor : tensors)
    gradients.push_back(tensor.requires_grad() ? Tensor::of(Recorder::get().placeholder(tensor.id(), place))
                                               : Tensor());
  return gradients;
}

/// Puts what a hook gives in the place of the gradients of the inputs.
static void callBackwardHook(const nn::BackwardHook &hook, const nn::Module &module,
                             const std::vector<Tensor> &inputs, const Tensor &output,
                             const record::Place &place) {
  auto &recorder = Recorder::get();
  const std::vector<Tensor> ofInputs = gradientsOf(inputs, place), ofOutputs = gradientsOf({output}, place);
  std::vector<Tensor> changed;
  {
    InBackward guard;
    changed = hook(module, ofInputs, ofOutputs);
  }
  if (changed.empty())
    return;
  const std::string name = "the backward hook of " + module.type_name();
  if (changed.size() != inputs.size())
    throw Error(name + " gives " + std::to_string(changed.size()) +
                    " gradients; expected one for each of the " + std::to_string(inputs.size()) +
                    " inputs, or none",
                place.file, place.line, place.column, place.module);
  for (size_t i = 0; i < changed.size(); ++i) {
    if (!changed[i].defined() || !ofInputs[i].defined() || changed[i].id() == ofInputs[i].id())
      continue;
    checkGradient(name.c_str(), changed[i], inputs[i]);
    for (const auto &list : {ofInputs, ofOutputs})
      for (const Tensor &other : list)
        if (other.defined() && other.id() != ofInputs[i].id() &&
            recorder.dependsOn(changed[i].id(), other.id()))
          failAt(changed[i],
                 name +
                     " computes the gradient of an input of another gradient; expected one that is "
                     "computed of grad_input[" +
                     std::to_string(i) + "]");
    auto hooked = recorder.hook(inputs[i].id(), ofInputs[i].id(), changed[i].id(), place);
    if (!hooked.value)
      failAt(changed[i], hooked.error);
  }
}

Tensor detail::hooked(const nn::Module &module, std::initializer_list<const Tensor *> arguments,
                      const Tensor &output) {
  const std::vector<Tensor> inputs = tensorsOf(arguments);
  Tensor result = output;
  const auto hooks = module.state().hooks; // one may register another
  for (const auto &hook : hooks)
    if (Tensor changed = (*hook)(module, inputs, result); changed.defined())
      result = changed;
  const auto backwardHooks = module.state().backwardHooks;
  if (!backwardHooks.empty() && result.requires_grad())
    for (const auto &hook : backwardHooks)
      callBackwardHook(*hook, module, inputs, result, placeOf(nn::callerOf()));
  return result;
}

void detail::refuseHooks(const nn::Module &module, const Where &where) {
  if (!module.state().hooks.empty() || !module.state().backwardHooks.empty())
    fail(module.type_name() + ": a " + (module.state().hooks.empty() ? "backward" : "forward") +
             " hook sees calls that give one tensor; this one gives several",
         where);
}

} // namespace dlc
