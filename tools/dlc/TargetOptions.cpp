//===- TargetOptions.cpp - the machine that a model is compiled for -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/NearMiss.h"
#include "tools/dlc/OptionGroups.h"
#include "tools/dlc/OptionValues.h"
#include <algorithm>

namespace dlc::tool {

using pipeline::Options;

/// "cpu,nvptx" as a list.
static std::vector<std::string> targetsIn(const std::string &text) {
  const std::vector<std::string> known = {"cpu", "nvptx"};
  std::vector<std::string> targets;
  for (size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(',', begin);
    targets.push_back(text.substr(begin, end - begin));
  }
  for (auto target = targets.begin(); target != targets.end(); ++target) {
    if (std::find(known.begin(), known.end(), *target) == known.end()) {
      const bool isGpu = *target == "gpu" || *target == "cuda"; // and no letter away from cpu
      const std::string near = isGpu ? "nvptx" : nearest(*target, known);
      const std::string hint = near.empty() ? "" : "; did you mean '" + near + "'?";
      throw CLI::ValidationError("--target", "expected cpu, nvptx or both, separated by a comma; got '" +
                                                 text + "'" + hint);
    }
    if (std::find(targets.begin(), target, *target) != target)
      throw CLI::ValidationError("--target", "'" + *target + "' stands there twice: '" + text + "'");
  }
  return targets;
}

void addMachineOptions(CLI::App *app, Options &options) {
  const char *group = "Target";
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
         "intermediate values. Of these, so\nmany are computed again in place of being kept, or steps "
         "go\nover "
         "their batch in so many parts, that they fit; parts\nchange results by rounding")
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

void addTargetOption(CLI::App *app, Options &options) {
  app->add_option_function<std::string>(
         "--target", [&options](const std::string &text) { options.targets = targetsIn(text); },
         "Where kernels run: cpu (default), nvptx, on NVIDIA GPUs, or both:\na library for cpu,nvptx has "
         "code for each, and an instance takes the\nfirst that is there unless it is told which")
      ->option_text("NAMES")
      ->group("Target");
}

void addGpuOptions(CLI::App *app, Options &options) {
  const char *group = "Target";
  app->add_option(
         "--gpu", options.gpu,
         "GPUs that get code of their own, sm_80,sm_90: newer ones of the\nsame kind run code for an "
         "older one (default sm_80); sm_90a is\nthe H100 with all that it has; native, the default of dlc "
         "train:\nthose of this machine")
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
      ->check(oneOf({"ptx", "cubin", "simt"}))
      ->option_text("KIND")
      ->group(group);
  app->add_option(
         "--nvrtc", options.nvrtc,
         "NVIDIA's library NVRTC (libnvrtc.so.13), which compiles CUDA sources of\n--custom-ops then, "
         "in place of clang")
      ->option_text("LIBRARY")
      ->group(group);
  app->add_option("--ptxas", options.ptxas, "NVIDIA's assembler (default: the one on PATH)")
      ->option_text("FILE")
      ->group(group);
}

} // namespace dlc::tool
