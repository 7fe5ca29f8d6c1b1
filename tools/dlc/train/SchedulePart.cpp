//===- SchedulePart.cpp - one schedule of a learning rate ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/SchedulePart.h"
#include "tools/dlc/NearMiss.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>

namespace dlc::tool::training {

namespace {

/// Each kind and its settings.
struct Kind {
  const char *name, *settings;
};
const Kind kinds[] = {{"constant", ""},
                      {"step", "size, gamma"},
                      {"multi-step", "at, gamma"},
                      {"exponential", "gamma, every"},
                      {"linear", "first, last, steps"},
                      {"polynomial", "power"},
                      {"cosine", "least"},
                      {"warm-restarts", "steps, factor, least"},
                      {"cyclic", "highest, up, down, shape, gamma, momentum"},
                      {"one-cycle", "rising, divisor, last-divisor, linear, three-phase, momentum"},
                      {"swa", "rate, steps, linear"},
                      {"plateau", "factor, patience, threshold, least, cooldown"}};

/// "; did you mean 'cosine'?": of PyTorch's classes, and of what is nearly ours.
std::string hintFor(const std::string &name) {
  std::string plain;
  for (char c : name)
    if (c != '-' && c != '_')
      plain += char(std::tolower(static_cast<unsigned char>(c)));
  if (plain.size() > 2 && plain.compare(plain.size() - 2, 2, "lr") == 0)
    plain.resize(plain.size() - 2);
  static const std::map<std::string, std::string> ofPyTorch = {
      {"cosineannealing", "cosine"}, {"cosineannealingwarmrestarts", "warm-restarts"},
      {"multistep", "multi-step"},   {"onecycle", "one-cycle"},
      {"swa", "swa"},                {"reducelronplateau", "plateau"}};
  std::vector<std::string> known;
  for (const Kind &kind : kinds)
    known.push_back(kind.name);
  const auto found = ofPyTorch.find(plain);
  const std::string near = found == ofPyTorch.end() ? nearest(plain, known) : found->second;
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

const char *settingsOf(const std::string &name) {
  for (const Kind &kind : kinds)
    if (name == kind.name)
      return kind.settings;
  return nullptr;
}

double numberIn(const std::string &text, const std::string &option) {
  char *end;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || !std::isfinite(value))
    throw Failure(option + ": expected a number, got '" + text + "'");
  return value;
}

} // namespace

int64_t stepsIn(const std::string &text, const std::string &option, int64_t perEpoch) {
  const bool isEpochs = !text.empty() && text.back() == 'e';
  const size_t length = text.size() - isEpochs;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + length, value);
  if (error != std::errc() || end != text.data() + length || value < 0 ||
      (isEpochs && __builtin_mul_overflow(value, perEpoch, &value)))
    throw Failure(option + ": expected a number of steps such as 500, or of epochs such as 2e; got '" + text +
                  "'");
  return value;
}

std::string SchedulePart::names() {
  std::string text;
  for (const Kind &each : kinds)
    text += (text.empty() ? "" : ", ") + std::string(each.name);
  return text;
}

