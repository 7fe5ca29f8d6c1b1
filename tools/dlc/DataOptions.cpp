//===- DataOptions.cpp - options of commands that run a model with data ---===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/NearMiss.h"
#include "tools/dlc/OptionGroups.h"

namespace dlc::tool {

void addDataOptions(CLI::App *app, TrainOptions &options, const std::string &what) {
  const char *group = "Data";
  app->add_option("--data", options.data,
                  "What to " + what +
                      ": a table (.csv); tensors (.safetensors); a file\n"
                      "of tokens (.tokens); a folder with the files of MNIST, its\n"
                      "relatives or CIFAR, or with a subfolder of PNG and JPEG for\n"
                      "each class; samples in tar files (shard-{000..009}.tar); or\n"
                      "INPUT=FILE for one input or target of the model: NumPy (.npy,\n"
                      ".npz), IDX (.idx, -ubyte), FILE alone for an only input. FILE.npz\n"
                      "alone has arrays by the names of inputs and targets. May be repeated")
      ->required()
      ->option_text("[INPUT=]PATH")
      ->group(group);
  app->add_option(
         "--target", options.targets,
         "Column of a table that is to be predicted; words become classes\nin alphabetical order. May "
         "be repeated, for targets of several\nnumbers")
      ->option_text("COLUMN")
      ->group(group);
  app->add_option("--columns", options.columns,
                  "The columns of a table for one input or target (default: the\ncolumn of its name, or all "
                  "that are no targets)")
      ->option_text("INPUT=COLUMN,...")
      ->check([](const std::string &text) {
        const size_t equals = text.find('=');
        const bool isGood = equals != std::string::npos && equals > 0 && equals + 1 < text.size();
        return isGood ? std::string() : "expected INPUT=COLUMN,..., got '" + text + "'";
      })
      ->group(group);
  app->add_option("--token-bytes", options.tokenBytes,
                  "Bytes of a token in a file of tokens, 2 (default) or 4")
      ->check(CLI::IsMember({2, 4}))
      ->option_text("N")
      ->group(group);
  app->add_option(
         "--pad", options.pads,
         "Fill up arrays in tar files that are shorter than an input or target\ntakes, along their first "
         "axis, with this number. May be repeated")
      ->option_text("INPUT=NUMBER")
      ->check([](const std::string &text) {
        const size_t equals = text.find('=');
        const bool isNamed = equals != std::string::npos && equals > 0;
        return isNamed && CLI::Number(text.substr(equals + 1)).empty()
                   ? std::string()
                   : "expected INPUT=NUMBER, got '" + text + "'";
      })
      ->group(group);
  app->add_flag(
         "--stream", options.streams,
         "Read samples of .npy, .tokens and IDX files when they are needed,\nalso where they would fit "
         "into half of the memory (what does not\nis always read so)")
      ->group(group);
}

void addDeviceOptions(CLI::App *app, TrainOptions &options, const char *group) {
  app->add_option("--threads", options.threads, "Threads to run on (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->option_text("N")
      ->group(group);
  app->add_option("--device", options.device,
                  "Where it runs: cpu (default), gpu, or gpu:1 for the second of\nseveral NVIDIA GPUs "
                  "(cuda and cuda:1 are other names for them)")
      ->transform([](const std::string &name) {
        return name == "cuda" || name.rfind("cuda:", 0) == 0 ? "gpu" + name.substr(4) : name;
      })
      ->check([](const std::string &name) {
        const bool isNumbered = name.rfind("gpu:", 0) == 0 && name.size() > 4 &&
                                name.find_first_not_of("0123456789", 4) == std::string::npos;
        return name == "cpu" || name == "gpu" || isNumbered
                   ? std::string()
                   : "expected cpu, gpu, or gpu: and a number, got '" + name + "'" +
                         didYouMean(name, {"cpu", "gpu", "cuda"});
      })
      ->option_text("NAME")
      ->group(group);
}

void compileForDevice(Invocation &invocation) {
  if (invocation.train.device == "cpu")
    return;
  invocation.options.targets = {"nvptx"};
  if (invocation.options.gpu.empty())
    invocation.options.gpu = "native"; // the code runs here
}

} // namespace dlc::tool
