//===- TileEpilogue.cpp - what follows the sums of a register tile ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/contraction/RegisterTile.h"

using namespace mlir;

namespace dlc::codegen {

/// The loops of an epilogue are the root's parallel loops, in order.
Point TileCode::epiloguePoint(const Point &point) {
  Point result = point;
  result.loops.clear();
  for (auto [position, loop] : llvm::enumerate(parallel)) {
    if (loop == point.laneDim)
      result.laneDim = position;
    result.loops.push_back(point.loops[loop]);
  }
  return result;
}

void TileCode::storeResult(linalg::GenericOp op, unsigned result, const Point &point, Value value) {
  for (const Memory &memory : kernel.outputsOf(op->getResult(result)))
    Access(b, memory, op.getMatchingIndexingMap(op.getDpsInitOperand(result))).store(b, point, value);
}

Value TileCode::argumentAt(linalg::GenericOp op, OpOperand &operand, const Point &here) {
  if (TypedAttr constant = kernel.initialValue(operand.get()))
    return arith::ConstantOp::create(b, constant);
  if (Value scalar = kernel.scalarInput(operand.get()))
    return scalar;
  return Access(b, *kernel.memoryOf(operand.get()), op.getMatchingIndexingMap(&operand)).load(b, here);
}

WaitingSums TileCode::waitingSums(int64_t vectors) {
  return WaitingSums(b, kernel.entry(), getElementTypeOrSelf(root.getResult(0).getType()), shape().getRows(),
                     vectors, scheduleOf(kernel).getLanes());
}

void TileCode::epilogueOfRows(const RegisterTile &tile, const Values &accumulators) {
  WaitingSums waiting = waitingSums(tile.vectors);
  core->keep(tile, accumulators, waiting);
  // This is a loop and not unrolled: the functions of one row are long enough.
  forRolled(b, Index(0), tile.inside.value_or(Index(tile.rows)), 1, {}, [&](Index r, const Values &) {
    Point point = tile.at(0, 0);
    point.loops[row] = add(b, point.loops[row], r);
    point.lanes *= tile.vectors;
    epilogueAt(point, waiting.load(r, 0, tile.vectors));
    return Values();
  });
}

void TileCode::epilogue(const RegisterTile &tile, const Values &accumulators) {
  if (form().getEpilogue().getSideBySide() && !tile.points.back().mask)
    return epilogueOfRows(tile, accumulators);
  RandomWords words;
  core->drain(tile, accumulators, [&](const Point &point, int64_t vector, Value sum) {
    epilogueAt(point, sum, tile.rowsAligned ? &words : nullptr,
               masks ? masksAtPoint(point, vector) : Values());
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

void TileCode::epilogueAt(const Point &point, Value accumulator, RandomWords *words, const Values &decided) {
  DenseMap<Value, Value> registers;
  registers[root->getResult(0)] = accumulator;
  storeResult(root, 0, point, accumulator);
  for (linalg::GenericOp op : kernel.operations().drop_front()) {
    Point here = epiloguePoint(point);
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

void TileCode::storeResults(linalg::GenericOp epilogue, const cpu::EpilogueStages &stages, bool late,
                            const Point &here, const IRMapping &values) {
  for (auto [result, value] : llvm::enumerate(epilogue.getBlock()->getTerminator()->getOperands()))
    if (stages.isLate(value) == late)
      storeResult(epilogue, result, here, values.lookup(value));
}

Values TileCode::firstStageAt(const Point &point, Value accumulator) {
  linalg::GenericOp epilogue = kernel.operations().back();
  cpu::EpilogueStages stages = *cpu::epilogueStages(epilogue, root->getResult(0));
  Point here = epiloguePoint(point);
  IRMapping values;
  for (OpOperand &operand : epilogue->getOpOperands())
    if (operand.get() == root->getResult(0))
      values.map(epilogue.getMatchingBlockArgument(&operand), accumulator);
  storeResult(root, 0, point, accumulator);
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
void TileCode::secondStageAt(const Point &point, const Values &carried) {
  linalg::GenericOp epilogue = kernel.operations().back();
  cpu::EpilogueStages stages = *cpu::epilogueStages(epilogue, root->getResult(0));
  Point here = epiloguePoint(point);
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

} // namespace dlc::codegen
