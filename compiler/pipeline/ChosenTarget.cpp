//===- ChosenTarget.cpp - the machines that a compilation is for -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/ChosenTarget.h"
#include "compiler/codegen/gpu/Ptxas.h"
#include "compiler/machine/Tuning.h"

namespace dlc::pipeline {

/// The GPUs that the options name, and the assembler where one is needed.
static llvm::Error chooseGpu(const Options &options, ChosenTarget &target) {
  auto found = GpuTarget::get(options.gpu);
  if (!found)
    return found.takeError();
  target.gpu = std::move(*found);
  if (options.emit != Stage::Cubin && !options.cubin)
    return llvm::Error::success();
  auto assembler =
      codegen::gpu::findPtxas(options.ptxas, options.cubin ? "--gpu-code=cubin" : "--emit=cubin");
  if (!assembler)
    return assembler.takeError();
  target.ptxas = std::move(*assembler);
  return llvm::Error::success();
}

llvm::Expected<std::vector<ChosenTarget>> ChosenTarget::of(const Options &options) {
  auto cpu = CpuTarget::get(options.triple, options.cpu);
  if (!cpu)
    return cpu.takeError();
  ChosenTarget target;
  target.cpu = std::move(*cpu);
  if (options.amxCalls)
    target.cpu.amx = target.cpu.amxCalls = true;
  if (!options.tune.empty())
    if (llvm::Error error = useTuning(options.tune, target.cpu))
      return std::move(error);
  if ((options.emit == Stage::Ptx || options.emit == Stage::Cubin) && !options.isFor("nvptx"))
    return llvm::createStringError("--emit=" + llvm::StringRef(stageName(options.emit)) +
                                   " writes kernels of GPUs: it needs --target=nvptx");
  std::vector<ChosenTarget> targets;
  for (const std::string &name : options.targets) {
    targets.push_back(target);
    targets.back().name = name;
    if (name != "nvptx")
      continue;
    if (llvm::Error error = chooseGpu(options, targets.back()))
      return std::move(error);
  }
  return targets;
}

} // namespace dlc::pipeline
