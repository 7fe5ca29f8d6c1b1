//===- Train.cpp - dlc train -----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Train.h"
#include "tools/dlc/report/Report.h"
#include "tools/dlc/train/Augment.h"
#include "tools/dlc/train/FindRate.h"
#include "tools/dlc/train/Names.h"
#include "tools/dlc/train/Preprocessing.h"
#include "tools/dlc/train/Trainer.h"
#include <cinttypes>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace dlc::tool {

namespace training {

namespace {

void describe(const TrainOptions &options, const DataSet &data, const DataSet &validation,
              const ClassNames &classes) {
  std::printf("%" PRId64 " samples", data.samples());
  if (validation.columns)
    std::printf(", %" PRId64 " for validation", validation.samples());
  std::printf("%s\n", options.output.empty() ? "; nothing will be saved, as there is no -o FOLDER" : "");
  for (const Column &column : *data.columns)
    if (!column.remark.empty())
      std::printf("%s\n", column.remark.c_str());
  if (classes)
    std::printf("classes: %s\n", shortList(dlc_classes_count(classes.get()), [&](int64_t i) {
                                   return std::to_string(i) + " " + dlc_classes_name(classes.get(), i);
                                 }).c_str());
  std::fflush(stdout);
}

/// Classes are trained by a loss of values seldom because somebody wants it.
void remarkOnLabels(const DataSet &data, const std::string &loss) {
  if (loss != "mse" && loss != "l1" && loss != "huber")
    return;
  for (const Column &column : *data.columns)
    if (column.isOfLabels)
      std::fprintf(
          stderr,
          "dlc: remark: %s: the numbers of classes become rows of 0 and 1 for loss '%s', which is one of "
          "values; --loss=softmax-cross-entropy is for classes, and learns faster\n",
          column.place.c_str(), loss.c_str());
}

/// The page of --report and the picture of --plot, as the training stands.
void draw(const TrainOptions &options, const Compiler &compiler, const std::string &manifest,
          const Curves &curves) {
  if (!options.report.empty())
    writeFile(compiler, options.report, pageWhileTraining(manifest, options.report, options.log));
  if (!options.plot.empty())
    writeFile(compiler, options.plot, curves.svg());
}

/// --metrics and --monitor, as far as they can be wrong for every model.
void checkMetrics(const TrainOptions &options, const Sources &sources) {
  const bool asks = !options.metrics.empty() || options.monitor != "loss";
  if (asks && sources.validation.empty() && sources.validPart == 0)
    throw Failure("--metrics and --monitor need validation data: give it with --valid");
  if (!options.metrics.empty())
    requireMeasured(options.monitor, options.metrics);
}

/// Where ranks would train something else than rank 0.
std::vector<std::string> linesOf(const TrainOptions &options, const ModelInMemory &compiled,
                                 const Sources &sources) {
  std::vector<std::string> lines;
  for (const auto &[option, value] : options.settings)
    lines.push_back(option + " " + value);
  for (const auto &[option, value] : {std::pair("--epochs", options.epochs),
                                      {"--steps", options.steps},
                                      {"--early-stopping", options.earlyStopping}})
    lines.push_back(option + (" " + std::to_string(value)));
  for (const std::string &metric : options.metrics)
    lines.push_back("--metrics " + metric);
  lines.push_back("a model with the digest " + compiled.digest);
  for (const auto &[file, digest] : Began::of(options, compiled.digest, sources).files)
    lines.push_back(file + " with the digest " + digest);
  return lines;
}

/// What the compiler says is the same on all ranks, and said by rank 0.
ModelInMemory compileOn(const Ranks &ranks, const Compiler &compiler) {
  if (ranks.isFirst())
    return compiler.compile();
  std::fflush(stderr);
  const int kept = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0)
    dup2(nowhere, STDERR_FILENO);
  ModelInMemory compiled = compiler.compile();
  std::fflush(stderr);
  dup2(kept, STDERR_FILENO);
  close(kept);
  close(nowhere);
  return compiled;
}

/// What several processes cannot do together yet. Which optimizer it is the compiler says later.
void checkTogether(const TrainOptions &options) {
  const std::pair<bool, const char *> refused[] = {
      {options.findRate, "--find-lr needs one process, whose rate holds for any number of them"},
      {options.keepLibrary, "--keep-library is for one process: dlc compile writes the library"},
      {options.device != "cpu", "--device: ranks train on CPUs only"}};
  for (const auto &[isWanted, sentence] : refused)
    if (isWanted)
      throw Failure(std::string(sentence) + "; leave it away, or train in one process");
}

/// `given` are the options of all, which the compiler completes, and `options` those of this rank.
int run(const TrainOptions &given, const TrainOptions &options, const Compiler &compiler, Ranks &ranks) {
  // What can be wrong without the model is found before it is compiled.
  if (ranks.areSeveral())
    checkTogether(given);
  Schedule::check(options);
  Checkpoints checkpoints(options, compiler);
  const Augmentation augmentation =
      options.augment.empty() ? Augmentation() : parseAugmentation(options.augment);
  Sources sources = findSources(options);
  checkMetrics(options, sources);
  for (const auto &[option, path] : {std::pair("--log", &options.log), {"--plot", &options.plot}})
    requireUnread(option, *path, options, sources);
  ModelInMemory compiled = compileOn(ranks, compiler);
  if (!compiled.model)
    throw Failure("");
  if (ranks.areSeveral() && given.lbfgs.isUsed)
    throw Failure(
        "--optimizer=lbfgs asks for the loss of one batch again and again, which ranks do not share; "
        "train in one process");
  const dlc_model &model = *compiled.model;
  if (!(model.functions >> DLC_TRAIN_STEP & 1))
    throw Failure(std::string("nothing of '") + model.name +
                  "' is trained: it has no loss; say with --loss what is to be minimised");
  Instance instance(model, options.weights, options);
  compiled.values.reset();
  if (checkpoints.writes() && !options.findRate)
    checkpoints.began = Began::of(options, compiled.digest, sources);
  if (!options.reinitialized.empty())
    instance.reinitialize(options.reinitialized, options.seed);
  batchRows(model);
  requirePadded(options, model);
  SampleMemory memory(options.streams);
  DataSet data = readDataSet(model, sources.training, "--data", memory);
  DataSet validation = readDataSet(model, sources.validation, "--valid", memory, /*withTargets=*/true, &data);
  requireProbabilities(data, compiled);
  requireProbabilities(validation, compiled);
  if (sources.validPart > 0)
    validation = splitOff(data, sources.validPart, options.seed);
  std::vector<std::vector<Scale>> scales(model.input_count);
  if (options.normalize)
    scales = normalize(model, data, validation);
  if (!options.augment.empty())
    augment(model, augmentation, scales, data);
  if (!options.quiet) {
    describe(options, data, validation, *sources.classes);
    remarkOnLabels(data, compiled.loss);
  }
  if (options.findRate)
    return findRate(options, compiler, instance, data);
  if (const std::string text = describePreprocessing(compiled, data, scales, *sources.classes);
      checkpoints.writes() && !text.empty())
    if (const std::string problem = compiler.write(options.output, preprocessingFile, text); !problem.empty())
      throw Failure(problem);
  Trainer trainer(options, instance, data, validation, compiled, *sources.classes, checkpoints, ranks,
                  [&](const Curves &curves) { draw(options, compiler, compiled.manifest, curves); });
  ranks.begin(ranks.areSeveral() ? linesOf(options, compiled, sources) : std::vector<std::string>());
  return trainer.run();
}

} // namespace
} // namespace training

int train(const TrainOptions &options, const Compiler &compiler) {
  return training::guarded([&] {
    training::Ranks ranks(options);
    try {
      if (!ranks.areSeveral())
        return training::run(options, options, compiler, ranks);
      return training::run(options, ranks.own(options), compiler, ranks);
    } catch (const std::exception &problem) {
      throw training::Failure(ranks.leave(problem));
    }
  });
}

} // namespace dlc::tool
