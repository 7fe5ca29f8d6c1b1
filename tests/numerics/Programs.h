//===- Programs.h - programs of tests, parsed -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_NUMERICS_PROGRAMS_H
#define DLC_TESTS_NUMERICS_PROGRAMS_H

#include "compiler/backward/Passes.h"
#include "compiler/interpret/Interpreter.h"
#include "dialects/train/Recipe.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/Pass.h"
#include "gtest/gtest.h"

namespace dlc::numerics {

/// A module with one train.program; null, with a test failure, where the text is wrong.
class Program {
public:
  explicit Program(const std::string &text);
  explicit Program(mlir::OwningOpRef<mlir::ModuleOp> module) : module(std::move(module)) {}
  Program clone() const { return Program(mlir::OwningOpRef<mlir::ModuleOp>(module.get().clone())); }
  explicit operator bool() const { return static_cast<bool>(module); }
  train::ProgramOp get() const;
  /// A function's block.
  mlir::Block &body(llvm::StringRef function) const;
  mlir::ModuleOp getModule() const { return module.get(); }
  /// Runs a pass; a test failure where it fails.
  void run(std::unique_ptr<mlir::Pass> pass);
  /// Adds settings to the program's recipe; a test failure where they make no sense.
  void addToRecipe(const train::RecipeSettings &settings);
  /// Runs the passes of the stage backward.
  void runBackward();

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// The context of all tests, with our dialects loaded.
mlir::MLIRContext &context();
/// Takes the errors since the last call.
std::string takeErrors();

/// Whether the elements agree: |a - b| <= tolerance * max(|b|, scale), NaN with NaN. Says where not.
testing::AssertionResult agree(const interpret::Tensor &found, const interpret::Tensor &expected,
                               double tolerance, double scale = 1);

} // namespace dlc::numerics

#endif // DLC_TESTS_NUMERICS_PROGRAMS_H
