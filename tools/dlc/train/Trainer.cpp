//===- Trainer.cpp - epochs, evaluation, checkpoints -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Trainer.h"
#include <algorithm>
#include <cinttypes>
#include <csignal>
#include <cmath>
#include <cstdio>

namespace dlc::tool::training {

namespace {

int64_t stepsOf(const TrainOptions &options, int64_t perEpoch, int64_t rows) {
  if (perEpoch == 0 && options.batchesPerStep > 1)
    throw Failure("the training data has fewer samples than a step of " +
                  std::to_string(options.batchesPerStep) + " batches of " + std::to_string(rows) +
                  ": make --batches-per-step smaller, or compile for a smaller batch with --batch");
  if (perEpoch == 0)
    throw Failure("the training data has fewer samples than one batch of " + std::to_string(rows) +
                  ": compile for a smaller one with --batch, or for any size with --batch=1.." +
                  std::to_string(rows));
  int64_t steps = 0;
  if (options.steps == 0 && __builtin_mul_overflow(options.epochs, perEpoch, &steps))
    throw Failure("--epochs: " + std::to_string(options.epochs) + " epochs have too many steps");
  return options.steps ? options.steps : steps;
}

std::string settingOf(const TrainOptions &options, const char *name) {
  const auto found = options.settings.find(name);
  return found == options.settings.end() ? "" : found->second;
}

/// The progress line of an epoch, which goes with its owner: the epoch's report takes its place. It shows how
/// far the whole training is.
struct Line {
  /// None where `isShown` is false: other lines would stand behind it.
  Line(bool isShown, const std::string &label, int64_t total) {
    if (isShown)
      dlc_progress_create(label.c_str(), total, &line);
  }
  ~Line() { dlc_progress_destroy(line); }
  dlc_progress *line = nullptr;
};

} // namespace

Trainer::Trainer(const TrainOptions &options, Instance &instance, const DataSet &training,
                 const DataSet &validation, const ModelInMemory &compiled, const ClassNames &classes,
                 Checkpoints &checkpoints, Ranks &ranks, std::function<void(const Curves &)> drawn)
    : options(options), instance(instance), training(training), checkpoints(checkpoints), ranks(ranks),
      samples(training.samples()),
      rows(ranks.areSeveral() ? compiled.rowsOfAll : batchRows(instance.model)),
      batches(training, rows,
              /*dropLast=*/ranks.areSeveral() ? !compiled.takesFewer : !instance.trainsAnyRows(),
              /*shuffle=*/true, options.seed, ranks.thisRank()),
      perEpoch(batches.count() / options.batchesPerStep), total(stepsOf(options, perEpoch, rows)),
      schedule(options, options.lbfgs.isUsed ? options.lbfgs.rate : instance.rate(), total, perEpoch),
      evaluation(!validation.columns
                     ? nullptr
                     : std::make_unique<Evaluation>(instance, validation, compiled, options.metrics,
                                                    settingOf(options, "--prediction"), &ranks)),
      hasAccuracy(!options.lbfgs.isUsed && predictsClasses(compiled)), // of one look at a batch
      log(options.log, hasAccuracy, instance.namesOfNumbers(options.logValues),
          evaluation ? evaluation->names() : std::vector<std::string>()),
      drawn(std::move(drawn)), curves(options.curves) {
  if (evaluation)
    requireMeasured(options.monitor, evaluation->names());
  if (options.lbfgs.isUsed)
    lbfgs = std::make_unique<Lbfgs>(options.lbfgs, instance);
  if (schedule.movesMomentum())
    movedMomentum = instance.has("momentum") ? "momentum" : instance.has("beta1") ? "beta1" : nullptr;
  if (schedule.movesMomentum() && !movedMomentum)
    throw Failure(
        "--schedule: momentum=LOW/HIGH needs an optimizer with a momentum or with betas; sgd has one with "
        "--momentum above 0");
  for (int64_t i = 0; classes && i < dlc_classes_count(classes.get()); ++i)
    words.push_back(dlc_classes_name(classes.get(), i));
  progress.plateau = schedule.plateau();
}

void Trainer::resume() {
  if (const std::optional<Progress> found = checkpoints.resume(instance, samples)) {
    progress = *found;
    schedule.setPlateau(progress.plateau);
    if (lbfgs)
      lbfgs->load(options.output, progress.step);
    if (!options.quiet)
      std::printf("going on after step %" PRId64 "\n", progress.step);
  } else if (options.resume && !options.quiet) {
    std::printf("--resume: the folder '%s' has no checkpoint yet: beginning at the first step\n",
                options.output.c_str());
  }
  if (options.resume)
    log.goOnAfter(progress.step);
  log.addSettings(options, instance, samples);
  if (options.logImages && progress.step == 0)
    log.addImages(training, options.logImages);
  progress.stop.patience = options.earlyStopping ? options.earlyStopping - 1 : INT64_MAX;
  progress.stop.larger_is_better = largerIsBetter(options.monitor);
}

double Trainer::secondsOfEpoch() const {
  return progress.seconds +
         std::chrono::duration<double>(std::chrono::steady_clock::now() - epochBegan).count();
}

void Trainer::showProgress(dlc_progress *line, double rate, float loss, int64_t began) {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - epochBegan).count();
  char note[64];
  std::snprintf(note, sizeof note, "lr %.3g  %.0f/s", rate,
                seconds > 0 ? double(progress.batch - began) / seconds : 0.0);
  dlc_progress_note(line, note);
  if (progress.step < total)
    dlc_progress_update(line, progress.step, loss);
}

