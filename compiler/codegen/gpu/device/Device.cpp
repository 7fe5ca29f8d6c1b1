//===- Device.cpp - what code of one thread of a GPU is made of ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/device/Device.h"
#include "compiler/codegen/gpu/Kernels.h"
#include "compiler/codegen/kernel/Access.h"
#include "compiler/machine/GpuTarget.h"
#include "compiler/support/Elements.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace dlc::codegen::gpu {

static Index widened(Builder &b, Value number) {
  return Index(arith::ExtUIOp::create(b, b.getI64Type(), number).getResult());
}

Index threadIndex(Builder &b) { return widened(b, NVVM::ThreadIdXOp::create(b, b.getI32Type())); }
Index blockIndex(Builder &b) { return widened(b, NVVM::BlockIdXOp::create(b, b.getI32Type())); }

void barrier(Builder &b) { NVVM::Barrier0Op::create(b); }

static Value shuffle(Builder &b, Value value, Index lane, NVVM::ShflKind kind) {
  auto constant = [&](uint32_t bits) -> Value {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(bits)));
  };
  Value everyone = constant(UINT32_MAX), last = constant(31);
  Value other = arith::TruncIOp::create(b, b.getI32Type(), lane.materialize(b));
  return NVVM::ShflOp::create(b, value.getType(), everyone, value, other, last, kind, UnitAttr());
}

Value ofOtherLane(Builder &b, Value value, int32_t bits) {
  return shuffle(b, value, Index(bits), NVVM::ShflKind::bfly);
}

Value ofLane(Builder &b, Value value, Index lane) { return shuffle(b, value, lane, NVVM::ShflKind::idx); }

Value roundedWord(Builder &b, Type element, Value upper, Value lower) {
  auto name = b.getStringAttr(element.isBF16() ? "llvm.nvvm.ff2bf16x2.rn" : "llvm.nvvm.ff2f16x2.rn");
  auto type = VectorType::get({2}, element);
  Value both = LLVM::CallIntrinsicOp::create(b, type, name, ValueRange{upper, lower}).getResult(0);
  return LLVM::BitcastOp::create(b, b.getI32Type(), both);
}

static Value approximate(Builder &b, StringRef intrinsic, Value x) {
  auto name = b.getStringAttr(intrinsic);
  return LLVM::CallIntrinsicOp::create(b, b.getF32Type(), name, x).getResult(0);
}

Value powerOfTwo(Builder &b, Value x) { return approximate(b, "llvm.nvvm.ex2.approx.ftz", x); }
Value reciprocal(Builder &b, Value x) { return approximate(b, "llvm.nvvm.rcp.approx.ftz.f", x); }

Values multiplyAdd(Builder &b, Type low, ArrayRef<Value> left, ArrayRef<Value> right, ArrayRef<Value> sums) {
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(4, b.getF32Type()));
  StringRef name = low.isBF16()  ? "llvm.nvvm.mma.m16n8k16.row.col.bf16"
                   : low.isF16() ? "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"
                                 : "llvm.nvvm.mma.m16n8k8.row.col.tf32";
  Values operands(left), results;
  llvm::append_range(operands, right);
  if (low.isF16()) // whose words have a type of their own
    for (Value &word : operands)
      word = LLVM::BitcastOp::create(b, VectorType::get({2}, low), word);
  llvm::append_range(operands, sums);
  Value result = LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name), operands).getResult(0);
  for (int64_t part = 0; part < 4; ++part)
    results.push_back(LLVM::ExtractValueOp::create(b, result, ArrayRef<int64_t>{part}));
  return results;
}

Values loadMatrices(Builder &b, Value address, int64_t count, bool transposed) {
  auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(count, b.getI32Type()));
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  auto layout = transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  Value loaded =
      NVVM::LdMatrixOp::create(b, type, address, count, layout, shape, NVVM::LdStMatrixEltType::B16);
  Values words;
  for (int64_t matrix = 0; matrix < count; ++matrix)
    words.push_back(LLVM::ExtractValueOp::create(b, loaded, ArrayRef<int64_t>{matrix}));
  return words;
}

