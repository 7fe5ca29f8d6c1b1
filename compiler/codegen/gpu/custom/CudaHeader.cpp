//===- CudaHeader.cpp - what CUDA C++ has without a toolkit ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang knows the language, but not its words and variables: those are a toolkit's headers. There is what
// kernels of one dim need, and nothing by which threads of several blocks could meet: atomic operations would
// give other bits each time.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/custom/CudaHeader.h"
#include "compiler/codegen/gpu/custom/MathsLibrary.h"

namespace dlc::codegen::gpu {

// A user's kernel is a function that the kernel of dlc's calls: that one reads sizes from memory.
static constexpr char words[] = R"(#line 1 "the header that dlc puts in front of CUDA sources"
#define __global__ __attribute__((device))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

#define DLC_DIM(axis, expression) \
  __declspec(property(get = get_##axis)) unsigned axis; \
  static inline __device__ unsigned get_##axis() { return expression; }
#define DLC_VARIABLE(name, along_x, along_others) \
  struct dlc_##name { \
    DLC_DIM(x, along_x) DLC_DIM(y, along_others) DLC_DIM(z, along_others) \
  }; \
  extern const __device__ dlc_##name name;
DLC_VARIABLE(threadIdx, __nvvm_read_ptx_sreg_tid_x(), 0)
DLC_VARIABLE(blockIdx, __nvvm_read_ptx_sreg_ctaid_x(), 0)
DLC_VARIABLE(blockDim, __nvvm_read_ptx_sreg_ntid_x(), 1)
DLC_VARIABLE(gridDim, __nvvm_read_ptx_sreg_nctaid_x(), 1)
#undef DLC_VARIABLE
#undef DLC_DIM
static constexpr int warpSize = 32;

static inline __device__ void __syncwarp(unsigned mask = 0xffffffff) { __nvvm_bar_warp_sync(mask); }

#define DLC_SHUFFLE(name, kind, last) \
  static inline __device__ int name(unsigned mask, int value, unsigned lane, int width = 32) { \
    return __nvvm_shfl_sync_##kind##_i32(mask, value, lane, (32 - width) << 8 | last); \
  } \
  static inline __device__ unsigned name(unsigned mask, unsigned value, unsigned lane, int width = 32) { \
    return name(mask, int(value), lane, width); \
  } \
  static inline __device__ float name(unsigned mask, float value, unsigned lane, int width = 32) { \
    return __nvvm_shfl_sync_##kind##_f32(mask, value, lane, (32 - width) << 8 | last); \
  }
DLC_SHUFFLE(__shfl_sync, idx, 31)
DLC_SHUFFLE(__shfl_up_sync, up, 0)
DLC_SHUFFLE(__shfl_down_sync, down, 31)
DLC_SHUFFLE(__shfl_xor_sync, bfly, 31)
#undef DLC_SHUFFLE

#define DLC_LEAST_AND_MOST(T) \
  static inline __device__ T min(T x, T y) { return y < x ? y : x; } \
  static inline __device__ T max(T x, T y) { return x < y ? y : x; }
DLC_LEAST_AND_MOST(int)
DLC_LEAST_AND_MOST(unsigned)
DLC_LEAST_AND_MOST(long)
DLC_LEAST_AND_MOST(unsigned long)
DLC_LEAST_AND_MOST(long long)
DLC_LEAST_AND_MOST(unsigned long long)
#undef DLC_LEAST_AND_MOST

)";

std::string cudaHeader() {
  return words + mathsDeclarations() +
         "static inline __device__ float min(float x, float y) { return fminf(x, y); }\n"
         "static inline __device__ float max(float x, float y) { return fmaxf(x, y); }\n"
         "static inline __device__ double min(double x, double y) { return fmin(x, y); }\n"
         "static inline __device__ double max(double x, double y) { return fmax(x, y); }\n"
         "static inline __device__ float rsqrtf(float x) { return 1.0f / sqrtf(x); }\n";
}

llvm::StringRef nvrtcHeader() {
  return R"(#undef __global__
#define __global__ __device__
#undef __launch_bounds__
#define __launch_bounds__(...)
typedef unsigned char uint8_t; typedef int int32_t; typedef long int64_t;
)";
}

} // namespace dlc::codegen::gpu