void Trainer::reportSteps(double rate, float loss) {
  sinceReport.lossSum += loss;
  ++sinceReport.steps;
  if (options.reportEvery == 0 || progress.step % options.reportEvery != 0)
    return;
  const double mean = sinceReport.lossSum / double(sinceReport.steps);
  std::printf("epoch %" PRId64 ", step %" PRId64 " of %" PRId64 ": loss %.4f, lr %.3g\n", progress.epoch + 1,
              progress.batch, perEpoch, mean, rate);
  std::fflush(stdout);
  log.addSteps(progress.step, mean);
  sinceReport = {};
}

void Trainer::save() {
  if (lbfgs && checkpoints.writes())
    lbfgs->save(options.output, progress.step);
  checkpoints.save(instance, progress, samples);
  if (lbfgs && checkpoints.writes())
    lbfgs->removeOthers(options.output, progress.step);
}

/// One update; the loss of its batches.
float Trainer::step(bool keepsGradients) {
  if (lbfgs) {
    const int64_t rows = batches.next();
    return lbfgs->step(rows, batches.arrays());
  }
  auto count = [&](const dlc_metrics &batch) {
    progress.correct += batch.correct;
    progress.count += batch.count;
  };
  float loss = 0;
  if (ranks.areSeveral()) {
    for (int64_t i = 0; i < options.batchesPerStep; ++i) {
      const int64_t rows = batches.next();
      dlc_metrics batch;
      loss = instance.addRankGradients(ranks, rows, batches.arrays(), /*isFirst=*/i == 0, batch);
      count(batch);
    }
    instance.applyOfRanks(ranks);
    return loss;
  }
  if (options.batchesPerStep == 1) {
    const int64_t rows = batches.next();
    loss = instance.trainStep(rows, batches.arrays(), keepsGradients);
    count(instance.stepMetrics());
    return loss;
  }
  for (int64_t i = 0; i < options.batchesPerStep; ++i) {
    const int64_t rows = batches.next();
    loss = instance.addGradients(rows, batches.arrays(), /*isFirst=*/i == 0);
    count(instance.stepMetrics());
  }
  instance.apply();
  return loss;
}

bool Trainer::isLogged(int64_t left) const { return log.isOn() && progress.batch + 1 == left; }

