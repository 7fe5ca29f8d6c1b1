//===- KernelFunction.h - a kernel while it becomes loops ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds what all emitters need: the function that is being built, the address of every whole tensor of the
// kernel, and the sizes of loops.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_KERNEL_KERNELFUNCTION_H
#define DLC_COMPILER_CODEGEN_KERNEL_KERNELFUNCTION_H

#include "compiler/codegen/kernel/Loops.h"
#include "compiler/codegen/kernel/Memory.h"
#include "dialects/train/Nonzero.h"
#include "dialects/train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dlc::codegen {

/// How a kernel is called.
enum class Calling {
  Chunks,  ///< void(ptr buffers, ptr dims, i64 begin, i64 end): some chunks of the work (dlc_kernel)
  Pointers ///< void(ptr operand ..., ptr dims), by each thread of a device
};

class KernelFunction {
public:
  /// Creates the function at the end of `module`. `dimNames` is the order of the `dims` argument.
  KernelFunction(train::KernelOp kernel, mlir::ModuleOp module, llvm::ArrayRef<std::string> dimNames,
                 Calling calling = Calling::Chunks);

  Builder &builder() { return b; }
  train::KernelOp getKernel() { return kernel; }
  /// The schedule of the kernel, or of its step; the target's emitters know its form.
  train::ScheduleInterface schedule() { return emission.schedule; }
  /// The block for allocations of the whole call.
  mlir::Block &entry() { return function.front(); }
  mlir::Value begin() { return function.getArgument(2); }
  mlir::Value end() { return function.getArgument(3); }

  /// What is emitted at the moment: a whole kernel, or one of its steps as if that were a kernel.
  struct Emission {
    llvm::SmallVector<mlir::linalg::GenericOp> operations;
    int64_t shared; ///< loops
    train::ScheduleInterface schedule;
    mlir::Value scratch;
    llvm::SmallVector<Index, 4> outer; ///< positions of the first shared loops, which run outside of it
    int64_t unit = 0;                  ///< of the blocks in which iterations are left out; 0 where none are
    /// The positions that run of the shared loop after the outer ones, at most `blockSize` of them.
    std::optional<Range> block = std::nullopt;
    int64_t blockSize = 0;
    mlir::Value isFirstBlock = {}; ///< whether no block was before, for these positions of `outer`
  };
  const Emission &current() const { return emission; }
  void begin(Emission next) { emission = std::move(next); }
  /// Its linalg operations in order (fills that only initialise are not among them).
  llvm::ArrayRef<mlir::linalg::GenericOp> operations() const { return emission.operations; }
  int64_t shared() const { return emission.shared; }
  llvm::ArrayRef<Index> outer() const { return emission.outer; }
  /// Whether what is emitted covers only a block of the loop's positions.
  bool isBlocked(int64_t loop) const { return emission.block && loop == int64_t(emission.outer.size()); }
  /// The triangle outside of which an operation leaves out its iterations, in whole blocks.
  std::optional<train::Triangle> triangle(mlir::linalg::GenericOp op) const {
    return emission.unit > 0 ? train::triangleOf(op) : std::nullopt;
  }
  /// The end of those of `extent` positions that count together with positions up to `last` of the other
  /// loop.
  Index endBeyond(train::Triangle triangle, Index last, Index extent);
  /// The begin of those of `extent` positions that count together with positions from `first` on of the other
  /// loop.
  Index beginUpTo(train::Triangle triangle, Index first, Index extent);

  /// Places a temporary in memory.
  void place(mlir::Value tensor, Memory memory) { outputs[tensor] = {std::move(memory)}; }
  /// Memory of a kernel argument, of a value that the kernel yields, or of one that was placed; null for
  /// others.
  std::optional<Memory> memoryOf(mlir::Value tensor);
  /// Reads the inputs of rank 0 here, once for all loops: inside them LLVM would read them again after each
  /// store, because it does not know where stores go. Kernels of chunks begin with it; a device's thread does
  /// it where it has work, because another one may overwrite what it reads. Only those for which `isWanted`.
  void readScalars(
      llvm::function_ref<bool(mlir::BlockArgument)> isWanted = [](mlir::BlockArgument) { return true; });
  /// The value of such an input; null for other tensors, and before they are read.
  mlir::Value scalarInput(mlir::Value tensor) { return scalars.lookup(tensor); }
  /// The places of a value that is yielded or was placed (a value may be yielded twice).
  llvm::ArrayRef<Memory> outputsOf(mlir::Value tensor);
  /// Scratch of all chunks, after inputs and outputs, or of a step; null where the schedule asks for none.
  mlir::Value scratch() const { return emission.scratch; }

  /// The actual size of a product of named dims ("32*batch").
  Index namedSize(llvm::StringRef product);
  /// The size of one axis of any tensor in the kernel.
  Index dimSize(mlir::Value tensor, int64_t axis);
  /// Trip counts of all loops of an operation.
  llvm::SmallVector<Index, 4> loopExtents(mlir::linalg::GenericOp op);
  /// The value an init operand starts from: a constant fill, or null where it is a tensor to be read.
  mlir::TypedAttr initialValue(mlir::Value init);

  /// Ends the function.
  void finish();

private:
  /// The memory of argument or result number `index` of the kernel.
  Memory memory(mlir::Value pointer, mlir::Value tensor, unsigned index);

  train::KernelOp kernel;
  mlir::func::FuncOp function;
  mlir::Value dims; ///< the argument
  Builder b;
  llvm::SmallVector<std::string> dimNames;
  Emission emission;
  llvm::DenseMap<mlir::Value, Memory> inputs;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Memory, 1>> outputs;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  llvm::StringMap<mlir::Value> namedSizes;
};

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_KERNEL_KERNELFUNCTION_H
