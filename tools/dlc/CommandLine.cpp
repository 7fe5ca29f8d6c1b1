//===- CommandLine.cpp - options of dlc ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/backward/Optimizer.h"
#include "compiler/forward/Losses.h"
#include "tools/dlc/Commands.h"
#include "tools/dlc/ExportCommand.h"
#include "tools/dlc/NearMiss.h"
#include "tools/dlc/OptionValues.h"
#include "tools/dlc/ProfileCommand.h"
#include "tools/dlc/TrainCommand.h"
#include "tools/dlc/TuneCommand.h"
#include <iostream>
#include <unistd.h>

namespace dlc::tool {
namespace {

using pipeline::Options;

/// One empty line, and only one, between the parts of a help text.
struct HelpFormatter : CLI::Formatter {
  std::string make_description(const CLI::App *app) const override { return app->get_description() + "\n\n"; }
  std::string make_help(const CLI::App *app, std::string name, CLI::AppFormatMode mode) const override {
    return CLI::detail::find_and_replace(Formatter::make_help(app, std::move(name), mode), "\n\n\n", "\n\n");
  }
};

std::string stageList() {
  std::string text = "What to produce (default lib):";
  for (const pipeline::StageInfo &info : pipeline::stages)
    text += std::string("\n") + info.name + ": " + info.description;
  return text;
}

pipeline::Stage stageNamed(const std::string &name) {
  std::string known;
  for (const pipeline::StageInfo &info : pipeline::stages) {
    if (name == info.name)
      return info.stage;
    known += std::string(known.empty() ? "" : ", ") + info.name;
  }
  throw CLI::ValidationError("--emit", "expected one of " + known + "; got '" + name + "'");
}

/// "64" or "1..64".
void setBatch(const std::string &text, Invocation &invocation) {
  auto [first, last] = sizesIn(text, "--batch", text, "a whole number above 0, or 1..N");
  invocation.batch = last;
  invocation.openBatch = first != last;
}

/// "seq=128" or "seq=1..128".
void addDim(const std::string &text, Invocation &invocation) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw CLI::ValidationError("--dim", "expected NAME=N or NAME=1..N, got '" + text + "'");
  invocation.dims[text.substr(0, equals)] = sizesIn(std::string_view(text).substr(equals + 1), "--dim", text,
                                                    "NAME=N or NAME=1..N with N of at least 1");
}

/// An option that sets a hyperparameter of the optimizer, where it is given.
void addHyperparameter(CLI::App *app, const char *flag, const char *name, const char *help,
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

/// How a C++ program that describes models is taken.
void addDescriptionOptions(CLI::App *app, Invocation &invocation) {
  const char *group = "Model";
  app->add_option("--model", invocation.model,
                  "Which model of a C++ file (.cpp, DLC_MODEL), where it describes\nseveral")
      ->option_text("NAME")
      ->group(group);
  app->add_option("--describe-seconds", invocation.describeSeconds,
                  "How long a C++ description may run (default 120)")
      ->check(isPositive)
      ->option_text("N")
      ->group(group);
}

/// Operations of an ONNX model that the user has code for.
void addCustomOptions(CLI::App *app, Invocation &invocation) {
  app->add_option("--custom-ops", invocation.customOps,
                  "A file that names C code of yours for nodes of an ONNX model, with\ntheir gradients "
                  "(docs/custom-ops.md). The code becomes part of what\nis compiled, and runs with it")
      ->option_text("FILE")
      ->group("Model");
}

void addModelOptions(CLI::App *app, Invocation &invocation) {
  Options &options = invocation.options;
  const char *group = "Model";
  app->add_option("--name", options.name, "Prefix of the C functions (default: from the file's name)")
      ->option_text("ID")
      ->group(group);
  app->add_option_function<std::string>(
         "--batch", [&invocation](const std::string &text) { setBatch(text, invocation); },
         "Rows of a training batch, where an ONNX model leaves them open.\n"
         "1..N: training also takes fewer, with train_step_n")
      ->option_text("N")
      ->group(group);
  app->add_option_function<std::vector<std::string>>(
         "--dim",
         [&invocation](const std::vector<std::string> &texts) {
           for (const std::string &text : texts)
             addDim(text, invocation);
         },
         "Size of another symbolic dim, by the ONNX model's name for it;\n"
         "NAME=1..N: any size up to N, which the caller gives to each\n"
         "call; in training, to train_step_n. May be repeated")
      ->option_text("NAME=N")
      ->group(group);

  addDescriptionOptions(app, invocation);
  addCustomOptions(app, invocation);
  app->add_option("--clang", options.clang, "The clang that compiles it (default: clang-22 or clang on PATH)")
      ->option_text("PROGRAM")
      ->group(group);
  app->add_flag(
         "--keep-ties", invocation.keepTies,
         "Train layers that share an initializer as one, also where only\ntheir initial values are equal")
      ->group(group);
  app->add_option(
         "--running-variance", invocation.runningVariance,
         "What batch normalization keeps for evaluation: the unbiased\nvariance, divided by n - 1, or the "
         "population's, divided by n\n(default: unbiased for models from PyTorch, else population)")
      ->check(CLI::IsMember({"unbiased", "population"}))
      ->option_text("WHICH")
      ->group(group);

  group = "Loss";
  app->add_option("--loss", options.loss,
                  "What is minimised; without it only prediction is compiled:\n"
                  "softmax-cross-entropy: scores of classes, labels 0 to classes-1\n"
                  "nll: the same for logarithms of probabilities\n"
                  "bce-with-logits, bce: scores or probabilities of yes, targets 0 to 1\n"
                  "mse, l1, huber: values, target values\n"
                  "output: the model's output is the loss")
      ->check(CLI::IsMember(forward::losses()))
      ->option_text("LOSS")
      ->group(group);
  app->add_option("--prediction", options.prediction,
                  "The output that the loss is computed from, where the model has\nmore than one")
      ->option_text("NAME")
      ->group(group);
  app->add_option("--reduction", options.reduction,
                  "How the rows' losses become one number: mean (default) or sum")
      ->check(CLI::IsMember({"mean", "sum"}))
      ->option_text("HOW")
      ->group(group);
  app->add_option("--class-axis", options.classAxis,
                  "The axis of the output that holds the classes; -1 is the last\n"
                  "(default: that of the model's softmax, else 1)")
      ->check(isWhole<int64_t>)
      ->option_text("N")
      ->group(group);
  app->add_option("--ignore-index", options.ignoreIndex, "Rows with this label do not count (default -100)")
      ->check(isIgnoreIndex)
      ->option_text("N")
      ->group(group);
  app->add_option("--label-smoothing", options.labelSmoothing, "Softens labels, 0 to 1 (default 0)")
      ->check(CLI::Range(0.0, 1.0))
      ->option_text("X")
      ->group(group);
  app->add_option("--class-weights", options.classWeights, "File with one number for each class")
      ->option_text("FILE")
      ->group(group);
  app->add_option("--label-type", options.labelType, "Type of the labels: i64 (default) or i32")
      ->check(CLI::IsMember({"i64", "i32"}))
      ->option_text("TYPE")
      ->group(group);
  app->add_option("--delta", options.delta, "Where the Huber loss becomes linear (default 1)")
      ->check(isPositive)
      ->option_text("X")
      ->group(group);

  group = "Optimizer";
  app->add_option("--optimizer", options.optimizer,
                  "sgd (default), adam, adamw, nadam, radam, adamax, rmsprop, adagrad,\n"
                  "adadelta, as in PyTorch; lamb, lion, as in their papers; muon for\n"
                  "matrices, with adamw for other parameters")
      ->check(CLI::IsMember(backward::optimizers()))
      ->option_text("NAME")
      ->group(group);
  addHyperparameter(app, "--lr", "learning_rate",
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
  app->add_option("--accumulate", options.accumulate,
                  "What apply makes of the gradients of several batches: their sum\n(default) or mean")
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

  app->add_flag("--check-indices", options.checkIndices,
                "Steps fail where indices that the model computes are out of range\n"
                "(those that a program passes always are checked)")
      ->group("Checks");

  group = "Precision";
  app->add_option(
         "--precision", options.precision,
         "fp32 (default), or what the operands of matrix products and\nconvolutions are rounded to: tf32 "
         "or bf16. Sums, all other\ncomputations and the parameters stay float32")
      ->check(CLI::IsMember({"fp32", "tf32", "bf16"}))
      ->option_text("NAME")
      ->group(group);

  group = "Target";
  app->add_option("--cpu", options.cpu,
                  "The oldest CPU to run on: native (default), x86-64-v3, znver4,\nneoverse-n1, generic "
                  "(default with a --triple of another\narchitecture) ...")
      ->option_text("NAME")
      ->group(group);
  app->add_option("--max-memory", options.maxMemory,
                  "Most memory that a compiled model may need, in GiB (default 32);\nmore is an error")
      ->check(isPositive)
      ->option_text("GIB")
      ->group(group);
  app->add_option_function<std::string>(
         "--memory-budget",
         [&options](const std::string &text) { options.memoryBudget = bytesIn(text, "--memory-budget"); },
         "Bytes of memory (K, M, G: powers of 1024) for parameters, what\ntraining keeps of them and "
         "intermediate "
         "values. Of these, so many\nare computed again in place of being kept that they fit; results\nare "
         "the "
         "same")
      ->option_text("BYTES")
      ->group(group);
  app->add_option("--triple", options.triple,
                  "What to compile for (default: this machine): x86_64-linux-gnu,\naarch64-linux-gnu; musl "
                  "in place of gnu")
      ->option_text("TRIPLE")
      ->group(group);
  app->add_option("--tune", options.tune,
                  "What dlc tune measured on the machine that the code is for\n(default: what is known of "
                  "its kind)")
      ->option_text("FILE")
      ->group(group);
}

/// Of the commands that compile for another machine than this one.
void addTargetOption(CLI::App *app, Options &options) {
  app->add_option("--target", options.target, "Where kernels run: cpu (default), or nvptx, on NVIDIA GPUs")
      ->check(CLI::IsMember({"cpu", "nvptx"}))
      ->option_text("NAME")
      ->group("Target");
}

void addGpuOptions(CLI::App *app, Options &options) {
  const char *group = "Target";
  app->add_option(
         "--gpu", options.gpu,
         "GPUs that get code of their own, sm_80,sm_90: newer ones of the\nsame kind run code for an "
         "older one (default sm_80)")
      ->option_text("NAMES")
      ->group(group);
  app->add_option_function<std::string>(
         "--gpu-code",
         [&options](const std::string &code) {
           options.simt = code == "simt";
           options.cubin = code == "cubin";
         },
         "ptx (default); cubin, which has the machine code of NVIDIA's ptxas\nbeside it, so that creating an "
         "instance takes less time; or simt, code\nof this machine that an emulator runs thread by thread, "
         "to "
         "check\nkernels without a GPU")
      ->check(CLI::IsMember({"ptx", "cubin", "simt"}))
      ->option_text("KIND")
      ->group(group);
  app->add_option("--ptxas", options.ptxas, "NVIDIA's assembler (default: the one on PATH)")
      ->option_text("FILE")
      ->group(group);
}

void addOutputOptions(CLI::App *app, Invocation &invocation) {
  Options &options = invocation.options;
  const char *group = "Output";
  app->add_option("-o,--output", options.outputFolder,
                  "Folder for the files; made where needed (default: this one)")
      ->option_text("DIR")
      ->group(group);
  app->add_flag("--embed-weights", options.embedWeights,
                "Put the initial parameters into the library instead of a file")
      ->group(group);
  app->add_option_function<std::string>(
         "--emit", [&options](const std::string &name) { options.emit = stageNamed(name); }, stageList())
      ->option_text("STAGE")
      ->group(group);
  app->add_option("-O", options.optLevel, "Effort of LLVM, 0 to 3 (default 3)")
      ->check(CLI::Range(0, 3))
      ->option_text("N")
      ->group(group);
  app->add_option("-j,--jobs", options.jobs, "Modules compiled at the same time (default: one per core)")
      ->check(isWhole<uint32_t>)
      ->option_text("N")
      ->group(group);
  app->add_option("--dump-ir", options.dumpFolder,
                  "Write the program after each stage, and after each pass that\nchanged something")
      ->option_text("DIR")
      ->group(group);
  app->add_flag("--time-passes", options.timePasses, "Print where the time went")->group(group);
}

/// Of the options that say what is compiled, not of FILE, -q and the like.
bool isModelOption(const CLI::Option &option) {
  const std::string group = option.get_group();
  return group == "Model" || group == "Loss" || group == "Optimizer" || group == "Target";
}

/// What went wrong, with the option that was probably meant.
std::string sentence(const CLI::App &app, const CLI::ParseError &error) {
  std::vector<CLI::App *> commands = const_cast<CLI::App &>(app).get_subcommands();
  if (commands.empty())
    return error.get_name() == "RequiredError"
               ? "expected a command: compile, train, check, inspect, profile, tune or export"
               : error.what();
  if (error.get_exit_code() != static_cast<int>(CLI::ExitCodes::ExtrasError))
    return error.what();
  for (const std::string &argument : app.remaining(/*recurse=*/true)) {
    if (argument.size() < 2 || argument[0] != '-')
      continue;
    std::vector<std::string> known;
    for (const CLI::Option *option : commands.front()->get_options())
      for (const std::string &name : option->get_lnames())
        known.push_back("--" + name);
    std::string flag = argument.substr(0, argument.find('=')), near = nearest(flag, known);
    return commands.front()->get_name() + " has no option '" + flag + "'" +
           (near.empty() ? "" : "; did you mean '" + near + "'?");
  }
  return error.what();
}

} // namespace

std::optional<int> parseCommandLine(int argc, char **argv, Invocation &invocation) {
  CLI::App app("dlc compiles a model to a C library that trains it.", "dlc");
  app.footer("dlc COMMAND --help lists a command's options. For example,\n"
             "  dlc compile mlp.onnx -o out --batch=64 --loss=softmax-cross-entropy --optimizer=adam\n"
             "writes out/libmlp.a, out/mlp.h, out/mlp.safetensors and out/mlp.json.");
  app.set_version_flag("--version", versionText, "Print the version and exit");
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_formatter()->column_width(28);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  invocation.program = argc ? argv[0] : "dlc";

  CLI::App *compile = app.add_subcommand("compile", "Compile a model to a training-step library");
  compile->footer(
      "Without --loss, the library has prediction only. Nothing is printed on success but\n"
      "remarks, where training is not what the model's file says (it was exported for inference).");
  CLI::App *check = app.add_subcommand("check", "Say everything that would stop a compilation, all at once");
  CLI::App *inspect =
      app.add_subcommand("inspect", "Show inputs, parameters, kernels and memory of a model or library");
  for (CLI::App *command : {compile, check, inspect}) {
    bool inspects = command == inspect;
    command
        ->add_option("FILE", invocation.file,
                     inspects ? "A model (.onnx, .cpp, .mlir), a library (.a, .so) or its manifest (.json)"
                              : "The model: .onnx, .cpp or .mlir")
        ->required()
        ->option_text(" ");
    command->group("Commands");
    addModelOptions(command, invocation);
    addTargetOption(command, invocation.options);
    addGpuOptions(command, invocation.options);
  }
  CLI::App *train = addTrainCommand(app, invocation);
  addModelOptions(train, invocation);
  addGpuOptions(train, invocation.options);
  CLI::App *profile = addProfileCommand(app, invocation);
  CLI::App *tune = addTuneCommand(app, invocation);
  CLI::App *exported = addExportCommand(app, invocation);
  addDescriptionOptions(exported, invocation);
  addCustomOptions(exported, invocation);
  for (CLI::App *command : {train, profile, tune, exported})
    command->group("Commands");
  addOutputOptions(compile, invocation);
  for (CLI::App *command : {compile, check, train})
    command->add_flag("-q,--quiet", invocation.quiet, "Print errors and warnings only");
  compile->add_flag("-v,--verbose", invocation.verbose, "Say more about the model, and what was written");
  for (CLI::App *command : {check, train})
    command->add_flag("-v,--verbose", invocation.verbose, "Say more about the model");
  inspect->add_flag("-v,--verbose", invocation.verbose,
                    "Show every state, every launch and what fills the memory too");

  try {
    auto isMeant = [&](const CLI::App *command) { return command->get_name() == argv[1]; };
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(isMeant).empty())
      throw CLI::ValidationError("there is no command '" + std::string(argv[1]) + "'" + commandHint(argv[1]));
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error); // --help, --version
    const std::vector<CLI::App *> commands = app.get_subcommands();
    std::cerr << "dlc: error: " << sentence(app, error) << " (dlc --help lists the commands, dlc "
              << (commands.empty() ? "compile" : commands.front()->get_name()) << " --help the options)\n";
    return 1;
  }
  for (const CLI::Option *option : app.get_subcommands().front()->get_options())
    if (option->count() > 0 && isModelOption(*option))
      invocation.given.push_back(option->get_name());
  if (train->parsed())
    finishTrainOptions(*train, argc, argv, invocation);
  invocation.command = check->parsed()      ? Invocation::Command::Check
                       : inspect->parsed()  ? Invocation::Command::Inspect
                       : profile->parsed()  ? Invocation::Command::Profile
                       : train->parsed()    ? Invocation::Command::Train
                       : tune->parsed()     ? Invocation::Command::Tune
                       : exported->parsed() ? Invocation::Command::Export
                                            : Invocation::Command::Compile;
  return std::nullopt;
}

} // namespace dlc::tool
