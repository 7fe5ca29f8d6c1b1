//===- Node.h - one operation of StableHLO while it is imported -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_STABLEHLO_NODE_H
#define DLC_FRONTENDS_STABLEHLO_NODE_H

#include "dialects/train/Train.h"
#include "frontends/common/OpMaker.h"

namespace dlc::stablehlo {

class Importer;
using frontend::maxDim, frontend::str;
using Numbers = llvm::SmallVector<int64_t>;

/// What is known of a value of the text.
struct Known {
  mlir::Value value;              ///< in the program
  mlir::ElementsAttr constant;    ///< of the text; becomes a value where it is read
  std::optional<nn::Shape> sizes; ///< of whole numbers that are sizes: rank 0 or 1
  bool failed = false;
  std::string reason; ///< why there is no value: told where it is read
};

/// What the import of an operation sees: operands, settings by the names of the generic form, and where the
/// result goes. Errors are reported at the operation.
class Node : public frontend::OpMaker {
public:
  Node(Importer &importer, mlir::Operation *op, mlir::ImplicitLocOpBuilder &b)
      : OpMaker(b), op(op), importer(importer) {}

  mlir::Operation *const op;

  //===-- Operands -----------------------------------------------------------===//
  unsigned count() const { return op->getNumOperands(); }
  Known &known(unsigned i);
  /// Null after an error.
  mlir::Value value(unsigned i);
  nn::Expr expr(unsigned i) { return {b, value(i)}; }
  nn::Shape shape(unsigned i);
  int64_t rank(unsigned i) { return shape(i).size(); }
  /// The number that all elements of an operand are, where the text says so.
  std::optional<double> splat(unsigned i);
  /// Whole numbers that are known while the program is compiled; nullopt after an error.
  std::optional<Numbers> integers(unsigned i);
  /// A shape that is computed from sizes; nullopt after an error.
  std::optional<nn::Shape> sizes(unsigned i);

  //===-- Settings -----------------------------------------------------------===//
  /// A list, or a field of the setting `within`; nullopt where there is none.
  std::optional<Numbers> numbers(llvm::StringRef name, llvm::StringRef within = "");
  int64_t number(llvm::StringRef name, int64_t fallback, llvm::StringRef within = "");
  /// A list of `count` numbers, or `fallback` for each where it is not given; nullopt after an error.
  std::optional<Numbers> perDim(llvm::StringRef name, size_t count, int64_t fallback);
  /// A list of distinct dims below `rank`, in any order; nullopt after an error.
  std::optional<Numbers> dims(llvm::StringRef name, int64_t rank, llvm::StringRef within = "");
  /// The last word of a text: DEFAULT of "precision DEFAULT"; "" where there is none.
  llvm::StringRef word(llvm::StringRef name);
  llvm::StringRef text(llvm::StringRef name);

  //===-- Results ------------------------------------------------------------===//
  /// The dtype of the result.
  mlir::Type resultType();
  /// The shape of the result, where the text gives all of it.
  std::optional<nn::Shape> resultShape();
  bool isFloat() { return mlir::isa_and_nonnull<mlir::FloatType>(resultType()); }
  void give(mlir::Value value);
  void give(Known known);
  void giveSizes(nn::Shape sizes);

  /// Declares that `indices` lie in [low, limit), where they are an input of the program.
  void limitIndices(mlir::Value indices, int64_t low, const nn::Dim &limit);
  /// Reports that the operation is not supported in this form.
  void unsupported(const llvm::Twine &what) { error("is not supported with " + what); }
  mlir::Value cast(mlir::Value x, mlir::Type type) { return x && type ? nn::cast({b, x}, type).get() : x; }
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> permutation);

private:
  Importer &importer;
};

/// An operation by its name.
struct Operator {
  const char *name; ///< "stablehlo.add"
  void (*import)(Node &);
  int operands; ///< how many it has; -1: one or more
};

/// Each file of operators/ has one table.
#define FAMILY(Name) llvm::ArrayRef<Operator> operatorsOf##Name();
#include "frontends/stablehlo/Operators.inc"

/// All of them.
llvm::ArrayRef<llvm::ArrayRef<Operator>> operatorTables();

/// What a function of two scalars computes, as it is given to reductions: "stablehlo.add"; "" where it is
/// anything else than one operation of both.
std::string combiningOperation(mlir::Operation *op);

} // namespace dlc::stablehlo

#endif // DLC_FRONTENDS_STABLEHLO_NODE_H
