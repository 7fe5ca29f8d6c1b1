//===- LayoutRewriter.h - a function whose tensors get their order --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols, views and joins are in Rewrite.cpp, loop nests in RewriteNests.cpp.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LAYOUT_LAYOUTREWRITER_H
#define DLC_COMPILER_LAYOUT_LAYOUTREWRITER_H

#include "compiler/layout/Moves.h"
#include "compiler/layout/Plan.h"
#include "dialects/train/Custom.h"
#include <map>

namespace dlc::layout {

/// Goes through a function once, in order. Types, indexing maps and loops change, but no element's value: a
/// nest goes through its result in memory order, and its maps say where operands have what it needs.
class LayoutRewriter {
public:
  LayoutRewriter(train::FunctionOp function, Plan &plan)
      : function(function), program(function->getParentOfType<train::ProgramOp>()), plan(plan),
        symbols(program), b(function.getContext()) {}
  void run();

private:
  /// The layout that a value has by now.
  struct Form {
    Order order;
    train::LayoutAttr panels; ///< if set, it has the form of a state in panels, and `order` is not used
    mlir::RankedTensorType logical;
  };

  void rewriteRead(train::ReadOp read);
  void rewriteWrite(train::WriteOp write);
  void rewriteReshape(mlir::Operation *reshape);
  void rewriteSlice(mlir::tensor::ExtractSliceOp slice);
  void rewriteJoin(train::JoinOp join);
  void rewriteCall(train::CustomCallOp call);
  void rewriteNest(mlir::linalg::GenericOp op);
  void rewriteOverPanels(mlir::linalg::GenericOp op, train::LayoutAttr panels);
  /// The map by which a nest reads an operand, from its old loops. Operands of contractions that vectors
  /// would run across are copied.
  mlir::AffineMap readOperand(mlir::linalg::GenericOp op, mlir::OpOperand &operand,
                              llvm::ArrayRef<unsigned> loops);
  llvm::SmallVector<int64_t> loopSizes(mlir::linalg::GenericOp op) const;
  bool needsCopy(mlir::linalg::GenericOp op, mlir::OpOperand &operand, mlir::AffineMap inMemory,
                 llvm::ArrayRef<unsigned> loops);
  void setLoops(mlir::linalg::GenericOp op, llvm::ArrayRef<mlir::AffineMap> maps, unsigned parallel);
  /// The value in this order, perhaps moved there.
  mlir::Value inOrder(mlir::Value value, llvm::ArrayRef<int64_t> order);
  /// A contraction's result, which only a state takes, is written to the state's panels.
  void writePanels(mlir::linalg::GenericOp op, train::LayoutAttr panels);
  /// The loops of a nest in their new order: the parallel ones as the result lies, then the reductions as
  /// they are read.
  llvm::SmallVector<unsigned> loopOrder(mlir::linalg::GenericOp op, llvm::ArrayRef<int64_t> resultOrder);
  mlir::Value emptyOf(mlir::Value init, mlir::RankedTensorType type, llvm::ArrayRef<int64_t> order);

  train::FunctionOp function;
  train::ProgramOp program;
  Plan &plan;
  mlir::SymbolTable symbols;
  mlir::OpBuilder b;
  llvm::DenseMap<mlir::Value, Form> forms;
  llvm::DenseMap<unsigned, train::LayoutAttr>
      panelsByComponent; ///< of components whose loops go over panels here
  std::map<std::pair<void *, llvm::SmallVector<int64_t>>, mlir::Value> copies; ///< by value and order
};

} // namespace dlc::layout

#endif // DLC_COMPILER_LAYOUT_LAYOUTREWRITER_H
