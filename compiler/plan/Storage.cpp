//===- Storage.cpp - where a function keeps its values ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/plan/Storage.h"
#include "compiler/plan/Sizes.h"
#include "compiler/support/Remarks.h"
#include "dialects/train/DimNames.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace dlc::plan {

Sharing::Sharing(train::KernelOp kernel) {
  ArrayRef<int64_t> inplace = kernel.getSchedule() ? kernel.getSchedule()->inplace() : ArrayRef<int64_t>();
  for (size_t i = 0; i + 1 < inplace.size(); i += 2)
    pairs.insert({static_cast<unsigned>(inplace[i]), static_cast<unsigned>(inplace[i + 1])});
}

bool isWhole(Value value, const analysis::View &view) {
  nn::Shape shape = train::shapeOf(value);
  return view.offset == 0 && nn::elementCount(shape) == nn::elementCount(train::shapeOf(view.whole)) &&
         !analysis::partStrides(value);
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
  bool canProduceIn(train::StateOp state, Value root);
  bool isWhole(Value value) { return plan::isWhole(value, storage.views.find(value)->second); }
  train::KernelOp kernelOf(train::LaunchOp launch) {
    return symbols.lookup<train::KernelOp>(launch.getKernel());
  }
  int64_t addBuffer(int64_t bytes, int64_t begin, int64_t end) {
    storage.buffers.push_back({bytes, begin, end});
    return storage.buffers.size() - 1;
  }
  Value rootOf(Value value) { return storage.views.find(value)->second.whole; }
  /// Whether the launch may write `result` where its operands with this root lie.
  bool mayTakePlaceOf(train::LaunchOp launch, Value root, OpResult result) {
    SmallVector<unsigned> operands;
    for (auto [index, operand] : llvm::enumerate(launch.getInputs()))
      if (rootOf(operand) == root) {
        if (!isWhole(operand))
          return false;
        operands.push_back(index);
      }
    return Sharing(kernelOf(launch)).allows(operands, result.getResultNumber());
  }

  train::FunctionOp function;
  const SymbolTable &symbols;
  Storage storage;
  /// Launches have the positions 1, 2 ...; 0 is the function's entry, and `exit` its return.
  DenseMap<Operation *, int64_t> position;
  int64_t exit = 0;
  DenseMap<Value, int64_t> firstUse, lastUse; ///< by root
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
    } else if (!analysis::isView(&op) && !isa<train::JoinOp>(op) &&
               (llvm::any_of(op.getResultTypes(), llvm::IsaPred<TensorType>) || !isPure(&op))) {
      return op.emitOpError("cannot be placed: expected launches, views, joins, reads and writes");
    }
    for (Value result : op.getResults()) {
      if (!isa<TensorType>(result.getType()))
        continue;
      std::optional<analysis::View> view = analysis::viewOf(result);
      if (!view)
        return op.emitOpError("cannot be placed: expected elements at strides of one tensor");
      storage.views[result] = *view;
    }
  }
  exit = launches.size() + 1;
  return success();
}

void Assignment::findLastUses() {
  for (train::LaunchOp launch : launches) {
    for (Value result : launch.getOutputs()) {
      firstUse.try_emplace(rootOf(result), position[launch]);
      lastUse[rootOf(result)] = position[launch]; // a result that nobody reads needs room all the same
    }
    for (Value operand : launch.getInputs())
      lastUse[rootOf(operand)] = position[launch];
  }
  // A value that no launch computes is copied when the function returns.
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
      remarks::missed(read, remarks::plan, "copied-at-entry", read.getSymbol())
          << "copied when the function begins: its old value is an output, and its new one takes its place";
    }
    storage.homes[read.getValue()] = home;
  }
}

/// Whether the old value of `state` is dead when the first part of `root` is made, or dies there and may be
/// overwritten.
bool Assignment::canProduceIn(train::StateOp state, Value root) {
  auto launch = root.getDefiningOp<train::LaunchOp>(); // null where the parts have several
  for (train::ReadOp read : reads) {
    if (read.getSymbol() != state.getSymName() || !storage.homes.lookup(read.getValue()).symbol)
      continue;
    int64_t last = lastUse.lookup(read.getValue());
    if (last > firstUse.lookup(root))
      return false;
    if (last == firstUse.lookup(root) &&
        (!launch || !mayTakePlaceOf(launch, read.getValue(), cast<OpResult>(root))))
      return false;
  }
  return true;
}

void Assignment::placeWritten() {
  // States come first: a value that is also an output is then copied to the output, which is small.
  for (bool toState : {true, false}) {
    for (train::WriteOp write : writes) {
      auto state = symbols.lookup<train::StateOp>(write.getSymbol());
      if (bool(state) != toState)
        continue;
      Value root = rootOf(write.getValue());
      auto read = root.getDefiningOp<train::ReadOp>();
      if (read && read.getSymbolAttr() == write.getSymbolAttr())
        continue; // unchanged
      if (!read && !storage.homes.count(root) && (!state || canProduceIn(state, root))) {
        storage.homes[root] = {write.getSymbolAttr(), -1};
        continue;
      }
      remarks::missed(write, remarks::plan, "copied-at-exit", write.getSymbol())
          << "copied when the function returns: "
          << (read                        ? "it is the value of something else"
              : storage.homes.count(root) ? "its value lies in another state or output already"
                                          : "its old value is still read when the new one is made");
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
    llvm::SetVector<Value> dying; // roots of operands, which lie in buffers
    for (Value operand : launch.getInputs())
      if (Home home = storage.homes.lookup(rootOf(operand));
          !home.symbol && storage.buffers[home.buffer].end == now)
        dying.insert(rootOf(operand));
    for (OpResult result : launch->getResults()) {
      Value root = rootOf(result);
      if (storage.homes.count(root))
        continue;
      int64_t buffer = addBuffer(bytesAtBound(root), now, lastUse.lookup(root));
      storage.homes[root] = {{}, buffer};
      for (Value before : dying)
        if (root == result && mayTakePlaceOf(launch, before, result))
          storage.aliases.push_back({storage.homes.lookup(before).buffer, buffer});
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
