//===- ConstantValues.h - the values of operations on constants -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns what is found of values of the program whose operands are all constants.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_CONSTANTVALUES_H
#define DLC_FRONTENDS_ONNX_CONSTANTVALUES_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace dlc::onnx {

class ConstantValues {
public:
  /// The elements of the value; null where it is no constant.
  mlir::Attribute of(mlir::Value value);

private:
  llvm::DenseMap<mlir::Value, mlir::Attribute> known; ///< null: no constant
};

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_CONSTANTVALUES_H
