//===- Predict.cpp - dlc eval and dlc predict -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Evaluation.h"
#include "tools/dlc/train/Predictions.h"
#include "tools/dlc/train/Preprocessing.h"
#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace dlc::tool {

namespace training {

namespace {

/// The data to test with, where folders have some beside data to train with; else all that --data names.
/// Failure where some of it has data to test with, and some has not.
std::vector<std::unique_ptr<Source>> testedSources(Sources &sources) {
  if (sources.validation.empty())
    return std::move(sources.training);
  if (sources.validation.size() != sources.training.size())
    throw Failure(
        "--data: some of what it names has data to test with, and some has not: name the files one by one, "
        "as in --data=NAME=FILE");
  return std::move(sources.validation);
}

/// A trained model and data that are prepared as those of the training were.
struct Trained {
  Trained(const TrainOptions &options, const Compiler &compiler, bool withTargets)
      : preprocessing(readPreprocessing(options)),
        sources(findSources(withColumns(options, preprocessing, withTargets))) {
    requireUnread("-o", options.output, options, sources);
    *sources.classes = classesOf(preprocessing);
    compiled = compiler.compile();
    if (!compiled.model)
      throw Failure("");
    if (compiled.loss.empty())
      compiled.loss = preprocessing.loss;
    instance = std::make_unique<Instance>(*compiled.model, options.weights, options);
    compiled.values.reset();
    if (!options.weights.empty())
      instance->useSavedAverages(options.weights);
    batchRows(*compiled.model);
    requirePadded(options, *compiled.model);
    SampleMemory memory(options.streams);
    data = readDataSet(*compiled.model, testedSources(sources), "--data", memory, withTargets);
    if (!data.columns || data.columns->empty())
      throw Failure("the model has no inputs, so it needs no data");
    if (withTargets)
      requireProbabilities(data, compiled);
    for (const Column &column : *data.columns)
      if (!column.remark.empty() && !options.quiet)
        std::fprintf(stderr, "dlc: remark: %s\n", column.remark.c_str());
    applyScales(preprocessing, *compiled.model, data);
  }

  Preprocessing preprocessing;
  Sources sources;
  ModelInMemory compiled;
  std::unique_ptr<Instance> instance;
  DataSet data;
};

int runEvaluation(const TrainOptions &options, const Compiler &compiler) {
  Trained trained(options, compiler, /*withTargets=*/true);
  if (!(trained.compiled.model->functions >> DLC_EVAL_STEP & 1))
    throw Failure(std::string("'") + trained.compiled.model->name +
                  "' has no loss: say with --loss what it was trained for");
  Evaluation evaluation(*trained.instance, trained.data, trained.compiled, options.metrics,
                        options.prediction);
  const std::vector<Metric> metrics = evaluation.measure();
  std::printf("%" PRId64 " samples: ", evaluation.samples());
  for (const Metric &metric : metrics)
    std::printf("%s%s %.4f", &metric == &metrics.front() ? "" : ", ", metric.name.c_str(), metric.value);
  std::printf("\n%s", evaluation.tables(trained.preprocessing.words).c_str());
  std::fflush(stdout);
  if (const int64_t left = trained.data.samples() - evaluation.samples(); left > 0 && !options.quiet)
    std::fprintf(stderr,
                 "dlc: remark: the model takes whole batches of %" PRId64 ": the last %" PRId64
                 " samples are not among them (--batch)\n",
                 batchRows(*trained.compiled.model), left);
  return 0;
}

/// The model's inputs, of which the data has those that are no targets; the rows that a batch lacks are its
/// last one again.
class WholeBatches {
public:
  WholeBatches(const dlc_model &model, const DataSet &data)
      : model(model), data(data), rows(batchRows(model)), values(data.columns->size()),
        pointers(model.input_count) {}

