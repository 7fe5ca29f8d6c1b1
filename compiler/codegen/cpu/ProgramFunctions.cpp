//===- ProgramFunctions.cpp - program functions as calls of kernels --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/MainModule.h"
#include "dialects/nn/Dims.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace dlc::codegen {

std::string hiddenName(train::ProgramOp program, StringRef symbol) {
  return (program.getSymName() + "." + symbol).str();
}

namespace {

class ProgramFunction {
public:
  ProgramFunction(train::ProgramOp program, train::FunctionOp source, ModuleOp module)
      : program(program), source(source), b(source.getLoc(), module.getContext()), module(module),
        symbols(program), pointer(LLVM::LLVMPointerType::get(module.getContext())) {}

  void emit();

private:
  Value constant(int64_t number) { return LLVM::ConstantOp::create(b, b.getI64Type(), number); }
  Value element(Value base, Type type, int64_t index) {
    return LLVM::GEPOp::create(b, pointer, type, base, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  }
  Value bytesInto(Value base, int64_t bytes) {
    return bytes == 0 ? base
                      : LLVM::GEPOp::create(b, pointer, b.getI8Type(), base, ValueRange{constant(bytes)});
  }
  /// The entry of `array` (inputs, outputs) for the symbol: its position among the ops of its kind.
  template <typename Op> Value entry(Value array, Operation *symbol) {
    int64_t position = 0;
    for (auto op : program.getBody().getOps<Op>()) {
      if (op == symbol)
        break;
      ++position;
    }
    return LLVM::LoadOp::create(b, pointer, element(array, pointer, position));
  }
  Value address(train::PlaceOp place);
  Value addressOf(Value memory) { return address(memory.getDefiningOp<train::PlaceOp>()); }
  void emitLaunch(train::LaunchOp launch);
  void emitCopy(train::CopyOp copy);
  LLVM::LLVMFuncOp declare(StringRef name, ArrayRef<Type> arguments);

  train::ProgramOp program;
  train::FunctionOp source;
  ImplicitLocOpBuilder b;
  ModuleOp module;
  SymbolTable symbols;
  Type pointer;
  LLVM::LLVMFuncOp function;
  Value buffers; ///< the array of addresses, shared by all launches
  DenseMap<Operation *, Value> addresses;
};

LLVM::LLVMFuncOp ProgramFunction::declare(StringRef name, ArrayRef<Type> arguments) {
  if (auto declared = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return declared;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), arguments);
  return LLVM::LLVMFuncOp::create(b, name, type);
}

void ProgramFunction::emit() {
  b.setInsertionPointToEnd(module.getBody());
  SmallVector<Type> arguments(5, pointer); // context, arena, inputs, outputs, dims
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), arguments);
  function =
      LLVM::LLVMFuncOp::create(b, hiddenName(program, train::stringifyFunctionKind(source.getKind())), type);
  function.setVisibility_(LLVM::Visibility::Hidden);
  b.setInsertionPointToStart(function.addEntryBlock(b));

  size_t most = 1;
  for (auto launch : source.getBody().getOps<train::LaunchOp>())
    most = std::max<size_t>(most, launch.getInputs().size() + launch.getDestinations().size());
  buffers = LLVM::AllocaOp::create(b, pointer, pointer, constant(most));
  for (Operation &op : source.getBody().front()) {
    if (auto launch = dyn_cast<train::LaunchOp>(op))
      emitLaunch(launch);
    else if (auto copy = dyn_cast<train::CopyOp>(op))
      emitCopy(copy);
  }
  LLVM::ReturnOp::create(b, ValueRange{});
}

Value ProgramFunction::address(train::PlaceOp place) {
  Value &known = addresses[place];
  if (known)
    return known;
  Value arena = function.getArgument(1);
  if (auto symbol = place.getSymbol()) {
    Operation *op = symbols.lookup(*symbol);
    if (auto state = dyn_cast<train::StateOp>(op))
      known = bytesInto(arena, *state.getOffset());
    else if (isa<train::InputOp>(op))
      known = entry<train::InputOp>(function.getArgument(2), op);
    else
      known = entry<train::OutputOp>(function.getArgument(3), op);
  } else {
    known = bytesInto(arena, *place.getOffset());
  }
  return known;
}

void ProgramFunction::emitLaunch(train::LaunchOp launch) {
  int64_t slot = 0;
  for (ValueRange range : {launch.getInputs(), launch.getDestinations()})
    for (Value memory : range) {
      Value buffer = addressOf(memory);
      LLVM::StoreOp::create(b, buffer, element(buffers, pointer, slot++));
    }
  Type i64 = b.getI64Type();
  auto kernel = symbols.lookup<train::KernelOp>(launch.getKernel());
  auto body = declare(hiddenName(program, launch.getKernel()), {pointer, pointer, i64, i64});
  body.setVisibility_(LLVM::Visibility::Hidden);
  int64_t chunks = kernel.getSchedule()->getChunks();
  Value dims = function.getArgument(4);
  if (chunks <= 1) {
    LLVM::CallOp::create(b, body, ValueRange{buffers, dims, constant(0), constant(1)});
    return;
  }
  auto parallel = declare("dlc_parallel", {pointer, pointer, pointer, pointer, i64});
  Value target = LLVM::AddressOfOp::create(b, body);
  LLVM::CallOp::create(b, parallel,
                       ValueRange{function.getArgument(0), target, buffers, dims, constant(chunks)});
}

void ProgramFunction::emitCopy(train::CopyOp copy) {
  auto type = cast<MemRefType>(copy.getDestination().getType());
  int64_t fixed = type.getElementType().isInteger(1) ? 1 : type.getElementTypeBitWidth() / 8;
  SmallVector<std::string> named; // an output may have named dims; the plan says which
  for (auto [axis, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size)) {
      fixed *= size;
      continue;
    }
    auto dims = copy->getAttrOfType<nn::DimsAttr>("dims");
    nn::Dim dim = *nn::Dim::parse(dims.getNames()[axis].getValue());
    fixed *= dim.factor;
    named.append(dim.names.begin(), dim.names.end());
  }
  Value bytes = constant(fixed);
  for (StringRef name : named) {
    int64_t position = 0;
    for (auto dim : program.getBody().getOps<train::DimOp>()) {
      if (dim.getSymName() == name)
        break;
      ++position;
    }
    Value size =
        LLVM::LoadOp::create(b, b.getI64Type(), element(function.getArgument(4), b.getI64Type(), position));
    bytes = LLVM::MulOp::create(b, bytes, size);
  }
  Value to = addressOf(copy.getDestination()), from = addressOf(copy.getSource());
  LLVM::MemcpyOp::create(b, to, from, bytes, false);
}

} // namespace

void emitProgramFunctions(train::ProgramOp program, ModuleOp module) {
  for (auto function : program.getBody().getOps<train::FunctionOp>())
    ProgramFunction(program, function, module).emit();
}

} // namespace dlc::codegen
