//===- OptionRules.cpp - when an option has an effect ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An option that changes nothing is a misunderstanding, which is better told than trained with. The table has
// what an option needs of the other options; what it needs of the model is checked where the model is read.
// (Which stage --emit asks for does not count: stages are compared by changing --emit alone.)
//===----------------------------------------------------------------------===//
#include "tools/dlc/OptionRules.h"
#include <algorithm>
#include <sstream>

namespace dlc::tool {
namespace {

struct Situation {
  const pipeline::Options &options;
  bool trains;
  bool addsGradients; ///< of several batches; the command or the program that it compiles for
  bool mayHaveCustomOps;
  bool isLbfgs; ///< around the compiled step
  const ChosenTraining &training;

  bool hasLoss(std::initializer_list<const char *> names) const { return isOneOf(training.loss, names); }
  bool hasOptimizer(std::initializer_list<const char *> names) const {
    return isOneOf(training.optimizer, names);
  }
  static bool isOneOf(const std::string &name, std::initializer_list<const char *> names) {
    for (const char *candidate : names)
      if (name == candidate)
        return true;
    return false;
  }
};

struct Rule {
  const char *flags; ///< separated by blanks
  const char *needs; ///< "has no effect without ..."
  bool (*holds)(const Situation &);
};

const Rule rules[] = {
    {"--prediction --reduction --ignore-index --label-smoothing --class-weights --class-axis --label-type "
     "--delta --time-axis --max-labels --blank --zero-infinity",
     "--loss", [](const Situation &s) { return !s.training.loss.empty(); }},
    {"--optimizer --lr --weight-decay --momentum --dampening --nesterov --betas --eps --alpha --centered "
     "--amsgrad --momentum-decay --rho --lr-decay --etas --step-sizes --lambd --t0 --beta2-decay --eps2 "
     "--clip-threshold --clip-grad-norm --clip-grad-value --grad-norm "
     "--step-metrics "
     "--accumulate "
     "--ema-decay "
     "--group --no-decay --freeze --train --seed --keep-ties --running-variance "
     "--memory-budget --ranks",
     "--loss, as nothing is trained", [](const Situation &s) { return s.trains; }},
    {"--reduction", "a loss other than --loss=output",
     [](const Situation &s) { return !s.hasLoss({"output"}); }},
    {"--ignore-index --class-axis --label-type",
     "--loss=softmax-cross-entropy, nll or ctc, the losses with classes",
     [](const Situation &s) { return train::hasClasses(s.training.loss) || s.hasLoss({"ctc"}); }},
    {"--ignore-index", "--label-type of integers",
     [](const Situation &s) { return s.training.labelType != "f32"; }},
    {"--class-weights", "--loss=softmax-cross-entropy or --loss=nll, which weigh each label",
     [](const Situation &s) { return train::hasClasses(s.training.loss); }},
    {"--time-axis --max-labels --blank --zero-infinity", "--loss=ctc, the loss of sequences",
     [](const Situation &s) { return s.hasLoss({"ctc"}); }},
    {"--label-smoothing", "--loss=softmax-cross-entropy",
     [](const Situation &s) { return s.hasLoss({"softmax-cross-entropy"}); }},
    {"--delta", "--loss=huber", [](const Situation &s) { return s.hasLoss({"huber"}); }},
    {"--momentum", "--optimizer=sgd, rmsprop or muon",
     [](const Situation &s) { return s.hasOptimizer({"sgd", "rmsprop", "muon"}); }},
    {"--nesterov --dampening", "--optimizer=sgd", [](const Situation &s) { return s.hasOptimizer({"sgd"}); }},
    {"--nesterov --dampening", "--momentum above 0", [](const Situation &s) { return s.training.hasMomentum; }},
    {"--betas", "--optimizer=adam, adamw, nadam, radam, adamax, lamb, lion, muon or sparseadam",
     [](const Situation &s) {
       return !s.hasOptimizer({"sgd", "rmsprop", "adagrad", "adadelta", "rprop", "asgd", "adafactor"});
     }},
    {"--eps", "an --optimizer other than sgd, lion, rprop and asgd",
     [](const Situation &s) { return !s.hasOptimizer({"sgd", "lion", "rprop", "asgd"}); }},
    {"--weight-decay --no-decay", "an --optimizer other than rprop, which has no weight decay",
     [](const Situation &s) { return !s.hasOptimizer({"rprop"}); }},
    {"--etas --step-sizes", "--optimizer=rprop",
     [](const Situation &s) { return s.hasOptimizer({"rprop"}); }},
    {"--lambd --t0", "--optimizer=asgd", [](const Situation &s) { return s.hasOptimizer({"asgd"}); }},
    {"--beta2-decay --eps2 --clip-threshold", "--optimizer=adafactor",
     [](const Situation &s) { return s.hasOptimizer({"adafactor"}); }},
    {"--alpha", "--optimizer=rmsprop or asgd",
     [](const Situation &s) { return s.hasOptimizer({"rmsprop", "asgd"}); }},
    {"--schedule --warmup", "an --optimizer other than rprop, whose rate is that of its first step only",
     [](const Situation &s) { return !s.hasOptimizer({"rprop"}); }},
    {"--amsgrad", "--optimizer=adam or --optimizer=adamw",
     [](const Situation &s) { return s.hasOptimizer({"adam", "adamw"}); }},
    {"--momentum-decay", "--optimizer=nadam", [](const Situation &s) { return s.hasOptimizer({"nadam"}); }},
    {"--rho", "--optimizer=adadelta", [](const Situation &s) { return s.hasOptimizer({"adadelta"}); }},
    {"--centered", "--optimizer=rmsprop", [](const Situation &s) { return s.hasOptimizer({"rmsprop"}); }},
    {"--max-iter --max-eval --history-size --tolerance-grad --tolerance-change --line-search",
     "--optimizer=lbfgs", [](const Situation &s) { return s.isLbfgs; }},
    {"--weight-decay --momentum --dampening --nesterov --betas --eps --alpha --centered --amsgrad "
     "--momentum-decay --rho --lr-decay --etas --step-sizes --lambd --t0 --beta2-decay --eps2 "
     "--clip-threshold "
     "--clip-grad-norm --clip-grad-value --group --no-decay --schedule --warmup --find-lr --batches-per-step "
     "--accumulate",
     "an --optimizer other than lbfgs, whose steps follow from losses and gradients of one batch alone",
     [](const Situation &s) { return !s.isLbfgs; }},
    {"--accumulate", "--batches-per-step", [](const Situation &s) { return s.addsGradients; }},
    {"--gpu --gpu-code", "--target=nvptx, or --device=gpu of dlc train",
     [](const Situation &s) { return s.options.isFor("nvptx"); }},
    {"--ptxas", "--emit=cubin or --gpu-code=cubin",
     [](const Situation &s) { return s.options.cubin || s.options.emit == pipeline::Stage::Cubin; }},
    {"--nvrtc",
     "--custom-ops, whose CUDA sources it compiles for --target=nvptx, but not for --gpu-code=simt",
     [](const Situation &s) { return s.mayHaveCustomOps && s.options.isFor("nvptx") && !s.options.simt; }},
    {"--tune", "--target=cpu", [](const Situation &s) { return s.options.isFor("cpu"); }},
    {"--clang", "--custom-ops, whose code it compiles",
     [](const Situation &s) { return s.mayHaveCustomOps; }},
    {"--lr-decay", "--optimizer=adagrad", [](const Situation &s) { return s.hasOptimizer({"adagrad"}); }},
};

bool contains(const char *words, const std::string &word) {
  std::istringstream stream(words);
  for (std::string candidate; stream >> candidate;)
    if (candidate == word)
      return true;
  return false;
}

const std::vector<std::string> cppEndings = {".cpp", ".cc", ".cxx"};

} // namespace

std::string findOptionWithoutEffect(const Invocation &invocation, bool trains,
                                    const ChosenTraining &training) {
  const bool isOneBatch =
      invocation.command == Invocation::Command::Train && invocation.train.batchesPerStep == 1;
  const std::string &file = invocation.file;
  // Only graphs of other programs have no operations of their user's without --custom-ops.
  const auto endsWith = [&](const std::string &ending) {
    return file.size() > ending.size() &&
           file.compare(file.size() - ending.size(), ending.size(), ending) == 0;
  };
  const bool isGraph = endsWith(".onnx") || endsWith(".pt2");
  const bool isCpp = std::any_of(cppEndings.begin(), cppEndings.end(), endsWith);
  for (const std::string &flag : invocation.given)
    if (!isCpp && contains("--model --describe-seconds --describe-memory", flag))
      return flag + " has no effect without a model that a C++ program describes";
  Situation situation{invocation.options, trains, !isOneBatch, !isGraph || !invocation.customOps.empty(),
                      training.optimizer == "lbfgs", training};
  const bool isTraining =
      invocation.command == Invocation::Command::Train; // whose own options have rules, too
  for (const std::string &flag : isTraining ? invocation.allGiven : invocation.given)
    for (const Rule &rule : rules)
      if (contains(rule.flags, flag) && !rule.holds(situation))
        return flag + " has no effect without " + rule.needs;
  return "";
}

} // namespace dlc::tool
