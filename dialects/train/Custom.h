//===- Custom.h - operations that users bring themselves -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_TRAIN_CUSTOM_H
#define DLC_DIALECTS_TRAIN_CUSTOM_H

#include "dialects/train/Train.h"

namespace train {

/// A dim of a tensor of a user's function (CustomTensorAttr), or a factor of its threads (CustomCudaAttr), as
/// its text says it.
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
