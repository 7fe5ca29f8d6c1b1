//===- Importer.h - from messages to a train program -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the graph in topological order and asks the tables of operators for each node. An error poisons what
// depends on it and the walk goes on, so that all reasons are found in one go.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_IMPORTER_H
#define DLC_FRONTENDS_ONNX_IMPORTER_H

#include "frontends/common/ProgramImporter.h"
#include "frontends/onnx/ExportRecord.h"
#include "frontends/onnx/Import.h"
#include "frontends/onnx/Node.h"
#include "frontends/onnx/Roles.h"

namespace dlc::onnx {

/// A name of the graph: at most one of value, constant and dims is needed to have the others.
struct GraphValue {
  mlir::Value value;
  std::shared_ptr<const HostTensor> constant;
  std::optional<DimTensor> dims;
  std::vector<mlir::Value> parts; ///< of a sequence, which has no value itself
  mlir::IntegerType quantized;    ///< what the file has where `value` has float numbers
  bool initializer = false;
  bool isParameter = false, isConstant = false; ///< an initializer that the exporter's record knows
  std::optional<bool> trained;                  ///< what isTrained found
  bool failed = false;
  std::string reason; ///< of an initializer that cannot be read: told where it is used
};

class Owners;
class Ties;
struct View;

class Importer : public frontend::ProgramImporter {
public:
  /// `checking`: a symbolic batch needs no size.
  /// The model's graph is changed: what layers share is untied.
  Importer(::onnx::ModelProto &model, llvm::StringRef path, const ImportOptions &options, bool checking,
           mlir::MLIRContext &context);

private:
  friend class Node;
  void importGraph() override;
  void finish() override;
  // Graph.cpp: names, order, inputs, outputs
  void readOpset();
  void declareInitializers(const ::onnx::GraphProto &graph);
  void declareInputs();
  void remarkOnNarrowFloats();
  void importNodes(::onnx::GraphProto &graph);
  void writeOutputs();
  /// Nodes that the graph's outputs need, producers first.
  std::vector<const ::onnx::NodeProto *> sortNodes(const ::onnx::GraphProto &graph);
  void importNode(const ::onnx::NodeProto &proto);
  const Operator *checkNode(const ::onnx::NodeProto &proto);
  // DeclaredShapes.cpp: what the file says of results
  void readDeclaredShapes();
  void checkDeclaredShape(const std::string &name);
  // Custom.cpp: operations that users bring
  bool readCustomOps();
  void findCustomParameters(llvm::ArrayRef<const ::onnx::NodeProto *> nodes);
  bool checkCustom(const ::onnx::NodeProto &proto, mlir::Operation *function);
  void importCustom(Node &node, mlir::Operation *function);
  // Quantized.cpp: integers that float numbers stand for
  mlir::IntegerType quantizedInput(const ::onnx::NodeProto &proto);
  bool mayReadQuantized(const ::onnx::NodeProto &proto);
  void passQuantized(const ::onnx::NodeProto &proto);
  mlir::Value quantizedOutput(const ::onnx::ValueInfoProto &output, const GraphValue &value);
  // DropoutFormula.cpp
  void recognizeDropout();
  std::optional<double> numberInFile(llvm::StringRef name, const GraphIndex &index) const;
  // EmbeddingBags.cpp
  void recognizeBags();
  std::string lengthOfBags(const std::string &offsets, const GraphIndex &index) const;
  // Bodies.cpp: graphs in attributes
  /// Declares the initializers of the graph, and of those in it, under names that nothing else has.
  void declareInside(::onnx::GraphProto &graph);
  /// Imports the nodes of such a graph as nodes of the graph around it. Its inputs stand for values of these
  /// names; the names of its outputs come back. Where what they give `mayNotCount`, no state may change.
  std::vector<std::string> importBody(const ::onnx::GraphProto &body, llvm::ArrayRef<std::string> inputs,
                                      bool mayNotCount);
  /// `name`, or like it, where something has that name already.
  std::string freeName(llvm::StringRef name);
  // Copies.cpp
  void restoreParameters(const Owners &owners);
  void joinCopies();
  std::optional<View> foldedView(const HostTensor &folded, llvm::StringRef name,
                                 const GraphIndex &index) const;
  std::optional<View> viewOfParameter(llvm::StringRef name, const HostTensor &copy, const GraphIndex &index,
                                      const Owners &owners, int64_t &budget) const;
  const HostTensor *floatsOf(llvm::StringRef name) const;
  // Layers.cpp: which initializers are whose parameters
  void untie();
  bool isTrained(llvm::StringRef name, GraphValue &value);
  bool decideTrained(llvm::StringRef name, const GraphValue &value);
  // Computed.cpp: which function of which parameter a constant is, "" if none is found
  std::string formulaOf(const HostTensor &tensor) const;
  void warnOfLosses(const Ties &ties);
  void warnOfFolding();
  void warnOfStatistics();
  void warnOfMissingBiases();
  void tellOfStates();
  // LostDropout.cpp
  void tellOfDropout();
  // Trained.cpp: whether the module's parameters are trained, and nothing else
  void checkTrained();
  void checkParameters();
  void checkOthers();
  // State.cpp: values, parameters
  GraphValue *find(llvm::StringRef name);
  /// The name that an alias stands for, else the name itself.
  llvm::StringRef resolve(llvm::StringRef name) const;
  mlir::Value materialize(llvm::StringRef name, GraphValue &value);
  mlir::Value materializeDims(const DimTensor &dims);
  mlir::Value declareParameter(llvm::StringRef name, const GraphValue &value);
  void collectNames();
  mlir::Attribute evaluate(mlir::Value value);
  void addUnreadable(const std::string &reason, const std::string &tensor);

