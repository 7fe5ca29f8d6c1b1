//===- Instance.cpp - a model in training ----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Instance.h"
#include "dlc/init.h"
#include "dlc/metrics.h"
#include "tools/dlc/train/Names.h"
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fnmatch.h>
#include <map>
#include <sstream>
#include <vector>

namespace dlc::tool::training {

namespace {

/// GLOB|GLOB..., and whether there was a name like it.
std::map<std::string, bool> globsOf(const std::string &text) {
  std::map<std::string, bool> globs;
  std::istringstream parts(text);
  for (std::string glob; std::getline(parts, glob, '|');)
    globs[glob] = false;
  return globs;
}

bool matches(std::map<std::string, bool> &globs, const char *name) {
  bool found = false;
  for (auto &[glob, isUsed] : globs)
    if (fnmatch(glob.c_str(), name, 0) == 0)
      found = isUsed = true;
  return found;
}

} // namespace

Instance::Instance(const dlc_model &model, const std::string &weights, const TrainOptions &train)
    : model(model), quiet(train.quiet) {
  char error[512] = "";
  dlc_create_options options = {};
  options.struct_size = sizeof options;
  options.weights_path = weights.empty() ? nullptr : weights.c_str();
  options.seed = train.seed;
  options.use_seed = 1;
  options.threads = train.threads;
  options.device = train.device.c_str();
  options.error = error;
  options.error_bytes = sizeof error;
  if (dlc_instance_create(&model, DLC_ABI_VERSION, model.fingerprint, &options, &handle) != DLC_OK)
    throw Failure(error);
  printRemark();
}

void Instance::load(const std::string &path) {
  check(dlc_instance_load(handle, path.c_str()));
  printRemark();
}

void Instance::printRemark() {
  if (const char *remark = dlc_instance_last_remark(handle); *remark && !quiet)
    std::fprintf(stderr, "dlc: remark: %s\n", remark);
}

void Instance::check(dlc_status status) {
  if (status != DLC_OK)
    throw Failure(dlc_instance_last_error(handle));
}

void Instance::reinitialize(const std::string &names, uint64_t seed) {
  std::map<std::string, bool> globs = globsOf(names);
  int64_t changed = 0, kept = 0;
  std::vector<std::string> known;
  for (int64_t i = 0; i < dlc_instance_parameter_count(handle); ++i) {
    dlc_parameter_info info;
    check(dlc_instance_parameter_info(handle, i, &info));
    if (info.is_buffer || (info.dtype != DLC_F32 && info.dtype != DLC_F64))
      continue;
    known.push_back(info.name);
    if (!matches(globs, info.name))
      continue;
    std::vector<char> before(info.bytes);
    check(dlc_instance_parameter_read(handle, info.name, before.data(), info.bytes));
    std::vector<char> values = before;
    const dlc_init alike = {};
    if (dlc_init_values(&alike, seed, &info, values.data()) != DLC_OK)
      throw Failure(std::string("--reinitialize: '") + info.name + "' has values that are not finite");
    check(dlc_instance_parameter_write(handle, info.name, values.data(), info.bytes));
    ++(values == before ? kept : changed);
  }
  for (const auto &[glob, isUsed] : globs)
    if (!isUsed)
      throw Failure("--reinitialize: no parameter has a name like '" + glob + "'; there are " +
                    shortList(int64_t(known.size()), [&](int64_t i) { return known[size_t(i)]; }));
  if (quiet)
    return;
  std::printf("%" PRId64 " %s with new values", changed,
              changed == 1 ? "parameter begins" : "parameters begin");
  if (kept > 0)
    std::printf(", %" PRId64 " with the old ones, which are all equal", kept);
  std::printf("\n");
}

float Instance::trainStep(int64_t rows, const void *const *inputs, bool keepsGradients) {
  if (keepsGradients) {
    const float loss = addGradients(rows, inputs, /*isFirst=*/true);
    apply();
    return loss;
  }
  float loss = 0;
  check(trainsAnyRows() ? dlc_instance_train_step_n(handle, rows, nullptr, inputs, &loss)
                        : dlc_instance_train_step(handle, inputs, &loss));
  return loss;
}

float Instance::addGradients(int64_t rows, const void *const *inputs, bool isFirst) {
  float loss = 0;
  if (trainsAnyRows())
    check((isFirst ? dlc_instance_grad_step_n : dlc_instance_accumulate_n)(handle, rows, nullptr, inputs,
                                                                           &loss));
  else
    check((isFirst ? dlc_instance_grad_step : dlc_instance_accumulate)(handle, inputs, &loss));
  return joined(loss, isFirst);
}

float Instance::joined(float loss, bool isFirst) {
  const double before = isFirst ? 0 : joinedWeight;
  joinedWeight = weightOfGradients(isFirst);
  if (isFirst || before == 0)
    joinedLoss = loss;
  else if (joinedWeight != before) // else the batch has no labels, and its loss is no number
    joinedLoss += (loss - joinedLoss) * ((joinedWeight - before) / joinedWeight);
  return float(joinedLoss);
}

float Instance::addRankGradients(const Ranks &ranks, int64_t rows, const void *const *inputs, bool isFirst,
                                 dlc_metrics &metrics) {
  float loss = 0;
  const dlc_status status = (isFirst ? dlc_instance_rank_grad_step : dlc_instance_rank_accumulate)(
      handle, &ranks.collectives(), rows, inputs, &loss, &metrics);
  ranks.check(status, dlc_instance_last_error(handle));
  return joined(loss, isFirst);
}

void Instance::applyOfRanks(const Ranks &ranks) {
  ranks.check(dlc_instance_rank_apply(handle, &ranks.collectives()), dlc_instance_last_error(handle));
}

void Instance::joinRanks(const Ranks &ranks) {
  if (ranks.areSeveral())
    ranks.check(dlc_instance_join_ranks(handle, &ranks.collectives()), dlc_instance_last_error(handle));
}

double Instance::weightOfGradients(bool isFirst) {
  double weight = 0;
  if (dlc_instance_gradient_read(handle, "gradient_weight", &weight, sizeof weight) == DLC_OK)
    return weight;
  return isFirst ? 1 : joinedWeight + 1;
}

static const char *const statisticNames[] = {"parameter_mean/", "parameter_deviation/", "gradient_mean/",
                                             "gradient_deviation/"};

std::vector<std::string> Instance::namesOfNumbers(bool withValues) {
  std::vector<std::string> names = {"gradient_norm"};
  if (lossScale() != 0)
    names.push_back("loss_scale");
  for (const std::string &parameter : withValues ? namesOfTrained() : std::vector<std::string>())
    for (const char *of : statisticNames)
      names.push_back(of + parameter);
  return names;
}

std::vector<Metric> Instance::numbersOfStep(bool withValues) {
  std::vector<Metric> numbers;
  for (const std::string &name : namesOfNumbers(/*withValues=*/false)) {
    double value = lossScale();
    if (name == "gradient_norm")
      check(dlc_instance_grad_norm(handle, &value));
    numbers.push_back({name, value});
  }
  if (withValues)
    forEachTrained(
        [&](const std::string &name, const std::vector<float> &values, const std::vector<float> &gradient) {
          const dlc_statistics ofParameter = dlc_statistics_of(values.data(), int64_t(values.size())),
                               ofGradient = dlc_statistics_of(gradient.data(), int64_t(gradient.size()));
          numbers.push_back({statisticNames[0] + name, ofParameter.mean});
          numbers.push_back({statisticNames[1] + name, ofParameter.deviation});
          numbers.push_back({statisticNames[2] + name, ofGradient.mean});
          numbers.push_back({statisticNames[3] + name, ofGradient.deviation});
        });
  return numbers;
}

std::vector<std::string> Instance::namesOfTrained() {
  std::vector<std::string> names;
  for (int64_t i = 0; i < dlc_instance_parameter_count(handle); ++i) {
    dlc_parameter_info info;
    check(dlc_instance_parameter_info(handle, i, &info));
    if (info.trainable && (info.dtype == DLC_F32 || info.dtype == DLC_F64))
      names.push_back(info.name);
  }
  return names;
}

void Instance::forEachTrained(const Visit &visit) {
  using Read = dlc_status (*)(dlc_instance *, const char *, void *, size_t);
  for (int64_t i = 0; i < dlc_instance_parameter_count(handle); ++i) {
    dlc_parameter_info info;
    check(dlc_instance_parameter_info(handle, i, &info));
    if (!info.trainable || (info.dtype != DLC_F32 && info.dtype != DLC_F64))
      continue;
    auto read = [&](Read function) {
      std::vector<char> bytes(info.bytes);
      check(function(handle, info.name, bytes.data(), bytes.size()));
      const auto *singles = reinterpret_cast<const float *>(bytes.data());
      const auto *doubles = reinterpret_cast<const double *>(bytes.data());
      return info.dtype == DLC_F32 ? std::vector<float>(singles, singles + bytes.size() / sizeof(float))
                                   : std::vector<float>(doubles, doubles + bytes.size() / sizeof(double));
    };
    visit(info.name, read(dlc_instance_parameter_read), read(dlc_instance_gradient_read));
  }
}

std::vector<Metric> Instance::hyperparameters() {
  std::vector<Metric> all;
  for (uint32_t i = 0; i < model.symbol_count; ++i) {
    double value = 0;
    if (model.symbols[i].kind == DLC_HYPERPARAMETER &&
        dlc_instance_get_hyperparameter(handle, model.symbols[i].name, &value) == DLC_OK)
      all.push_back({model.symbols[i].name, value});
  }
  return all;
}

dlc_metrics Instance::stepMetrics() {
  dlc_metrics metrics = {};
  check(dlc_instance_step_metrics(handle, &metrics));
  return metrics;
}

double Instance::lossScale() {
  double scale = 0;
  dlc_instance_get_hyperparameter(handle, "loss_scale", &scale);
  return scale;
}

bool Instance::has(const char *hyperparameter) {
  double ignored = 0;
  return dlc_instance_get_hyperparameter(handle, hyperparameter, &ignored) == DLC_OK;
}

Instance::Averages::Averages(Instance &instance)
    : handle(instance.has("ema_decay") ? instance.handle : nullptr) {
  if (handle)
    instance.check(dlc_instance_use_average(handle, 1));
}

Instance::Averages::~Averages() {
  if (handle)
    dlc_instance_use_average(handle, 0);
}

dlc_metrics Instance::evaluate(int64_t rows, const void *const *inputs) {
  dlc_metrics metrics = {};
  check(dlc_instance_eval_step(handle, model.batch > 0 ? rows : 1, inputs, &metrics));
  return metrics;
}

void Instance::predict(int64_t rows, const void *const *inputs, void *const *outputs) {
  check(dlc_instance_predict(handle, model.batch > 0 ? rows : 1, nullptr, inputs, outputs));
}

template <typename Visit> void Instance::visitTrained(Visit visit) {
  std::vector<char> bytes;
  for (int64_t i = 0; i < dlc_instance_parameter_count(handle); ++i) {
    dlc_parameter_info info;
    check(dlc_instance_parameter_info(handle, i, &info));
    if (!info.trainable)
      continue;
    bytes.resize(info.bytes);
    if (info.dtype == DLC_F64)
      visit(info, reinterpret_cast<double *>(bytes.data()), info.bytes / sizeof(double));
    else if (info.dtype == DLC_F32)
      visit(info, reinterpret_cast<float *>(bytes.data()), info.bytes / sizeof(float));
    else
      throw Failure(std::string("'") + info.name +
                    "' is trained, and its numbers are neither float32 nor float64");
  }
}

int64_t Instance::trainedCount() {
  int64_t count = 0;
  visitTrained([&](const dlc_parameter_info &, auto *, size_t numbers) { count += int64_t(numbers); });
  return count;
}

void Instance::readTrained(double *values) {
  visitTrained([&](const dlc_parameter_info &info, auto *numbers, size_t count) {
    check(dlc_instance_parameter_read(handle, info.name, numbers, info.bytes));
    values = std::copy(numbers, numbers + count, values);
  });
}

void Instance::writeTrained(const double *values) {
  visitTrained([&](const dlc_parameter_info &info, auto *numbers, size_t count) {
    for (size_t i = 0; i < count; ++i)
      numbers[i] = std::remove_reference_t<decltype(*numbers)>(*values++);
    check(dlc_instance_parameter_write(handle, info.name, numbers, info.bytes));
  });
}

void Instance::readGradients(double *values) {
  visitTrained([&](const dlc_parameter_info &info, auto *numbers, size_t count) {
    check(dlc_instance_gradient_read(handle, info.name, numbers, info.bytes));
    values = std::copy(numbers, numbers + count, values);
  });
}

double Instance::rate() {
  double value = 0;
  check(dlc_instance_get_hyperparameter(handle, "learning_rate", &value));
  return value;
}

void Instance::setRate(double rate) {
  if (dlc_instance_set_hyperparameter(handle, "learning_rate", rate) == DLC_OK)
    return;
  std::ostringstream text;
  text << "the learning rate becomes " << rate << " after step " << steps() << ": "
       << dlc_instance_last_error(handle) << "; look at --schedule, --warmup and --lr";
  throw Failure(text.str());
}

} // namespace dlc::tool::training
