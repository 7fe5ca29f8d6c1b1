//===- Call.cpp - kernels that call a user's function ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function gets a pointer to each input and each output, the sizes and the numbers, as CustomSources.h
// declares it. For a chunk of rows, pointers to tensors that have these move, and the size is that of the
// chunk.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/Call.h"
#include "compiler/codegen/cpu/CustomSources.h"
#include "compiler/codegen/cpu/VectorLoops.h"
#include "dialects/train/Custom.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen {
namespace {

class CallCode {
public:
  explicit CallCode(KernelFunction &kernel)
      : kernel(kernel), b(kernel.builder()),
        op(cast<train::CustomCallOp>(kernel.getKernel().getBody().front().front())),
        function(op.definition()), names(function.sizeNames()) {}

  void emit();

private:
  /// Calls it for rows [first, first + count); for all of them where `count` is null.
  void call(Index first, std::optional<Index> count);
  Value pointer(Value tensor, train::CustomTensor declared, Index first, bool moves);
  Index sizeOf(StringRef name) {
    size_t number = llvm::find(names, name) - names.begin();
    nn::Dim size = *nn::Dim::parse(cast<StringAttr>(op.getSizes()[number]).getValue());
    return size.isStatic() ? Index(size.factor) : kernel.namedSize(size.str());
  }

  KernelFunction &kernel;
  Builder &b;
  train::CustomCallOp op;
  train::CustomFunctionOp function;
  SmallVector<StringRef> names; ///< of sizes
};

bool hasRows(train::CustomTensor tensor, StringRef rows) {
  SmallVector<StringRef> shape = tensor.getShape();
  return !shape.empty() && train::CustomDim::parse(shape.front()).name == rows;
}

/// Where row `first` of a tensor begins: it has as many elements in front of it as the sizes of the other
/// dims say.
Value CallCode::pointer(Value tensor, train::CustomTensor declared, Index first, bool moves) {
  Memory memory = *kernel.memoryOf(tensor);
  if (!moves || !hasRows(declared, *function.getRows()))
    return memory.pointer;
  Index elements = first;
  SmallVector<StringRef> shape = declared.getShape();
  for (StringRef text : ArrayRef(shape).drop_front()) {
    train::CustomDim dim = train::CustomDim::parse(text);
    elements = mul(b, elements, dim.size ? Index(*dim.size) : sizeOf(dim.name));
  }
  Type element = memory.element.isInteger(1) ? b.getI8Type() : memory.element;
  return LLVM::GEPOp::create(b, memory.pointer.getType(), element, memory.pointer,
                             ValueRange{elements.materialize(b)});
}

void CallCode::call(Index first, std::optional<Index> count) {
  SmallVector<Value> arguments;
  for (auto [tensor, declared] : llvm::zip_equal(op.getInputs(), function.inputTensors()))
    arguments.push_back(pointer(tensor, declared, first, count.has_value()));
  for (auto [tensor, declared] : llvm::zip_equal(op.getOutputs(), function.outputTensors()))
    arguments.push_back(pointer(tensor, declared, first, count.has_value()));
  for (StringRef name : names)
    arguments.push_back((count && function.getRows() == name ? *count : sizeOf(name)).materialize(b));
  if (op.getNumbers())
    for (auto number : op.getNumbers()->getAsRange<TypedAttr>())
      arguments.push_back(arith::ConstantOp::create(b, number));
  ModuleOp module = kernel.entry().getParentOp()->getParentOfType<ModuleOp>();
  std::string symbol = customSymbol(function);
  auto callee = module.lookupSymbol<func::FuncOp>(symbol);
  if (!callee) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    callee = func::FuncOp::create(b, symbol, b.getFunctionType(TypeRange(ValueRange(arguments)), {}));
    callee.setPrivate();
  }
  func::CallOp::create(b, callee, arguments);
}

void CallCode::emit() {
  cpu::SplitAttr split = scheduleOf(kernel).splitOf(0);
  if (!split)
    return call(Index(0), std::nullopt);
  Index rows = sizeOf(*function.getRows());
  forLoop(b, Index(kernel.begin()), Index(kernel.end()), 1, [&](Index chunk) {
    Index first = mul(b, chunk, split.getSize());
    ifLess(b, first, rows, [&] { // where dims are open, the last chunks may have no rows
      Index rest = sub(b, rows, first);
      call(first, min(b, rest, Index(split.getSize())));
    });
  });
}

} // namespace

void emitCall(KernelFunction &kernel) { CallCode(kernel).emit(); }

} // namespace dlc::codegen
