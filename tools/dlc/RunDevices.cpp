//===- RunDevices.cpp - dlc devices --------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names that --device, sessions and the C API take on this machine, and what is behind them.
//===----------------------------------------------------------------------===//
#include "dlc/gpu.h"
#include "tools/dlc/Commands.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include <thread>

namespace dlc::tool {

/// "80.0 GiB", or "512 MiB" of what is smaller.
static std::string memoryText(uint64_t bytes) {
  constexpr double mebibyte = 1 << 20;
  if (bytes >= uint64_t{1} << 30)
    return llvm::formatv("{0:F1} GiB", double(bytes) / mebibyte / 1024).str();
  return llvm::formatv("{0:F0} MiB", double(bytes) / mebibyte).str();
}

/// A line, or why the GPU does not answer.
static std::string describeGpu(int number) {
  char name[256] = "", error[1024] = "";
  int32_t capability = 0;
  if (dlc_gpu_describe(number, name, sizeof name, &capability, error, sizeof error) != DLC_OK)
    return error;
  uint64_t total = 0, free = 0;
  std::string text = llvm::formatv("{0}, compute capability {1}.{2}", name, capability / 10, capability % 10);
  if (dlc_gpu_memory(number, &total, &free, error, sizeof error) != DLC_OK)
    return text + ": " + error;
  return text + ", " + memoryText(total) + " of memory, " + memoryText(free) + " free";
}

int runDevices(Invocation &) {
  const unsigned threads = std::thread::hardware_concurrency();
  llvm::outs() << "cpu    " << llvm::sys::getHostCPUName() << ", " << threads << " thread"
               << (threads == 1 ? "" : "s") << '\n';
  char why[1024] = "";
  const int count = dlc_gpu_count(why, sizeof why);
  for (int number = 0; number < count; ++number)
    llvm::outs() << "gpu:" << number << "  " << describeGpu(number) << '\n';
  if (!count)
    llvm::outs() << "no GPU: "
                 << llvm::StringRef(why).drop_front(llvm::StringRef(why).starts_with("dlc: ") ? 5 : 0)
                 << '\n';
  else if (dlc_gpu_best(why, sizeof why) < 0)
    llvm::outs() << "none of them is new enough for dlc's code, which needs compute capability 8.0\n";
  return 0;
}

} // namespace dlc::tool
