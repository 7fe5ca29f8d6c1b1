//===- Writer.h - nodes of an ONNX graph from operations -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the rules of all families use. A rule writes the nodes that compute an operation's results; values are
// known by their names in the graph.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_EXPORT_WRITER_H
#define DLC_FRONTENDS_ONNX_EXPORT_WRITER_H

#include "dialects/nn/Dims.h"
#include "dialects/nn/NN.h"
#include "dialects/train/Train.h"
#include "frontends/onnx/Messages.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <functional>
#include <variant>

namespace dlc::onnx {

using ExportedAttribute = std::variant<int64_t, float, std::vector<int64_t>, std::string>;
using ExportedAttributes = std::vector<std::pair<const char *, ExportedAttribute>>;
using Names = std::vector<std::string>;

class Writer {
public:
  Writer(::onnx::GraphProto &graph, train::ProgramOp program);

  /// The name of a value that was written already.
  std::string operator[](mlir::Value value) const { return names.lookup(value); }
  /// The name says it, without a node.
  void alias(mlir::Value value, const std::string &name) { names[value] = name; }

  /// Types are operators; what stands before the last dot of one is its domain.
  /// A node whose only result is the operation's, and one whose result is on the way to it: its name.
  void result(mlir::Value value, const char *type, const Names &inputs,
              const ExportedAttributes &attributes = {});
  std::string step(const char *type, const Names &inputs, const ExportedAttributes &attributes = {});
  /// A node with several results, of which those that nobody uses have no name.
  void results(mlir::ValueRange values, const char *type, const Names &inputs,
               const ExportedAttributes &attributes = {});

  /// A node `Constant` of int64 numbers in a row.
  std::string integers(llvm::ArrayRef<int64_t> numbers);
  /// A rank-0 constant of an element type.
  std::string scalar(double number, mlir::Type elementType);
  /// Elements as they stand in an attribute.
  std::string constant(mlir::ElementsAttr values);
  /// Sizes as a row of int64; those of named dims are read from the inputs.
  mlir::FailureOr<std::string> sizes(llvm::ArrayRef<nn::Dim> shape);

  /// Begins the nodes of an operation, whose rule runs next; they are called after it.
  void begin(mlir::Operation *op);

private:
  std::string fresh(llvm::StringRef hint);
  ::onnx::NodeProto &node(const char *type, const Names &inputs, const ExportedAttributes &attributes);

  ::onnx::GraphProto &graph;
  train::ProgramOp program;
  llvm::DenseMap<mlir::Value, std::string> names;
  llvm::StringSet<> taken;
  llvm::StringMap<std::string> dimSizes; ///< a row of one number for each named dim
  std::string current;
};

/// Writes an operation, or says at it why not.
using ExportRule = std::function<mlir::LogicalResult(Writer &, mlir::Operation *)>;

class ExportRules {
public:
  template <typename Op> void add(mlir::LogicalResult (*rule)(Writer &, Op)) {
    rules[Op::getOperationName()] = [rule](Writer &writer, mlir::Operation *op) {
      return rule(writer, mlir::cast<Op>(op));
    };
  }
  /// An operation that is one node of the same operands, without attributes.
  void addNode(llvm::StringRef operation, const char *type);
  const ExportRule *find(llvm::StringRef operation) const;

private:
  llvm::StringMap<ExportRule> rules;
};

/// Each family adds the rules of its operations, in the file of its name.
#define FAMILY(Name) void add##Name##Rules(ExportRules &rules);
#include "frontends/onnx/ExportRules.inc"

/// ONNX's number of an element type.
int32_t exportedType(mlir::Type elementType);
/// Fills in dtype, shape and bytes of an initializer or a constant.
void exportElements(mlir::ElementsAttr values, ::onnx::TensorProto &tensor);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_EXPORT_WRITER_H
