//===- ModelOptions.cpp - which model is compiled, and its loss -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/train/RecipeSettings.h"
#include "frontends/common/Options.h"
#include "tools/dlc/NearMiss.h"
#include "tools/dlc/OptionGroups.h"
#include "tools/dlc/OptionValues.h"
#include <algorithm>

namespace dlc::tool {

using pipeline::Options;
using train::RecipeSettings;

/// "64" or "1..64".
static void setBatch(const std::string &text, Invocation &invocation) {
  auto [first, last] = sizesIn(text, "--batch", text, "a whole number above 0, or 1..N");
  invocation.batch = last;
  invocation.openBatch = first != last;
}

/// "seq=128" or "seq=1..128".
static void addDim(const std::string &text, Invocation &invocation) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw CLI::ValidationError("--dim", "expected NAME=N or NAME=1..N, got '" + text + "'");
  const std::string name = text.substr(0, equals);
  auto sizes = sizesIn(std::string_view(text).substr(equals + 1), "--dim", text,
                       "NAME=N or NAME=1..N with N of at least 1");
  if (!invocation.dims.try_emplace(name, sizes).second)
    throw CLI::ValidationError("--dim", "gives the size of '" + name + "' twice");
}

void addDescriptionOptions(CLI::App *app, Invocation &invocation) {
  const char *group = "Model";
  app->add_option("--model", invocation.model,
                  "Which model of a C++ file (.cpp, DLC_MODEL), where it describes\nseveral")
      ->option_text("NAME")
      ->group(group);
  app->add_option(
         "--describe-seconds", invocation.describeSeconds,
         "How long a C++ description may run (default 120); its compiler may take\nas long, and 600 at least")
      ->check(isPositive)
      ->option_text("N")
      ->group(group);
  app->add_option_function<std::string>(
         "--describe-memory",
         [&invocation](const std::string &text) {
           invocation.describeBytes = static_cast<uint64_t>(bytesIn(text, "--describe-memory"));
         },
         "How much memory a C++ description, and its compiler, may have, e.g. 4G\n(default: half of this "
         "machine's)")
      ->option_text("BYTES")
      ->group(group);
}

void addCustomOptions(CLI::App *app, Invocation &invocation) {
  app->add_option(
         "--custom-ops", invocation.customOps,
         "A file that names C code of yours for nodes of an ONNX model, with\ntheir gradients; for "
         "--target=nvptx "
         "CUDA C++ (docs/custom-ops.md). The\ncode becomes part of what is compiled, and runs with it")
      ->option_text("FILE")
      ->group("Model");
}

void addMaxTrips(CLI::App *app, Invocation &invocation) {
  app->add_option("--max-trips", invocation.maxTrips,
                  "How often the body of a loop runs at most, where data say how often\nit does: the program has "
                  "as many copies of it (docs/onnx.md)")
      ->check(CLI::Range(1, int(frontend::maxCopies)))
      ->option_text("N")
      ->group("Model");
}

