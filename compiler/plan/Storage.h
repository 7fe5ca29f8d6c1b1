//===- Storage.h - where a function keeps its values -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Liveness over the launches of a function, and the decision which values live in a state, an input or
// an output and which in the working memory. The packer chooses the offsets.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PLAN_STORAGE_H
#define DLC_COMPILER_PLAN_STORAGE_H

#include "compiler/analysis/Views.h"
#include "compiler/plan/Packer.h"
#include "mlir/IR/SymbolTable.h"

namespace dlc::plan {

/// The storage of one value: that of a symbol, or a buffer of the working memory.
struct Home {
  mlir::FlatSymbolRefAttr symbol; ///< null: a buffer
  int64_t buffer = -1;
};

struct Storage {
  /// The homes of roots, the values that are no parts of others.
  llvm::DenseMap<mlir::Value, Home> homes;
  /// The view of its root that each value is; a root is its own.
  llvm::DenseMap<mlir::Value, analysis::View> views;
  std::vector<Buffer> buffers;
  std::vector<Alias> aliases;
  /// The scratch buffer of each launch that needs one.
  llvm::DenseMap<mlir::Operation *, int64_t> scratch;
  /// Reads whose symbol is overwritten while its old value is still read; the value is first copied to a
  /// buffer.
  std::vector<train::ReadOp> rescued;
  /// Writes that need a copy at the function's end; the other writes need nothing.
  std::vector<train::WriteOp> copied;
};

/// Decides on the storage of all values of `function`; an error where it holds what the stage cannot place.
mlir::FailureOr<Storage> assignStorage(train::FunctionOp function, const mlir::SymbolTable &symbols);

/// Whether a value has all elements of its root, in their order.
bool isWhole(mlir::Value value, const analysis::View &view);

/// What a kernel's schedule says about writing results where operands lie.
class Sharing {
public:
  explicit Sharing(train::KernelOp kernel);
  /// Whether `result` may be written where `operands`, all that have this storage, lie.
  bool allows(llvm::ArrayRef<unsigned> operands, unsigned result) const {
    return llvm::all_of(operands, [&](unsigned operand) { return pairs.contains({operand, result}); });
  }

private:
  llvm::DenseSet<std::pair<unsigned, unsigned>> pairs;
};

} // namespace dlc::plan

#endif // DLC_COMPILER_PLAN_STORAGE_H
