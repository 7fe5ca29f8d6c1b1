//===- Importer.h - from an exported program to a train program -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the nodes, which stand in the order in which they are computed, and asks the tables of operators for
// each. An error poisons what depends on it and the walk goes on, so that all reasons are found in one go.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_PT2_IMPORTER_H
#define DLC_FRONTENDS_PT2_IMPORTER_H

#include "frontends/common/DimNames.h"
#include "frontends/pt2/Archive.h"
#include "frontends/pt2/Import.h"
#include "frontends/pt2/Node.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

namespace dlc::pt2 {

/// A name of the graph. A tensor has a value; a size that is computed has a dim.
struct GraphValue {
  mlir::Value value;
  std::optional<nn::Dim> dim;
  const InputSpec *state = nullptr; ///< a buffer or a constant, which may not be read yet
  unsigned storage = 0;             ///< values of one storage may share their numbers; 0: none yet
  bool failed = false;
  std::string reason; ///< why there is no value: told where it is read
};

/// Things to know about a model: (operator, sentence) and the nodes of which that holds, in order of
/// appearance.
using Remarks = llvm::MapVector<std::pair<std::string, std::string>, std::vector<std::string>,
                                std::map<std::pair<std::string, std::string>, unsigned>>;

class Importer : private mlir::OpBuilder::Listener {
public:
  /// `checking`: a symbolic batch needs no size.
  Importer(const Archive &archive, llvm::StringRef path, const ImportOptions &options, bool checking,
           mlir::MLIRContext &context);
  ~Importer();

  /// Null if there are reasons against.
  mlir::OwningOpRef<mlir::ModuleOp> run();
  std::vector<std::string> reasons;
  std::vector<std::string> warnings; ///< what was asked for and has no effect
  Remarks remarks;                   ///< where training may not be what its author means
  Remarks notes;                     ///< what else concerns training

private:
  friend class Node;
  // Inputs.cpp: what the graph reads
  void declareInputs();
  void declareUserInputs(llvm::ArrayRef<const InputSpec *> inputs);
  std::optional<frontend::InputDims> dimsOf(const InputSpec &spec, const TensorMeta &meta);
  void checkRanges();
  void declareDims();
  void findChanged(const Graph &graph);
  // States.cpp: parameters, buffers, constants
  void declareParameter(const InputSpec &spec);
  std::string declareBuffer(const InputSpec &spec);
  std::optional<Tensor> readTensor(const InputSpec &spec);
  mlir::Value materialize(GraphValue &value);
  bool checkStateName(llvm::StringRef name);
  std::string uniqueSymbol(llvm::StringRef name);
  void writeBuffers();
  // Nodes.cpp: what it computes
  void importNodes(const Graph &graph);
  void importNode(const NodeInfo &info);
  bool isReady(const NodeInfo &info);
  bool checkArguments(const NodeInfo &info, const Operator &op);
  void replaceFirst(const NodeInfo &info, const std::string &result);
  void checkDeclared(const std::string &name);
  std::optional<nn::Shape> declaredShape(const TensorMeta &meta) const;
  void findLastReads(const Graph &graph);
  // Outputs.cpp
  void writeOutputs();
  void tellOfModes();
  // Importer.cpp
  GraphValue *find(llvm::StringRef name);
  mlir::Location locationOf(const NodeInfo &info);
  mlir::Location locationOf(llvm::StringRef name);
  void notifyOperationInserted(mlir::Operation *op, mlir::OpBuilder::InsertPoint) override;
  void addReason(const llvm::Twine &message);
  void addUnsupported(const NodeInfo &info);

  const Archive &archive;
  const Model &model;
  std::string stem;
  const ImportOptions &options;
  mlir::MLIRContext &context;
  frontend::DimNames dimNames;
  llvm::StringMap<GraphValue> values;
  llvm::StringSet<> symbols, modelNames;
  llvm::StringMap<unsigned> lastSuffixes;  ///< of names that were taken
  llvm::StringMap<std::string> parameters; ///< symbols by the names of the graph's inputs
  llvm::StringMap<std::string> buffers;    ///< the same of buffers that are states
  std::vector<std::pair<std::string, Storage>> parameterStorages; ///< by the names of the inputs
  llvm::StringSet<> changed;         ///< inputs of the graph that a node, or its end, writes
  llvm::StringSet<> counters;        ///< buffers of integers that nothing but their own update reads
  llvm::StringMap<size_t> lastReads; ///< of names: the last node that reads them
  size_t currentIndex = 0;
  /// Operators that dlc has not, and the nodes that have them, in order of appearance.
  llvm::MapVector<std::string, std::vector<std::string>, std::map<std::string, unsigned>> unsupported;
  std::string currentNode;
  unsigned errors = 0, lastStorage = 0;
  unsigned evaluatedDropouts = 0, evaluatedNorms = 0, trainedModes = 0; ///< operators by their recorded mode

  mlir::OwningOpRef<mlir::ModuleOp> module;
  train::ProgramOp program;
  train::FunctionOp forward;
  mlir::OpBuilder declarations; ///< before the function
  mlir::ImplicitLocOpBuilder body;
  mlir::Value rngValue;
  int64_t streams = 0;
};

/// "node 'linear_1' (aten.linear.default)".
std::string describe(const NodeInfo &node);
/// Without "torch.ops.".
llvm::StringRef shortTarget(llvm::StringRef target);
/// "; in forward at net.py:12: y = torch.fft.fft(x)": the line of the author's module that made the node,
/// from the stack trace that PyTorch keeps; "" where it keeps none.
std::string sourceOf(const NodeInfo &node);

} // namespace dlc::pt2

#endif // DLC_FRONTENDS_PT2_IMPORTER_H
