//===- OptimizerOptions.cpp - how a model trains --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/train/RecipeSettings.h"
#include "tools/dlc/NearMiss.h"
#include "tools/dlc/OptionGroups.h"
#include "tools/dlc/OptionValues.h"
#include <algorithm>

namespace dlc::tool {

using train::RecipeSettings;

/// An option that sets a hyperparameter of the optimizer, where it is given.
static void addHyperparameter(CLI::App *app, const char *flag, const char *name, const char *help,
                              RecipeSettings &recipe) {
  app->add_option_function<std::string>(
         flag, [&recipe, name](const std::string &value) { recipe.emplace_back(name, value); },
         help)
      ->check(CLI::Number)
      ->option_text("X")
      ->group("Optimizer");
}

/// An option that sets two of them.
static void addPair(CLI::App *app, const char *flag, const char *first, const char *second, const char *help,
                    RecipeSettings &recipe) {
  app->add_option_function<std::vector<std::string>>(
         flag,
         [&recipe, first, second](const std::vector<std::string> &values) {
           recipe.emplace_back(first, values[0]);
           recipe.emplace_back(second, values[1]);
         },
         help)
      ->expected(2)
      ->delimiter(',')
      ->check(CLI::Number)
      ->option_text("X,X")
      ->group("Optimizer");
}

/// "" for an optimizer that the command has.
static std::string problemWith(const std::string &name, bool isTraining) {
  const std::vector<std::string> known = train::optimizerNames();
  if (std::find(known.begin(), known.end(), name) != known.end() || (isTraining && name == "lbfgs"))
    return "";
  if (name == "lbfgs")
    return "lbfgs asks for the loss several times in a step, as its line search decides, so that it is no "
           "part of a "
           "compiled step: dlc train has it, and programs have dlc/lbfgs.h and dlc/lbfgs.hpp";
  std::string text = "expected ";
  for (const std::string &each : known)
    text += each + ", ";
  return text + (isTraining ? "lbfgs; got '" : "and for dlc train lbfgs; got '") + name + "'" +
         didYouMean(name, known);
}

/// PyTorch's classes have our names, but for capital letters: AdamW.
static std::string lower(std::string &name) {
  for (char &c : name)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  return "";
}

void addOptimizerOptions(CLI::App *app, RecipeSettings &recipe) {
  const bool isTraining = app->get_name() == "train";
  const char *group = "Optimizer";
  addSetting(app, "--optimizer", "optimizer", recipe,
                  "sgd (default), adam, adamw, nadam, radam, adamax, rmsprop, adagrad,\n"
                  "adadelta, rprop, asgd, adafactor, as in PyTorch; lamb, lion, as in\n"
                  "their papers; muon for matrices, with adamw for other parameters;\n"
                  "sparseadam for tables that rows are looked up in, with adam for others;\n"
                  "dlc train also lbfgs, in passes over one batch")
      ->transform(CLI::Validator(lower, ""))
      ->check(CLI::Validator([isTraining](std::string &name) { return problemWith(name, isTraining); }, ""))
      ->option_text("NAME")
      ->group(group);
  addHyperparameter(app, "--lr,--learning-rate", "learning_rate",
                    "Learning rate (default 0.001; nadam, adamax 0.002; rmsprop,\n"
                    "adagrad, rprop, asgd, adafactor 0.01; adadelta 1; lion 0.0001). It\n"
                    "and the numbers below are initial values: a program can set others",
                    recipe);
  addHyperparameter(app, "--weight-decay", "weight_decay",
                    "Weight decay (default 0; adamw, lamb 0.01; muon 0.1)", recipe);
  addHyperparameter(app, "--momentum", "momentum", "sgd, rmsprop, muon: momentum (default 0; muon 0.95)",
                    recipe);
  addHyperparameter(app, "--dampening", "dampening", "sgd: dampening of the momentum (default 0)", recipe);
  addFlag(app, "--nesterov", "nesterov", recipe, "sgd: Nesterov's momentum")->group(group);
  addPair(app, "--betas", "beta1", "beta2",
          "adam to lion, muon, sparseadam: decay of the moments (default\n0.9,0.999; lion 0.9,0.99)",
          recipe);
  addHyperparameter(
      app, "--eps", "epsilon",
      "All but sgd, lion, rprop and asgd: keeps divisors from zero (default\n1e-8; lamb, adadelta 1e-6; "
      "adagrad 1e-10; adafactor 1.19e-7)",
      recipe);
  addHyperparameter(app, "--alpha", "alpha",
                    "rmsprop: smoothing (default 0.99); asgd: power of the falling rate\n(default 0.75)",
                    recipe);
  addFlag(app, "--centered", "centered", recipe, "rmsprop: divide by an estimate of the variance")
      ->group(group);
  addFlag(app, "--amsgrad", "amsgrad", recipe, "adam, adamw: divide by the largest second moment so far")
      ->group(group);
  addHyperparameter(app, "--momentum-decay", "momentum_decay",
                    "nadam: growth of the momentum (default 0.004)", recipe);
  addHyperparameter(app, "--rho", "rho", "adadelta: smoothing (default 0.9)", recipe);
  addHyperparameter(app, "--lr-decay", "lr_decay", "adagrad: decay of the learning rate (default 0)",
                    recipe);
  addPair(
      app, "--etas", "eta_minus", "eta_plus",
      "rprop: factors of a step size where the gradient's sign turns, and\nwhere it stays (default 0.5,1.2)",
      recipe);
  addPair(app, "--step-sizes", "step_size_min", "step_size_max",
          "rprop: bounds of step sizes (default 1e-6,50)", recipe);
  addHyperparameter(app, "--lambd", "lambd", "asgd: decay of parameters and of the rate (default 0.0001)",
                    recipe);
  addHyperparameter(app, "--t0", "t0", "asgd: the step after which parameters are averaged (default 1e6)",
                    recipe);
  addHyperparameter(app, "--beta2-decay", "beta2_decay",
                    "adafactor: how fast the second moment slows down (default -0.8)", recipe);
  addHyperparameter(app, "--eps2", "epsilon2", "adafactor: smallest scale of a parameter (default 0.001)",
                    recipe);
  addHyperparameter(app, "--clip-threshold", "clip_threshold",
                    "adafactor: largest root of the mean square of an update (default 1)", recipe);
  CLI::Option *clipNorm = addNumber(app, "--clip-grad-norm", "clip_grad_norm", recipe,
                                          "Scale gradients down where their common norm is larger, as\n"
                                          "torch.nn.utils.clip_grad_norm_ does")
                              ->check(isPositive)
                              ->option_text("X")
                              ->group(group);
  addNumber(app, "--clip-grad-value", "clip_grad_value", recipe,
                  "Put each number of the gradients between -X and X, as\n"
                  "torch.nn.utils.clip_grad_value_ does")
      ->check(isPositive)
      ->excludes(clipNorm)
      ->option_text("X")
      ->group(group);
  addFlag(app, "--grad-norm", "grad_norm", recipe,
                "Compute the common norm of the gradients in each update, which\n<model>_grad_norm gives "
                "(always so with "
                "--clip-grad-norm)")
      ->group(group);
  addFlag(
         app, "--step-metrics", "step_metrics", recipe,
         "Count in each training step what eval_step counts: the loss and\nthe predictions that are right, "
         "which <model>_step_metrics gives\n(always so in dlc train)")
      ->group(group);
  addSetting(app, "--accumulate", "accumulate", recipe,
             "What the gradients of several batches become: their sum (default),\nor mean: those of one "
             "batch that has all of their samples")
      ->check(oneOf({"sum", "mean"}))
      ->option_text("HOW")
      ->group(group);
  addNumber(app, "--ema-decay", "ema_decay", recipe,
                  "Keep a moving average of each parameter, such as 0.999, which a\n"
                  "program evaluates and saves in place of the parameter")
      ->check(isFraction)
      ->option_text("X")
      ->group(group);
  addList(app, "--group", "group", recipe,
                  "GLOB|GLOB...:NAME=X,...: numbers of their own for parameters of\n"
                  "such names: lr-scale, a factor of the learning rate (0 freezes),\n"
                  "or weight-decay, momentum ...; may be repeated")
      ->option_text("GROUP")
      ->group(group);
  addList(app, "--no-decay", "no_decay", recipe,
                  "Short for --group=GLOB:weight-decay=0, as for norms and biases;\nmay be repeated")
      ->option_text("GLOB")
      ->group(group);
  addList(app, "--freeze", "freeze", recipe, "Do not train parameters of such names; may be repeated")
      ->option_text("GLOB")
      ->group(group);
  addList(app, "--train", "train", recipe,
                  "Train only parameters of such names; may be repeated. A full name\nalso makes a parameter "
                  "of what an ONNX model has as a number")
      ->option_text("GLOB")
      ->group(group);
  addSetting(app, "--seed", "seed", recipe,
                  "Seed of dropout's random numbers, until the program sets another\n(default 0)")
      ->check(isWhole<uint64_t>)
      ->option_text("N")
      ->group(group);
}

} // namespace dlc::tool
