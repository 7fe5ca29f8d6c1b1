//===- Roles.h - what nodes read initializers as ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a constant is for shows in the places where it is used: a layer's own parameter is the scale of a
// normalization, the slope of a PRelu, a bias, a matrix, a table of embeddings. Views on the way (Reshape,
// Transpose ...) change nothing.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_ROLES_H
#define DLC_FRONTENDS_ONNX_ROLES_H

#include "frontends/onnx/Proto.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <utility>
#include <vector>

namespace dlc::onnx {

enum class Role { Scale, Bias, Slope, Mean, Variance, Matrix, Table, Other };
/// "scale": also the last part of a parameter's name.
llvm::StringRef nameOf(Role role);

/// Whether input 0 of the operator only looks different in its result.
/// Names that exporters make: "val_72", "onnx::Mul_12", "/Constant_output_0", "const_one", "12".
bool isMadeByExporter(llvm::StringRef name);
bool isView(llvm::StringRef op);

/// Who makes and who reads each name of a graph. Holds pointers into it.
class GraphIndex {
public:
  explicit GraphIndex(::onnx::GraphProto &graph);
  using Reader = std::pair<::onnx::NodeProto *, int>; ///< a node and which of its inputs

  const ::onnx::NodeProto *producer(llvm::StringRef name) const;
  llvm::ArrayRef<Reader> readers(llvm::StringRef name) const;
  bool isOutput(llvm::StringRef name) const { return outputs.contains(name); }
  /// What an input is read as.
  Role roleOf(const ::onnx::NodeProto &node, int input) const;
  /// The name before all views.
  llvm::StringRef beforeViews(llvm::StringRef name) const;

  /// Whether the input is added to the product of a layer, that is with a constant matrix.
  bool isBiasOfProduct(const ::onnx::NodeProto &node, int input) const;

private:
  bool isConstant(llvm::StringRef name) const;
  bool isNormalized(llvm::StringRef name) const;

  llvm::StringMap<const ::onnx::NodeProto *> producers;
  llvm::StringMap<std::vector<Reader>> readerLists;
  llvm::StringSet<> inputs, outputs; ///< inputs without initial value
};

/// Names of constants by what they are for, perhaps behind views.
struct Positions {
  llvm::StringSet<> weights; ///< in a weight position of an operator
  llvm::StringSet<> own;     ///< a layer's own parameter
  llvm::StringSet<> terms;   ///< an operand of arithmetic, or a function of it is: parameters without a layer
  /// Adds those of another graph.
  void insert(const Positions &others);
};
Positions findPositions(llvm::ArrayRef<const ::onnx::NodeProto *> nodes, const GraphIndex &index);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_ROLES_H
