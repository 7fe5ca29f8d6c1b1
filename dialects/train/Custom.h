//===- Custom.h - operations that users bring themselves -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_TRAIN_CUSTOM_H
#define DLC_DIALECTS_TRAIN_CUSTOM_H

#include "dialects/train/Train.h"

namespace train {

class CustomFunctionOp;

/// An input or an output of a user's function.
class CustomTensor {
public:
  /*implicit*/ CustomTensor(mlir::DictionaryAttr entries = {}) : entries(entries) {}
  explicit operator bool() const { return bool(entries); }
  llvm::StringRef getName() const;
  mlir::Type getElement() const; ///< null where it says none
  llvm::SmallVector<llvm::StringRef> getShape() const;
  bool isConstant() const { return entries.contains("constant"); }
  /// Whether a gradient flows to the input, if the function has one.
  bool isVariable() const { return !isConstant() && llvm::isa<mlir::FloatType>(getElement()); }

private:
  mlir::DictionaryAttr entries;
};

/// A number that an operation of the user's has as an attribute.
class CustomSetting {
public:
  /*implicit*/ CustomSetting(mlir::DictionaryAttr entries = {}) : entries(entries) {}
  explicit operator bool() const { return bool(entries); }
  llvm::StringRef getName() const;
  mlir::Type getType() const;          ///< null where it says none
  mlir::TypedAttr getFallback() const; ///< null where each use must say it

private:
  mlir::DictionaryAttr entries;
};

/// The code that an operation of the user's has for GPUs, and how many threads call it.
class CustomCuda {
public:
  /*implicit*/ CustomCuda(mlir::DictionaryAttr entries = {}) : entries(entries) {}
  explicit operator bool() const { return bool(entries); }
  llvm::StringRef getFunction() const;
  llvm::StringRef getSource() const;
  int64_t getBlock() const; ///< threads of a block
  /// Numbers and names of sizes, whose product is the number of blocks; or else that of the threads needed.
  llvm::SmallVector<llvm::StringRef> getFactors() const;
  bool countsBlocks() const { return entries.contains("blocks"); }
  /// Whether all is there, and `function` has the sizes.
  mlir::LogicalResult verify(CustomFunctionOp function) const;

private:
  mlir::DictionaryAttr entries;
};

/// A dim of a tensor of a user's function, as its text says it.
struct CustomDim {
  std::optional<int64_t> size; ///< a number
  llvm::StringRef name;        ///< else the name of a size
  bool isGroup = false;        ///< of any number of dims
  static CustomDim parse(llvm::StringRef text);
};

} // namespace train

#define GET_OP_CLASSES
#include "dialects/train/CustomOps.h.inc"

namespace train {

/// What follows for one use of a function.
struct CustomShapes {
  llvm::SmallVector<mlir::Type> outputs;
  nn::Shape sizes; ///< that the function gets
};
using ReportError = llvm::function_ref<mlir::InFlightDiagnostic()>;
/// For inputs of these types; `error` begins the message where they do not fit.
mlir::FailureOr<CustomShapes> customShapes(CustomFunctionOp function, mlir::TypeRange inputs,
                                           ReportError error);
/// The settings in order, where those in `given` have these values.
mlir::FailureOr<mlir::ArrayAttr> customNumbers(CustomFunctionOp function, mlir::DictionaryAttr given,
                                               ReportError error);
/// Checks what the gradient gives for inputs and outputs of these types.
mlir::LogicalResult checkCustomGradient(CustomFunctionOp function, mlir::TypeRange inputs,
                                        mlir::TypeRange outputs, ReportError error);

} // namespace train

#endif // DLC_DIALECTS_TRAIN_CUSTOM_H
