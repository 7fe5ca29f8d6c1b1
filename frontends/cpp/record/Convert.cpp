//===- Convert.cpp - plain types and attributes as MLIR's ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/support/Messages.h"
#include "compiler/support/PointLocale.h"
#include "dialects/nn/Infer.h"
#include "frontends/cpp/record/State.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace dlc::record {

mlir::Type elementType(DType dtype, MLIRContext &context) {
  switch (dtype) {
  case DType::Float32:
    return Float32Type::get(&context);
  case DType::Float64:
    return Float64Type::get(&context);
  case DType::BFloat16:
    return BFloat16Type::get(&context);
  case DType::Float16:
    return Float16Type::get(&context);
  case DType::Int64:
    return IntegerType::get(&context, 64);
  case DType::Int32:
    return IntegerType::get(&context, 32);
  case DType::Bool:
    return IntegerType::get(&context, 1);
  case DType::UInt8:
    return IntegerType::get(&context, 8, IntegerType::Unsigned);
  }
  llvm_unreachable("all dtypes are handled");
}

DType dtypeOf(mlir::Type elementType) {
  if (isa<FloatType>(elementType))
    return elementType.isF32()    ? DType::Float32
           : elementType.isF64()  ? DType::Float64
           : elementType.isBF16() ? DType::BFloat16
                                  : DType::Float16;
  return elementType.isInteger(64)   ? DType::Int64
         : elementType.isInteger(32) ? DType::Int32
         : elementType.isInteger(8)  ? DType::UInt8
                                     : DType::Bool;
}

nn::Dim dimOf(const Dim &dim) {
  nn::Dim result(dim.factor);
  for (const auto &[name, bound] : dim.names)
    result.names.push_back(name);
  llvm::sort(result.names);
  return result;
}

mlir::Attribute attributeOf(const Attribute &attribute, Recorder::State &state) {
  MLIRContext &context = state.context;
  Builder builder(&context);
  struct Visitor {
    Builder &builder;
    Recorder::State &state;
    mlir::Attribute operator()(bool isSet) { return isSet ? builder.getUnitAttr() : mlir::Attribute(); }
    mlir::Attribute operator()(int64_t number) { return builder.getI64IntegerAttr(number); }
    mlir::Attribute operator()(double number) { return builder.getF64FloatAttr(number); }
    mlir::Attribute operator()(const std::vector<int64_t> &numbers) {
      return builder.getDenseI64ArrayAttr(numbers);
    }
    mlir::Attribute operator()(const std::vector<double> &numbers) {
      return builder.getDenseF64ArrayAttr(numbers);
    }
    mlir::Attribute operator()(DType dtype) {
      return TypeAttr::get(elementType(dtype, *builder.getContext()));
    }
    mlir::Attribute operator()(const Spelled &spelled) {
      return parseAttribute(spelled.text, builder.getContext());
    }
    mlir::Attribute operator()(NameOf name) {
      return cast<train::ReadOp>(state.values[name.state].getDefiningOp()).getSymbolAttr();
    }
  };
  return std::visit(Visitor{builder, state}, attribute);
}

std::string errorsOf(MLIRContext &context, llvm::function_ref<void()> make) {
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return failure(); // for whoever prints warnings
    text += (text.empty() ? "" : "; ") + forUsersOfModels(diagnostic.str());
    return success();
  });
  const PointLocale locale; // numbers in messages have a point in programs of all languages
  make();
  return text;
}

} // namespace dlc::record