void Trainer::failNotFinite() const {
  const std::string loss = "the loss of step " + std::to_string(progress.step) + " is not a finite number",
                    ignored = ranks.areSeveral() ? "" : findIgnored(training, batches), // of a part alone
      cause = findNotFinite(training),
                    saved = checkpoints.writes() ? "; the last checkpoint is from before" : "";
  if (!ignored.empty())
    ranks.fail(ignored + ", so that " + loss + ", as it is the mean of nothing" + saved);
  if (!cause.empty())
    ranks.fail(cause + ", and " + loss + saved);
  if (lbfgs)
    ranks.fail(loss +
                  ", or a gradient on the way: try a lower --lr, or --line-search=strong-wolfe, and look for "
                  "numbers in the data that are too large (--normalize)" +
                  saved);
  ranks.fail(
      loss +
      ": try a lower --lr, --warmup or --clip-grad-norm, and look for numbers in the data that are too "
      "large (--normalize)" +
      saved);
}

bool Trainer::trainEpoch() {
  const int64_t left = std::min(perEpoch, progress.batch + total - progress.step);
  const int64_t epochs = (total - 1) / perEpoch + 1;
  Line line(options.reportEvery == 0,
            "epoch " + std::to_string(progress.epoch + 1) + "/" + std::to_string(epochs), total);
  epochBegan = std::chrono::steady_clock::now();
  const int64_t began = progress.batch;
  batches.start(progress.epoch, std::min(progress.batch, batches.count() + 1) * options.batchesPerStep);
  while (progress.batch < left && !stops()) {
    const double rate = schedule.rate(progress.step);
    if (!schedule.isConstant())
      instance.setRate(rate);
    if (const std::optional<double> momentum = schedule.momentum(progress.step))
      instance.setNumber(movedMomentum, *momentum);
    if (const std::optional<double> decay = schedule.averageDecay(progress.step))
      instance.setNumber("ema_decay", *decay);
    const float loss = step(/*keepsGradients=*/isLogged(left));
    ++progress.step;
    ++progress.batch;
    if (!std::isfinite(loss))
      failNotFinite();
    progress.lossSum += loss;
    showProgress(line.line, rate, loss, began);
    reportSteps(rate, loss);
    if (options.saveEvery && progress.step % options.saveEvery == 0 && progress.batch < perEpoch) {
      progress.plateau = schedule.plateau();
      const double before = progress.seconds;
      progress.seconds = secondsOfEpoch();
      save();
      progress.seconds = before;
    }
  }
  return progress.batch == left;
}

void Trainer::judge(double metric, bool larger) {
  progress.stop.larger_is_better = larger;
  const bool stops = dlc_early_stop_step(&progress.stop, metric) != 0;
  isEnough = stops && options.earlyStopping > 0;
  if (progress.stop.best_call == progress.stop.calls) {
    progress.bestStep = progress.step;
    checkpoints.saveBest(instance);
  }
  schedule.endEpoch(metric, larger);
}

void Trainer::tellCheckpoints(double loss, const std::vector<Metric> &validation) {
  instance.setExtra("epoch", double(progress.epoch + 1));
  instance.setExtra("train_loss", loss);
  for (const Metric &metric : metricsOfTraining())
    instance.setExtra("train_" + metric.name, metric.value);
  for (const Metric &metric : validation)
    instance.setExtra("valid_" + metric.name, metric.value);
}

