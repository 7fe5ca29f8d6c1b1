//===- Decompose.h - decompositions by operation ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A decomposition gives the values that replace an operation's results, written as formulas. It gives no
// values if the operation, with these attributes, is primitive already. Each family adds its own to one
// table.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LOWER_DECOMPOSE_H
#define DLC_COMPILER_LOWER_DECOMPOSE_H

#include "dialects/nn/Expr.h"
#include "dialects/train/Train.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringMap.h"
#include <functional>

namespace dlc::lower {

using Values = llvm::SmallVector<mlir::Value>;

class Decompositions {
public:
  using Function = std::function<Values(mlir::Operation *, mlir::ImplicitLocOpBuilder &)>;

  template <typename Op> void add(Values (*decompose)(Op, mlir::ImplicitLocOpBuilder &)) {
    table[Op::getOperationName()] = [decompose](mlir::Operation *op, mlir::ImplicitLocOpBuilder &builder) {
      return decompose(mlir::cast<Op>(op), builder);
    };
  }
  /// Null where the operation stays as it is.
  const Function *find(llvm::StringRef operation) const {
    auto entry = table.find(operation);
    return entry == table.end() ? nullptr : &entry->second;
  }

private:
  llvm::StringMap<Function> table;
};

/// Each family that has decompositions adds them, in the file Decompose<Family>.cpp.
#define FAMILY(Name) void add##Name##Decompositions(Decompositions &table);
#include "compiler/lower/Decompositions.inc"

/// Patterns that derive masks of gradients from results of the forward computation.
void populateMaskPatterns(mlir::RewritePatternSet &patterns);

} // namespace dlc::lower

#endif // DLC_COMPILER_LOWER_DECOMPOSE_H
