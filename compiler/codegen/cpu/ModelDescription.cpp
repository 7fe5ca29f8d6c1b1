//===- ModelDescription.cpp - the constant dlc_model -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mirrors the structs of dlc/abi.h field by field; the assertions keep the two together.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/MainModule.h"
#include "compiler/support/Symbols.h"
#include "dialects/nn/Dims.h"
#include "dlc/abi.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/IR/Constants.h"

using namespace mlir;

namespace dlc::codegen {

static_assert(sizeof(dlc_symbol) == 88 && sizeof(dlc_input) == 64 && sizeof(dlc_output) == 40 &&
                  sizeof(dlc_dim) == 16 && sizeof(dlc_axis) == 24 && sizeof(dlc_model) == 144,
              "dlc/abi.h changed: change the emission below with it");

namespace {

/// The logical shape with every named dim at its bound, and a dlc_axis for each axis.
struct LogicalShape {
  SmallVector<uint64_t> sizes;
  SmallVector<llvm::Constant *> axes;
};

class Description {
public:
  Description(train::ProgramOp program, llvm::Module &module) : program(program), module(module) {
    for (auto [position, dim] : llvm::enumerate(program.getBody().getOps<train::DimOp>())) {
      positions[dim.getSymName()] = position;
      bounds.push_back(dim.getBound());
    }
  }
  llvm::GlobalVariable *emit(const CpuTarget &target, const CodegenOptions &options);

private:
  llvm::LLVMContext &context() { return module.getContext(); }
  llvm::Type *pointer() { return llvm::PointerType::getUnqual(context()); }
  llvm::Constant *null() { return llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(context())); }
  llvm::Constant *i32(uint64_t number) {
    return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context()), number);
  }
  llvm::Constant *i64(int64_t number) {
    return llvm::ConstantInt::get(llvm::Type::getInt64Ty(context()), number, /*IsSigned=*/true);
  }
  llvm::Constant *f64(std::optional<APFloat> number) {
    return llvm::ConstantFP::get(context(), number.value_or(APFloat(0.0)));
  }
  llvm::Constant *record(ArrayRef<llvm::Constant *> fields) { return llvm::ConstantStruct::getAnon(fields); }
  llvm::GlobalVariable *global(llvm::Constant *value, uint64_t alignment = 8);
  llvm::Constant *string(StringRef text) {
    return global(llvm::ConstantDataArray::getString(context(), text), 1);
  }
  /// A global array of records; null where there are none.
  llvm::Constant *table(ArrayRef<llvm::Constant *> records);
  template <typename Number> llvm::Constant *numbers(ArrayRef<Number> values) {
    return values.empty() ? null() : global(llvm::ConstantDataArray::get(context(), values));
  }
  LogicalShape shapeOf(Type type);
  llvm::Constant *symbol(train::StateOp state, bool embedWeights);
  llvm::Constant *initial(train::StateOp state);
  llvm::Constant *input(train::InputOp op);
  llvm::Constant *output(train::OutputOp op);
  llvm::Constant *entry(StringRef function);

  train::ProgramOp program;
  llvm::Module &module;
  llvm::StringMap<uint32_t> positions;
  SmallVector<int64_t> bounds;
};

uint32_t dtypeOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF32()         ? DLC_F32
         : element.isF64()       ? DLC_F64
         : element.isInteger(32) ? DLC_I32
         : element.isInteger(64) ? DLC_I64
         : element.isInteger(1)  ? DLC_BOOL
         : element.isBF16()      ? DLC_BF16
                                 : DLC_F16;
}

llvm::GlobalVariable *Description::global(llvm::Constant *value, uint64_t alignment) {
  auto *variable = new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                            llvm::GlobalValue::PrivateLinkage, value, "description");
  variable->setAlignment(llvm::Align(alignment));
  return variable;
}

llvm::Constant *Description::table(ArrayRef<llvm::Constant *> records) {
  if (records.empty())
    return null();
  auto *type = llvm::ArrayType::get(records.front()->getType(), records.size());
  return global(llvm::ConstantArray::get(type, records));
}

LogicalShape Description::shapeOf(Type type) {
  LogicalShape result;
  for (const nn::Dim &dim : nn::shapeOf(type)) {
    int64_t size = dim.factor;
    SmallVector<uint32_t> dims;
    for (const std::string &name : dim.names) {
      dims.push_back(positions.lookup(name));
      size *= bounds[dims.back()];
    }
    result.sizes.push_back(size);
    result.axes.push_back(record({i64(dim.factor), numbers<uint32_t>(dims), i32(dims.size()), i32(0)}));
  }
  return result;
}

