//===- Plan.cpp - give every tensor a place in one arena -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/plan/Passes.h"
#include "compiler/plan/Sizes.h"
#include "compiler/plan/Storage.h"
#include "compiler/support/Elements.h"
#include "compiler/support/NodeNames.h"
#include "compiler/support/Remarks.h"
#include "dialects/train/DimNames.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <map>

using namespace mlir;

namespace dlc::plan {

#define GEN_PASS_DEF_PLAN
#include "compiler/plan/Passes.h.inc"

namespace {

/// Rewrites one function from tensors to places.
class PlaceRewriter {
public:
  PlaceRewriter(train::FunctionOp function, const Storage &storage, ArrayRef<int64_t> offsets)
      : function(function), storage(storage), offsets(offsets), b(function.getContext()) {}

  void run() {
    Block &body = function.getBody().front();
    SmallVector<Operation *> old;
    for (Operation &op : body)
      old.push_back(&op);
    b.setInsertionPointToStart(&body);
    for (train::ReadOp read : storage.rescued) {
      Value from = placeIn(read.getLoc(), read.getValue(), read.getSymbolAttr(), 0);
      train::CopyOp::create(b, read.getLoc(), from, placeOf(read.getValue()), nn::DimsAttr());
    }
    for (Operation *op : old)
      if (auto launch = dyn_cast<train::LaunchOp>(op))
        rewrite(launch);
    b.setInsertionPointToEnd(&body);
    for (train::WriteOp write : storage.copied) {
      Value from = placeOf(write.getValue());
      Value to = placeIn(write.getLoc(), write.getValue(), write.getSymbolAttr(), 0);
      // Only outputs can have named dims, which their declarations give.
      auto output = dyn_cast<train::OutputOp>(
          SymbolTable::lookupSymbolIn(function->getParentOp(), write.getSymbolAttr().getAttr()));
      auto dims = output ? cast<RankedTensorType>(output.getType()).getEncoding() : Attribute();
      train::CopyOp::create(b, write.getLoc(), from, to, cast_if_present<nn::DimsAttr>(dims));
    }
    for (Operation *op : llvm::reverse(old))
      op->erase();
  }

private:
  /// The number of the value, for the verifier: copies of a value have its number.
  IntegerAttr numberOf(Value value) {
    Value root = viewOf(value).whole;
    auto [it, isNew] = numbers.try_emplace(root, numbers.size());
    return b.getI64IntegerAttr(it->second);
  }
  const analysis::View &viewOf(Value value) { return storage.views.find(value)->second; }
  static MemRefType memoryType(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    MemRefLayoutAttrInterface layout;
    if (std::optional<nn::Shape> strides = analysis::partStrides(value)) {
      auto steps = llvm::map_to_vector(*strides, [](const nn::Dim &stride) {
        return stride.isStatic() ? stride.factor : ShapedType::kDynamic;
      });
      layout = StridedLayoutAttr::get(value.getContext(), 0, steps);
    }
    return MemRefType::get(type.getShape(), type.getElementType(), layout);
  }
  /// The place of `value` in that of its root, which begins at `offset` in the arena where it is no symbol's.
  Value placeIn(Location loc, Value value, FlatSymbolRefAttr symbol, int64_t offset) {
    offset += viewOf(value).offset * elementBytes(value);
    return train::PlaceOp::create(b, loc, memoryType(value), symbol,
                                  symbol && offset == 0 ? IntegerAttr() : b.getI64IntegerAttr(offset),
                                  /*part=*/!isWhole(value, viewOf(value)), numberOf(value));
  }
  Value placeOf(Value value) {
    Value &place = places[value];
    if (place)
      return place;
    Home home = storage.homes.lookup(viewOf(value).whole);
    return place = placeIn(value.getLoc(), value, home.symbol, home.symbol ? 0 : offsets[home.buffer]);
  }
  void rewrite(train::LaunchOp launch) {
    b.setInsertionPoint(launch);
    SmallVector<Value> inputs, destinations;
    for (Value operand : launch.getInputs())
      inputs.push_back(placeOf(operand));
    for (Value result : launch.getOutputs())
      destinations.push_back(placeOf(result));
    if (auto it = storage.scratch.find(launch); it != storage.scratch.end()) {
      auto type = MemRefType::get({storage.buffers[it->second].bytes}, b.getI8Type());
      destinations.push_back(train::PlaceOp::create(b, launch.getLoc(), type, FlatSymbolRefAttr(),
                                                    b.getI64IntegerAttr(offsets[it->second]), /*part=*/false,
                                                    /*value=*/IntegerAttr()));
    }
    train::LaunchOp::create(b, launch.getLoc(), TypeRange(), launch.getKernelAttr(), inputs, destinations);
  }

