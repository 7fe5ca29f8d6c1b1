//===- Panels.cpp - weights in panels --------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/layout/Panels.h"
#include "compiler/layout/Nests.h"
#include "compiler/layout/ViewOrders.h"
#include "compiler/support/Remarks.h"
#include "dialects/train/Custom.h"

using namespace mlir;

namespace dlc::layout {

/// Whether a nest computes each element of its result independently of its position.
static bool isElementwise(linalg::GenericOp op) {
  return op.getNumReductionLoops() == 0 && !op.hasIndexSemantics() &&
         op.getBody()->getOps<tensor::ExtractOp>().empty();
}

/// Adds the components that an operation works on in a way that panels do not allow.
static void refuse(Operation *op, Plan &plan, llvm::DenseSet<unsigned> &refused) {
  if (movesNothing(op)) {
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType())) // else the size of a named dim
        refused.insert(plan.componentOf(operand));
    refused.insert(plan.componentOf(op->getResult(0)));
  }
  if (auto call = dyn_cast<train::CustomCallOp>(op))
    for (Value input : call.getInputs())
      refused.insert(plan.componentOf(input));
  auto nest = dyn_cast<linalg::GenericOp>(op);
  if (!nest || isContraction(nest))
    return;
  unsigned result = plan.componentOf(nest.getResult(0));
  for (tensor::ExtractOp read : nest.getBody()->getOps<tensor::ExtractOp>())
    refused.insert(plan.componentOf(read.getTensor()));
  for (Value input : nest.getInputs())
    if (plan.componentOf(input) != result)
      refused.insert(plan.componentOf(input));
  if (!isElementwise(nest))
    refused.insert(result);
}

llvm::DenseSet<unsigned> componentsWithoutPanels(train::ProgramOp program, Plan &plan) {
  llvm::DenseSet<unsigned> refused;
  SymbolTable symbols(program);
  for (auto function : program.getBody().getOps<train::FunctionOp>())
    for (Operation &op : function.getBody().front()) {
      refuse(&op, plan, refused);
      if (auto write = dyn_cast<train::WriteOp>(op);
          write && symbols.lookup<train::OutputOp>(write.getSymbol()))
        refused.insert(plan.componentOf(write.getValue()));
    }
  return refused;
}

/// Emits no remark about a state that nobody would expect in panels.
static constexpr llvm::StringLiteral noMatrix = "no matrix of a product";

/// Why a state is not cut into panels; "" where it is.
static StringRef whyWhole(train::StateOp state, int64_t columns, Plan &plan, const CpuTarget &target,
                          const llvm::DenseSet<unsigned> &withoutPanels) {
  auto type = cast<RankedTensorType>(state.getType());
  if (type.getRank() != 2 || !plan.isContracted(state))
    return noMatrix;
  // A state that fits the first-level cache gains nothing from panels.
  if (bytesOf(type) < target.costs.l1Bytes)
    return "it fits the first-level cache, where pieces of rows are as near as one piece";
  if (target.lanes <= 1)
    return "the machine's vectors have one lane";
  if (columns == target.panelWidth())
    return "its rows are as long as a panel's: it is one";
  if (columns % target.panelWidth() != 0)
    return "its columns do not fill whole panels";
  if (withoutPanels.contains(plan.componentOf(state)))
    return "it is also read at computed positions, through a view or by a custom operation, which know whole "
           "rows only";
  return "";
}

static std::string listOf(ArrayRef<int64_t> numbers) {
  return "[" +
         llvm::join(llvm::map_range(numbers, [](int64_t number) { return std::to_string(number); }), ", ") +
         "]";
}

train::LayoutAttr layoutOf(train::StateOp state, Plan &plan, const CpuTarget &target,
                           const llvm::DenseSet<unsigned> &withoutPanels) {
  auto type = cast<RankedTensorType>(state.getType());
  if (type.getRank() < 2)
    return {};
  Order order = plan.orderOf(state);
  MLIRContext *context = state.getContext();
  int64_t columns = type.getDimSize(order.back()), width = target.panelWidth();
  StringRef reason = whyWhole(state, columns, plan, target, withoutPanels);
  using mlir::remark::metric;
  if (reason.empty()) {
    remarks::done(state, remarks::layout, "panels")
        << "lies in panels of " << metric("columns", width) << " of its " << metric("all_columns", columns)
        << " columns: what a tile of a product reads is one piece of memory, and need not be copied";
    // The pieces of the dim of columns stand for it in the order; the number of the panel comes first.
    SmallVector<int64_t> shape(type.getShape());
    int64_t cut = order.back();
    shape[cut] = width;
    shape.insert(shape.begin() + cut, columns / width);
    SmallVector<int64_t> permutation{cut};
    for (int64_t dim : order)
      permutation.push_back(dim >= cut ? dim + 1 : dim);
    return train::LayoutAttr::get(context, permutation, shape);
  }
  const bool isAsDeclared = order == identity(type.getRank());
  if (!isAsDeclared)
    remarks::done(state, remarks::layout, "order")
        << "its dims lie in the order " << listOf(order)
        << ": products then read or write neighbours in one vector, in every step";
  if (reason != noMatrix)
    remarks::missed(state, remarks::layout, "panels") << "does not lie in panels: " << reason;
  return isAsDeclared ? train::LayoutAttr() : train::LayoutAttr::get(context, order, ArrayRef<int64_t>());
}

llvm::DenseSet<unsigned> componentsOverMatrices(train::FunctionOp function, Plan &plan) {
  llvm::DenseSet<unsigned> components;
  for (auto nest : function.getBody().front().getOps<linalg::GenericOp>()) {
    unsigned result = plan.componentOf(nest.getResult(0));
    if (isContraction(nest))
      components.insert(result);
    for (OpOperand *input : nest.getDpsInputOperands()) {
      AffineMap map = nest.getMatchingIndexingMap(input);
      bool isMember = plan.componentOf(input->get()) == result;
      if (isMember ? !map.isIdentity() || plan.orderOf(input->get()) != plan.orderOf(nest.getResult(0))
                   : map.getNumResults() != 0)
        components.insert(result);
    }
  }
  return components;
}

} // namespace dlc::layout
