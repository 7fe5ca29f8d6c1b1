//===- Recipe.h - how a model is trained -----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who writes a program's recipe, and what those who read it ask. The operation and its attributes are those of
// RecipeOps.td.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_TRAIN_RECIPE_H
#define DLC_DIALECTS_TRAIN_RECIPE_H

#include "dialects/train/RecipeSettings.h"
#include "dialects/train/Train.h"
#include "mlir/IR/OwningOpRef.h"

namespace train {

/// The program's recipe; null where it has none, and all has its default.
RecipeOp recipeOf(ProgramOp program);
/// The same with an empty one where there is none.
RecipeOp getOrAddRecipe(ProgramOp program);

/// A recipe of no program, in which all has its default.
mlir::OwningOpRef<RecipeOp> emptyRecipe(mlir::MLIRContext *context);

/// What the settings say goes before what the recipe says. Another loss or optimizer than the recipe's comes without
/// the settings that the recipe has for its own, one kind of clipping takes the place of the other, and so do lists
/// (groups, globs, functions) of the recipe's. An error, at the program, for what is not known or makes no sense.
mlir::LogicalResult addToRecipe(ProgramOp program, const RecipeSettings &settings);

/// The name of the loss that the recipe adds; "" where it adds none.
std::string lossNameOf(ProgramOp program);
/// The texts of one of the recipe's lists.
llvm::SmallVector<std::string> textsOf(std::optional<mlir::ArrayAttr> list);

/// A hyperparameter's value; an error for what is no number, or out of the hyperparameter's range.
mlir::FailureOr<double> parseHyperparameter(llvm::StringRef name, llvm::StringRef text,
                                            llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// An optimizer's row of the table (OptimizerTable.cpp).
struct OptimizerRow {
  llvm::StringRef name;
  llvm::StringMap<double> defaults; ///< of its hyperparameters
  llvm::StringRef flag;             ///< a setting that is no number; empty: it has none
};
llvm::ArrayRef<OptimizerRow> optimizerTable();
/// The optimizer's row; null where there is none.
const OptimizerRow *findOptimizer(llvm::StringRef name);
/// Whether the name is a hyperparameter or a flag of some optimizer.
bool isOptimizerSetting(llvm::StringRef name);

} // namespace train

#endif // DLC_DIALECTS_TRAIN_RECIPE_H