  train::FunctionOp function;
  const Storage &storage;
  ArrayRef<int64_t> offsets;
  OpBuilder b;
  DenseMap<Value, Value> places;
  DenseMap<Value, int64_t> numbers;
};

/// The launch at which the living buffers have most bytes, and how many.
std::pair<int64_t, int64_t> fullest(const Storage &storage) {
  llvm::DenseSet<int64_t> handedOn; // to a result of the launch at which they end
  for (const Alias &alias : storage.aliases)
    handedOn.insert(alias.first);
  std::map<int64_t, int64_t> change; // of the bytes, before a launch
  for (auto [number, buffer] : llvm::enumerate(storage.buffers)) {
    const int64_t bytes = alignTo(buffer.bytes, alignment);
    change[buffer.begin] += bytes;
    change[buffer.end + (handedOn.contains(number) ? 0 : 1)] -= bytes;
  }
  int64_t bytes = 0;
  std::pair<int64_t, int64_t> most{0, 0};
  for (auto [launch, difference] : change)
    if (bytes += difference; bytes > most.second)
      most = {launch, bytes};
  return most;
}

/// Emits a remark that says how much working memory a function has, and what fills it at its peak.
void explain(train::FunctionOp function, const Storage &storage, const Packing &packing, int64_t bound) {
  if (!remarks::areWanted(function) || storage.buffers.empty())
    return;
  const auto [launch, live] = fullest(storage);
  SmallVector<std::pair<int64_t, StringRef>> largest;
  for (auto [value, home] : storage.homes)
    if (!home.symbol && storage.buffers[home.buffer].begin <= launch &&
        launch <= storage.buffers[home.buffer].end)
      largest.push_back({storage.buffers[home.buffer].bytes, nodeName(value.getLoc())});
  llvm::sort(largest, std::greater<>());
  std::string names;
  for (auto [bytes, node] : ArrayRef(largest).take_front(3))
    names += (names.empty() ? "" : ", ") + std::to_string(bytes) + " of '" + node.str() + "'";
  using mlir::remark::metric;
  remarks::done(function, remarks::plan, "memory")
      << metric("bytes", packing.bytes) << " bytes of working memory for "
      << metric("buffers", storage.buffers.size()) << " buffers, where " << metric("bound", bound)
      << " is the least; most live at launch " << metric("launch", launch) << ": " << metric("live", live)
      << (names.empty() ? "" : ", among them " + names);
}

struct Plan : impl::PlanBase<Plan> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>())
      if (failed(plan(program)))
        return signalPassFailure();
  }

  LogicalResult plan(train::ProgramOp program) {
    SymbolTable symbols(program);
    int64_t states = 0;
    for (auto state : program.getBody().getOps<train::StateOp>()) {
      state.setOffset(states);
      states += alignTo(bytesOf(cast<ShapedType>(state.getType())), alignment);
    }
    int64_t working = 0, bound = 0;
    for (auto function : program.getBody().getOps<train::FunctionOp>()) {
      FailureOr<Storage> storage = assignStorage(function, symbols);
      if (failed(storage))
        return failure();
      Packing packing = pack(storage->buffers, storage->aliases, alignment);
      const int64_t functionBound = lowerBound(storage->buffers, storage->aliases, alignment);
      explain(function, *storage, packing, functionBound);
      for (int64_t &offset : packing.offsets)
        offset += states;
      PlaceRewriter(function, *storage, packing.offsets).run();
      function.setPlanAttr(train::FunctionPlanAttr::get(&getContext(), packing.bytes, functionBound));
      working = std::max(working, packing.bytes);
      bound = std::max(bound, functionBound);
    }
    program.setPlanAttr(train::ProgramPlanAttr::get(&getContext(), states, states + working, states + bound));
    return success();
  }
};

} // namespace
} // namespace dlc::plan
