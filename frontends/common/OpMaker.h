//===- OpMaker.h - operations that importers make --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of a file that nobody trusts: shapes and attributes are checked and reported, at the builder's
// location, where the builders of MLIR abort. Null values pass through, so an importer of an operator need
// not ask after each step.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_OPMAKER_H
#define DLC_FRONTENDS_COMMON_OPMAKER_H

#include "dialects/nn/Expr.h"
#include "dialects/nn/Infer.h"
#include "frontends/common/Options.h"

namespace dlc::frontend {

/// Sizes above it are refused, so that no product of dims overflows.
constexpr int64_t maxDim = int64_t(1) << 31;

/// The number of elements; nullopt if a dim is negative or there are too many elements or dims.
std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape);

/// A number for messages.
std::string str(double number);

class OpMaker {
public:
  explicit OpMaker(mlir::ImplicitLocOpBuilder &b) : b(b) {}

  mlir::ImplicitLocOpBuilder &b;

  /// An error of what is being imported.
  void error(const llvm::Twine &message);

  /// An operation with inferred result types; null where an operand is null or shapes do not fit.
  template <typename Op>
  Op makeOp(mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  template <typename Op>
  mlir::Value make(mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
    Op op = makeOp<Op>(operands, attributes);
    return op ? op->getResult(0) : mlir::Value();
  }
  mlir::NamedAttribute attr(llvm::StringRef name, int64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(value));
  }
  mlir::NamedAttribute attr(llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
    return b.getNamedAttr(name, b.getDenseI64ArrayAttr(values));
  }
  mlir::NamedAttribute attr(llvm::StringRef name, double value) {
    return b.getNamedAttr(name, b.getF64FloatAttr(value));
  }
  mlir::NamedAttribute flag(llvm::StringRef name) { return b.getNamedAttr(name, b.getUnitAttr()); }

  /// `axis` counted from the front; an error where it is not in [-rank, rank).
  std::optional<int64_t> axis(int64_t axis, int64_t rank);
  /// `axes` counted from the front, sorted and distinct; an error where one is not in [-rank, rank).
  std::optional<llvm::SmallVector<int64_t>> axes(llvm::ArrayRef<int64_t> axes, int64_t rank);
  /// Whether a tensor may have this shape; reports where it may not.
  bool checkSize(llvm::ArrayRef<nn::Dim> shape);
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<nn::Dim> shape);
  mlir::Value expand(mlir::Value x, llvm::ArrayRef<nn::Dim> shape);
  /// Places `start`, `start` + `step` ... before `limit` along an axis.
  mlir::Value part(mlir::Value x, int64_t axis, int64_t start, int64_t limit, int64_t step = 1);
  /// A rank-0 constant.
  mlir::Value scalar(double value, mlir::Type elementType);
};

template <typename Op>
Op OpMaker::makeOp(mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  if (llvm::is_contained(operands, mlir::Value()))
    return {};
  typename Op::Properties properties;
  mlir::DictionaryAttr dictionary = b.getDictionaryAttr(attributes);
  if constexpr (Op::hasProperties())
    if (failed(Op::setPropertiesFromAttr(properties, dictionary, [&] { return emitError(b.getLoc()); })))
      return {};
  llvm::SmallVector<mlir::Type> types;
  if (failed(Op::inferReturnTypes(b.getContext(), b.getLoc(), operands, dictionary, &properties, {}, types)))
    return {};
  return Op::create(b, mlir::TypeRange(types), operands, attributes);
}

/// What a builder's listener does with an operation of an importer, so that what is wrong belongs to what is
/// being imported: reports a result that is too large where named dims are as large as `boundOf` says, and
/// verifies the operation, but for those that name symbols, which may be declared later.
void checkNewOperation(mlir::Operation *op, llvm::function_ref<int64_t(const nn::Dim &)> boundOf);

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_OPMAKER_H
