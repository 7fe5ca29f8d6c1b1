//===- OptimizerOptions.cpp - how a model trains --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/backward/Optimizer.h"
#include "tools/dlc/OptionGroups.h"
#include "tools/dlc/OptionValues.h"

namespace dlc::tool {

using pipeline::Options;

/// An option that sets a hyperparameter of the optimizer, where it is given.
static void addHyperparameter(CLI::App *app, const char *flag, const char *name, const char *help,
                              Options &options) {
  app->add_option_function<std::string>(
         flag,
         [&options, name](const std::string &value) {
           options.hyperparameters.push_back(std::string(name) + "=" + value);
         },
         help)
      ->check(CLI::Number)
      ->option_text("X")
      ->group("Optimizer");
}

void addOptimizerOptions(CLI::App *app, Options &options) {
  const char *group = "Optimizer";
  app->add_option("--optimizer", options.optimizer,
                  "sgd (default), adam, adamw, nadam, radam, adamax, rmsprop, adagrad,\n"
                  "adadelta, as in PyTorch; lamb, lion, as in their papers; muon for\n"
                  "matrices, with adamw for other parameters")
      ->check(CLI::IsMember(backward::optimizers()))
      ->option_text("NAME")
      ->group(group);
  addHyperparameter(app, "--lr,--learning-rate", "learning_rate",
                    "Learning rate (default 0.001; nadam, adamax 0.002; rmsprop,\n"
                    "adagrad 0.01; adadelta 1; lion 0.0001). It and the numbers below\n"
                    "are initial values: a program can set others",
                    options);
  addHyperparameter(app, "--weight-decay", "weight_decay",
                    "Weight decay (default 0; adamw, lamb 0.01; muon 0.1)", options);
  addHyperparameter(app, "--momentum", "momentum", "sgd, rmsprop, muon: momentum (default 0; muon 0.95)",
                    options);
  addHyperparameter(app, "--dampening", "dampening", "sgd: dampening of the momentum (default 0)", options);
  app->add_flag("--nesterov", options.nesterov, "sgd: Nesterov's momentum")->group(group);
  app->add_option_function<std::vector<std::string>>(
         "--betas",
         [&options](const std::vector<std::string> &values) {
           options.hyperparameters.push_back("beta1=" + values[0]);
           options.hyperparameters.push_back("beta2=" + values[1]);
         },
         "adam to lion, muon: decay of the moments (default 0.9,0.999;\nlion 0.9,0.99)")
      ->expected(2)
      ->delimiter(',')
      ->check(CLI::Number)
      ->option_text("X,X")
      ->group(group);
  addHyperparameter(
      app, "--eps", "epsilon",
      "All but sgd and lion: keeps divisors from zero (default 1e-8;\nlamb, adadelta 1e-6; adagrad 1e-10)",
      options);
  addHyperparameter(app, "--alpha", "alpha", "rmsprop: smoothing (default 0.99)", options);
  app->add_flag("--centered", options.centered, "rmsprop: divide by an estimate of the variance")
      ->group(group);
  app->add_flag("--amsgrad", options.amsgrad, "adam, adamw: divide by the largest second moment so far")
      ->group(group);
  addHyperparameter(app, "--momentum-decay", "momentum_decay",
                    "nadam: growth of the momentum (default 0.004)", options);
  addHyperparameter(app, "--rho", "rho", "adadelta: smoothing (default 0.9)", options);
  addHyperparameter(app, "--lr-decay", "lr_decay", "adagrad: decay of the learning rate (default 0)",
                    options);
  CLI::Option *clipNorm = app->add_option("--clip-grad-norm", options.maxGradNorm,
                                          "Scale gradients down where their common norm is larger, as\n"
                                          "torch.nn.utils.clip_grad_norm_ does")
                              ->check(isPositive)
                              ->option_text("X")
                              ->group(group);
  app->add_option("--clip-grad-value", options.maxGradValue,
                  "Put each number of the gradients between -X and X, as\n"
                  "torch.nn.utils.clip_grad_value_ does")
      ->check(isPositive)
      ->excludes(clipNorm)
      ->option_text("X")
      ->group(group);
  app->add_flag("--grad-norm", options.gradNorm,
                "Compute the common norm of the gradients in each update, which\n<model>_grad_norm gives and "
                "--log of dlc train writes (always so\nwith --clip-grad-norm)")
      ->group(group);
  app->add_option("--accumulate", options.accumulate,
                  "What the gradients of several batches become: their sum (default),\nor mean: those of one "
                  "batch that has all of their samples")
      ->check(CLI::IsMember({"sum", "mean"}))
      ->option_text("HOW")
      ->group(group);
  app->add_option("--ema-decay", options.emaDecay,
                  "Keep a moving average of each parameter, such as 0.999, which a\n"
                  "program evaluates and saves in place of the parameter")
      ->check(isFraction)
      ->option_text("X")
      ->group(group);
  app->add_option("--group", options.groups,
                  "GLOB|GLOB...:NAME=X,...: numbers of their own for parameters of\n"
                  "such names: lr-scale, a factor of the learning rate (0 freezes),\n"
                  "or weight-decay, momentum ...; may be repeated")
      ->option_text("GROUP")
      ->group(group);
  app->add_option("--no-decay", options.noDecay,
                  "Short for --group=GLOB:weight-decay=0, as for norms and biases;\nmay be repeated")
      ->option_text("GLOB")
      ->group(group);
  app->add_option("--freeze", options.freeze, "Do not train parameters of such names; may be repeated")
      ->option_text("GLOB")
      ->group(group);
  app->add_option("--train", options.train,
                  "Train only parameters of such names; may be repeated. A full name\nalso makes a parameter "
                  "of what an ONNX model has as a number")
      ->option_text("GLOB")
      ->group(group);
  app->add_option("--seed", options.seed,
                  "Seed of dropout's random numbers, until the program sets another\n(default 0)")
      ->check(isWhole<uint64_t>)
      ->option_text("N")
      ->group(group);
}

} // namespace dlc::tool
