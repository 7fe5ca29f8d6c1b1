//===- UserCall.cpp - a kernel's call of a user's function -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/kernel/UserCall.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen {

UserCall::UserCall(KernelFunction &kernel, StringRef symbol)
    : kernel(kernel), b(kernel.builder()),
      op(cast<train::CustomCallOp>(kernel.getKernel().getBody().front().front())), function(op.definition()),
      symbol(symbol) {}

Index UserCall::sizeOf(StringRef name) {
  nn::Dim size = op.sizeOf(name);
  return size.isStatic() ? Index(size.factor) : kernel.namedSize(size.str());
}

static bool hasRows(train::CustomTensorAttr tensor, StringRef rows) {
  ArrayRef<StringAttr> shape = tensor.getShape();
  return !shape.empty() && train::CustomDim::parse(shape.front()).name == rows;
}

/// Where row `first` of a tensor begins: it has as many elements in front of it as the sizes of the other
/// dims say.
Value UserCall::pointer(Value tensor, train::CustomTensorAttr declared, Index first, bool moves) {
  Memory memory = *kernel.memoryOf(tensor);
  if (!moves || !hasRows(declared, *function.getRows()))
    return memory.pointer;
  Index elements = first;
  for (StringRef text : declared.getShape().drop_front()) {
    train::CustomDim dim = train::CustomDim::parse(text);
    elements = mul(b, elements, dim.size ? Index(*dim.size) : sizeOf(dim.name));
  }
  Type element = memory.element.isInteger(1) ? b.getI8Type() : memory.element;
  return LLVM::GEPOp::create(b, memory.pointer.getType(), element, memory.pointer,
                             ValueRange{elements.materialize(b)});
}

void UserCall::emit(Index first, std::optional<Index> count) {
  SmallVector<Value> arguments;
  for (auto [tensor, declared] : llvm::zip_equal(op.getInputs(), function.inputTensors()))
    arguments.push_back(pointer(tensor, declared, first, count.has_value()));
  for (auto [tensor, declared] : llvm::zip_equal(op.getOutputs(), function.outputTensors()))
    arguments.push_back(pointer(tensor, declared, first, count.has_value()));
  for (StringRef name : function.sizeNames())
    arguments.push_back((count && function.getRows() == name ? *count : sizeOf(name)).materialize(b));
  if (op.getNumbers())
    for (auto number : op.getNumbers()->getAsRange<TypedAttr>())
      arguments.push_back(arith::ConstantOp::create(b, number));
  ModuleOp module = kernel.entry().getParentOp()->getParentOfType<ModuleOp>();
  auto callee = module.lookupSymbol<func::FuncOp>(symbol);
  if (!callee) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    callee = func::FuncOp::create(b, symbol, b.getFunctionType(TypeRange(ValueRange(arguments)), {}));
    callee.setPrivate();
  }
  func::CallOp::create(b, callee, arguments);
}

} // namespace dlc::codegen
