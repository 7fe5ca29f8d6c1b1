//===- Operands.h - reads and writes of a kernel's operations, by a thread -===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_DEVICE_OPERANDS_H
#define DLC_COMPILER_CODEGEN_GPU_DEVICE_OPERANDS_H

#include "compiler/codegen/gpu/device/Device.h"
#include "compiler/codegen/kernel/Access.h"
#include "llvm/ADT/MapVector.h"

namespace dlc::codegen::gpu {

class Operands {
public:
  explicit Operands(KernelFunction &kernel) : kernel(kernel), b(kernel.builder()) {}

  /// What is known in registers at the point that is worked on.
  void keep(mlir::Value tensor, mlir::Value value) { registers[tensor] = value; }
  void forget() { registers.clear(); }
  void forget(mlir::Value tensor) { registers.erase(tensor); }
  /// What a thread reads and writes from here on it remembers, as that of its element `turn` of a row, and
  /// does not read again; until endTurns.
  void beginTurn(int64_t number) { turn = number; }
  void endTurns() { turn.reset(); }
  /// Where a value lies that operations hand to each other.
  void place(mlir::Value tensor, Memory memory) { temporaries[tensor] = std::move(memory); }

  mlir::Value read(mlir::linalg::GenericOp op, mlir::OpOperand &operand, const Point &point);
  /// Whether that reads memory, now.
  bool isInMemory(mlir::OpOperand &operand);
  /// The arguments of the body; `sums` stand for those of the results, if there are some. Others may be null.
  Values arguments(mlir::linalg::GenericOp op, const Point &point, llvm::ArrayRef<mlir::Value> sums = {});
  /// What a reduction's result begins with.
  mlir::Value initial(mlir::linalg::GenericOp op, unsigned result, const Point &point);
  void write(mlir::OpResult result, const Point &point, mlir::Value value);
  /// What is written from here on waits, and is written now: output by output, neighbours one after the
  /// other, so that LLVM can make one access of several. Numbers that become 16 bits are rounded two by two.
  /// Whatever is read between must not be what is written.
  void hold() { isHolding = true; }
  void release();
  /// Whether a result is in memory: an output of the kernel, or handed on there.
  bool isInMemory(mlir::OpResult result) const {
    return !kernel.outputsOf(result).empty() || temporaries.contains(result);
  }

private:
  KernelFunction &kernel;
  Builder &b;
  llvm::DenseMap<mlir::Value, mlir::Value> registers;
  llvm::DenseMap<mlir::Value, Memory> temporaries;
  std::optional<int64_t> turn;
  /// Registers that hold a row of a tensor: its elements at the positions that a map gives, one for each
  /// turn.
  using Row = std::pair<mlir::Value, mlir::AffineMap>;
  llvm::DenseMap<Row, llvm::SmallVector<mlir::Value>> rows;
  mlir::Value &ofTurn(const Row &row);
  mlir::Value load(const Row &row, const Point &point);
  struct Held {
    Memory memory;
    mlir::AffineMap map;
    Point point;
    mlir::Value value;
    void store(Builder &b) const;
  };
  static void storeTwo(Builder &b, const Held &first, const Held &second);
  /// Values held back from memory, by its pointer, in the order of the first write to each memory.
  llvm::MapVector<mlir::Value, llvm::SmallVector<Held, 4>> held;
  bool isHolding = false;
};

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_DEVICE_OPERANDS_H
