//===- Importer.h - from a program of StableHLO to a train program ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the operations of @main, those of the functions that it calls in their place, and asks the tables of
// operations for each. An error poisons what depends on it and the walk goes on, so that all reasons are
// found in one go.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_STABLEHLO_IMPORTER_H
#define DLC_FRONTENDS_STABLEHLO_IMPORTER_H

#include "frontends/common/ProgramImporter.h"
#include "frontends/stablehlo/Import.h"
#include "frontends/stablehlo/Node.h"
#include "frontends/stablehlo/Source.h"
#include "frontends/stablehlo/Weights.h"
#include "frontends/stablehlo/WrittenOut.h"

namespace dlc::stablehlo {

class Importer : public frontend::ProgramImporter {
public:
  /// `checking`: a symbolic batch needs no size. `weights`: null where there is no file of them.
  Importer(const Source &source, const Weights *weights, llvm::StringRef path, const ImportOptions &options,
           bool checking, mlir::MLIRContext &context);

private:
  friend class Node;
  void importGraph() override;
  using Scope = llvm::DenseMap<mlir::Value, Known>;
  /// An argument of @main.
  struct Input {
    mlir::Value source;
    Path path;
    std::string name; ///< in the program, and in messages
    const WeightTensor *weight = nullptr;
  };

  // Arguments.cpp: what @main takes
  void declareArguments();
  void readArguments();
  void matchWeights();
  void refuseMissingValues();
  void declareParameter(const Input &input);
  void declareInputs();
  frontend::InputDims dimsOf(const Input &input);
  void nameDims();
  // Operations.cpp: what it computes
  std::vector<Known> importBody(mlir::Block &block, llvm::ArrayRef<Known> arguments, unsigned depth);
  void importOperation(mlir::Operation *op, unsigned depth);
  void importCall(mlir::Operation *op, llvm::StringRef callee, unsigned depth);
  bool isReady(mlir::Operation *op);
  void checkDeclared(mlir::Operation *op);
  mlir::Value materialize(Known &known, mlir::Type sourceType);
  mlir::Value constantOf(mlir::ElementsAttr elements);
  void addUnsupported(mlir::Operation *op);
  bool giveWhole(mlir::Operation *op);
  bool refuseRandomNumbers();
  // Outputs.cpp
  void writeOutputs(llvm::ArrayRef<Known> results);
  // Importer.cpp
  mlir::Type elementTypeOf(mlir::Type source);
  std::string describe(mlir::Operation *op);

  const Source &source;
  const Weights *weights;
  const std::string &weightsFile; ///< its name; empty where there is none
  std::vector<Input> inputs;
  /// What JAX calls the size of a dim of an argument, (argument, dim).
  std::map<std::pair<unsigned, unsigned>, std::string> dimKeys;
  Scope *scope = nullptr; ///< of the function that is walked
  llvm::DenseMap<mlir::Block *, llvm::DenseMap<mlir::Operation *, WrittenOut>> writtenOut; ///< of functions
  std::vector<std::string> callers;
  size_t walked = 0;
  bool hasLowPrecision = false;
};

/// "float32" and so on, of a type of the text.
std::string dtypeName(mlir::Type type);

} // namespace dlc::stablehlo

#endif // DLC_FRONTENDS_STABLEHLO_IMPORTER_H
