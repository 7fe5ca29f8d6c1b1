//===- Device.h - what code of one thread of a GPU is made of --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of a block meet at barriers and have shared memory in common. All operations of the nvvm dialect
// that kernels use are made here.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_DEVICE_DEVICE_H
#define DLC_COMPILER_CODEGEN_GPU_DEVICE_DEVICE_H

#include "compiler/codegen/kernel/KernelFunction.h"

namespace dlc::codegen::gpu {

/// The number of this thread in its block, and that of the block.
Index threadIndex(Builder &b);
Index blockIndex(Builder &b);

/// All threads of the block wait here for each other, and then see what the others wrote. All must come here.
void barrier(Builder &b);

/// The f32 of another lane of the warp: of the one whose number differs in these bits, or of this number. All
/// lanes must come here.
mlir::Value ofOtherLane(Builder &b, mlir::Value value, int32_t bits);
mlir::Value ofLane(Builder &b, mlir::Value value, Index lane);

/// Two f32 as bf16 or f16, the nearest ones, in the halves of a word of 32 bits.
mlir::Value roundedWord(Builder &b, mlir::Type element, mlir::Value upper, mlir::Value lower);

/// 2^x and 1 / x of an f32 by the machine's own instructions, PTX's ex2.approx and rcp.approx: wrong by at
/// most two units in the last place (of CUDA's exp2f, which is the first, the CUDA C++ programming guide says
/// so).
mlir::Value powerOfTwo(Builder &b, mlir::Value x);
mlir::Value reciprocal(Builder &b, mlir::Value x);

/// A product of matrices by the tensor cores of a warp, PTX's mma.sync: 16 rows by 8 columns in 8 words of 32
/// bits, two numbers of bf16 or f16 or one of tf32, as `low` says. Which words and sums are a lane's, the PTX
/// manual says ("Matrix Fragments for mma"): four of the left operand, two of the right one, four sums.
Values multiplyAdd(Builder &b, mlir::Type low, llvm::ArrayRef<mlir::Value> left,
                   llvm::ArrayRef<mlir::Value> right, llvm::ArrayRef<mlir::Value> sums);

/// Words of `count` matrices of 8 by 8 numbers of 16 bits in shared memory, PTX's ldmatrix: lanes 8 i to 8 i
/// + 7 have the addresses of matrix number i's rows, and each lane gets the two numbers of each that
/// multiplyAdd wants where matrices lie by rows, or, if `transposed`, by columns.
Values loadMatrices(Builder &b, mlir::Value address, int64_t count, bool transposed);

/// Copies that run while the thread goes on, PTX's cp.async: 4, 8 or 16 bytes to shared memory, zeros where
/// `condition` does not hold (null: it does). All that a thread has begun since the last time are a group. A
/// thread that waits until at most so many of its groups run sees what the others have copied; other threads,
/// after a barrier.
void beginCopy(Builder &b, mlir::Value to, mlir::Value from, int64_t bytes, mlir::Value condition);
void endGroup(Builder &b);
void waitForGroups(Builder &b, int64_t running);

/// Memory of the block for elements, which lie as `shape` says, from a multiple of `alignment` bytes on; not
/// initialised.
Memory sharedMemory(KernelFunction &kernel, llvm::StringRef name, mlir::Type element,
                    llvm::ArrayRef<int64_t> shape, int64_t alignment = 16);
/// An element at a position of such memory, or of any other.
mlir::Value loadAt(Builder &b, const Memory &memory, llvm::ArrayRef<Index> position);
void storeAt(Builder &b, const Memory &memory, llvm::ArrayRef<Index> position, mlir::Value value);

/// The positions of some loops at iteration number `flat` of all of them, the last of which is the fastest.
llvm::SmallVector<Index, 4> positionsOf(Builder &b, Index flat, llvm::ArrayRef<Index> extents);
Index productOf(Builder &b, llvm::ArrayRef<Index> extents);

/// x < y, and both; null: true.
mlir::Value isLess(Builder &b, Index x, Index y);
mlir::Value both(Builder &b, mlir::Value x, mlir::Value y);
/// What `body` gives where `condition` holds, zeros elsewhere. There must be no barrier in `body`.
Values where(Builder &b, mlir::Value condition, llvm::ArrayRef<mlir::Type> types,
             llvm::function_ref<Values()> body);
void where(Builder &b, mlir::Value condition, llvm::function_ref<void()> body);

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_DEVICE_DEVICE_H
