//===- Constant.cpp - constants and initial values ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants and initial values: attributes to tensors.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Interpreter.h"
#include "compiler/interpret/Raw.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

namespace dlc::interpret {
mlir::FailureOr<Tensor> tensorOf(mlir::ElementsAttr elements,
                                 llvm::function_ref<mlir::InFlightDiagnostic()> report) {
  std::optional<DType> dtype = dtypeOf(elements.getElementType());
  if (!dtype)
    return report() << "holds elements of type " << elements.getElementType() << ", which no tensor has";
  Tensor tensor = Tensor::zeros(*dtype, elements.getShapedType().getShape());
  if (auto dense = mlir::dyn_cast<mlir::DenseFPElementsAttr>(elements)) {
    if (!dense.isSplat()) {
      fromBytes(dense.getRawData(), tensor);
      return tensor;
    }
    auto number = dense.getSplatValue<llvm::APFloat>();
    bool losesInfo = false;
    number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    std::fill(tensor.floats.begin(), tensor.floats.end(), number.convertToDouble());
    return tensor;
  }
  if (auto dense = mlir::dyn_cast<mlir::DenseIntElementsAttr>(elements)) {
    bool hasSign = *dtype != DType::I1 && *dtype != DType::UI8;
    llvm::transform(dense.getValues<llvm::APInt>(), tensor.ints.begin(),
                    [hasSign](const llvm::APInt &number) {
                      return hasSign ? number.getSExtValue() : static_cast<int64_t>(number.getZExtValue());
                    });
    return tensor;
  }
  if (auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(elements)) {
    mlir::AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return report() << "has the values `dense_resource<" << resource.getRawHandle().getKey()
                      << ">`, which are not in the file";
    size_t expected = tensor.size() * bytesOf(*dtype);
    if (blob->getData().size() != expected)
      return report() << "expected " << expected << " bytes of `dense_resource<"
                      << resource.getRawHandle().getKey() << ">`, found " << blob->getData().size();
    fromBytes(blob->getData(), tensor);
    return tensor;
  }
  return report() << "has values in a form that is not known here: " << elements;
}

} // namespace dlc::interpret
