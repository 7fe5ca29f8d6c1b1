//===- CpuFeatures.cpp - instruction sets as bits of the description -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that LLVM may use in code like ours: what is not here, a CPU that lacks it would not be refused for.
//===----------------------------------------------------------------------===//
#include "compiler/machine/CpuFeatures.h"
#include "llvm/ADT/STLExtras.h"

namespace dlc {
namespace {

struct Feature {
  const char *name; ///< LLVM's
  uint32_t bit;
};

constexpr Feature x86[] = {
    {"+sse4.2", DLC_CPU_SSE42},
    {"+popcnt", DLC_CPU_POPCNT},
    {"+movbe", DLC_CPU_MOVBE},
    {"+lzcnt", DLC_CPU_LZCNT},
    {"+bmi", DLC_CPU_BMI1},
    {"+bmi2", DLC_CPU_BMI2},
    {"+avx", DLC_CPU_AVX},
    {"+f16c", DLC_CPU_F16C},
    {"+fma", DLC_CPU_FMA},
    {"+avx2", DLC_CPU_AVX2},
    {"+avxvnni", DLC_CPU_AVXVNNI},
    {"+gfni", DLC_CPU_GFNI},
    {"+avx512f", DLC_CPU_AVX512F},
    {"+avx512bw", DLC_CPU_AVX512BW},
    {"+avx512cd", DLC_CPU_AVX512CD},
    {"+avx512dq", DLC_CPU_AVX512DQ},
    {"+avx512vl", DLC_CPU_AVX512VL},
    {"+avx512ifma", DLC_CPU_AVX512IFMA},
    {"+avx512vbmi", DLC_CPU_AVX512VBMI},
    {"+avx512vbmi2", DLC_CPU_AVX512VBMI2},
    {"+avx512vnni", DLC_CPU_AVX512VNNI},
    {"+avx512bitalg", DLC_CPU_AVX512BITALG},
    {"+avx512bf16", DLC_CPU_AVX512BF16},
    {"+avx512vpopcntdq", DLC_CPU_AVX512VPOPCNTDQ},
    {"+avx512fp16", DLC_CPU_AVX512FP16},
};

// Floating point and NEON are part of every AArch64 Linux. Cryptography (but for the exclusive ors of SHA3)
// and matrix tiles (SME) are not used unless they are asked for.
constexpr Feature aarch64[] = {
    {"+lse", DLC_CPU_AARCH64_LSE},         {"+crc", DLC_CPU_AARCH64_CRC32},
    {"+rdm", DLC_CPU_AARCH64_RDM},         {"+fullfp16", DLC_CPU_AARCH64_FP16},
    {"+dotprod", DLC_CPU_AARCH64_DOTPROD}, {"+rcpc", DLC_CPU_AARCH64_RCPC},
    {"+jsconv", DLC_CPU_AARCH64_JSCVT},    {"+complxnum", DLC_CPU_AARCH64_FCMA},
    {"+sha3", DLC_CPU_AARCH64_SHA3},       {"+fp16fml", DLC_CPU_AARCH64_FHM},
    {"+flagm", DLC_CPU_AARCH64_FLAGM},     {"+fptoint", DLC_CPU_AARCH64_FRINT},
    {"+i8mm", DLC_CPU_AARCH64_I8MM},       {"+bf16", DLC_CPU_AARCH64_BF16},
    {"+sve", DLC_CPU_AARCH64_SVE},         {"+sve2", DLC_CPU_AARCH64_SVE2},
    {"+sve2p1", DLC_CPU_AARCH64_SVE2P1},   {"+f32mm", DLC_CPU_AARCH64_F32MM},
    {"+f64mm", DLC_CPU_AARCH64_F64MM},     {"+cssc", DLC_CPU_AARCH64_CSSC},
    {"+mops", DLC_CPU_AARCH64_MOPS},       {"+hbc", DLC_CPU_AARCH64_HBC},
    {"+lut", DLC_CPU_AARCH64_LUT},         {"+faminmax", DLC_CPU_AARCH64_FAMINMAX},
    {"+cmpbr", DLC_CPU_AARCH64_CMPBR},     {"+fprcvt", DLC_CPU_AARCH64_FPRCVT},
};

llvm::ArrayRef<Feature> featuresOf(const llvm::Triple &triple) {
  return triple.isAArch64() ? llvm::ArrayRef<Feature>(aarch64) : llvm::ArrayRef<Feature>(x86);
}

} // namespace

uint32_t featureBitsOf(const llvm::MCSubtargetInfo &cpu, const llvm::Triple &triple) {
  uint32_t bits = 0;
  for (auto [name, bit] : featuresOf(triple))
    if (cpu.checkFeatures(name))
      bits |= bit;
  return bits;
}

std::vector<std::string> featureNames(uint32_t bits, const llvm::Triple &triple) {
  std::vector<std::string> names;
  for (auto [name, bit] : featuresOf(triple))
    if (bits & bit)
      names.push_back(name + 1); // without the plus
  llvm::sort(names);
  return names;
}

} // namespace dlc
