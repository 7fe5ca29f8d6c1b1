//===- Program.cpp - a whole model -------------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/program.h"
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/Models.h"
#include "frontends/cpp/api/ModuleState.h"
#include "frontends/cpp/api/Text.h"
#include <algorithm>
#include <set>

namespace dlc {
using namespace detail;

/// Everything that was registered below the model, with PyTorch's names.
static std::vector<record::NamedState> statesOf(const nn::Module &model, bool isTrained) {
  std::vector<record::NamedState> states;
  model.state().forEachEntry("", [&](const std::string &name, nn::Entry &entry) {
    if (entry.isTied)
      return;
    states.push_back({name, entry.tensor.id(),
                      entry.isBuffer                 ? record::StateKind::Buffer
                      : entry.tensor.requires_grad() ? record::StateKind::Parameter
                                                     : record::StateKind::Frozen});
    if (isTrained)
      for (const Tensor &update : entry.updates)
        states.back().updates.push_back(update.id());
  });
  return states;
}

/// A module in a std::vector, or in a member that was not registered, would be trained under no name.
static void requireRegistered(const nn::Module &model, const std::vector<record::NamedState> &states,
                              const std::vector<record::Id> &outputs, const Where &where) {
  std::set<record::Id> known;
  for (const record::NamedState &state : states)
    known.insert(state.id);
  auto &recorder = record::Recorder::get();
  for (record::Id id : recorder.statesUnder(outputs)) {
    if (known.count(id))
      continue;
    record::Place place = recorder.placeOf(id);
    const std::string owner = nn::ownerOf(id);
    throw Error("the model uses " + (owner.empty() ? "a parameter" : owner) + ", " +
                    describe(Tensor::of(id)) + ", made at " + place.file + ":" + std::to_string(place.line) +
                    ", which is no part of " + model.type_name() +
                    "; register the module with register_module, and several of a kind as a "
                    "dlc::nn::ModuleList instead of a std::vector",
                where);
  }
}

/// Parameters that no gradient reaches stay as they are: seldom what is meant.
static void checkReached(const std::vector<std::string> &unreached,
                         const std::vector<record::NamedState> &states, const Where &where) {
  if (unreached.empty())
    return;
  auto isTrained = [](const record::NamedState &state) { return state.kind == record::StateKind::Parameter; };
  if (int64_t(unreached.size()) == std::count_if(states.begin(), states.end(), isTrained))
    fail("the loss depends on no parameter: no gradient reaches '" + unreached[0] +
             "' or any other one; loss::None() makes a library that only predicts",
         where);
  warn("no output depends on the parameters " + listed(unreached) +
           " through operations that have gradients: they are not trained; freeze() says that this is meant",
       where);
}

static Program make(const nn::Module &model, const std::vector<std::pair<std::string, Tensor>> &outputs,
                    const Tensor &loss, const Settings &settings, bool isTrained, const Where &where) {
  record::ProgramParts parts;
  parts.name = model_name();
  parts.states = statesOf(model, isTrained);
  std::vector<record::Id> ids;
  for (const auto &[name, tensor] : outputs) {
    if (!tensor.defined())
      fail("output '" + name + "' has no value", where);
    parts.outputs.emplace_back(name, tensor.id());
    ids.push_back(tensor.id());
  }
  if (loss.defined()) {
    if (!loss.shape().empty() || !is_floating_point(loss.dtype()))
      fail(std::string("the loss: expected one floating-point number, got ") + name_of(loss.dtype()) + " " +
               str(loss.shape()) + "; sum() or mean() makes one",
           where);
    parts.loss = loss.id();
    ids.push_back(loss.id());
  }
  requireRegistered(model, parts.states, ids, where);
  nn::refuseLostBelow(model, where);
  parts.options = settings;
  Program program;
  program.contents = unwrap(record::Recorder::get().program(parts, placeOf(where)), where);
  if (isTrained)
    checkReached(record::unreachedOf(*program.contents), parts.states, where);
  return program;
}

Program make_program(const nn::Module &model, const std::vector<std::pair<std::string, Tensor>> &outputs,
                     const Loss &loss, const Optimizer &optimizer, Where where) {
  Settings settings = loss.settings;
  settings.insert(settings.end(), optimizer.settings.begin(), optimizer.settings.end());
  return make(model, outputs, {}, settings, /*isTrained=*/!loss.settings[0].second.empty(), where);
}

Program make_program(const nn::Module &model, const std::vector<std::pair<std::string, Tensor>> &outputs,
                     const Tensor &loss, const Optimizer &optimizer, Where where) {
  if (!loss.defined())
    fail("the loss has no value", where);
  return make(model, outputs, loss, optimizer.settings, /*isTrained=*/true, where);
}

Program make_program(const nn::Module &model, const Tensor &output, const Loss &loss,
                     const Optimizer &optimizer, Where where) {
  return make_program(model, {{"output", output}}, loss, optimizer, where);
}
Program make_program(const nn::Module &model, const Tensor &output, const Tensor &loss,
                     const Optimizer &optimizer, Where where) {
  return make_program(model, {{"output", output}}, loss, optimizer, where);
}

Program::Program() = default;

/// Throws where nothing is in the program: it was made of nothing instead of by dlc::program.
static const record::Program &contentsOf(const Program &program) {
  if (!program.contents)
    fail("the program is empty; dlc::program makes one", Where());
  return *program.contents;
}

std::string Program::str() const { return record::textOf(contentsOf(*this)); }

void Program::write(const std::string &path) const {
  if (std::string problem = record::writeTo(contentsOf(*this), path); !problem.empty())
    fail(problem, Where());
}

namespace detail {

std::vector<RegisteredModel> &models() {
  static std::vector<RegisteredModel> all;
  return all;
}

static std::string current = "model";

Model::Model(const char *name, Program (*describe)()) { models().push_back({name, describe}); }

Program describe(const RegisteredModel &model) {
  current = model.name;
  return model.describe();
}

} // namespace detail

std::string model_name() { return detail::current; }

} // namespace dlc
