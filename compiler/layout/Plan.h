//===- Plan.h - the order of every tensor of a program ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LAYOUT_PLAN_H
#define DLC_COMPILER_LAYOUT_PLAN_H

#include "compiler/layout/Components.h"
#include "compiler/machine/CpuTarget.h"

namespace dlc::layout {

/// Chooses an order of dims for each component by votes. An operation that does not find a tensor in the
/// order that it prefers costs a copy, so that a vote weighs as many bytes as would be copied. The component
/// with the heaviest vote is chosen first, and votes through views (reshapes) for the components behind them;
/// first all components of values, then those of states.
///
/// An example: h = x w with x [64, 784], w [784, 256] (a state), in float32.
/// - x is an input of the caller's in the order [0, 1]; no other order is possible.
/// - h gets a vote of weight 1 for [0, 1], so that results stay as they are without any other reason. No vote
///   is heavier: h is [0, 1], and the product's lane loop is that of h's last dim, the 256 columns.
/// - w then gets the vote of its product for the order in which the lane loop is last: [0, 1], with the
///   weight 784 * 256 * 4 bytes. The vectors of a tile load rows of w as they are.
/// Had the program been h = x w^T with w [256, 784], the same vote would have been for [1, 0], and w would
/// lie transposed in memory for as long as the model lives.
class Plan {
public:
  Plan(train::ProgramOp program, const CpuTarget &target);

  /// The order that was chosen for a value or a state.
  Order orderOf(mlir::Value value) {
    return components.fromComponent(components.of(value), orderOf(components.of(value)));
  }
  Order orderOf(train::StateOp state) {
    return components.fromComponent(components.of(state), orderOf(components.of(state)));
  }
  /// Whether a contraction reads or computes the state, and so has voted for its layout.
  bool isContracted(train::StateOp state) { return choiceOf(components.of(state)).isContracted; }
  /// The number of the component that the tensor belongs to.
  unsigned componentOf(mlir::Value value) { return components.find(components.of(value)); }
  unsigned componentOf(train::StateOp state) { return components.find(components.of(state)); }

private:
  struct Vote {
    Order order;
    int64_t weight;
  };
  /// The votes for a component's order, and the order that was chosen.
  struct Choice {
    llvm::SmallVector<Vote, 2> votes;
    llvm::SmallVector<int64_t, 4> sizes;
    bool isContracted = false;
    bool isState = false; ///< holds states, or views of them that only leave out dims of size 1
    std::optional<Order> order;
  };

  Choice &choiceOf(unsigned tensor) { return choices[components.find(tensor)]; }
  const Order &orderOf(unsigned tensor) { return *choiceOf(tensor).order; }
  void addTensor(unsigned tensor, llvm::ArrayRef<int64_t> sizes, bool isState);
  void addTensors();
  void fixInputs();
  void vote(unsigned tensor, llvm::ArrayRef<int64_t> order, int64_t weight);
  void voteOfEdges(mlir::Operation *op);
  void voteOfContraction(mlir::linalg::GenericOp op, bool ofStates);
  /// Votes for the weight, a state, of a depthwise convolution once the order of its result is chosen.
  void voteOfDepthwise(mlir::linalg::GenericOp op);
  void choose(Choice &choice);
  /// Chooses the orders of all components of states, or of all others.
  void chooseAll(bool states);
  int64_t heaviestVote(unsigned component);
  void passOn(unsigned component);

  train::ProgramOp program;
  mlir::SymbolTable symbols;
  const CpuTarget &target;
  Components components;
  llvm::MapVector<unsigned, Choice> choices; ///< by component
  llvm::SmallVector<mlir::linalg::GenericOp> contractions;
  llvm::MapVector<unsigned, llvm::SmallVector<mlir::Operation *>>
      views; ///< by component of an operand or result
};

} // namespace dlc::layout

#endif // DLC_COMPILER_LAYOUT_PLAN_H
