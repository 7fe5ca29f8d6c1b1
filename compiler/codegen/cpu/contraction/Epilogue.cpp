//===- Epilogue.cpp - what follows the sums of a register tile -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/contraction/Epilogue.h"
#include "compiler/analysis/KernelSizes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen {

Epilogue::Epilogue(KernelFunction &kernel, const TileLoops &loops)
    : kernel(kernel), b(kernel.builder()), root(kernel.operations().front()), loops(loops),
      form(loops.form().getEpilogue()), row(loops.shape().getRow()) {}

void Epilogue::storeResult(linalg::GenericOp op, unsigned result, const Point &point, Value value) {
  for (const Memory &memory : kernel.outputsOf(op->getResult(result)))
    Access(b, memory, op.getMatchingIndexingMap(op.getDpsInitOperand(result))).store(b, point, value);
}

Value Epilogue::argumentAt(linalg::GenericOp op, OpOperand &operand, const Point &here) {
  if (TypedAttr constant = kernel.initialValue(operand.get()))
    return arith::ConstantOp::create(b, constant);
  if (Value scalar = kernel.scalarInput(operand.get()))
    return scalar;
  return Access(b, *kernel.memoryOf(operand.get()), op.getMatchingIndexingMap(&operand)).load(b, here);
}

WaitingSums Epilogue::waitingSums(int64_t vectors) {
  return WaitingSums(b, kernel.entry(), getElementTypeOrSelf(root.getResult(0).getType()),
                     loops.shape().getRows(), vectors, scheduleOf(kernel).getLanes());
}

void Epilogue::emitSideBySide(const RegisterTile &tile, const Values &sums, TileCore &core) {
  WaitingSums waiting = waitingSums(tile.vectors);
  core.keep(tile, sums, waiting);
  // This is a loop and not unrolled: the functions of one row are long enough.
  forRolled(b, Index(0), tile.inside.value_or(Index(tile.rows)), 1, {}, [&](Index r, const Values &) {
    Point point = tile.at(0, 0);
    point.loops[row] = add(b, point.loops[row], r);
    point.lanes *= tile.vectors;
    emitAt(point, waiting.load(r, 0, tile.vectors));
    return Values();
  });
}

void Epilogue::emit(const RegisterTile &tile, const Values &sums, TileCore &core) {
  if (form.getSideBySide() && !tile.points.back().mask)
    return emitSideBySide(tile, sums, core);
  RandomWords words;
  core.drain(tile, sums, [&](const Point &point, int64_t vector, Value sum) {
    emitAt(point, sum, tile.rowsAligned ? &words : nullptr, masks ? masksAtPoint(point, vector) : Values());
  });
}

/// The body of an operation where its masks are known.
static Values emitMasked(KernelFunction &kernel, linalg::GenericOp op, const Values &arguments,
                         const Point &here, const cpu::RandomMasks &masks, const Values &decided) {
  IRMapping values;
  for (auto [argument, value] : llvm::zip_equal(op.getBlock()->getArguments(), arguments))
    values.map(argument, value);
  for (auto [mask, value] : llvm::zip_equal(masks.masks, decided))
    values.map(mask, value);
  emitOperations(kernel, masks.rest, here, values);
  Values results;
  for (Value yielded : op.getBlock()->getTerminator()->getOperands())
    results.push_back(values.lookup(yielded));
  return results;
}

void Epilogue::emitAt(const Point &point, Value sum, RandomWords *words, const Values &decided) {
  DenseMap<Value, Value> registers;
  registers[root->getResult(0)] = sum;
  storeResult(root, 0, point, sum);
  for (linalg::GenericOp op : kernel.operations().drop_front()) {
    Point here = loops.epiloguePoint(point);
    Values arguments;
    for (OpOperand &operand : op->getOpOperands()) {
      Value argument;
      if (op.getMatchingBlockArgument(&operand).use_empty())
        ;
      else if (auto it = registers.find(operand.get()); it != registers.end())
        argument = it->second;
      else
        argument = argumentAt(op, operand, here);
      arguments.push_back(argument);
    }
    Values results = masks ? emitMasked(kernel, op, arguments, here, *masks, decided)
                           : Values(emitBody(kernel, op, arguments, here, words));
    for (auto [result, value] : llvm::enumerate(results)) {
      registers[op->getResult(result)] = value;
      storeResult(op, result, here, value);
    }
  }
}

/// Gives a stage the operands of the epilogue that it uses and does not have.
static void readArguments(ArrayRef<Operation *> stage, linalg::GenericOp epilogue,
                          llvm::function_ref<Value(OpOperand &)> read, IRMapping &values) {
  auto isInStage = [&](Operation *user) { return llvm::is_contained(stage, user); };
  for (OpOperand &operand : epilogue->getOpOperands())
    if (BlockArgument argument = epilogue.getMatchingBlockArgument(&operand);
        !values.contains(argument) && llvm::any_of(argument.getUsers(), isInStage))
      values.map(argument, read(operand));
}