void Trainer::endEpoch() {
  const double loss = progress.lossSum / double(progress.batch),
               rate = lbfgs ? options.lbfgs.rate : instance.rate(), seconds = secondsOfEpoch();
  std::vector<Metric> measured;
  if (evaluation) {
    Instance::Averages averages(instance);
    measured = evaluation->measure();
  }
  double monitored = loss;
  for (const Metric &metric : measured)
    if (metric.name == options.monitor)
      monitored = metric.value;
  ranks.share(&monitored, sizeof monitored); // what it decides, it decides on all
  tellCheckpoints(loss, measured);
  judge(monitored, largerIsBetter(options.monitor));
  const std::vector<Metric> ofTraining = metricsOfTraining();
  log.add(progress.epoch + 1, progress.step, loss, rate, seconds, ofTraining,
          log.isOn() ? instance.numbersOfStep(options.logValues) : std::vector<Metric>(), measured);
  if (options.logValues)
    log.addValues(progress.step, instance);
  progress.seconds = seconds;
  curves.add(progress.epoch + 1, loss, ofTraining, measured);
  drawn(curves);
  curves.clear();
  report(loss, rate, ofTraining, measured);
  curves.draw(isEnough || progress.step >= total);
  progress.plateau = schedule.plateau();
  if (progress.batch == perEpoch) { // else --steps ends within an epoch, where more steps would go on
    ++progress.epoch;
    progress.batch = 0;
    progress.lossSum = progress.seconds = 0;
    progress.correct = progress.count = 0;
  }
  save();
}

std::vector<Metric> Trainer::metricsOfTraining() const {
  if (!hasAccuracy)
    return {};
  return {{"accuracy", progress.count ? double(progress.correct) / double(progress.count) : 0}};
}

void Trainer::report(double loss, double rate, const std::vector<Metric> &ofTraining,
                     const std::vector<Metric> &validation) const {
  std::printf("epoch %" PRId64 ": loss %.4f", progress.epoch + 1, loss);
  for (const Metric &metric : ofTraining)
    std::printf(", train %s %.4f", metric.name.c_str(), metric.value);
  for (const Metric &metric : validation)
    std::printf(", %s%s %.4f", metric.name == "loss" ? "valid " : "", metric.name.c_str(), metric.value);
  std::printf(", lr %.3g, %.2f s\n", rate, progress.seconds);
  std::fflush(stdout);
}

int Trainer::stopped() {
  const int number = signals.received();
  progress.plateau = schedule.plateau();
  if (progress.batch > 0)
    progress.seconds = secondsOfEpoch();
  save();
  curves.clear();
  curves.draw(/*isEnd=*/true);
  std::printf("stopped after step %" PRId64 " of %" PRId64 " (epoch %" PRId64 ", step %" PRId64 " of %" PRId64
              ")\n",
              progress.step, total, progress.epoch + 1, progress.batch, perEpoch);
  if (checkpoints.writes())
    std::printf("go on with: %s\n", options.commandLine.c_str());
  else
    std::printf("nothing was saved, as there is no -o FOLDER\n");
  std::fflush(stdout);
  // Ranks, and whom a launcher asks, have done what they were asked to.
  return number == 0 || number == SIGUSR1 ? 0 : 128 + number;
}

void Trainer::begin() {
  static_assert(std::is_trivially_copyable_v<Progress>, "goes from rank to rank as bytes");
  ranks.onFirst([&] { resume(); });
  ranks.share(&progress, sizeof progress);
  schedule.setPlateau(progress.plateau);
  instance.joinRanks(ranks);
}

int Trainer::run() {
  begin();
  if (progress.step >= total && !options.quiet)
    std::printf("all %" PRId64 " steps are done already; --epochs or --steps asks for more\n", total);
  while (progress.step < total && !isEnough) {
    const bool isWhole = trainEpoch();
    if (isWhole)
      endEpoch();
    const bool goesOn = progress.step < total && !isEnough;
    if (!isWhole || (goesOn && stops()))
      return stopped();
  }
  if (isEnough && progress.step < total)
    std::printf("stopped early: no better %s for %" PRId64 " epochs\n", options.monitor.c_str(),
                progress.stop.bad_calls);
  if (progress.stop.calls > 1 && progress.stop.has_best)
    std::printf("best %s%s %.4f after step %" PRId64 "\n",
                evaluation && options.monitor == "loss" ? "valid " : "", options.monitor.c_str(),
                progress.stop.best, progress.bestStep);
  if (evaluation && evaluation->samples() > 0)
    std::printf("%s", evaluation->tables(words).c_str());
  Instance::Averages averages(instance);
  checkpoints.saveWeights(instance);
  return 0;
}

} // namespace dlc::tool::training