void addModelOptions(CLI::App *app, Invocation &invocation) {
  Options &options = invocation.options;
  const char *group = "Model";
  app->add_option("--name", options.name, "Prefix of the C functions (default: from the file's name)")
      ->option_text("ID")
      ->group(group);
  app->add_option_function<std::string>(
         "--batch,--batch-size", [&invocation](const std::string &text) { setBatch(text, invocation); },
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
  app->add_option("--parameters", invocation.parameters,
                  "Values of the parameters of a StableHLO program (.safetensors), by\nthe names of its "
                  "arguments (docs/stablehlo.md)")
      ->option_text("FILE")
      ->group(group);
  app->add_flag(
         "--keep-ties", invocation.keepTies,
         "Train layers that share an initializer as one, also where only\ntheir initial values are equal")
      ->group(group);
  addMaxTrips(app, invocation);
  app->add_option(
         "--running-variance", invocation.runningVariance,
         "What batch normalization keeps for evaluation: the unbiased\nvariance, divided by n - 1, or the "
         "population's, divided by n\n(default: unbiased for models from PyTorch, else population)")
      ->check(oneOf({"unbiased", "population"}))
      ->option_text("WHICH")
      ->group(group);
}

/// "hvp"; "vjp", "jvp", "jacobian", or one of these with ":NAME|NAME..." behind it.
static void addFunction(const std::string &text, RecipeSettings &recipe) {
  const std::string name = text.substr(0, text.find(':'));
  if (const std::string problem = oneOf({"vjp", "jvp", "jacobian", "hvp"})(name); !problem.empty())
    throw CLI::ValidationError("--function", problem);
  if (name == "hvp" && name != text)
    throw CLI::ValidationError("--function",
                               "hvp is by all trained parameters, and takes no names: got '" + text + "'");
  if (name.size() + 1 == text.size())
    throw CLI::ValidationError("--function", "expected names of inputs after '" + text + "'");
  for (const std::string &other : train::allOf(recipe, "function"))
    if (other.substr(0, other.find(':')) == name)
      throw CLI::ValidationError("--function", "gives " + name + " twice");
  recipe.emplace_back("function", text);
}

void addFunctionOption(CLI::App *app, RecipeSettings &recipe) {
  app->add_option_function<std::vector<std::string>>(
         "--function",
         [&recipe](const std::vector<std::string> &texts) {
           for (const std::string &text : texts)
             addFunction(text, recipe);
         },
         "A derivative, as one more function; of the prediction by its inputs:\n"
         "vjp: the gradients of the inputs for given ones of the outputs\n"
         "jvp: how the outputs change along given directions of the inputs\n"
         "jacobian: all outputs by all inputs, as calls of one of these\n"
         "vjp:NAME|NAME...: by these inputs alone\n"
         "of the loss by the trained parameters:\n"
         "hvp: the Hessian times a given vector. May be repeated")
      ->option_text("NAME")
      ->group("Model");
}

/// The names that PyTorch's functions and classes have, and ours.
static const std::map<std::string, std::string> &lossesOfPyTorch() {
  static const std::map<std::string, std::string> names = {
      {"cross_entropy", "softmax-cross-entropy"},
      {"CrossEntropyLoss", "softmax-cross-entropy"},
      {"nll_loss", "nll"},
      {"NLLLoss", "nll"},
      {"ctc_loss", "ctc"},
      {"CTCLoss", "ctc"},
      {"binary_cross_entropy_with_logits", "bce-with-logits"},
      {"BCEWithLogitsLoss", "bce-with-logits"},
      {"binary_cross_entropy", "bce"},
      {"BCELoss", "bce"},
      {"mse_loss", "mse"},
      {"MSELoss", "mse"},
      {"l1_loss", "l1"},
      {"L1Loss", "l1"},
      {"huber_loss", "huber"},
      {"HuberLoss", "huber"}};
  return names;
}

static bool isOurs(const std::string &name) {
  const std::vector<std::string> &ours = train::lossNames();
  return std::find(ours.begin(), ours.end(), name) != ours.end();
}

/// A loss by the name that PyTorch has, or by ours with either kind of line between words; another name as
/// it is.
static std::string lossNamed(const std::string &name) {
  if (const auto known = lossesOfPyTorch().find(name); known != lossesOfPyTorch().end())
    return known->second;
  std::string words = name; // as Python writes them
  std::replace(words.begin(), words.end(), '_', '-');
  return isOurs(words) ? words : name;
}

static std::string isLoss(const std::string &name) {
  if (isOurs(name))
    return "";
  std::vector<std::string> known = train::lossNames();
  std::string text = "expected ";
  for (const std::string &ours : known)
    text += ours + ", ";
  for (const auto &[theirs, mine] : lossesOfPyTorch())
    known.push_back(theirs);
  return text + "or PyTorch's name of one of them, got '" + name + "'" + didYouMean(name, known);
}

void addLossOptions(CLI::App *app, RecipeSettings &recipe) {
  const char *group = "Loss";
  addSetting(app, "--loss", "loss", recipe,
                  "What is minimised; without it only prediction is compiled:\n"
                  "softmax-cross-entropy: scores of classes, labels 0 to classes-1\n"
                  "nll: the same for logarithms of probabilities\n"
                  "ctc: the same for sequences of labels without an alignment\n"
                  "bce-with-logits, bce: scores or probabilities of yes, targets 0 to 1\n"
                  "mse, l1, huber: values, target values\n"
                  "output: the model's output is the loss\n"
                  "PyTorch's names, such as cross_entropy or MSELoss, are known, too")
      ->transform(lossNamed)
      ->check(isLoss)
      ->option_text("LOSS")
      ->group(group);
  addSetting(app, "--prediction", "prediction", recipe,
                  "The output that the loss is computed from, where the model has\nmore than one")
      ->option_text("NAME")
      ->group(group);
  addSetting(app, "--reduction", "reduction", recipe,
             "How the rows' losses become one number: mean (default) or sum")
      ->check(oneOf({"mean", "sum"}))
      ->option_text("HOW")
      ->group(group);
  addSetting(app, "--class-axis", "class_axis", recipe,
                  "The axis of the output that holds the classes; -1 is the last\n"
                  "(default: that of the model's softmax, else 1)")
      ->check(isWhole<int64_t>)
      ->option_text("N")
      ->group(group);
  addSetting(app, "--time-axis", "time_axis", recipe,
                  "The axis of the output that holds a sequence's places, with ctc\n"
                  "(default: beside the classes' the one that is not the batch's)")
      ->check(isWhole<int64_t>)
      ->option_text("N")
      ->group(group);
  addSetting(app, "--max-labels", "max_labels", recipe, "The most labels that a sequence has, with ctc")
      ->check(isWhole<int64_t>)
      ->option_text("N")
      ->group(group);
  addSetting(app, "--blank", "blank", recipe, "The class of a place without a label, with ctc (default 0)")
      ->check(isWhole<int64_t>)
      ->option_text("N")
      ->group(group);
  addFlag(app, "--zero-infinity", "zero_infinity", recipe,
                "A sequence too short for its labels has the loss 0, not\ninfinity, with ctc")
      ->group(group);
  addSetting(app, "--ignore-index", "ignore_index", recipe, "Rows with this label do not count (default -100)")
      ->check(isIgnoreIndex)
      ->option_text("N")
      ->group(group);
  addNumber(app, "--label-smoothing", "label_smoothing", recipe, "Softens labels, 0 to 1 (default 0)")
      ->check(CLI::Range(0.0, 1.0))
      ->option_text("X")
      ->group(group);
  addSetting(app, "--class-weights", "class_weights", recipe, "File with one number for each class")
      ->option_text("FILE")
      ->group(group);
  addSetting(
      app, "--label-type", "label_type", recipe,
      "Type of the labels: i64 (default) or i32; f32 with\nsoftmax-cross-entropy: a probability for each "
      "class, as mixed labels are")
      ->check(oneOf({"i64", "i32", "f32"}))
      ->option_text("TYPE")
      ->group(group);
  addNumber(app, "--delta", "delta", recipe, "Where the Huber loss becomes linear (default 1)")
      ->check(isPositive)
      ->option_text("X")
      ->group(group);
}

void addComputationOptions(CLI::App *app, Invocation &invocation) {
  RecipeSettings &recipe = invocation.recipe;
  app->add_flag("--check-indices", invocation.options.checkIndices,
                "Steps fail where indices that the model computes are out of range\n"
                "(those that a program passes always are checked)")
      ->group("Checks");

  addSetting(
      app, "--precision", "precision", recipe,
      "fp32 (default), or what the operands of matrix products and\nconvolutions are rounded to: tf32, "
      "bf16 or fp16. Sums, all other\ncomputations and the parameters stay float32")
      ->check(oneOf({"fp32", "tf32", "bf16", "fp16"}))
      ->option_text("NAME")
      ->group("Precision");
  addSetting(
         app, "--loss-scale", "loss_scale", recipe,
         "Multiply the loss by X while gradients flow back, and divide them\nagain, so that --precision=fp16 "
         "has "
         "numbers for small ones. dynamic\n(default with fp16): from 65536 on, halved where a gradient is\n"
         "infinite, whose step is skipped, as torch.amp.GradScaler does")
      ->check(isLossScale)
      ->option_text("X")
      ->group("Precision");
}

} // namespace dlc::tool