void Epilogue::storeResults(linalg::GenericOp epilogue, const cpu::EpilogueStages &stages, bool late,
                            const Point &here, const IRMapping &values) {
  for (auto [result, value] : llvm::enumerate(epilogue.getBlock()->getTerminator()->getOperands()))
    if (stages.isLate(value) == late)
      storeResult(epilogue, result, here, values.lookup(value));
}

Values Epilogue::firstStageAt(const Point &point, Value sum) {
  linalg::GenericOp epilogue = kernel.operations().back();
  cpu::EpilogueStages stages = *cpu::epilogueStages(epilogue, root->getResult(0));
  Point here = loops.epiloguePoint(point);
  IRMapping values;
  for (OpOperand &operand : epilogue->getOpOperands())
    if (operand.get() == root->getResult(0))
      values.map(epilogue.getMatchingBlockArgument(&operand), sum);
  storeResult(root, 0, point, sum);
  readArguments(
      stages.first, epilogue, [&](OpOperand &operand) { return argumentAt(epilogue, operand, here); },
      values);
  emitOperations(kernel, stages.first, here, values);
  storeResults(epilogue, stages, false, here, values);
  Values carried;
  for (Value value : stages.carried)
    carried.push_back(values.lookup(value));
  return carried;
}

// The second stage loads what the first one wrote: registers are scarce in a tile.
void Epilogue::secondStageAt(const Point &point, const Values &carried) {
  linalg::GenericOp epilogue = kernel.operations().back();
  cpu::EpilogueStages stages = *cpu::epilogueStages(epilogue, root->getResult(0));
  Point here = loops.epiloguePoint(point);
  IRMapping values;
  for (auto [value, inRegister] : llvm::zip_equal(stages.carried, carried))
    values.map(value, inRegister);
  readArguments(
      stages.second, epilogue, [&](OpOperand &operand) { return argumentAt(epilogue, operand, here); },
      values);
  for (auto [result, value] : llvm::enumerate(epilogue.getBlock()->getTerminator()->getOperands()))
    if (stages.readsLate(value) && !values.contains(value) && !stages.isLate(value))
      values.map(value, Access(b, kernel.outputsOf(epilogue->getResult(result)).front(),
                               epilogue.getMatchingIndexingMap(epilogue.getDpsInitOperand(result)))
                            .load(b, here));
  emitOperations(kernel, stages.second, here, values);
  storeResults(epilogue, stages, true, here, values);
}

Value Epilogue::addressOfMask(size_t mask, Index row, int64_t vector, int64_t lanes) {
  int64_t bytes = cpu::RandomMasks::bytesOfRow(lanes, loops.shape().getVectors());
  Index offset = add(b, mul(b, row, bytes), Index(vector * cpu::RandomMasks::bytesOfRow(lanes, 1)));
  offset = offset + int64_t(mask) * bytes * maskRows;
  return pointerAt(b, masksAt, offset);
}

void Epilogue::makeMasks(const Range &rows, llvm::function_ref<RegisterTile(Index)> groupAt) {
  linalg::GenericOp epilogue = kernel.operations().back();
  int64_t lanes = scheduleOf(kernel).getLanes();
  if (!masksAt) {
    masks = cpu::randomMasks(epilogue);
    maskRows = llvm::alignTo(analysis::loopBounds(kernel.getKernel(), root)[row], cpu::rowsOfWords);
    int64_t bytes =
        masks->masks.size() * maskRows * cpu::RandomMasks::bytesOfRow(lanes, loops.shape().getVectors());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.entry());
    masksAt = LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), b.getI8Type(),
                                     constantI64(b, bytes), 64);
  }
  Values arguments(epilogue->getNumOperands());
  Index low = mul(b, divide(b, rows.low, cpu::rowsOfWords), cpu::rowsOfWords);
  forRolled(b, low, rows.high, cpu::rowsOfWords, {}, [&](Index first, Values) {
    RegisterTile group = groupAt(first);
    RandomWords words;
    for (int64_t v = 0; v < group.vectors; ++v)
      for (int64_t r = 0; r < cpu::rowsOfWords; ++r)
        for (auto [number, value] : llvm::enumerate(masks->masks)) {
          const Point &at = group.at(r, v);
          Value keep = emitPart(kernel, epilogue, value, arguments, loops.epiloguePoint(at), &words);
          LLVM::StoreOp::create(b, keep, addressOfMask(number, first + r, v, lanes));
        }
    return Values();
  });
}

Values Epilogue::masksAtPoint(const Point &point, int64_t vector) {
  Type type = VectorType::get({point.lanes}, b.getI1Type());
  Values result;
  for (size_t mask = 0; mask < masks->masks.size(); ++mask)
    result.push_back(
        LLVM::LoadOp::create(b, type, addressOfMask(mask, point.loops[row], vector, point.lanes)));
  return result;
}

} // namespace dlc::codegen
