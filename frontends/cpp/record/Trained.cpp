//===- Trained.cpp - what has become of the states of a description ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/record/Trained.h"
#include "frontends/cpp/record/State.h"
#include <mutex>
#include <set>

namespace dlc::record {

namespace {
/// What a training that has ended has left of a state: its elements after the change of this number.
struct Left {
  uint64_t change = 0;
  Outcome<std::optional<Elements>> elements;
};
} // namespace

struct TrainedStates::Implementation {
  std::mutex mutex;
  std::set<Training *> trainings;
  std::map<Id, Left> left;
};

TrainedStates::TrainedStates() : all(std::make_unique<Implementation>()) {}

/// It lives as long as the process: a session may be a static object.
TrainedStates &TrainedStates::get() {
  static auto *states = new TrainedStates;
  return *states;
}

void TrainedStates::begin(Training &training) {
  const std::lock_guard<std::mutex> lock(all->mutex);
  all->trainings.insert(&training);
}

void TrainedStates::end(Training &training) {
  const std::lock_guard<std::mutex> lock(all->mutex);
  all->trainings.erase(&training);
  const uint64_t change = training.change;
  if (!change)
    return;
  for (const auto &[state, name] : training.names)
    if (Left &left = all->left[state]; left.change < change)
      left = {change, training.source(name)};
}

std::vector<Id> TrainedStates::left() {
  const std::lock_guard<std::mutex> lock(all->mutex);
  std::vector<Id> states;
  for (const auto &[state, left] : all->left)
    states.push_back(state);
  return states;
}

Outcome<std::optional<Elements>> TrainedStates::newer(Id state, uint64_t &seen) {
  const std::lock_guard<std::mutex> lock(all->mutex);
  Training *latest = nullptr;
  uint64_t change = seen;
  for (Training *training : all->trainings)
    if (const uint64_t own = training->change; own > change && training->names.count(state)) {
      latest = training;
      change = own;
    }
  Outcome<std::optional<Elements>> result{std::optional<Elements>(), ""};
  if (auto left = all->left.find(state); left != all->left.end()) {
    if (left->second.change > change) {
      latest = nullptr;
      change = left->second.change;
      if (!left->second.elements.value) // and stays so
        return left->second.elements;
      result = std::move(left->second.elements);
    }
    all->left.erase(left);
  }
  if (latest)
    result = latest->source(latest->names.at(state));
  if (result.value)
    seen = change;
  return result;
}

Training::Training(const Program &program, Source source) : source(std::move(source)) {
  for (const auto &[name, state] : program.states)
    names.emplace(state, name);
  TrainedStates::get().begin(*this);
}
Training::~Training() { TrainedStates::get().end(*this); }
void Training::changed() { change = TrainedStates::get().next(); }

} // namespace dlc::record
