//===- Importer.h - from an exported program to a train program -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the nodes, which stand in the order in which they are computed, and asks the tables of operators for
// each. An error poisons what depends on it and the walk goes on, so that all reasons are found in one go.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_PT2_IMPORTER_H
#define DLC_FRONTENDS_PT2_IMPORTER_H

#include "frontends/common/ProgramImporter.h"
#include "frontends/pt2/Archive.h"
#include "frontends/pt2/Import.h"
#include "frontends/pt2/Node.h"

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

class Importer : public frontend::ProgramImporter {
public:
  /// `checking`: a symbolic batch needs no size.
  Importer(const Archive &archive, llvm::StringRef path, const ImportOptions &options, bool checking,
           mlir::MLIRContext &context);

private:
  friend class Node;
  void importGraph() override;
  // Inputs.cpp: what the graph reads
  void declareInputs();
  void declareUserInputs(llvm::ArrayRef<const InputSpec *> inputs);
  std::optional<frontend::InputDims> dimsOf(const InputSpec &spec, const TensorMeta &meta);
  void checkRanges();
  void findChanged(const Graph &graph);
  // States.cpp: parameters, buffers, constants
  void declareParameter(const InputSpec &spec);
  std::string declareBuffer(const InputSpec &spec);
  std::optional<Tensor> readTensor(const InputSpec &spec);
  mlir::Value materialize(GraphValue &value);
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
  void addUnsupported(const NodeInfo &info);

  const Archive &archive;
  const Model &model;
  llvm::StringMap<GraphValue> values;
  llvm::StringMap<std::string> parameters; ///< symbols by the names of the graph's inputs
  llvm::StringMap<std::string> buffers;    ///< the same of buffers that are states
  std::vector<std::pair<std::string, Storage>> parameterStorages; ///< by the names of the inputs
  llvm::StringSet<> changed;         ///< inputs of the graph that a node, or its end, writes
  llvm::StringSet<> counters;        ///< buffers of integers that nothing but their own update reads
  llvm::StringMap<size_t> lastReads; ///< of names: the last node that reads them
  size_t currentIndex = 0;
  unsigned lastStorage = 0;
  unsigned evaluatedDropouts = 0, evaluatedNorms = 0, trainedModes = 0; ///< operators by their recorded mode
};

/// "node 'linear_1' (aten.linear.default)".
std::string describe(const NodeInfo &node);
/// The target without "torch.ops.".
llvm::StringRef shortTarget(llvm::StringRef target);
/// "; in forward at net.py:12: y = torch.fft.fft(x)": the line of the author's module that made the node,
/// from the stack trace that PyTorch keeps; "" where it keeps none.
std::string sourceOf(const NodeInfo &node);

} // namespace dlc::pt2

#endif // DLC_FRONTENDS_PT2_IMPORTER_H
