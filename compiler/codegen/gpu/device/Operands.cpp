//===- Operands.cpp - reads and writes of a kernel's operations ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/device/Operands.h"
#include "compiler/support/Elements.h"

using namespace mlir;

namespace dlc::codegen::gpu {

Value Operands::read(linalg::GenericOp op, OpOperand &operand, const Point &point) {
  Value tensor = operand.get();
  if (TypedAttr constant = kernel.initialValue(tensor))
    return arith::ConstantOp::create(b, constant);
  if (auto it = registers.find(tensor); it != registers.end())
    return it->second;
  if (Value scalar = kernel.scalarInput(tensor))
    return scalar;
  const Row row(tensor, op.getMatchingIndexingMap(&operand));
  if (!turn)
    return load(row, point);
  Value &known = ofTurn(row);
  if (!known)
    known = load(row, point);
  return known;
}

Value Operands::load(const Row &row, const Point &point) {
  const auto &[tensor, map] = row;
  if (auto it = temporaries.find(tensor); it != temporaries.end())
    return Access(b, it->second, map).load(b, point);
  auto memory = kernel.memoryOf(tensor);
  assert(memory && "an operand is an argument or an earlier result of the kernel");
  return Access(b, *memory, map).load(b, point);
}

Value &Operands::ofTurn(const Row &row) {
  SmallVector<Value> &values = rows[row];
  if (int64_t(values.size()) <= *turn)
    values.resize(*turn + 1);
  return values[*turn];
}

bool Operands::isInMemory(OpOperand &operand) {
  Value tensor = operand.get();
  return !kernel.initialValue(tensor) && !registers.contains(tensor) && !kernel.scalarInput(tensor);
}

Values Operands::arguments(linalg::GenericOp op, const Point &point, ArrayRef<Value> sums) {
  Values values;
  auto used = [&](OpOperand &operand) {
    return op.getMatchingBlockArgument(&operand).use_empty() ? Value() : read(op, operand, point);
  };
  for (OpOperand *input : op.getDpsInputOperands())
    values.push_back(used(*input));
  for (unsigned result = 0; result < op.getNumResults(); ++result)
    values.push_back(sums.empty() ? used(*op.getDpsInitOperand(result)) : sums[result]);
  return values;
}

Value Operands::initial(linalg::GenericOp op, unsigned result, const Point &point) {
  return read(op, *op.getDpsInitOperand(result), point);
}

void Operands::write(OpResult result, const Point &point, Value value) {
  auto op = cast<linalg::GenericOp>(result.getOwner());
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(result.getResultNumber()));
  if (turn)
    ofTurn({result, map}) = value;
  auto writeTo = [&](const Memory &memory) {
    if (isHolding)
      held[memory.pointer].push_back({memory, map, point, value});
    else
      Access(b, memory, map).store(b, point, value);
  };
  llvm::for_each(kernel.outputsOf(result), writeTo);
  if (auto it = temporaries.find(result); it != temporaries.end())
    writeTo(it->second);
}

void Operands::Held::store(Builder &b) const { Access(b, memory, map).store(b, point, value); }

/// A GPU rounds two numbers in one instruction (Narrow.cpp), wherever they are stored. One that reads a single
/// sum of a warp group's products would have NVIDIA's assembler let all these products wait for each other.
void Operands::storeTwo(Builder &b, const Held &first, const Held &second) {
  auto word = [&](const Held &write) {
    // Once, if it was rounded before.
    Value narrow = b.createOrFold<arith::TruncFOp>(write.memory.element, write.value);
    Value bits = arith::BitcastOp::create(b, b.getI16Type(), narrow);
    return arith::ExtUIOp::create(b, b.getI32Type(), bits);
  };
  Value sixteen = arith::ConstantIntOp::create(b, 16, 32);
  Value lower = word(first), upper = arith::ShLIOp::create(b, word(second), sixteen);
  Value both = arith::OrIOp::create(b, lower, upper), rest = arith::ShRUIOp::create(b, both, sixteen);
  for (auto [write, bits] : {std::pair(&first, both), std::pair(&second, rest)})
    Access(b, write->memory, write->map)
        .storeBits(b, write->point, arith::TruncIOp::create(b, b.getI16Type(), bits));
}

void Operands::release() {
  for (auto &[pointer, writes] : held) {
    const bool isRounded = isHalfWord(writes.front().memory.element);
    ArrayRef<Held> rest = writes;
    for (; isRounded && rest.size() > 1; rest = rest.drop_front(2))
      storeTwo(b, rest[0], rest[1]);
    for (const Held &write : rest)
      write.store(b);
  }
  held.clear();
  isHolding = false;
}

} // namespace dlc::codegen::gpu
