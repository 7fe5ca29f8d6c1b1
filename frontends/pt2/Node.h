//===- Node.h - one node of an exported program while it is imported --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the import of an operator sees: the node's arguments by the names of the operator's schema, and where
// results go. Results have the dtypes that the file says: PyTorch's rules of promotion were applied when the
// module was exported, and operands are cast to what they led to.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_PT2_NODE_H
#define DLC_FRONTENDS_PT2_NODE_H

#include "frontends/common/ProgramNode.h"
#include "frontends/pt2/Model.h"

namespace dlc::pt2 {

struct Services;
using frontend::maxCopies, frontend::maxDim, frontend::str;
using Numbers = llvm::SmallVector<int64_t>;

class Node : public frontend::ProgramNode {
public:
  Node(Services &services, const NodeInfo &info);

  //===-- Arguments ----------------------------------------------------------===//
  /// Whether the argument is given, and not None.
  bool has(llvm::StringRef name) const;
  /// The tensor; null after an error, and where it is not given.
  mlir::Value value(llvm::StringRef name);
  /// The tensor as an expression, for one that the operator requires.
  nn::Expr expr(llvm::StringRef name) { return {b, value(name)}; }
  /// A tensor or a number, as a tensor of `type`; null after an error.
  mlir::Value operand(llvm::StringRef name, mlir::Type type);
  /// Whether it is a list of whole numbers, or one.
  bool hasNumbers(llvm::StringRef name) const;
  nn::Shape shape(llvm::StringRef name);
  int64_t rank(llvm::StringRef name) { return shape(name).size(); }
  /// The tensors of a list, null where one is None; empty after an error.
  llvm::SmallVector<mlir::Value> values(llvm::StringRef name);

  int64_t integer(llvm::StringRef name, int64_t fallback);
  double number(llvm::StringRef name, double fallback);
  /// A number that the file itself has, and nothing computes.
  std::optional<double> fixedNumber(llvm::StringRef name);
  bool boolean(llvm::StringRef name, bool fallback);
  std::string text(llvm::StringRef name, llvm::StringRef fallback);
  /// Whole numbers of a list, or the one that is given; nullopt where none is given, or after an error.
  std::optional<Numbers> integers(llvm::StringRef name);
  std::optional<llvm::SmallVector<double>> numbers(llvm::StringRef name);
  /// Sizes that may be symbolic.
  std::optional<nn::Shape> sizes(llvm::StringRef name);
  std::optional<nn::Dim> size(llvm::StringRef name);
  /// Whether the argument is a size, and this one.
  bool isSize(llvm::StringRef name, const nn::Dim &size);
  /// A dim, counted from the front; an error where it is not in [-rank, rank).
  std::optional<int64_t> dim(llvm::StringRef name, int64_t fallback, int64_t rank);
  /// The dims of `name`, sorted, or all where none are given.
  std::optional<Numbers> dims(llvm::StringRef name, int64_t rank);

  //===-- Results ------------------------------------------------------------===//
  int outputCount() const { return outputs().size(); }
  bool wants(int output) const;
  /// The dtype that the file says; f32 where it says none.
  mlir::Type resultType(int output = 0);
  bool isFloat() { return mlir::isa<mlir::FloatType>(resultType()); }
  void give(int output, mlir::Value value);
  /// The result is a size.
  void give(nn::Dim size);
  void give(mlir::Value value) { give(0, value); }
  /// Tensors one after the other, as many as there are results.
  void giveAll(llvm::ArrayRef<mlir::Value> values);

  //===-- The program --------------------------------------------------------===//
  /// Training this node cannot be what its author means.
  void warn(const llvm::Twine &message);
  /// Counts a dropout or a normalization by the mode in which it was recorded.
  void countMode(bool isTraining, bool isNorm);
  /// The symbol of the buffer that the argument is; an error and "" where it is none.
  std::string buffer(llvm::StringRef name);
  /// Reports that the operator is not supported in this form.
  void unsupported(const llvm::Twine &what) { error("is not supported with " + what); }

  mlir::Value cast(mlir::Value x, mlir::Type type) { return x ? nn::cast({b, x}, type).get() : x; }
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> permutation) {
    return make<nn::TransposeOp>({x}, attr("permutation", permutation));
  }
  /// A tensor of this type and shape of one number.
  mlir::Value filled(double number, mlir::Type type, llvm::ArrayRef<nn::Dim> shape) {
    return expand(scalar(number, type), shape);
  }

private:
  const Argument *find(llvm::StringRef name) const;
  std::vector<std::string> outputs() const;
  std::optional<nn::Dim> dimOf(const Element &element);
  void wrong(llvm::StringRef name, llvm::StringRef expected);

  Services &services;
  const NodeInfo &info;
};

} // namespace dlc::pt2

#endif // DLC_FRONTENDS_PT2_NODE_H
