//===- ProgramImporter.h - from a file's graph to a train program ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the importers of all kinds of files do alike: the program and its function `forward`, names that occur
// once, inputs, outputs, random numbers, and what is said of the model. A derived class walks its file. An
// error poisons what depends on it and the walk goes on, so that all reasons are found in one go.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_PROGRAMIMPORTER_H
#define DLC_FRONTENDS_COMMON_PROGRAMIMPORTER_H

#include "dialects/train/Train.h"
#include "frontends/common/DimNames.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/MapVector.h"

namespace dlc::frontend {

/// Things to know about a model: (operator, sentence) and the nodes of which that holds, in order of
/// appearance.
using Remarks = llvm::MapVector<std::pair<std::string, std::string>, std::vector<std::string>,
                                std::map<std::pair<std::string, std::string>, unsigned>>;

/// Several things of one kind by the sentence that is said of them, in order of appearance.
using Grouped = llvm::MapVector<std::string, std::vector<std::string>, std::map<std::string, unsigned>>;

/// What an import finds.
struct Imported {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< null if there are reasons against
  std::vector<std::string> reasons;
};

/// The module. Where there is none, an error at the file `path` for each reason.
mlir::OwningOpRef<mlir::ModuleOp> moduleOrErrors(Imported imported, llvm::StringRef path,
                                                 mlir::MLIRContext &context);
/// The reasons. Where there are none, the module goes to `*module` if that is not null.
std::vector<std::string> reasonsAgainst(Imported imported, mlir::OwningOpRef<mlir::ModuleOp> *module);

class ProgramImporter : private mlir::OpBuilder::Listener {
public:
  virtual ~ProgramImporter();

  Imported run();
  /// Says what there is to know of a model that is imported, at its file.
  void tell(mlir::Location file) const;

protected:
  /// `checking`: a symbolic batch needs no size. `batchName`: what the batch is called in the program; empty:
  /// as in the model.
  ProgramImporter(llvm::StringRef path, const ImportOptions &options, bool checking,
                  mlir::MLIRContext &context, llvm::StringRef batchName = "");

  /// Reads the file into the program that is begun.
  virtual void importGraph() = 0;
  /// The end of an import without reasons against.
  virtual void finish() {}

  void addReason(const llvm::Twine &message);

  //===-- Names --------------------------------------------------------------===//
  /// `name`, or like it, where something of the program has that name already.
  std::string uniqueSymbol(llvm::StringRef name);
  /// The symbol of something that the model does not have; `name`, or like it where that is taken.
  std::string addedSymbol(llvm::StringRef name);
  /// Whether files can carry a state of this name; reports where not. `what`: "initializer".
  bool checkStateName(llvm::StringRef what, llvm::StringRef name);
  mlir::Location locationOf(llvm::StringRef name);

  //===-- What the program has -----------------------------------------------===//
  /// An input, as a value; null after an error.
  mlir::Value declareInput(const InputDims &dims, mlir::Type element);
  /// After all inputs: the program's dims. `howToOpen`: what the file's author can do for an open batch.
  void declareDims(bool hasInputs, llvm::StringRef howToOpen);
  void writeOutput(llvm::StringRef name, mlir::Value value);
  /// The state of the random numbers.
  mlir::Value rng();

  const ImportOptions &options;
  mlir::MLIRContext &context;
  DimNames dimNames;
  llvm::StringSet<> symbols;
  llvm::StringSet<> modelNames;           ///< of all values of the graph: what dlc adds is called otherwise
  llvm::StringMap<unsigned> lastSuffixes; ///< of names that were taken
  std::vector<std::string> warnings;      ///< what was asked for and has no effect
  Remarks remarks;                        ///< where training is not what the file says
  Remarks notes;                          ///< what else concerns training
  /// Unsupported operators, in a sentence, and the nodes that have them.
  Grouped unsupported;
  std::string currentNode; ///< to which errors belong; empty: to the whole
  unsigned errors = 0;

  mlir::OwningOpRef<mlir::ModuleOp> module;
  train::ProgramOp program;
  train::FunctionOp forward;
  mlir::OpBuilder declarations; ///< before the function
  mlir::ImplicitLocOpBuilder body;
  int64_t streams = 0; ///< places that draw random numbers

private:
  friend class ProgramNode;
  void begin();
  void notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint) override;

  std::string stem;
  std::vector<std::string> reasons;
  mlir::Value rngValue;
};

/// "a, b, c and 97 more".
std::string listOf(llvm::ArrayRef<std::string> names);

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_PROGRAMIMPORTER_H
