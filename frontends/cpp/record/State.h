//===- State.h - what a recording consists of ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All values are made in one function, `forward` of a program that is never finished. It reads states and
// inputs by symbols `v<number of the value>`, which are entries of a table here and not declared; what
// becomes of them is decided when a program is taken out (Extract.cpp).
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_RECORD_STATE_H
#define DLC_FRONTENDS_CPP_RECORD_STATE_H

#include "dialects/train/Train.h"
#include "frontends/cpp/record/Evaluator.h"
#include "llvm/ADT/MapVector.h"
#include <map>

namespace dlc::record {

/// What a symbol stands for.
struct Symbol {
  enum class Kind { Input, State, Random, Placeholder } kind;
  Id id;
  std::string name; ///< of an input
  std::optional<Elements> elements;
  std::vector<std::pair<std::string, int64_t>> bounds; ///< of an input's named dims
  std::string resized; ///< the dim for which a later example had another size: the elements are gone
  std::optional<int64_t> limit{};   ///< of an input's integers, which are indices from 0 up to here
  std::optional<int64_t> ignored{}; ///< may be among them
  bool isBuffer = false;            ///< of a state
  uint64_t change = 0;              ///< what its elements are of (Trained.h)
};

struct Recorder::State {
  State();

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  train::FunctionOp function;
  std::vector<mlir::Value> values{mlir::Value()}; ///< by their Id
  llvm::DenseMap<Id, mlir::Value> unhooked;       ///< what a value with hooks is before them
  llvm::DenseMap<mlir::Value, Id> ids;
  std::vector<mlir::Operation *> hooks; ///< by their numbers; none where it was taken away
  llvm::StringMap<Symbol> symbols;
  llvm::StringMap<int64_t> bounds; ///< of named dims: what was said last, as other models may say otherwise
  llvm::StringMap<int64_t> sizes;  ///< of the examples
  std::map<std::string, std::map<std::string, std::string>> customOps; ///< by file: symbols by name
  Id random = 0;
  int64_t streams = 0;                            ///< of random numbers
  llvm::DenseMap<mlir::Value, bool> requiresGrad; ///< where it was said
  std::unique_ptr<Evaluator> evaluator = createEvaluator();

  Id add(mlir::Value value);
  /// Reads a symbol that stands for the value which is made.
  Id read(Symbol::Kind kind, const std::string &name, mlir::RankedTensorType type,
          std::optional<Elements> elements, const Place &place);
  Symbol &symbolOf(Id id);
  /// The value before its hooks: what gradients are asked of, and what reads a state.
  mlir::Value source(Id id) const;
  bool needsGradient(mlir::Value value) const;
  /// Named dims have the example's sizes from here on; a sentence where it does not fit its type.
  std::string bindSizes(const Type &type, const Elements &example);
  void resize(const std::string &name, int64_t size);
  /// Brings the elements of a state up to date; a sentence where that cannot be.
  std::string refresh(Symbol &symbol);
  mlir::Location locationOf(const Place &place);
  /// The type, with the bounds of its named dims noted.
  Outcome<mlir::RankedTensorType> typeOf(const Type &type);
};

// Convert.cpp
mlir::Type elementType(DType dtype, mlir::MLIRContext &context);
DType dtypeOf(mlir::Type elementType);
nn::Dim dimOf(const Dim &dim);
mlir::Attribute attributeOf(const Attribute &attribute, Recorder::State &state);

/// The operations under some values; without those that only gradients of the user's own need, if not
/// `withGradients` (Under.cpp).
llvm::DenseSet<mlir::Operation *> operationsUnder(llvm::ArrayRef<mlir::Value> values, Recorder::State &state,
                                                  bool withGradients = true);

/// The line of a location.
Place placeOf(mlir::Location location);

/// Calls `make` and gives the errors that were reported meanwhile as sentences for users of a model.
std::string errorsOf(mlir::MLIRContext &context, llvm::function_ref<void()> make);

struct Program {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<std::string> unreached;
  std::vector<std::pair<std::string, Id>> states; ///< by their names here
};

} // namespace dlc::record

#endif // DLC_FRONTENDS_CPP_RECORD_STATE_H
