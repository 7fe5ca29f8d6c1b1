//===- Components.h - tensors whose dims lie in one order ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors that are worked on element by element should lie alike in memory: a sum and what is added, a
// function and its argument, a pooled image and its source, a state and its new value. They are one
// component, and a choice is made for the component.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LAYOUT_COMPONENTS_H
#define DLC_COMPILER_LAYOUT_COMPONENTS_H

#include "dialects/train/Train.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace dlc::layout {

/// The order of a tensor's dims in memory: dim i there is dim order[i] of the tensor.
using Order = llvm::SmallVector<int64_t, 4>;
/// Dim i of one tensor is dim dims[i] of another.
using Dims = llvm::SmallVector<int64_t, 4>;

Order identity(unsigned rank);

class Components {
public:
  /// The number of a value of a function, or of a state.
  unsigned of(mlir::Value value) { return numberOf(value.getAsOpaquePointer(), rankOf(value.getType())); }
  unsigned of(train::StateOp state) { return numberOf(state.getAsOpaquePointer(), rankOf(state.getType())); }

  /// Makes one component of both tensors' components, unless they are one already.
  void tie(unsigned a, unsigned b, llvm::ArrayRef<int64_t> dims);
  /// The tensor that stands for the component.
  unsigned find(unsigned tensor);
  unsigned rank(unsigned tensor) const { return nodes[tensor].dims.size(); }
  /// Translates an order of a tensor's dims to one of its component's dims, and back.
  Order toComponent(unsigned tensor, llvm::ArrayRef<int64_t> order);
  Order fromComponent(unsigned tensor, llvm::ArrayRef<int64_t> order);

private:
  struct Node {
    unsigned parent; ///< itself where it stands for its component
    Dims dims;       ///< of the parent
  };
  static unsigned rankOf(mlir::Type type) { return mlir::cast<mlir::RankedTensorType>(type).getRank(); }
  unsigned numberOf(const void *key, unsigned rank);

  std::vector<Node> nodes;
  llvm::DenseMap<const void *, unsigned> numbers;
};

/// Ties the tensors of a program: those of loop nests that read and write the same elements, or
/// neighbourhoods of them, and states with what is read from and written to them.
void tieTensors(train::ProgramOp program, Components &components);

/// Whether something outside of the program fixes a tensor's layout: the caller that of an input, a user's
/// function that of its results.
bool hasFixedOrder(mlir::Value value, const mlir::SymbolTable &symbols);

/// For each dim of an operand or of a captured tensor, the dim of the nest's result that the same loop walks;
/// nullopt where a dim has none, or several.
std::optional<Dims> dimsAlong(mlir::linalg::GenericOp op, mlir::OpOperand &input);
std::optional<Dims> dimsAlong(mlir::linalg::GenericOp op, mlir::tensor::ExtractOp read);
/// Whether a captured tensor has a dim along each dim of the nest's result: then both have one order.
bool isTied(mlir::linalg::GenericOp op, mlir::tensor::ExtractOp read);

} // namespace dlc::layout

#endif // DLC_COMPILER_LAYOUT_COMPONENTS_H
