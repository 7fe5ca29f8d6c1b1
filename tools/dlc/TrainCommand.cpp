//===- TrainCommand.cpp - options of dlc train -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/TrainCommand.h"
#include "tools/dlc/NearMiss.h"
#include "tools/dlc/OptionGroups.h"
#include "tools/dlc/OptionValues.h"
#include <filesystem>
#include <set>

namespace dlc::tool {

namespace {

void addTrainingDataOptions(CLI::App *train, TrainOptions &options) {
  const char *group = "Data";
  addDataOptions(train, options, "train with");
  train
      ->add_option(
          "--valid", options.valid,
          "What to evaluate with after each epoch, in the same forms,\nor a part of the "
          "training data such as 0.1, which is then not\ntrained with (default: the test files of a folder, "
          "else nothing)")
      ->option_text("[INPUT=]PATH")
      ->group(group);
  train
      ->add_flag(
          "--normalize", options.normalize,
          "Give each column of numbers, and each channel of images, the mean\n0 and the deviation 1 that "
          "it has in the training data")
      ->group(group);
  train
      ->add_option(
          "--augment", options.augment,
          "Change the images that are trained with, anew in each epoch:\ncrop:4 moves them by up to 4 "
          "pixels, flip mirrors one half of\nthem left to right, rotate:15 turns them by up to 15 degrees;\n"
          "affine, color, erase, mixup and cutmix (docs/training.md). Several\nwith commas between them")
      ->option_text("CHANGE,...")
      ->group(group);
}

void addTrainingOptions(CLI::App *train, TrainOptions &options) {
  const char *group = "Training";
  CLI::Option *epochs = train->add_option("--epochs", options.epochs, "Passes over the data (default 5)")
                            ->check(isCount)
                            ->option_text("N")
                            ->group(group);
  train->add_option("--steps,--iters", options.steps, "End after so many steps, in place of --epochs")
      ->check(isCount)
      ->excludes(epochs)
      ->option_text("N")
      ->group(group);
  train
      ->add_option(
          "--batches-per-step,--grad-accumulation-steps", options.batchesPerStep,
          "Update the parameters once for so many batches, as for one that\nhas all of their samples, or "
          "by the sum of their gradients with\n--accumulate=sum (default 1)")
      ->check(isCount)
      ->option_text("N")
      ->group(group);
  train
      ->add_option(
          "--weights", options.weights,
          "Begin with the parameters of this file, weights or a checkpoint\n(.safetensors), in place of "
          "the model's own")
      ->option_text("FILE")
      ->group(group);
  train
      ->add_option(
          "--reinitialize", options.reinitialized,
          "Begin with new values of the parameters with these names, drawn by\n--seed from a "
          "distribution like that of the values before;\nvalues that are all equal, such as scales, stay")
      ->option_text("GLOB|GLOB...")
      ->group(group);
  train
      ->add_option(
          "--schedule", options.schedule,
          "How the learning rate changes: constant (default), step,\nmulti-step, exponential, linear, "
          "polynomial, cosine,\nwarm-restarts, cyclic, one-cycle, swa or plateau, with settings as in\n"
          "step:size=2e,gamma=0.5; 2e are the steps of two epochs. 'A until 2e\nthen B' is one after the "
          "other, 'A with B' both at once")
      ->option_text("NAME[:SETTING=X,...]")
      ->group(group);
  train
      ->add_option("--warmup", options.warmUp,
                   "Let the rate rise in a straight line over so many steps (500) or\nepochs (1e) first")
      ->option_text("N")
      ->group(group);
  CLI::Option *swaStart =
      train
          ->add_option(
              "--swa-start", options.swaStart,
              "Evaluate and save the mean of the parameters, of those after so many\nsteps (500) or epochs "
              "(3e) and then after each --swa-every")
          ->option_text("N")
          ->group(group);
  train
      ->add_option("--swa-every", options.swaEvery,
                   "The steps or epochs from one set of parameters in that mean to the\nnext (default 1e)")
      ->needs(swaStart)
      ->option_text("N")
      ->group(group);
  train
      ->add_option("--early-stopping", options.earlyStopping,
                   "Stop after so many epochs without a better one (see --monitor)")
      ->check(isCount)
      ->option_text("N")
      ->group(group);
  addMonitorOption(train, options, group);
  addMetricsOption(
      train, options,
      "As tables after the last epoch: classes\n(precision, recall and f1 of each) and confusion", group);
  train
      ->add_flag("--find-lr", options.findRate,
                 "Do not train, but find a learning rate to begin with: it rises\nfrom step to step, and the "
                 "loss is "
                 "drawn and written to\nlearning-rates.csv in the output folder")
      ->group(group);
  addDeviceOptions(train, options, group);
  train
      ->add_option("--launch", options.launch,
                   "Start so many processes of this machine, by Open MPI's mpirun,\nwhich have a part of each batch "
                   "each (docs/ranks.md)")
      ->check(CLI::Range(1, 4096))
      ->option_text("N")
      ->group(group);
}

/// What --optimizer=lbfgs has, which no compiled update has.
void addLbfgsOptions(CLI::App *train, LbfgsSettings &settings) {
  const char *group = "Optimizer";
  const auto addCount = [&](const char *name, int32_t &value, const char *help) {
    train->add_option(name, value, help)->check(CLI::Range(1, INT32_MAX))->option_text("N")->group(group);
  };
  const auto addTolerance = [&](const char *name, double &value, const char *help) {
    train->add_option(name, value, help)->check(CLI::NonNegativeNumber)->option_text("X")->group(group);
  };
  addCount("--max-iter", settings.iterations, "lbfgs: iterations of a step, at most (default 20)");
  addCount("--max-eval", settings.evaluations,
           "lbfgs: passes over the batch after which no iteration begins\n(default 1.25 times --max-iter)");
  addCount(
      "--history-size", settings.history,
      "lbfgs: changes of the gradient that are remembered, each twice as\nlarge as the parameters in double "
      "precision (default 100)");
  addTolerance("--tolerance-grad", settings.gradientTolerance,
               "lbfgs: ends a step where no gradient is larger (default 1e-7)");
  addTolerance("--tolerance-change", settings.changeTolerance,
               "lbfgs: ends a step where loss or parameters change by less\n(default 1e-9)");
  train
      ->add_option_function<std::string>(
          "--line-search",
          [&settings](const std::string &name) { settings.strongWolfe = name == "strong-wolfe"; },
          "lbfgs: none (default), or strong-wolfe, which looks along each\ndirection for a good length")
      ->check(oneOf({"none", "strong-wolfe"}))
      ->option_text("HOW")
      ->group(group);
}

void addResultOptions(CLI::App *train, TrainOptions &options) {
  const char *group = "Output";
  CLI::Option *output =
      train
          ->add_option(
              "-o,--output", options.output,
              "Folder for the last and the best checkpoint and the weights; made\nwhere needed (default: "
              "nothing is saved)")
          ->check(isPath)
          ->option_text("DIR")
          ->group(group);
  train
      ->add_flag(
          "--resume", options.resume,
          "Go on where the training in the output folder was interrupted,\nwith the same bits; give the "
          "options that it began with")
      ->needs(output)
      ->group(group);
  train->add_option("--save-every", options.saveEvery, "Save every so many steps too, not only after epochs")
      ->check(isCount)
      ->needs(output)
      ->option_text("N")
      ->group(group);
  train
      ->add_option("--report-every", options.reportEvery,
                   "Print the mean loss of every so many steps, too, and write it to\na folder of --log")
      ->check(isCount)
      ->option_text("N")
      ->group(group);
  CLI::Option *log = train
                         ->add_option("--log", options.log,
                                      "Write each epoch's numbers: to a table, where the name ends in\n.csv, "
                                      "as JSON in lines, where it "
                                      "ends in .jsonl, else to a folder\nfor TensorBoard")
                         ->option_text("PATH")
                         ->group(group);
  train
      ->add_flag(
          "--log-values", options.logValues,
          "Write to --log the mean and the deviation of each trained\nparameter and of its gradient after "
          "each epoch, and to a folder for\nTensorBoard how they are spread (histograms)")
      ->needs(log)
      ->group(group);
  train
      ->add_option(
          "--log-images", options.logImages,
          "Write the first N images that are trained with to a folder of\n--log, as the model gets them")
      ->check(isCount)
      ->needs(log)
      ->option_text("N")
      ->group(group);
  train->add_flag("--curves", options.curves, "Draw the losses and metrics of the epochs in the terminal")
      ->group(group);
  train
      ->add_option(
          "--plot", options.plot,
          "Draw them into a picture after each epoch; with --find-lr the\nlosses at each learning rate")
      ->check(isPicture)
      ->option_text("FILE.svg")
      ->group(group);
  train
      ->add_option(
          "--report", options.report,
          "Write a page with pictures after each epoch: the curves of\n--log=FILE.csv, what was compiled")
      ->check([&options](const std::string &) {
        return std::filesystem::path(options.log).extension() == ".csv"
                   ? std::string()
                   : "its curves are those of a table: give --log=FILE.csv, too";
      })
      ->option_text("FILE")
      ->group(group);
  train
      ->add_flag("--keep-library", options.keepLibrary,
                 "Write the compiled library to the output folder, too")
      ->needs(output)
      ->group(group);
}

/// The word as a shell takes it.
std::string quoted(const std::string &word) {
  const bool isPlain =
      !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789_-+=.,:/@%") == std::string::npos;
  if (isPlain)
    return word;
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

} // namespace

CLI::App *addTrainCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *train = app.add_subcommand("train", "Compile a model and train it with data");
  train->footer("For example,\n"
                "  dlc train mlp.onnx --data=fashion-mnist --loss=softmax-cross-entropy --optimizer=adam \\\n"
                "      --batch=64 -o out\n"
                "writes out/last.safetensors, out/best.safetensors and out/weights.safetensors.\n"
                "Ctrl-C saves and ends; the same command with --resume goes on. docs/training.md has more.");
  train->add_option("FILE", invocation.file, "The model: .onnx, .pt2, .cpp or .mlir")
      ->required()
      ->option_text(" ");
  addTrainingDataOptions(train, invocation.train);
  addTrainingOptions(train, invocation.train);
  addLbfgsOptions(train, invocation.train.lbfgs);
  addResultOptions(train, invocation.train);
  return train;
}

void finishTrainOptions(const CLI::App &command, int argc, const char *const *argv, Invocation &invocation) {
  // What may differ where a training goes on: how long it is, how it runs, and what is said about it.
  static const std::set<std::string> free = {"--epochs",
                                             "--steps",
                                             "--early-stopping",
                                             "--metrics",
                                             "--threads",
                                             "--launch",
                                             "--output",
                                             "--resume",
                                             "--report-every",
                                             "--save-every",
                                             "--log",
                                             "--curves",
                                             "--report",
                                             "--stream",
                                             "--keep-library",
                                             "--quiet",
                                             "--plot",
                                             "--log-values",
                                             "--log-images",
                                             "--verbose",
                                             "--max-memory",
                                             "--describe-seconds",
                                             "--describe-memory"};
  TrainOptions &options = invocation.train;
  compileForDevice(invocation);
  if (!options.swaStart.empty())
    invocation.recipe.emplace_back("ema_decay", "0.5"); // which each step sets anew
  for (const CLI::Option *option : command.get_options()) {
    if (option->count() == 0 || free.count(option->get_name()))
      continue;
    std::string &text = options.settings[option->get_name()];
    for (const std::string &value : option->results())
      text += (text.empty() ? "" : " ") + value;
  }
  if (options.batchesPerStep > 1 && command.get_option("--accumulate")->count() == 0)
    invocation.recipe.emplace_back("accumulate", "mean");
  options.arguments.assign(argv, argv + argc);
  bool isOption = true;
  for (int i = 0; i < argc; ++i) {
    if (isOption && std::string(argv[i]) == "--") { // behind it there are no options
      options.commandLine += options.resume ? "" : " --resume";
      isOption = false;
    }
    options.commandLine += (i ? " " : "") + quoted(argv[i]);
  }
  options.commandLine += isOption && !options.resume ? " --resume" : "";
}

} // namespace dlc::tool
