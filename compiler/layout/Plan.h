//===- Plan.h - the order of every tensor of a program ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LAYOUT_PLAN_H
#define DLC_COMPILER_LAYOUT_PLAN_H

#include "compiler/layout/Components.h"
#include "compiler/target/CpuTarget.h"

namespace dlc::layout {

/// Chooses an order for each component. Everything that is not as somebody wishes costs a copy, so wishes
/// weigh as many bytes as would be copied. The components that most is said of are chosen first, and say
/// through views (reshapes) what their neighbours should be.
class Plan {
public:
  Plan(train::ProgramOp program, const CpuTarget &target);

  /// How the value should lie in memory.
  Order orderOf(mlir::Value value) {
    return components.fromComponent(components.of(value), orderOf(components.of(value)));
  }
  Order orderOf(train::StateOp state) {
    return components.fromComponent(components.of(state), orderOf(components.of(state)));
  }
  /// Whether a contraction reads or makes the state, and so has a say in its layout.
  bool isContracted(train::StateOp state) { return choiceOf(components.of(state)).isContracted; }
  /// A number that equals that of another tensor in the same component.
  unsigned componentOf(mlir::Value value) { return components.find(components.of(value)); }
  unsigned componentOf(train::StateOp state) { return components.find(components.of(state)); }

private:
  struct Vote {
    Order order;
    int64_t weight;
  };
  /// What is known of a component.
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
  /// Of the weight, a state, of a depthwise convolution whose result has its order.
  void voteOfDepthwise(mlir::linalg::GenericOp op);
  void choose(Choice &choice);
  /// Chooses all components of states, or all others.
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
