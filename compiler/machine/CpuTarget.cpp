//===- CpuTarget.cpp - what the compiler knows of a CPU --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/machine/CpuTarget.h"
#include "compiler/machine/CpuFeatures.h"
#include "compiler/machine/MachineModel.h"
#include "llvm/Config/Targets.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace llvm;

namespace dlc {

static void initializeTargets() {
  static const bool done = [] {
#if LLVM_HAS_X86_TARGET
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
#endif
#if LLVM_HAS_AARCH64_TARGET
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
#endif
    return true;
  }();
  (void)done;
}

static Expected<const Target *> lookup(const Triple &triple) {
  initializeTargets();
  std::string error;
  const Target *found = TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return createStringError("this LLVM makes no code for '" + triple.str() + "': " + error);
  return found;
}

/// LLVM would compile for other systems too, to files that nobody can use: the runtime, the archive and the
/// instruction sets that it looks for are those of 64-bit Linux.
static Error checkTriple(const Triple &triple) {
  auto refuse = [&](StringRef expected, StringRef found) {
    return createStringError("the target '" + triple.str() + "' is not supported: expected " + expected +
                             ", got '" + found +
                             "'; supported are x86_64 and aarch64 with Linux, gnu or musl: x86_64-linux-gnu, "
                             "x86_64-linux-musl, aarch64-linux-gnu, aarch64-linux-musl");
  };
  if (triple.getArch() != Triple::x86_64 && triple.getArch() != Triple::aarch64)
    return refuse("the architecture x86_64 or aarch64", triple.getArchName());
  if (!triple.isOSLinux())
    return refuse("the system linux", triple.getOSName());
  bool noEnvironment = triple.getEnvironmentName().empty();
  if (!noEnvironment && triple.getEnvironment() != Triple::GNU && triple.getEnvironment() != Triple::Musl)
    return refuse("the C library gnu or musl", triple.getEnvironmentName());
  if (!triple.isOSBinFormatELF())
    return refuse("ELF files", triple.getEnvironmentName());
  return Error::success();
}

Expected<std::unique_ptr<TargetMachine>> CpuTarget::createTargetMachine(unsigned optLevel) const {
  Triple target(triple);
  auto found = lookup(target);
  if (!found)
    return found.takeError();
  TargetOptions options;
  // a*b+c is fused only where we ask for it (llvm.fmuladd): train_step and grad_step + apply must agree.
  options.AllowFPOpFusion = FPOpFusion::Standard;
  CodeGenOptLevel level = optLevel == 0   ? CodeGenOptLevel::None
                          : optLevel == 1 ? CodeGenOptLevel::Less
                          : optLevel == 2 ? CodeGenOptLevel::Default
                                          : CodeGenOptLevel::Aggressive;
  std::unique_ptr<TargetMachine> machine(
      (*found)->createTargetMachine(target, cpu, features, options, Reloc::PIC_, std::nullopt, level));
  if (!machine)
    return createStringError("cannot generate code for '" + triple + "'");
  return machine;
}

static Triple thisMachine() { return Triple(Triple::normalize(sys::getDefaultTargetTriple())); }

bool CpuTarget::addsPairs() const {
  return costs.pairs && Triple(triple).isX86() && (featureBits & DLC_CPU_AVX512BF16);
}

bool CpuTarget::convertsHalves() const { return !Triple(triple).isX86() || (featureBits & DLC_CPU_F16C); }

MachineModel CpuTarget::model() const {
  MachineModel model;
  model.vectors = *this;
  return model;
}

bool CpuTarget::isThisMachine() const {
  const Triple host = thisMachine(), other(triple);
  return other.getArch() == host.getArch() && other.isMusl() == host.isMusl();
}

Expected<CpuTarget> CpuTarget::get(StringRef tripleText, StringRef cpuName) {
  CpuTarget target;
  const Triple host = thisMachine();
  const Triple triple = tripleText.empty() ? host : Triple(Triple::normalize(tripleText));
  if (Error error = checkTriple(triple))
    return error;
  const bool isX86 = triple.getArch() == Triple::x86_64, isOurs = triple.getArch() == host.getArch();
  const std::string examples = isX86 ? "x86-64-v3 or x86-64-v4" : "generic, cortex-a76 or neoverse-n1";
  target.triple = triple.str();
  target.cpu = !cpuName.empty() ? cpuName.str() : isOurs ? "native" : "generic";
  if (target.cpu == "native") {
    if (!isOurs)
      return createStringError("--cpu=native is the CPU of this machine (" + host.getArchName() +
                               "), which '" + target.triple +
                               "' is not for: name the oldest CPU to run on, such as " + examples);
    target.cpu = sys::getHostCPUName().str();
    // The name alone may promise instructions that this machine (a virtual one, say) does not have.
    SubtargetFeatures features;
    for (const auto &feature : sys::getHostCPUFeatures())
      features.AddFeature(feature.getKey(), feature.getValue());
    target.features = features.getString();
  }

  auto found = lookup(triple);
  if (!found)
    return found.takeError();
  // Asked without a CPU first: LLVM warns on stderr about one that it does not know.
  auto describe = [&](StringRef cpu, StringRef features) {
    return std::unique_ptr<MCSubtargetInfo>((*found)->createMCSubtargetInfo(triple, cpu, features));
  };
  if (!describe("", "")->isCPUStringValid(target.cpu))
    return createStringError("unknown CPU '" + target.cpu + "' for '" + target.triple + "'; try " +
                             (isOurs ? "native, " : "") + examples);
  std::unique_ptr<MCSubtargetInfo> info = describe(target.cpu, target.features);
  // LLVM knows 32-bit CPUs too, and ends the program when asked for 64-bit code for one.
  if (isX86 && !info->checkFeatures("+64bit"))
    return createStringError("the CPU '" + target.cpu + "' has no 64-bit instructions, which '" +
                             target.triple + "' needs; try " + (isOurs ? "native, " : "") + examples);
  target.featureBits = featureBitsOf(*info, triple);
  if (!isX86) {
    target.registers = 32; // of 128 bits; SVE's are used as such
  } else if (target.featureBits & DLC_CPU_AVX512F) {
    target.lanes = 16;
    target.registers = 32;
  } else if (target.featureBits & DLC_CPU_AVX2) {
    target.lanes = 8;
  }
  target.amx = isX86 && target.lanes == 16 && info->checkFeatures("+amx-tile,+amx-bf16");
  target.costs = costsOf(target.cpu, target.lanes, target.registers);
  return target;
}

} // namespace dlc
