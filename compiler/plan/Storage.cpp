//===- Storage.cpp - where a function keeps its values ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/plan/Storage.h"
#include "compiler/plan/Sizes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace dlc::plan {

Sharing::Sharing(train::KernelOp kernel) {
  ArrayRef<int64_t> inplace = kernel.getSchedule() ? kernel.getSchedule()->inplace() : ArrayRef<int64_t>();
  for (size_t i = 0; i + 1 < inplace.size(); i += 2)
    pairs.insert({static_cast<unsigned>(inplace[i]), static_cast<unsigned>(inplace[i + 1])});
}

namespace {

class Assignment {
public:
  Assignment(train::FunctionOp function, const SymbolTable &symbols) : function(function), symbols(symbols) {}
  FailureOr<Storage> run();

private:
  LogicalResult number();
  void findLastUses();
  void placeReads();
  void placeWritten();
  void placeTheRest();
  bool canProduceIn(train::StateOp state, OpResult value);
  train::KernelOp kernelOf(train::LaunchOp launch) {
    return symbols.lookup<train::KernelOp>(launch.getKernel());
  }
  int64_t addBuffer(int64_t bytes, int64_t begin, int64_t end) {
    storage.buffers.push_back({bytes, begin, end});
    return storage.buffers.size() - 1;
  }
  Value rootOf(Value value) { return storage.roots.lookup(value); }
  SmallVector<unsigned> operandsOf(train::LaunchOp launch, Value root) {
    SmallVector<unsigned> operands;
    for (auto [index, operand] : llvm::enumerate(launch.getInputs()))
      if (rootOf(operand) == root)
        operands.push_back(index);
    return operands;
  }

  train::FunctionOp function;
  const SymbolTable &symbols;
  Storage storage;
  /// Launches are 1, 2 ...; 0 is the function's entry, `exit` where it returns.
  DenseMap<Operation *, int64_t> position;
  int64_t exit = 0;
  DenseMap<Value, int64_t> lastUse; ///< by root
  SmallVector<train::LaunchOp> launches;
  SmallVector<train::ReadOp> reads;
  SmallVector<train::WriteOp> writes;
};

LogicalResult Assignment::number() {
  for (Operation &op : function.getBody().front()) {
    if (auto read = dyn_cast<train::ReadOp>(op)) {
      reads.push_back(read);
    } else if (auto write = dyn_cast<train::WriteOp>(op)) {
      writes.push_back(write);
    } else if (auto launch = dyn_cast<train::LaunchOp>(op)) {
      launches.push_back(launch);
      position[launch] = launches.size();
    } else if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) {
      storage.roots[op.getResult(0)] = rootOf(op.getOperand(0));
      continue;
    } else if (llvm::any_of(op.getResultTypes(), llvm::IsaPred<TensorType>) || !isPure(&op)) {
      return op.emitOpError("cannot be placed: expected launches, views, reads and writes");
    }
    for (Value result : op.getResults())
      storage.roots[result] = result;
  }
  exit = launches.size() + 1;
  return success();
}

void Assignment::findLastUses() {
  for (train::LaunchOp launch : launches) {
    for (Value result : launch.getOutputs())
      lastUse[result] = position[launch]; // a result that nobody reads needs room all the same
    for (Value operand : launch.getInputs())
      lastUse[rootOf(operand)] = position[launch];
  }
  // What is not made by a launch is copied when the function returns.
  for (train::WriteOp write : writes)
    if (auto read = rootOf(write.getValue()).getDefiningOp<train::ReadOp>())
      if (read.getSymbolAttr() != write.getSymbolAttr())
        lastUse[read.getValue()] = exit;
}

void Assignment::placeReads() {
  for (train::ReadOp read : reads) {
    bool wantedAtExit = lastUse.lookup(read.getValue()) == exit;
    bool overwritten = llvm::any_of(writes, [&](train::WriteOp write) {
      return write.getSymbolAttr() == read.getSymbolAttr() && rootOf(write.getValue()) != read.getValue();
    });
    Home home{read.getSymbolAttr(), -1};
    if (wantedAtExit && overwritten) {
      // Without the copy, the order of the copies at the end would matter.
      home = {{}, addBuffer(bytesOf(cast<ShapedType>(read.getValue().getType())), 0, exit)};
      storage.rescued.push_back(read);
    }
    storage.homes[read.getValue()] = home;
  }
}

/// Whether the old value of `state` is dead when `value` is made, or dies there and may be overwritten.
bool Assignment::canProduceIn(train::StateOp state, OpResult value) {
  auto launch = cast<train::LaunchOp>(value.getOwner());
  for (train::ReadOp read : reads) {
    if (read.getSymbol() != state.getSymName() || !storage.homes.lookup(read.getValue()).symbol)
      continue;
    int64_t last = lastUse.lookup(read.getValue());
    if (last > position[launch])
      return false;
    if (last == position[launch] &&
        !Sharing(kernelOf(launch)).allows(operandsOf(launch, read.getValue()), value.getResultNumber()))
      return false;
  }
  return true;
}

void Assignment::placeWritten() {
  // States first: a value that is also an output is then copied to the output, which is small.
  for (bool toState : {true, false}) {
    for (train::WriteOp write : writes) {
      auto state = symbols.lookup<train::StateOp>(write.getSymbol());
      if (bool(state) != toState)
        continue;
      Value root = rootOf(write.getValue());
      auto read = root.getDefiningOp<train::ReadOp>();
      if (read && read.getSymbolAttr() == write.getSymbolAttr())
        continue; // unchanged
      if (!read && !storage.homes.count(root) && (!state || canProduceIn(state, cast<OpResult>(root)))) {
        storage.homes[root] = {write.getSymbolAttr(), -1};
        continue;
      }
      storage.copied.push_back(write);
      lastUse[root] = exit;
    }
  }
}

void Assignment::placeTheRest() {
  for (train::LaunchOp launch : launches) {
    int64_t now = position[launch];
    train::KernelOp kernel = kernelOf(launch);
    if (train::ScheduleInterface schedule = kernel.getScheduleAttr(); schedule && schedule.scratchBytes() > 0)
      storage.scratch[launch] = addBuffer(schedule.scratchBytes() * schedule.chunks(), now, now);
    llvm::MapVector<int64_t, SmallVector<unsigned>> dying; // buffers, and the operands that lie there
    for (auto [index, operand] : llvm::enumerate(launch.getInputs()))
      if (Home home = storage.homes.lookup(rootOf(operand));
          !home.symbol && storage.buffers[home.buffer].end == now)
        dying[home.buffer].push_back(index);
    Sharing sharing(kernel);
    for (OpResult result : launch->getResults()) {
      if (storage.homes.count(result))
        continue;
      int64_t bytes = bytesAtBound(kernel, launch.getInputs().size() + result.getResultNumber(),
                                   cast<ShapedType>(result.getType()));
      int64_t buffer = addBuffer(bytes, now, lastUse.lookup(result));
      storage.homes[result] = {{}, buffer};
      for (auto &[dyingBuffer, operands] : dying)
        if (sharing.allows(operands, result.getResultNumber()))
          storage.aliases.push_back({dyingBuffer, buffer});
    }
  }
}

FailureOr<Storage> Assignment::run() {
  if (failed(number()))
    return failure();
  findLastUses();
  placeReads();
  placeWritten();
  placeTheRest();
  return std::move(storage);
}

} // namespace

FailureOr<Storage> assignStorage(train::FunctionOp function, const SymbolTable &symbols) {
  return Assignment(function, symbols).run();
}

} // namespace dlc::plan
