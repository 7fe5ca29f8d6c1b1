//===- driver.h -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime uses of the CUDA driver's binary interface, as NVIDIA's reference manual describes it. The
// names are those that libcuda.so.1 exports; with a suffix where a newer version of a function has it.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CUDA_DRIVER_H
#define DLC_RUNTIME_CUDA_DRIVER_H

#include <cstddef>
#include <cstdint>

namespace dlc::runtime::cuda {

enum Status : int {
  success = 0,
  invalidValue = 1,
  outOfMemory = 2,
  notInitialized = 3,
  noDevice = 100,
  invalidDevice = 101,
  invalidImage = 200,
  invalidContext = 201,
  noBinaryForGpu = 209,
  invalidPtx = 218,
  unsupportedPtxVersion = 222,
  invalidHandle = 400,
  notFound = 500,
  notReady = 600,
  illegalAddress = 700,
  launchFailed = 719,
  unknown = 999,
};

using Address = unsigned long long; ///< of device memory
using Ordinal = int;                ///< of a device

// Handles; nobody but the driver looks behind them.
using Context = struct ContextObject *;
using Module = struct ModuleObject *;
using Function = struct FunctionObject *;
using Stream = struct StreamObject *;
using Event = struct EventObject *;
using Graph = struct GraphObject *;
using GraphNode = struct GraphNodeObject *;
using GraphExec = struct GraphExecObject *;

enum DeviceAttribute : int {
  sharedBytesPerBlock = 8,
  capabilityMajor = 75,
  capabilityMinor = 76,
  sharedBytesPerBlockOptIn = 97,
};
enum FunctionAttribute : int { maxDynamicSharedBytes = 8 };
enum JitOption : int { errorLogBuffer = 5, errorLogBytes = 6 };
enum : unsigned { streamNonBlocking = 1, eventDisableTiming = 2, hostAllocPortable = 1 };
enum MemoryType : unsigned { hostMemory = 1, deviceMemory = 2 };

struct KernelNodeParams {
  Function function;
  unsigned grid[3], block[3], sharedBytes;
  void **arguments; ///< each points at a value
  void **extra;
};

struct CopyEnd {
  size_t x, y, z, level;
  MemoryType type;
  void *host;
  Address device;
  void *array, *reserved;
  size_t pitch, height;
};
struct CopyParams {
  CopyEnd from, to;
  size_t width, height, depth;
};
static_assert(sizeof(KernelNodeParams) == 56 && sizeof(CopyEnd) == 88 && sizeof(CopyParams) == 200,
              "as CUDA_KERNEL_NODE_PARAMS and CUDA_MEMCPY3D");

/// Calls `X(name, parameters)` for each function.
#define DLC_CUDA_DRIVER(X)                                                                                   \
  X(cuInit, (unsigned flags))                                                                                \
  X(cuDriverGetVersion, (int *version))                                                                      \
  X(cuGetErrorName, (Status status, const char **text))                                                      \
  X(cuGetErrorString, (Status status, const char **text))                                                    \
  X(cuDeviceGetCount, (int *count))                                                                          \
  X(cuDeviceGet, (Ordinal * device, int number))                                                             \
  X(cuDeviceGetName, (char *name, int bytes, Ordinal device))                                                \
  X(cuDeviceGetAttribute, (int *value, DeviceAttribute attribute, Ordinal device))                           \
  X(cuDevicePrimaryCtxRetain, (Context * context, Ordinal device))                                           \
  X(cuDevicePrimaryCtxRelease_v2, (Ordinal device))                                                          \
  X(cuCtxPushCurrent_v2, (Context context))                                                                  \
  X(cuCtxPopCurrent_v2, (Context * context))                                                                 \
  X(cuMemGetInfo_v2, (size_t *free, size_t *total))                                                          \
  X(cuMemAlloc_v2, (Address * address, size_t bytes))                                                        \
  X(cuMemFree_v2, (Address address))                                                                         \
  X(cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))                                           \
  X(cuMemFreeHost, (void *memory))                                                                           \
  X(cuMemcpyHtoDAsync_v2, (Address to, const void *from, size_t bytes, Stream stream))                       \
  X(cuMemcpyDtoHAsync_v2, (void *to, Address from, size_t bytes, Stream stream))                             \
  X(cuMemcpyDtoDAsync_v2, (Address to, Address from, size_t bytes, Stream stream))                           \
  X(cuMemsetD8Async, (Address to, unsigned char value, size_t bytes, Stream stream))                         \
  X(cuModuleLoadDataEx,                                                                                      \
    (Module * module, const void *image, unsigned count, JitOption *options, void **values))                 \
  X(cuModuleUnload, (Module module))                                                                         \
  X(cuModuleGetFunction, (Function * function, Module module, const char *name))                             \
  X(cuFuncSetAttribute, (Function function, FunctionAttribute attribute, int value))                         \
  X(cuStreamCreate, (Stream * stream, unsigned flags))                                                       \
  X(cuStreamDestroy_v2, (Stream stream))                                                                     \
  X(cuStreamSynchronize, (Stream stream))                                                                    \
  X(cuStreamWaitEvent, (Stream stream, Event event, unsigned flags))                                         \
  X(cuEventCreate, (Event * event, unsigned flags))                                                          \
  X(cuEventDestroy_v2, (Event event))                                                                        \
  X(cuEventRecord, (Event event, Stream stream))                                                             \
  X(cuEventSynchronize, (Event event))                                                                       \
  X(cuGraphCreate, (Graph * graph, unsigned flags))                                                          \
  X(cuGraphDestroy, (Graph graph))                                                                           \
  X(cuGraphAddKernelNode, (GraphNode * node, Graph graph, const GraphNode *after, size_t afterCount,         \
                           const KernelNodeParams *params))                                                  \
  X(cuGraphAddMemcpyNode, (GraphNode * node, Graph graph, const GraphNode *after, size_t afterCount,         \
                           const CopyParams *params, Context context))                                       \
  X(cuGraphInstantiateWithFlags, (GraphExec * executable, Graph graph, unsigned long long flags))            \
  X(cuGraphUpload, (GraphExec executable, Stream stream))                                                    \
  X(cuGraphLaunch, (GraphExec executable, Stream stream))                                                    \
  X(cuGraphExecDestroy, (GraphExec executable))

/// The driver's functions, as the library that was opened has them.
struct Api {
#define DLC_CUDA_MEMBER(name, parameters) Status(*name) parameters;
  DLC_CUDA_DRIVER(DLC_CUDA_MEMBER)
#undef DLC_CUDA_MEMBER
};

/// A symbol that only the stand-in driver has (tools/simt): it runs images of the kind DLC_IMAGE_SIMT.
constexpr char standInSymbol[] = "dlcStandInDriver";

} // namespace dlc::runtime::cuda

#endif
