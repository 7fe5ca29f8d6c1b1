//===- KernelTimes.cpp ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/gpu-check/KernelTimes.h"

#include "runtime/core/Instance.h"
#include "runtime/cuda/CudaDevice.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>
#include <vector>

namespace dlc::check {

namespace {

using namespace runtime::cuda;
using Clock = std::chrono::steady_clock;

void expect(const Gpu &gpu, Status status, const char *what) {
  if (status != success)
    throw std::runtime_error(std::string(what) + ": " + Gpu::Answer(gpu, status).text);
}

double microsecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The launches of one kernel as graphs of any length.
class Chain {
public:
  Chain(CudaDevice &device, const dlc_function &function, const dlc_launch &launch) : d(device) {
    for (uint32_t i = 0; i < launch.place_count; ++i)
      values.push_back(d.addressOf(function.places[launch.first_place + i], 0));
    values.push_back(d.slotAddress(0)); // the actual sizes
    for (Address &value : values)
      arguments.push_back(&value);
    params = d.launchOf(launch.kernel, arguments.data());
  }

  /// Microseconds of a graph of `length` launches: the median of `runs` after a first one.
  double time(uint32_t length, int runs) {
    const Api &api = d.gpu.api;
    Graph graph = nullptr;
    GraphExec executable = nullptr;
    expect(d.gpu, api.cuGraphCreate(&graph, 0), "cuGraphCreate");
    GraphNode last = nullptr;
    for (uint32_t i = 0; i < length; ++i) {
      const GraphNode before = last;
      expect(d.gpu, api.cuGraphAddKernelNode(&last, graph, &before, i ? 1 : 0, &params),
             "cuGraphAddKernelNode");
    }
    expect(d.gpu, api.cuGraphInstantiateWithFlags(&executable, graph, 0), "cuGraphInstantiate");
    expect(d.gpu, api.cuGraphUpload(executable, d.compute), "cuGraphUpload");
    std::vector<double> times;
    for (int run = 0; run <= runs; ++run) {
      const auto begin = Clock::now();
      expect(d.gpu, api.cuGraphLaunch(executable, d.compute), "cuGraphLaunch");
      expect(d.gpu, api.cuStreamSynchronize(d.compute), "cuStreamSynchronize");
      if (run > 0 || runs == 0)
        times.push_back(microsecondsSince(begin));
    }
    api.cuGraphExecDestroy(executable);
    api.cuGraphDestroy(graph);
    return median(times);
  }

private:
  CudaDevice &d;
  std::vector<Address> values;
  std::vector<void *> arguments;
  KernelNodeParams params = {};
};

double timeOne(Chain &chain, double milliseconds) {
  if (milliseconds <= 0)
    return chain.time(1, 0);
  constexpr uint32_t most = 1000;
  const double once = chain.time(1, 3);
  if (once > 1e4 * milliseconds) // what a graph costs does not count
    return once;
  const uint32_t length = static_cast<uint32_t>(std::clamp(1000 * milliseconds / once, 1.0, double(most)));
  return (chain.time(4 * length, 5) - chain.time(length, 5)) / (3 * length);
}

} // namespace

void timeKernels(dlc_instance &instance, dlc_function_kind kind, double milliseconds,
                 const std::function<void(const KernelTime &)> &tell) {
  if (instance.target->kind != DLC_TARGET_CUDA)
    throw std::runtime_error("the instance is not on a GPU");
  CudaDevice &d = cuda(*instance.device);
  Current current(d);
  const dlc_function &function = instance.target->functions[kind];
  std::map<uint32_t, std::vector<const dlc_launch *>> launches; // of each kernel
  for (uint32_t i = 0; i < function.launch_count; ++i)
    if (function.launches[i].kernel != DLC_COPY)
      launches[function.launches[i].kernel].push_back(&function.launches[i]);
  for (const auto &[kernel, all] : launches) {
    Chain chain(d, function, *all.front());
    tell({instance.target->device_kernels[kernel].name, static_cast<uint32_t>(all.size()),
          timeOne(chain, milliseconds)});
  }
}

double copyRate(const char *device, size_t bytes, int count) {
  Gpu gpu;
  runtime::Error error;
  if (gpu.open(device, "copy", error) != DLC_OK)
    throw std::runtime_error(error.text);
  const Api &api = gpu.api;
  Context context = nullptr;
  Address from = 0, to = 0;
  Stream stream = nullptr;
  expect(gpu, api.cuDevicePrimaryCtxRetain(&context, gpu.ordinal), "cuDevicePrimaryCtxRetain");
  expect(gpu, api.cuCtxPushCurrent_v2(context), "cuCtxPushCurrent");
  expect(gpu, api.cuMemAlloc_v2(&from, bytes), "cuMemAlloc");
  expect(gpu, api.cuMemAlloc_v2(&to, bytes), "cuMemAlloc");
  expect(gpu, api.cuStreamCreate(&stream, streamNonBlocking), "cuStreamCreate");
  expect(gpu, api.cuMemsetD8Async(from, 1, bytes, stream), "cuMemsetD8");
  std::vector<double> times;
  for (int run = 0; run < 6; ++run) {
    const auto begin = Clock::now();
    for (int i = 0; i < count; ++i)
      expect(gpu, api.cuMemcpyDtoDAsync_v2(to, from, bytes, stream), "cuMemcpyDtoD");
    expect(gpu, api.cuStreamSynchronize(stream), "cuStreamSynchronize");
    times.push_back(microsecondsSince(begin));
  }
  times.erase(times.begin()); // it warms up
  api.cuStreamDestroy_v2(stream);
  api.cuMemFree_v2(from);
  api.cuMemFree_v2(to);
  api.cuCtxPopCurrent_v2(&context);
  api.cuDevicePrimaryCtxRelease_v2(gpu.ordinal);
  return 2e-3 * double(bytes) * count / median(times);
}

} // namespace dlc::check