  ::onnx::ModelProto &model;
  const ExportRecord record;
  std::string folder;
  const ImportOptions &onnxOptions;
  int64_t opset = 0;
  llvm::StringMap<GraphValue> values;
  llvm::StringMap<mlir::Operation *> customOps; ///< declarations (train.custom_function) by their full names
  llvm::StringMap<std::string> aliases;         ///< results of Identity nodes: what they are
  Positions positions;
  /// Why tensors that nodes read cannot be read, and which tensors.
  frontend::Grouped unreadable;
  llvm::StringSet<> unreadableNames;
  /// The shapes that the graph declares for its values, by name; an output may be declared twice.
  llvm::StringMap<llvm::SmallVector<const ::onnx::TensorShapeProto *, 1>> declaredShapes;
  llvm::StringMap<mlir::Value> fromIntegers; ///< parameters by the names of initializer, scale and zero point
  llvm::StringMap<std::string> buffers;      ///< symbols by the initializers' names
  llvm::StringMap<std::string> declared;     ///< initializers by the symbols of their parameters
  std::vector<const ::onnx::NodeProto *> imported; ///< of the graph itself, producers first
  std::vector<std::string> frozen;                 ///< parameters that the author's module does not train
  llvm::DenseMap<mlir::Value, mlir::Attribute> evaluated; ///< null: no constant
  bool isInBodyThatMayNotCount = false;
  int64_t bodyNodes = 0;                                  ///< imported by importBody so far
};

/// "'a', 'b', 'c' and 5 more".
std::string listed(llvm::ArrayRef<std::string> names);
/// The end of warnings of what an exporter's optimizations did.
extern const char *const exportHint;

/// The operator with its domain, which ONNX's own have none of: "com.microsoft.Gelu".
std::string fullName(const ::onnx::NodeProto &node);
/// A node's name, else that of its first output.
llvm::StringRef nameOf(const ::onnx::NodeProto &node);
/// "node 'fc1' (Gemm)".
std::string describe(const ::onnx::NodeProto &node);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_IMPORTER_H
