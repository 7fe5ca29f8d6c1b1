//===- HostTensor.h - tensors known at import ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initializers and constants as bytes; small integer tensors also as dims, which may be named: shape
// arithmetic of a model is done with them.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_HOSTTENSOR_H
#define DLC_FRONTENDS_ONNX_HOSTTENSOR_H

#include "frontends/common/OpMaker.h"
#include "frontends/common/TensorBytes.h"
#include "frontends/onnx/Proto.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace dlc::onnx {

class ModelFile;

using frontend::countElements, frontend::maxDim;
using nn::maxElements, nn::maxRank;
/// Larger integer tensors are data, not shapes; and a product of more named dims is no size.
constexpr int64_t maxDimElements = 1024, maxDimNames = 16;

/// Whether it is a type of 16 bits that is read as float32.
bool isNarrowFloat(int64_t dataType);
/// The MLIR type of a TensorProto::DataType, null if dlc has none for it.
mlir::Type elementTypeOf(int64_t dataType, mlir::MLIRContext *context);
/// The type of integers of 8 or 16 bits as they are stored; null for others. As constants they are read as
/// int32: old exporters write truth values so.
mlir::IntegerType narrowInteger(int64_t dataType, mlir::MLIRContext *context);
/// "float16", for messages.
std::string dataTypeName(int64_t dataType);
/// "tensors of type float16 are not supported".
std::string unsupportedType(int64_t dataType);
/// "float32": how ONNX users call an MLIR type.
std::string typeName(mlir::Type elementType);

struct HostTensor {
  mlir::RankedTensorType type; ///< static
  frontend::TensorBytes data;  ///< row-major elements (i1: a byte each), or one element if `splat`
  bool splat = false;
  mlir::IntegerType stored = {}; ///< of integers of 8 or 16 bits in the file; all but uint8 have 32 here

  int64_t count() const { return type.getNumElements(); }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(type.getElementType()); }
  /// Element `i` as a number.
  double number(int64_t i) const;
  int64_t integer(int64_t i) const;
  /// The tensor as an attribute; `name` names the blob of a large one, which prints at the file's end.
  mlir::ElementsAttr attribute(llvm::StringRef name) const;
  /// The tensor as an attribute whose elements everyone can look at.
  mlir::DenseElementsAttr denseAttribute() const;
};

/// One element for all places.
HostTensor splatTensor(mlir::RankedTensorType type, double value);

/// The content of a constant of the program.
HostTensor hostTensor(mlir::DenseElementsAttr constant);

/// The content of a message of the model that `file` is.
llvm::Expected<HostTensor> readTensor(const ::onnx::TensorProto &tensor, const ModelFile &file,
                                      mlir::MLIRContext *context);

/// A small tensor of integers or truth values, some of them sizes of named dims.
struct DimTensor {
  mlir::Type elementType;
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<nn::Dim> elements;

  bool isStatic() const;
  HostTensor host() const; ///< of a static one
};
/// Nullopt for floats and for large tensors.
std::optional<DimTensor> asDims(const HostTensor &tensor);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_HOSTTENSOR_H
