//===- Checkpoints.cpp - what a training writes, and goes on from ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Checkpoints.h"
#include "tools/dlc/Digest.h"
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace dlc::tool::training {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const char *const lastFile = "last.safetensors", *const bestFile = "best.safetensors",
                  *const weightsFile = "weights.safetensors", *const progressFile = "progress.json";

/// Doubles are written as the shortest text that gives the same one, and as null where they are no number.
double numberFrom(const Json &json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

Json toJson(const Progress &p) {
  return {{"step", p.step},
          {"updates", p.updates},
          {"loss_scale", p.lossScale},
          {"epoch", p.epoch},
          {"batch", p.batch},
          {"loss_sum", p.lossSum},
          {"correct", p.correct},
          {"count", p.count},
          {"seconds", p.seconds},
          {"best",
           {{"has", p.stop.has_best},
            {"value", p.stop.best},
            {"step", p.bestStep},
            {"evaluations", p.stop.calls},
            {"evaluation", p.stop.best_call},
            {"since", p.stop.bad_calls}}},
          {"plateau",
           {{"rate", p.plateau.rate},
            {"best", p.plateau.best},
            {"has_best", p.plateau.has_best},
            {"since", p.plateau.bad_calls},
            {"cooling", p.plateau.cooling}}}};
}

Progress fromJson(const Json &json) {
  Progress p;
  p.step = json.at("step");
  p.updates = json.at("updates");
  p.lossScale = json.at("loss_scale");
  p.epoch = json.at("epoch");
  p.batch = json.at("batch");
  p.lossSum = numberFrom(json.at("loss_sum"));
  p.correct = json.at("correct");
  p.count = json.at("count");
  p.seconds = json.at("seconds");
  const Json &best = json.at("best");
  p.stop.has_best = best.at("has");
  p.stop.best = numberFrom(best.at("value"));
  p.bestStep = best.at("step");
  p.stop.calls = best.at("evaluations");
  p.stop.best_call = best.at("evaluation");
  p.stop.bad_calls = best.at("since");
  const Json &plateau = json.at("plateau");
  p.plateau.rate = plateau.at("rate");
  p.plateau.best = numberFrom(plateau.at("best"));
  p.plateau.has_best = plateau.at("has_best");
  p.plateau.bad_calls = plateau.at("since");
  p.plateau.cooling = plateau.at("cooling");
  return p;
}

} // namespace

void writeFile(const Compiler &compiler, const std::string &path, const std::string &text) {
  const fs::path name(path);
  const std::string folder = name.has_parent_path() ? name.parent_path().string() : ".";
  if (const std::string problem = compiler.write(folder, name.filename().string(), text); !problem.empty())
    throw Failure(problem);
}

Checkpoints::Checkpoints(const TrainOptions &options, const Compiler &compiler)
    : options(options), compiler(compiler) {
  if (!writes())
    return;
  std::error_code error;
  fs::create_directories(options.output, error);
  if (error || !fs::is_directory(options.output, error))
    throw Failure(options.output + ": cannot be made a folder" + (error ? ": " + error.message() : ""));
  lock.take(options.output);
  if (!options.resume && fs::exists(path(lastFile), error))
    throw Failure(path(lastFile) +
                  ": the folder has a training already: go on with it with --resume, or choose "
                  "another folder with -o");
}

/// Names of files may be in any encoding, and JSON is UTF-8: what reading gives of what was written.
static std::string stored(const std::string &text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
}

Began Began::of(const TrainOptions &options, const std::string &model, const Sources &sources) {
  Began began{model, {}};
  auto add = [&](const std::string &file, const Source *source = nullptr) {
    if (began.files.count(stored(file)))
      return;
    const std::string whole = source ? source->digest() : "",
                      digest = whole.empty() ? digestOfFile(file) : whole;
    if (digest.empty())
      throw Failure(file + ": cannot be read");
    began.files[stored(file)] = digest;
  };
  for (const auto *part : {&sources.training, &sources.validation})
    for (const std::unique_ptr<Source> &source : *part)
      for (const std::string &file : source->files())
        add(file, source.get());
  for (const char *option : {"--class-weights", "--custom-ops", "--tune"}) // whose values are files
    if (const auto found = options.settings.find(option); found != options.settings.end())
      add(found->second);
  return began;
}

void Checkpoints::failToGoOn(const std::string &what) const {
  throw Failure("--resume: " + what +
                "; go on with what it began with, or begin another training in a folder of "
                "its own (--weights=" +
                path(lastFile) + " begins with what this one has learnt)");
}

void Checkpoints::checkFiles(const std::map<std::string, std::string> &was) const {
  for (const auto &[file, digest] : began.files)
    if (const auto found = was.find(file); found == was.end())
      failToGoOn("the data had no file " + file + " when this training began");
    else if (found->second != digest)
      failToGoOn("the content of " + file + " is not what it was when this training began");
  for (const auto &[file, digest] : was)
    if (!began.files.count(file))
      failToGoOn("the file " + file + " was part of the data when this training began, and is not now");
}

/// A training that goes on with other options would be neither of the two.
void Checkpoints::checkSettings(const std::map<std::string, std::string> &was) const {
  auto fail = [&](const std::string &name, const std::string &then, const std::string &now) {
    auto text = [&](const std::string &value) { return value.empty() ? "not given" : "'" + value + "'"; };
    throw Failure("--resume: " + name + " was " + text(then) + " when this training began, and is " +
                  text(now) +
                  " now; go on with the options that it began with, or begin another in a folder of its own");
  };
  for (const auto &[name, value] : was) {
    const auto found = options.settings.find(name);
    if (found == options.settings.end() || stored(found->second) != value)
      fail(name, value, found == options.settings.end() ? "" : found->second);
  }
  for (const auto &[name, value] : options.settings)
    if (!was.count(name))
      fail(name, "", value);
}

std::optional<Progress> Checkpoints::resume(Instance &instance, int64_t samples) {
  std::error_code error;
  if (!options.resume || !fs::exists(path(lastFile), error))
    return std::nullopt;
  const std::string file = path(progressFile);
  std::ifstream stream(file);
  if (!stream)
    throw Failure(file + ": cannot be read; it belongs to " + path(lastFile) +
                  ", and both are needed to go on");
  std::vector<Progress> states;
  int64_t samplesBefore = 0;
  std::map<std::string, std::string> settings, files;
  std::string model;
  try {
    const Json json = Json::parse(stream);
    for (const Json &state : json.at("checkpoints"))
      states.push_back(fromJson(state));
    samplesBefore = json.at("samples");
    settings = json.at("settings").get<std::map<std::string, std::string>>();
    model = json.at("digests").at("model");
    files = json.at("digests").at("files").get<std::map<std::string, std::string>>();
  } catch (const Json::exception &) {
    throw Failure(file + ": is damaged, or was not written by this version of dlc train");
  }
  checkSettings(settings);
  if (samplesBefore != samples)
    throw Failure("--resume: the training data had " + std::to_string(samplesBefore) +
                  " samples when this training began, and has " + std::to_string(samples) + " now");
  if (model != began.model)
    failToGoOn(
        "the model is not the one that this training began with: its operations, its constants, or names, "
        "types or shapes of what it has differ");
  checkFiles(files);
  instance.load(path(lastFile));
  for (const Progress &state : states)
    if (state.updates == instance.steps() && state.lossScale == instance.lossScale() && state.batch >= 0 &&
        state.epoch >= 0)
      return before = state;
  throw Failure(file + ": does not belong to " + path(lastFile) + ", which has had " +
                std::to_string(instance.steps()) + " updates");
}

void Checkpoints::save(Instance &instance, const Progress &progress, int64_t samples) {
  if (!writes())
    return;
  Progress now = progress;
  now.updates = instance.steps();
  now.lossScale = instance.lossScale();
  Json states = Json::array({toJson(now)});
  if (before && before->step != now.step)
    states.push_back(toJson(*before));
  const Json json = {{"samples", samples},
                     {"settings", options.settings},
                     {"digests", {{"model", began.model}, {"files", began.files}}},
                     {"checkpoints", states}};
  // Names of files may be in any encoding.
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  const std::string problem = compiler.write(options.output, progressFile, text);
  if (!problem.empty())
    throw Failure(problem);
  instance.save(path(lastFile));
  before = now;
}

void Checkpoints::saveBest(Instance &instance) {
  if (writes())
    instance.save(path(bestFile));
}

void Checkpoints::saveWeights(Instance &instance) {
  if (writes())
    instance.saveWeights(path(weightsFile));
}

} // namespace dlc::tool::training