void beginCopy(Builder &b, Value to, Value from, int64_t bytes, Value condition) {
  auto global = LLVM::LLVMPointerType::get(b.getContext(), unsigned(NVVM::NVVMMemorySpace::Global));
  // Copies of 16 bytes leave out the first cache: nobody else of the block reads these.
  auto caches =
      bytes == GpuTarget::copyBytes ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
  Value source = LLVM::AddrSpaceCastOp::create(b, global, from), size;
  if (condition) {
    Value all = arith::ConstantOp::create(b, b.getI32IntegerAttr(int32_t(bytes)));
    Value none = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
    size = arith::SelectOp::create(b, condition, all, none);
  }
  NVVM::CpAsyncOp::create(b, to, source, bytes, caches, size);
}

void endGroup(Builder &b) { NVVM::CpAsyncCommitGroupOp::create(b); }
void waitForGroups(Builder &b, int64_t running) { NVVM::CpAsyncWaitGroupOp::create(b, running); }

Memory sharedMemory(KernelFunction &kernel, StringRef name, Type element, ArrayRef<int64_t> shape,
                    int64_t alignment) {
  Builder &b = kernel.builder();
  constexpr auto sharedSpace = unsigned(NVVM::NVVMMemorySpace::Shared);
  auto module = kernel.entry().getParentOp()->getParentOfType<ModuleOp>();
  Memory memory{Value(), element, rowMajor(shape)};
  const int64_t bytes = elementBytes(element) * llvm::product_of(shape);
  std::string symbol = entryOf(kernel.getKernel()) + "_" + name.str();
  OpBuilder atFront = OpBuilder::atBlockBegin(module.getBody());
  auto array = LLVM::LLVMArrayType::get(b.getI8Type(), bytes);
  auto global = LLVM::GlobalOp::create(atFront, b.getLoc(), array, /*isConstant=*/false,
                                       LLVM::Linkage::Internal, symbol, Attribute(), alignment, sharedSpace);
  memory.pointer = LLVM::AddressOfOp::create(b, global);
  return memory;
}

Value loadAt(Builder &b, const Memory &memory, ArrayRef<Index> position) {
  Point point;
  point.loops.assign(position.begin(), position.end());
  return Access(b, memory, AffineMap::getMultiDimIdentityMap(position.size(), b.getContext())).load(b, point);
}

void storeAt(Builder &b, const Memory &memory, ArrayRef<Index> position, Value value) {
  Point point;
  point.loops.assign(position.begin(), position.end());
  Access(b, memory, AffineMap::getMultiDimIdentityMap(position.size(), b.getContext()))
      .store(b, point, value);
}

SmallVector<Index, 4> positionsOf(Builder &b, Index flat, ArrayRef<Index> extents) {
  SmallVector<Index, 4> positions(extents.size(), Index(0));
  for (size_t loop = extents.size(); loop-- > 0;) {
    if (loop == 0) {
      positions[0] = flat;
      break;
    }
    if (extents[loop].isConstant()) {
      int64_t size = std::max<int64_t>(extents[loop].offset, 1); // of nothing, there is no remainder
      positions[loop] = remainder(b, flat, size);
      flat = divide(b, flat, size);
    } else {
      positions[loop] = onWhole<arith::RemUIOp>(b, flat, extents[loop]);
      flat = onWhole<arith::DivUIOp>(b, flat, extents[loop]);
    }
  }
  return positions;
}

Index productOf(Builder &b, ArrayRef<Index> extents) {
  Index product(1);
  for (const Index &extent : extents)
    product = mul(b, product, extent);
  return product;
}

Value isLess(Builder &b, Index x, Index y) {
  if (x.isConstant() && y.isConstant() && x.offset < y.offset)
    return Value();
  Value left = x.materialize(b), right = y.materialize(b);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, left, right);
}

Value both(Builder &b, Value x, Value y) {
  return !x ? y : !y ? x : arith::AndIOp::create(b, x, y).getResult();
}

Values where(Builder &b, Value condition, ArrayRef<Type> types, llvm::function_ref<Values()> body) {
  if (!condition)
    return body();
  return ifElse(b, condition, body, [&] {
    Values zeros;
    for (Type type : types)
      zeros.push_back(arith::ConstantOp::create(b, b.getZeroAttr(type)));
    return zeros;
  });
}

void where(Builder &b, Value condition, llvm::function_ref<void()> body) {
  where(b, condition, {}, [&]() -> Values {
    body();
    return {};
  });
}

} // namespace dlc::codegen::gpu
