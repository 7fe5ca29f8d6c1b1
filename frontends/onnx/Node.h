//===- Node.h - one ONNX node while it is imported -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the import of an operator sees: the node's inputs as values or constants, its attributes, where
// results go. Operations are made through `make`, which checks shapes and reports instead of aborting; null
// values pass through it, so operators need not ask after each step.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_NODE_H
#define DLC_FRONTENDS_ONNX_NODE_H

#include "frontends/common/ProgramNode.h"
#include "frontends/onnx/ExportRecord.h"
#include "frontends/onnx/HostTensor.h"
#include <limits>

namespace dlc::onnx {

class ModelFile;

struct Services;

using frontend::maxCopies, frontend::str;

class Node : public frontend::ProgramNode {
public:
  /// `since`: the operator's version.
  Node(Services &services, const ::onnx::NodeProto &proto, int64_t since);

  const int64_t opset; ///< of the model
  const int64_t since; ///< the operator's version

  //===-- Inputs -------------------------------------------------------------===//
  int inputCount() const;
  bool has(int input) const;
  llvm::StringRef inputName(int input) const;
  /// The input as a value; null after an error.
  mlir::Value value(int input);
  /// The input as an expression, for an input that the operator requires.
  nn::Expr expr(int input) { return {b, value(input)}; }
  /// The input where it is known at import, else null.
  const HostTensor *constant(int input);
  /// The one number of the input where it is known at import, and training leaves it as it is.
  std::optional<double> fixedNumber(int input);
  /// The number that all elements of the input are, under the same conditions.
  std::optional<double> fixedNumbers(int input);
  /// Small integers known at import, some perhaps sizes of named dims.
  std::optional<DimTensor> dims(int input);
  /// Integers that must be known: an error (and nullopt) where they are not.
  std::optional<llvm::SmallVector<int64_t>> integers(int input, llvm::StringRef what);
  /// The shape, without making a value.
  nn::Shape shape(int input);
  /// The tensors of a sequence; empty where the input is none.
  llvm::ArrayRef<mlir::Value> parts(int input);
  mlir::Type elementType(int input);
  /// The integer type of an input that QuantizeLinear made, perhaps moved since; else null.
  mlir::IntegerType quantizedType(int input);
  int64_t rank(int input) { return shape(input).size(); }

  //===-- Attributes ---------------------------------------------------------===//
  bool hasAttribute(llvm::StringRef name) const;
  int64_t integer(llvm::StringRef name, int64_t fallback);
  /// A number in [low, high], which is finite; an error (and the fallback) where it is not.
  double number(llvm::StringRef name, double fallback, double low = -std::numeric_limits<double>::infinity(),
                double high = std::numeric_limits<double>::infinity());
  /// One that may be infinite or NaN.
  double anyNumber(llvm::StringRef name, double fallback);
  std::string text(llvm::StringRef name, llvm::StringRef fallback);
  std::optional<llvm::SmallVector<int64_t>> integerList(llvm::StringRef name);
  std::optional<llvm::SmallVector<float>> numberList(llvm::StringRef name);
  const ::onnx::AttributeProto *attribute(llvm::StringRef name) const;

  //===-- Results ------------------------------------------------------------===//
  int outputCount() const;
  /// Whether anything could read output `i`.
  bool wants(int output) const;
  std::string outputName(int output) const;
  void give(int output, mlir::Value value);
  void give(int output, HostTensor tensor);
  void give(int output, DimTensor dims);
  /// Output 0: integers of `type`, which float numbers stand for.
  void giveQuantized(mlir::Value value, mlir::IntegerType type);
  /// A sequence: `parts` are its tensors.
  void give(int output, std::vector<mlir::Value> parts);
  /// Output 0 is another name of an input.
  void giveInput(int input);
  /// The graph in an attribute, whose initializers become names of the graph around it; nullopt after an
  /// error.
  std::optional<::onnx::GraphProto> graph(llvm::StringRef attribute);
  /// Imports its nodes. Its inputs stand for values of these names; the names of its outputs, or nullopt
  /// where one of them is not there, for a reason that was told. What they give `mayNotCount` where data
  /// decide it: then they change no state.
  std::optional<std::vector<std::string>> importBody(const ::onnx::GraphProto &body,
                                                     llvm::ArrayRef<std::string> inputs, bool mayNotCount);
  /// Whether the node is in such a body.
  bool mayNotCount() const;
  /// How often a loop's body runs at most where data say how often it does; 0: no number was given.
  int64_t maxTrips() const;
  /// How many nodes of bodies the model has so far.
  int64_t bodyNodes() const;
  /// The value of that name; null where it has none (a sequence).
  mlir::Value valueOf(llvm::StringRef name);
  /// The value of that name where it is known at import; else null.
  const HostTensor *constantOf(llvm::StringRef name);
  /// Gives a value a name like this one, which comes back.
  std::string addValue(llvm::StringRef name, mlir::Value value);
  std::string addConstant(llvm::StringRef name, HostTensor tensor);
  /// The output is another name of `name`.
  void giveName(int output, llvm::StringRef name);
  /// What the file declares of the output's shape is not what its exporter means.
  void forgetDeclaredShape(int output);
  /// Training this node cannot be what its author means.
  void warn(const llvm::Twine &message);

  //===-- The program --------------------------------------------------------===//
  /// Whether no gradient flows through the node in the exported module.
  bool isDetached() const;
  /// The index of an embedding whose row is not trained, where the exporter noted it.
  std::optional<int64_t> paddingIndex() const;
  /// Whether running variances follow the population's, as ONNX says, or the unbiased one, as PyTorch does.
  bool keepsPopulationVariance() const;
  /// Whether a layer in evaluation mode is so on purpose, as the model was exported in training mode.
  bool isOfTraining() const;
  /// Whether PyTorch wrote the file.
  bool isOfPyTorch() const;
  /// The batch, where the file has one row in its place: a constant 1 in a shape may stand for it.
  std::optional<nn::Dim> openedBatch() const;
  bool isInTraining() const;
  Limits limits() const;
  bool isMeanOfUpdates() const;
  /// Where input 0 is an initializer of integers for a layer's weights: the parameter that starts as
  /// `numbers`, which those integers mean. Else null.
  mlir::Value parameterFromIntegers(const HostTensor &numbers);
  /// A buffer (running statistics) that starts as constant input `i`.
  std::optional<std::string> buffer(int input);
  /// Its value, for nodes that do not change it; null after an error.
  mlir::Value bufferValue(int input);
  /// Has the elements of the model's tensors.
  const ModelFile &file() const;

private:
  Services &services;
  const ::onnx::NodeProto &proto;
};

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_NODE_H
