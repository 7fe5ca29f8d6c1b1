//===- SessionProfile.cpp - where the time of a session goes -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/SessionState.h"
#include <ostream>

namespace dlc {
using namespace detail;

/// Throws where the session has no such function.
static void requireFunction(const SessionState &state, const std::string &name, const Where &where) {
  const std::pair<const char *, dlc_function_kind> functions[] = {
      {"train_step", DLC_TRAIN_STEP}, {"grad_step", DLC_GRAD_STEP}, {"accumulate", DLC_ACCUMULATE},
      {"apply", DLC_APPLY},           {"eval_step", DLC_EVAL_STEP}, {"predict", DLC_PREDICT}};
  std::string known;
  for (const auto &[each, kind] : functions) {
    known += (known.empty() ? "\"" : ", \"") + std::string(each) + "\"";
    if (name != each)
      continue;
    if (!(state.model().functions >> kind & 1))
      fail("profile: the program has no loss, so that there is no " + name, where);
    return;
  }
  fail("profile: expected a function of " + known + ", got \"" + name + "\"", where);
}

Profile Session::profile(const ProfileOptions &options, Where where) const {
  if (state->model().targets->kind != DLC_TARGET_CPU)
    fail("profile: the session is on a GPU, and a profile is of a CPU's kernels", where);
  if (options.steps < 0)
    fail("profile: expected a number of steps of at least 0, got " + std::to_string(options.steps), where);
  if (!options.function.empty())
    requireFunction(*state, options.function, where);
  record::ProfileWanted wanted;
  wanted.function = options.function;
  wanted.steps = options.steps;
  wanted.threads = state->options.threads;
  wanted.byNode = options.by_node;
  record::Profiled found = unwrap(state->compiled->code->profile(wanted), where);
  Profile profile;
  profile.microseconds = found.nanoseconds * 1e-3;
  profile.calls = found.calls;
  profile.threads = found.threads;
  for (record::Profiled::Line &line : found.lines)
    profile.lines.push_back({std::move(line.name), line.launches, line.nanoseconds * 1e-3});
  profile.text = std::move(found.text);
  profile.trace = std::move(found.trace);
  return profile;
}

std::ostream &operator<<(std::ostream &out, const Profile &profile) { return out << profile.text; }

} // namespace dlc
