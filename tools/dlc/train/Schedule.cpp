//===- Schedule.cpp - the learning rate of each step -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Schedule.h"
#include <algorithm>

namespace dlc::tool::training {

/// Takes what stands before the word off the text; all of it where the word does not occur.
static std::string takeUpTo(std::string &text, const std::string &word) {
  const size_t found = text.find(word);
  std::string taken = text.substr(0, found);
  text = found == std::string::npos ? "" : text.substr(found + word.size());
  return taken;
}

Schedule::Schedule(const TrainOptions &options, double base, int64_t steps, int64_t perEpoch, bool isSketch)
    : base(base), perEpoch(perEpoch) {
  if (!options.warmUp.empty())
    warmUp = stepsIn(options.warmUp, "--warmup", perEpoch);
  if (!options.swaStart.empty()) {
    averages = true;
    averageStart = std::max<int64_t>(0, stepsIn(options.swaStart, "--swa-start", perEpoch) - 1);
    averageEvery = options.swaEvery.empty() ? perEpoch : stepsIn(options.swaEvery, "--swa-every", perEpoch);
    if (averageEvery < 1)
      throw Failure("--swa-every: expected at least one step");
  }
  const int64_t total = std::max<int64_t>(1, steps - warmUp);
  std::string text = options.schedule == "constant" ? "" : options.schedule;
  for (int64_t begin = 0; !text.empty();) {
    const bool isLast = text.find(" then ") == std::string::npos;
    std::string until = takeUpTo(text, " then "), stretch = takeUpTo(until, " until ");
    if (isLast != until.empty() || (!isLast && text.empty()))
      throw Failure(
          "--schedule: expected 'A until 2e then B': each schedule but the last ends with the step or the "
          "epoch that is the next one's first; got '" +
          options.schedule + "'");
    int64_t end = isLast ? std::max(total, begin + 1) : stepsIn(until, "--schedule: until", perEpoch);
    if (isSketch)
      end = begin + 1;
    else if (end <= begin)
      throw Failure("--schedule: 'until " + until + "' is not behind the step where the schedule begins");
    add(stretch, begin, end);
    begin = end;
  }
}

void Schedule::add(std::string text, int64_t begin, int64_t end) {
  Stretch stretch{begin, base, {}};
  const bool isAlone = begin == 0 && text.find(" with ") == std::string::npos;
  while (!text.empty())
    stretch.parts.emplace_back(takeUpTo(text, " with "), base, end - begin, perEpoch);
  if (stretch.parts.empty())
    throw Failure("--schedule: expected " + SchedulePart::names() + " before and after 'then' and 'with'");
  for (const SchedulePart &part : stretch.parts)
    if (part.is("plateau") && (!isAlone || !stretches.empty()))
      throw Failure(
          "--schedule: plateau depends on what is measured, and not on the step: it cannot follow another "
          "schedule, or go with one");
  if (!stretches.empty() && stretches.back().parts.front().is("plateau"))
    throw Failure(
        "--schedule: plateau depends on what is measured, and not on the step: no other can follow it");
  if (!stretches.empty() && stretch.parts.front().is("swa")) // from where the rate is, as SWALR goes
    stretch.base = stretches.back().rate(begin);
  stretches.push_back(std::move(stretch));
}

double Schedule::Stretch::rate(int64_t step) const {
  double value = base;
  for (const SchedulePart &part : parts)
    value = part.rate(value, step - begin);
  return value;
}

const Schedule::Stretch &Schedule::stretchOf(int64_t step) const {
  size_t now = 0;
  while (now + 1 < stretches.size() && stretches[now + 1].begin <= step)
    ++now;
  return stretches[now];
}

double Schedule::rate(int64_t step) const {
  if (step < warmUp)
    return dlc_schedule_warm_up(base, step, warmUp);
  return stretches.empty() ? base : stretchOf(step - warmUp).rate(step - warmUp);
}

std::optional<double> Schedule::momentum(int64_t step) const {
  if (stretches.empty())
    return std::nullopt;
  const int64_t place =
      std::max<int64_t>(0, step - warmUp); // while the rate warms up, that of the first step
  const Stretch &stretch = stretchOf(place);
  std::optional<double> value;
  for (const SchedulePart &part : stretch.parts)
    if (const std::optional<double> moved = part.momentum(place - stretch.begin))
      value = moved;
  return value;
}

bool Schedule::movesMomentum() const {
  return std::any_of(stretches.begin(), stretches.end(), [](const Stretch &stretch) {
    return std::any_of(stretch.parts.begin(), stretch.parts.end(),
                       [](const SchedulePart &part) { return part.momentum(0).has_value(); });
  });
}

std::optional<double> Schedule::averageDecay(int64_t step) const {
  if (!averages)
    return std::nullopt;
  return dlc_schedule_swa_decay(step, averageStart, averageEvery);
}

void Schedule::endEpoch(double metric, bool largerIsBetter) {
  if (dlc_plateau *part = plateauPart()) {
    part->larger_is_better = largerIsBetter;
    dlc_plateau_step(part, metric);
  }
}

dlc_plateau *Schedule::plateauPart() {
  const bool isPlateau = !stretches.empty() && stretches.front().parts.front().is("plateau");
  return isPlateau ? &stretches.front().parts.front().plateau : nullptr;
}

dlc_plateau Schedule::plateau() const {
  return stretches.empty() ? dlc_plateau{} : stretches.front().parts.front().plateau;
}

void Schedule::setPlateau(const dlc_plateau &remembered) {
  dlc_plateau *part = plateauPart();
  if (!part)
    return;
  // What it remembers comes from the file, what it is told from the command line.
  part->rate = remembered.rate;
  part->best = remembered.best;
  part->has_best = remembered.has_best;
  part->bad_calls = remembered.bad_calls;
  part->cooling = remembered.cooling;
}

} // namespace dlc::tool::training