/// Initial values as bytes in logical row-major order; null for zeros.
llvm::Constant *Description::initial(train::StateOp state) {
  auto attribute = state.getInitialAttr();
  if (!attribute)
    return null();
  StringRef bytes;
  SmallVector<char, 0> expanded;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    ArrayRef<char> data = resource.getRawHandle().getBlob()->getData();
    bytes = StringRef(data.data(), data.size());
  } else {
    auto dense = cast<DenseElementsAttr>(attribute);
    ArrayRef<char> raw = dense.getRawData();
    if (dense.getElementType().isInteger(1)) // truth values are bits there and bytes in the arena
      expanded.append(dense.value_begin<bool>(), dense.value_end<bool>());
    else
      for (int64_t i = 0; i < (dense.isSplat() ? dense.getNumElements() : 1); ++i)
        expanded.append(raw.begin(), raw.end());
    bytes = StringRef(expanded.data(), expanded.size());
  }
  return global(llvm::ConstantDataArray::getRaw(bytes, bytes.size(), llvm::Type::getInt8Ty(context())), 64);
}

llvm::Constant *Description::symbol(train::StateOp state, bool embedWeights) {
  auto type = cast<RankedTensorType>(state.getType());
  bool isWeight = llvm::is_contained(
      {train::StateKind::Parameter, train::StateKind::Buffer, train::StateKind::Constant}, state.getKind());
  bool inFile = isWeight && !embedWeights && state.getInitialAttr();
  llvm::Constant *permutation = null();
  if (auto physical = state.getPermutation()) {
    SmallVector<uint32_t> axes(physical->begin(), physical->end());
    permutation = numbers<uint32_t>(axes);
  }
  uint64_t bytes = type.getElementType().isInteger(1) ? 1 : type.getElementTypeBitWidth() / 8;
  SmallVector<uint64_t> shape(type.getShape().begin(), type.getShape().end());
  for (uint64_t size : shape)
    bytes *= size;
  return record({string(state.getSymName()), i32(uint32_t(state.getKind())), i32(dtypeOf(type)),
                 i32(state.isTrainable()), i32(shape.size()), numbers<uint64_t>(shape), permutation,
                 i64(*state.getOffset()), i64(bytes), inFile ? null() : initial(state), i32(inFile),
                 i32(state.getPanel().value_or(0)), f64(state.getLow()), f64(state.getLimit())});
}

llvm::Constant *Description::input(train::InputOp op) {
  LogicalShape shape = shapeOf(op.getType());
  bool isIndex = op.getLimit().has_value();
  return record({string(op.getSymName()), i32(dtypeOf(op.getType())), i32(shape.sizes.size()),
                 numbers<uint64_t>(shape.sizes), table(shape.axes), i32(op.getTarget()), i32(isIndex),
                 i64(op.getLimit().value_or(0)), i64(op.getLow().value_or(0)),
                 i64(op.getIgnore().value_or(INT64_MIN))});
}

llvm::Constant *Description::output(train::OutputOp op) {
  LogicalShape shape = shapeOf(op.getType());
  uint32_t role = op->hasAttr(indexRangeName) ? uint32_t(DLC_OUTPUT_INDEX_RANGE) : uint32_t(op.getRole());
  return record({string(op.getSymName()), i32(role), i32(dtypeOf(op.getType())), i32(shape.sizes.size()),
                 i32(0), numbers<uint64_t>(shape.sizes), table(shape.axes)});
}

llvm::Constant *Description::entry(StringRef function) {
  llvm::Function *found = module.getFunction(hiddenName(program, function));
  return found ? static_cast<llvm::Constant *>(found) : null();
}

llvm::GlobalVariable *Description::emit(const CpuTarget &target, const CodegenOptions &options) {
  SmallVector<llvm::Constant *> symbols, inputs, outputs, dims;
  for (auto state : program.getBody().getOps<train::StateOp>())
    symbols.push_back(symbol(state, options.embedWeights));
  for (auto op : program.getBody().getOps<train::InputOp>())
    inputs.push_back(input(op));
  for (auto op : program.getBody().getOps<train::OutputOp>())
    outputs.push_back(output(op));
  for (auto dim : program.getBody().getOps<train::DimOp>())
    dims.push_back(record({string(dim.getSymName()), i64(dim.getBound())}));
  auto arena = program->getAttrOfType<IntegerAttr>("arena_bytes");
  llvm::Constant *model = record({i32(DLC_ABI_VERSION),
                                  i32(target.featureBits),
                                  string(program.getSymName()),
                                  i64(options.fingerprint),
                                  options.weightsFile.empty() ? null() : string(options.weightsFile),
                                  i64(arena.getInt()),
                                  i64(bounds.empty() ? 0 : bounds.front()),
                                  table(symbols),
                                  i32(symbols.size()),
                                  i32(inputs.size()),
                                  table(inputs),
                                  table(outputs),
                                  i32(outputs.size()),
                                  i32(dims.size()),
                                  table(dims),
                                  entry("train_step"),
                                  entry("grad_step"),
                                  entry("accumulate"),
                                  entry("apply"),
                                  entry("eval_step"),
                                  entry("predict")});
  auto *variable = global(model);
  variable->setName(program.getSymName() + ".model");
  return variable;
}

} // namespace

llvm::GlobalVariable *emitModelDescription(train::ProgramOp program, llvm::Module &module,
                                           const CpuTarget &target, const CodegenOptions &options) {
  return Description(program, module).emit(target, options);
}

} // namespace dlc::codegen
