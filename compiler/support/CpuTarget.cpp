//===- CpuTarget.cpp - what the compiler knows of a CPU --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/support/CpuTarget.h"
#include "dlc/abi.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace llvm;

namespace dlc {

static void initializeTargets() {
  static const bool done = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser();
    return true;
  }();
  (void)done;
}

Expected<std::unique_ptr<TargetMachine>> CpuTarget::createTargetMachine(unsigned optLevel) const {
  initializeTargets();
  Triple target(triple);
  std::string error;
  const Target *found = TargetRegistry::lookupTarget(target, error);
  if (!found)
    return createStringError("unknown target triple '" + triple + "': " + error);
  TargetOptions options;
  // a*b+c is fused only where we ask for it (llvm.fmuladd): train_step and grad_step + apply must agree.
  options.AllowFPOpFusion = FPOpFusion::Standard;
  CodeGenOptLevel level = optLevel == 0 ? CodeGenOptLevel::None
                          : optLevel == 1 ? CodeGenOptLevel::Less
                          : optLevel == 2 ? CodeGenOptLevel::Default : CodeGenOptLevel::Aggressive;
  std::unique_ptr<TargetMachine> machine(
      found->createTargetMachine(target, cpu, features, options, Reloc::PIC_, std::nullopt, level));
  if (!machine)
    return createStringError("cannot generate code for '" + triple + "'");
  return machine;
}

Expected<CpuTarget> CpuTarget::get(StringRef triple, StringRef cpu) {
  CpuTarget target;
  target.triple = triple.empty() ? sys::getDefaultTargetTriple() : triple.str();
  target.cpu = cpu.str();
  if (cpu == "native") {
    target.cpu = sys::getHostCPUName().str();
    // The name alone may promise instructions that this machine (a virtual one, say) does not have.
    SubtargetFeatures features;
    for (const auto &feature : sys::getHostCPUFeatures())
      features.AddFeature(feature.getKey(), feature.getValue());
    target.features = features.getString();
  }
  // Asked of a machine without a CPU first: LLVM warns on stderr about one that it does not know.
  CpuTarget generic;
  generic.triple = target.triple;
  auto machine = generic.createTargetMachine(2);
  if (machine && (*machine)->getMCSubtargetInfo()->isCPUStringValid(target.cpu))
    machine = target.createTargetMachine(2);
  if (!machine)
    return machine.takeError();
  const MCSubtargetInfo &info = *(*machine)->getMCSubtargetInfo();
  if (!info.isCPUStringValid(target.cpu))
    return createStringError("unknown CPU '" + target.cpu + "' for '" + target.triple +
                             "'; try native, x86-64-v3 or x86-64-v4");
  if (!Triple(target.triple).isX86())
    return target;

  // All that LLVM may use in code like ours: what is not here, a CPU that lacks it would not be refused for.
  const std::pair<const char *, uint32_t> bits[] = {
      {"+sse4.2", DLC_CPU_SSE42},          {"+popcnt", DLC_CPU_POPCNT},
      {"+movbe", DLC_CPU_MOVBE},           {"+lzcnt", DLC_CPU_LZCNT},
      {"+bmi", DLC_CPU_BMI1},              {"+bmi2", DLC_CPU_BMI2},
      {"+avx", DLC_CPU_AVX},               {"+f16c", DLC_CPU_F16C},
      {"+fma", DLC_CPU_FMA},               {"+avx2", DLC_CPU_AVX2},
      {"+avxvnni", DLC_CPU_AVXVNNI},       {"+gfni", DLC_CPU_GFNI},
      {"+avx512f", DLC_CPU_AVX512F},       {"+avx512bw", DLC_CPU_AVX512BW},
      {"+avx512cd", DLC_CPU_AVX512CD},     {"+avx512dq", DLC_CPU_AVX512DQ},
      {"+avx512vl", DLC_CPU_AVX512VL},     {"+avx512ifma", DLC_CPU_AVX512IFMA},
      {"+avx512vbmi", DLC_CPU_AVX512VBMI}, {"+avx512vbmi2", DLC_CPU_AVX512VBMI2},
      {"+avx512vnni", DLC_CPU_AVX512VNNI}, {"+avx512bitalg", DLC_CPU_AVX512BITALG},
      {"+avx512bf16", DLC_CPU_AVX512BF16}, {"+avx512vpopcntdq", DLC_CPU_AVX512VPOPCNTDQ},
      {"+avx512fp16", DLC_CPU_AVX512FP16}};
  for (auto [name, bit] : bits)
    if (info.checkFeatures(name))
      target.featureBits |= bit;
  if (target.featureBits & DLC_CPU_AVX512F) {
    target.lanes = 16;
    target.registers = 32;
  } else if (target.featureBits & DLC_CPU_AVX2) {
    target.lanes = 8;
  }
  return target;
}

} // namespace dlc
