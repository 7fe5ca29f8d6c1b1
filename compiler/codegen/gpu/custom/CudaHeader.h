//===- CudaHeader.h - what CUDA C++ has without a toolkit ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_CUSTOM_CUDAHEADER_H
#define DLC_COMPILER_CODEGEN_GPU_CUSTOM_CUDAHEADER_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace dlc::codegen::gpu {

/// What stands in front of users' CUDA sources when clang compiles them.
std::string cudaHeader();
/// What stands in front of users' CUDA sources when NVRTC compiles them, which has all of CUDA C++.
llvm::StringRef nvrtcHeader();

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_CUSTOM_CUDAHEADER_H
