//===- Device.cpp - the GPUs of this machine ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/device.h"
#include "dlc/gpu.h"
#include "frontends/cpp/api/Detail.h"

namespace dlc {
using namespace detail;

/// The runtime's sentences begin with who asks, as those about a model begin with its name.
static std::string withoutAsker(const char *sentence) {
  const std::string text = sentence;
  return text.starts_with("dlc: ") ? text.substr(5) : text;
}

int device_count() { return dlc_gpu_count(nullptr, 0); }
bool is_available() { return device_count() > 0; }

std::string device_name(int number, Where where) {
  char name[256] = "", error[1024] = "";
  if (dlc_gpu_describe(number, name, sizeof name, nullptr, error, sizeof error) != DLC_OK)
    fail("device_name: " + withoutAsker(error), where);
  return name;
}

DeviceMemory device_memory(int number, Where where) {
  uint64_t total = 0, free = 0;
  char error[1024] = "";
  if (dlc_gpu_memory(number, &total, &free, error, sizeof error) != DLC_OK)
    fail("device_memory: " + withoutAsker(error), where);
  return {int64_t(free), int64_t(total)};
}

std::string best_device(Where where) {
  char why[1024] = "";
  const int number = dlc_gpu_best(why, sizeof why);
  const std::string device = number < 0 ? "cpu" : number ? "gpu:" + std::to_string(number) : "gpu";
  static bool isSaid = false;
  if (!isSaid)
    note("best_device: " + device + " (" + withoutAsker(why) + ")", where);
  isSaid = true;
  return device;
}

} // namespace dlc
