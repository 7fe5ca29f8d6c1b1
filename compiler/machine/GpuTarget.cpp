//===- GpuTarget.cpp - what the compiler knows of NVIDIA GPUs --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/machine/GpuTarget.h"
#include "compiler/machine/MachineModel.h"
#include "compiler/machine/NativeGpus.h"
#include "dlc/abi.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/Targets.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"

using namespace llvm;

namespace dlc {

static constexpr GpuArchitecture known[] = {{80}, {86}, {87}, {89}, {90}, {90, true}, {100}, {103}, {120}};

std::string GpuArchitecture::name() const { return "sm_" + std::to_string(number) + (isExact ? "a" : ""); }

uint32_t GpuArchitecture::capability() const { return number | (isExact ? DLC_SM_EXACT : 0); }

static std::string namesOf(ArrayRef<GpuArchitecture> architectures, StringRef separator) {
  return llvm::join(llvm::map_range(architectures, [](const auto &gpu) { return gpu.name(); }), separator);
}

std::string GpuTarget::names() { return namesOf(known, ", "); }
std::string GpuTarget::text() const { return namesOf(architectures, ","); }

bool GpuTarget::haveWarpGroups() const {
  return llvm::all_of(architectures, [](const auto &gpu) { return gpu.hasWarpGroups(); });
}

/// The newest that a GPU of the capability runs. CUDA's driver knows sm_90a since 12.0.
static Expected<GpuArchitecture> newestFor(unsigned capability, int driverVersion) {
  const GpuArchitecture *newest = nullptr;
  for (const GpuArchitecture &gpu : known)
    if (gpu.isExact ? gpu.number == capability && driverVersion >= 12000 : gpu.number <= capability)
      newest = &gpu; // they ascend
  if (!newest)
    return createStringError("a GPU of this machine is sm_" + Twine(capability) +
                             ", and the oldest that dlc has code for is " + known[0].name());
  return *newest;
}

/// Adds the GPUs of this machine, without those that are too old where others are not.
static Error addNative(std::vector<GpuArchitecture> &architectures) {
  auto gpus = NativeGpus::find();
  if (!gpus)
    return createStringError("no code can be made for the GPUs of this machine: " +
                             toString(gpus.takeError()));
  Error tooOld = Error::success();
  bool haveCode = false;
  for (unsigned capability : gpus->capabilities) {
    auto newest = newestFor(capability, gpus->driverVersion);
    if (!newest) {
      consumeError(std::move(tooOld));
      tooOld = newest.takeError();
      continue;
    }
    architectures.push_back(*newest);
    haveCode = true;
  }
  if (!haveCode)
    return tooOld;
  consumeError(std::move(tooOld));
  return Error::success();
}

Expected<GpuTarget> GpuTarget::get(StringRef list) {
  GpuTarget target;
  SmallVector<StringRef> parts;
  (list.empty() ? StringRef("sm_80") : list).split(parts, ',');
  for (StringRef name : parts) {
    if (name == "native") {
      if (Error error = addNative(target.architectures))
        return std::move(error);
      continue;
    }
    const auto *found = llvm::find_if(known, [&](const auto &gpu) { return gpu.name() == name; });
    if (found == std::end(known))
      return createStringError(
          "unknown GPU '" + name + "'; dlc has code for " + names() +
          " and native (a GPU runs code for an older one; several are written sm_80,sm_90)");
    target.architectures.push_back(*found);
  }
  llvm::sort(target.architectures);
  target.architectures.erase(llvm::unique(target.architectures), target.architectures.end());
  return target;
}

Expected<std::unique_ptr<TargetMachine>> GpuTarget::createTargetMachine(const GpuArchitecture &architecture,
                                                                        unsigned optLevel) const {
#if LLVM_HAS_NVPTX_TARGET
  static const bool done = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)done;
#endif
  const Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const Target *found = TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return createStringError("this LLVM makes no code for NVIDIA GPUs: " + error);
  TargetOptions options;
  // As on CPUs, a*b+c is fused only where we ask for it.
  options.AllowFPOpFusion = FPOpFusion::Standard;
  CodeGenOptLevel level = optLevel == 0 ? CodeGenOptLevel::None : CodeGenOptLevel::Aggressive;
  std::unique_ptr<TargetMachine> machine(found->createTargetMachine(
      // Without a feature for it, LLVM writes the least PTX version that knows the architecture: drivers
      // refuse newer ones than their own.
      triple, architecture.name(), "", options, std::nullopt, std::nullopt, level));
  if (!machine)
    return createStringError("cannot generate code for " + architecture.name());
  return machine;
}

MachineModel GpuTarget::model() const {
  MachineModel model;
  CpuTarget &vectors = model.vectors;
  vectors.lanes = warp;
  vectors.costs.kind = "gpu";
  vectors.costs.l1Bytes = INT64_MAX;        // no weight pays for panels
  vectors.costs.l2Bytes = int64_t(1) << 40; // nothing is far: no panels of activations
  model.tilesScores = true;
  model.tilesAtOnce = multiprocessors;
  return model;
}

} // namespace dlc