SchedulePart::SchedulePart(const std::string &text, double base, int64_t steps, int64_t perEpoch)
    : steps(steps), perEpoch(perEpoch) {
  const size_t colon = std::min(text.find(':'), text.size());
  kind = text.substr(0, colon);
  if (!settingsOf(kind))
    throw Failure("--schedule: expected " + names() + "; got '" + kind + "'" + hintFor(kind));
  for (size_t begin = colon + 1, end; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find(',', begin), text.size());
    const std::string setting = text.substr(begin, end - begin);
    const size_t equals = setting.find('=');
    if (equals == std::string::npos)
      throw Failure("--schedule: expected SETTING=VALUE after '" + text.substr(0, begin) + "', got '" +
                    setting + "'");
    given[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  prepare(base);
  if (!given.empty())
    throw Failure("--schedule: " + kind + " has no setting '" + given.begin()->first + "'" +
                  (kind == "constant" ? "" : std::string("; it has ") + settingsOf(kind)) +
                  (kind == "one-cycle" || kind == "cosine" ? "; its highest rate is --lr" : ""));
}

std::string SchedulePart::take(const std::string &name) {
  const auto found = given.find(name);
  if (found == given.end())
    return "";
  std::string value = std::move(found->second);
  given.erase(found);
  if (value.empty())
    throw Failure("--schedule: the setting '" + name + "' has no value");
  return value;
}

double SchedulePart::number(const std::string &name, double standard) {
  const std::string text = take(name);
  return text.empty() ? standard : numberIn(text, "--schedule: " + name);
}

int64_t SchedulePart::count(const std::string &name, int64_t standard) {
  const std::string text = take(name);
  return text.empty() ? standard : stepsIn(text, "--schedule: " + name, perEpoch);
}

void SchedulePart::prepare(double base) {
  if (kind == "step") {
    length = count("size", perEpoch);
    factor = number("gamma", 0.1);
  } else if (kind == "multi-step") {
    for (std::string text = take("at"), part; !text.empty(); text.erase(0, part.size() + 1)) {
      part = text.substr(0, text.find('/'));
      milestones.push_back(stepsIn(part, "--schedule: at", perEpoch));
    }
    if (milestones.empty())
      throw Failure("--schedule: multi-step needs the steps or epochs, as in multi-step:at=3e/5e");
    factor = number("gamma", 0.1);
  } else if (kind == "exponential") {
    factor = number("gamma", 0.999);
    length = count("every", 1);
    if (length == 0)
      throw Failure("--schedule: every: expected a number of steps or epochs above 0");
  } else if (kind == "linear") {
    factor = number("first", 1);
    last = number("last", 0);
    length = count("steps", steps);
  } else if (kind == "polynomial") {
    factor = number("power", 1);
  } else if (kind == "cosine") {
    least = number("least", 0);
  } else if (kind == "warm-restarts") {
    length = count("steps", perEpoch);
    times = count("factor", 1);
    least = number("least", 0);
  } else if (kind == "cyclic") {
    prepareCyclic(base);
  } else if (kind == "one-cycle") {
    prepareOneCycle();
  } else if (kind == "swa") {
    last = number("rate", base / 2);
    length = count("steps", 10 * perEpoch);
    times = count("linear", 0);
  } else if (kind == "plateau") {
    preparePlateau(base);
  }
}

void SchedulePart::takeMomentum() {
  const std::string text = take("momentum");
  if (text.empty())
    return;
  const size_t slash = text.find('/');
  const std::string low = text.substr(0, slash),
                    high = slash == std::string::npos ? "" : text.substr(slash + 1);
  lowMomentum = numberIn(low, "--schedule: momentum");
  highMomentum = numberIn(high, "--schedule: momentum=LOW/HIGH");
  if (!(lowMomentum >= 0 && lowMomentum <= highMomentum && highMomentum > 0 && highMomentum < 1))
    throw Failure(
        "--schedule: momentum: expected LOW/HIGH with 0 <= LOW <= HIGH < 1, such as 0.85/0.95; got '" + text +
        "'");
}

void SchedulePart::prepareCyclic(double base) {
  const std::string shape = take("shape");
  cycle.highest = number("highest", 10 * base);
  cycle.steps_up = count("up", std::max<int64_t>(1, perEpoch / 2));
  cycle.steps_down = count("down", cycle.steps_up);
  cycle.gamma = number("gamma", 0.999);
  cycle.shape = shape.empty() || shape == "triangular" ? DLC_TRIANGULAR
                : shape == "triangular2"               ? DLC_TRIANGULAR2
                                                       : DLC_EXP_RANGE;
  if (cycle.shape == DLC_EXP_RANGE && shape != "exp-range")
    throw Failure("--schedule: shape: expected triangular, triangular2 or exp-range, got '" + shape + "'");
  takeMomentum();
}

void SchedulePart::prepareOneCycle() {
  oneCycle.steps = steps;
  oneCycle.rising = number("rising", 0.3);
  oneCycle.divisor = number("divisor", 25);
  oneCycle.last_divisor = number("last-divisor", 1e4);
  oneCycle.linear = count("linear", 0) != 0;
  oneCycle.three_phase = count("three-phase", 0) != 0;
  takeMomentum();
}

void SchedulePart::preparePlateau(double base) {
  plateau.rate = base;
  plateau.factor = number("factor", 0.1);
  plateau.patience = count("patience", 10);
  plateau.threshold = number("threshold", 1e-4);
  plateau.least = number("least", 0);
  plateau.cooldown = count("cooldown", 0);
  plateau.smallest_change = 1e-8;
  if (!(plateau.factor > 0 && plateau.factor < 1))
    throw Failure("--schedule: factor: expected a number above 0 and below 1");
}

double SchedulePart::rate(double base, int64_t step) const {
  if (kind == "step")
    return dlc_schedule_step(base, step, length, factor);
  if (kind == "multi-step")
    return dlc_schedule_multi_step(base, step, milestones.data(), int32_t(milestones.size()), factor);
  if (kind == "exponential")
    return dlc_schedule_exponential(base, step / length, factor);
  if (kind == "linear")
    return dlc_schedule_linear(base, step, factor, last, length);
  if (kind == "polynomial")
    return dlc_schedule_polynomial(base, step, steps, factor);
  if (kind == "cosine")
    return dlc_schedule_cosine(base, step, steps, least);
  if (kind == "warm-restarts")
    return dlc_schedule_warm_restarts(base, step, length, times, least);
  if (kind == "cyclic")
    return dlc_schedule_cyclic(base, step, &cycle);
  if (kind == "one-cycle")
    return dlc_schedule_one_cycle(base, step, &oneCycle);
  if (kind == "swa")
    return dlc_schedule_swa(base, step, last, length, times != 0);
  return kind == "plateau" ? plateau.rate : base;
}

std::optional<double> SchedulePart::momentum(int64_t step) const {
  if (highMomentum == 0)
    return std::nullopt;
  return kind == "cyclic" ? dlc_schedule_cyclic_momentum(step, &cycle, lowMomentum, highMomentum)
                          : dlc_schedule_one_cycle_momentum(step, &oneCycle, lowMomentum, highMomentum);
}

} // namespace dlc::tool::training