  const void *const *fill(const Batches &batches) {
    for (size_t i = 0; i < values.size(); ++i) {
      const dlc_input &input = *(*data.columns)[i].input;
      const void *&place = pointers[size_t(&input - model.inputs)];
      place = batches.arrays()[i];
      if (batches.rows() == rows)
        continue;
      const size_t bytes = size_t(elementCount(input.rank - 1, input.shape + 1)) * elementBytes(input.dtype);
      values[i].resize(size_t(rows) * bytes);
      for (int64_t row = 0; row < rows; ++row)
        std::memcpy(values[i].data() + size_t(row) * bytes,
                    static_cast<const char *>(place) + size_t(std::min(row, batches.rows() - 1)) * bytes,
                    bytes);
      place = values[i].data();
    }
    return pointers.data();
  }

private:
  const dlc_model &model;
  const DataSet &data;
  const int64_t rows;
  std::vector<std::vector<char>> values;
  std::vector<const void *> pointers; ///< null for targets
};

/// The predictions among a model's outputs, in their order. Failure where one has no row for each sample.
std::vector<Predicted> predictedOutputs(const dlc_model &model) {
  std::vector<Predicted> all;
  for (uint32_t i = 0; i < model.output_count; ++i) {
    const dlc_output &output = model.outputs[i];
    if (output.role != DLC_OUTPUT_PREDICTION)
      continue;
    if (output.rank == 0 || output.shape[0] != batchRows(model))
      throw Failure(
          std::string("the output '") + output.name +
          "' has no row for each sample of a batch: write a program for this model (docs/c-api.md)");
    all.push_back({&output, {}});
  }
  if (all.empty())
    throw Failure(std::string("'") + model.name + "' predicts nothing");
  return all;
}

std::vector<Predicted> predictAll(Trained &trained) {
  const dlc_model &model = *trained.compiled.model;
  std::vector<Predicted> all = predictedOutputs(model);
  const int64_t full = batchRows(model);
  std::vector<std::vector<char>> outputs(model.output_count);
  std::vector<void *> pointers;
  for (uint32_t i = 0; i < model.output_count; ++i) {
    const dlc_output &output = model.outputs[i];
    if (output.role == DLC_OUTPUT_PREDICTION)
      outputs[i].resize(size_t(elementCount(output.rank, output.shape)) * elementBytes(output.dtype));
    pointers.push_back(outputs[i].data());
  }
  Batches batches(trained.data, full, /*dropLast=*/false, /*shuffle=*/false, /*seed=*/0);
  WholeBatches whole(model, trained.data);
  batches.start(0);
  while (const int64_t rows = batches.next()) {
    const void *const *inputs = whole.fill(batches);
    trained.instance->predict(full, inputs, pointers.data());
    for (Predicted &predicted : all) {
      const std::vector<char> &values = outputs[size_t(predicted.output - model.outputs)];
      predicted.values.insert(predicted.values.end(), values.begin(),
                              values.begin() + int64_t(values.size()) / full * rows);
    }
  }
  return all;
}

/// What the samples are called, where one of the inputs has names for them.
std::vector<std::string> sampleNames(const DataSet &data) {
  for (const Column &column : *data.columns)
    if (!column.sampleNames.empty())
      return column.sampleNames;
  return {};
}

int runPrediction(const TrainOptions &options, const Compiler &compiler) {
  const PredictionFormat format = predictionFormat(options.output);
  Trained trained(options, compiler, /*withTargets=*/false);
  const std::vector<Predicted> all = predictAll(trained);
  const int64_t rows = trained.data.samples();
  const std::string text =
      format == PredictionFormat::Npy ? predictionsAsNpy(all, rows)
      : format == PredictionFormat::Safetensors
          ? predictionsAsSafetensors(all, rows)
          : predictionsAsCsv(all, rows, Decision::of(all, trained.compiled, trained.preprocessing.words),
                             sampleNames(trained.data));
  if (options.output.empty()) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  }
  writeFile(compiler, options.output, text);
  if (!options.quiet)
    std::printf("%" PRId64 " predictions in %s\n", rows, options.output.c_str());
  return 0;
}

} // namespace
} // namespace training

int evaluate(const TrainOptions &options, const Compiler &compiler) {
  return training::guarded([&] { return training::runEvaluation(options, compiler); });
}

int predict(const TrainOptions &options, const Compiler &compiler) {
  return training::guarded([&] { return training::runPrediction(options, compiler); });
}

} // namespace dlc::tool
