//===- JoinParts.cpp - a step that goes over a batch in parts --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions for one part of a batch are planned as all others are: each has the whole working memory, and
// hands on what it makes in states. So a step is their launches, one function after the other; only the
// places in inputs are those of the part.
//===----------------------------------------------------------------------===//
#include "compiler/plan/Passes.h"
#include "compiler/plan/Sizes.h"
#include "compiler/support/Elements.h"
#include "dialects/train/BatchParts.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace dlc::plan {

#define GEN_PASS_DEF_JOINPARTS
#include "compiler/plan/Passes.h.inc"

namespace {

/// Gives values numbers that hold for all phases: a value that a phase finds in a state has the number that
/// it had in the phase that wrote it.
class Numbers {
public:
  void renumber(ArrayRef<Operation *> phase) {
    now.clear();
    llvm::StringSet<> written;
    for (Operation *op : phase) {
      auto [sources, destinations] = memoryOf(op);
      for (Value memory : sources)
        see(memory, /*isFound=*/!written.contains(symbolOf(memory)));
      for (Value memory : destinations) {
        see(memory, /*isFound=*/false);
        if (auto number = numberOf(memory); number && !symbolOf(memory).empty()) {
          held[symbolOf(memory)] = now.lookup(*number);
          written.insert(symbolOf(memory));
        }
      }
    }
    for (Operation *op : phase)
      if (auto place = dyn_cast<train::PlaceOp>(op); place && place.getValue())
        place.setValue(now.lookup(*place.getValue()));
  }

private:
  static std::pair<ValueRange, ValueRange> memoryOf(Operation *op) {
    if (auto launch = dyn_cast<train::LaunchOp>(op))
      return {launch.getInputs(), launch.getDestinations()};
    if (auto copy = dyn_cast<train::CopyOp>(op))
      return {copy->getOperands().take_front(1), copy->getOperands().drop_front(1)};
    return {};
  }
  static std::optional<int64_t> numberOf(Value memory) {
    return memory.getDefiningOp<train::PlaceOp>().getValue();
  }
  static StringRef symbolOf(Value memory) {
    return memory.getDefiningOp<train::PlaceOp>().getSymbol().value_or("");
  }
  /// `isFound`: whether the value is what the phase finds in a symbol.
  void see(Value memory, bool isFound) {
    std::optional<int64_t> number = numberOf(memory);
    if (!number || now.contains(*number))
      return;
    const StringRef symbol = symbolOf(memory);
    now[*number] = isFound && !symbol.empty() && held.contains(symbol) ? held.lookup(symbol) : next++;
    if (isFound && !symbol.empty())
      held[symbol] = now[*number];
  }

  DenseMap<int64_t, int64_t> now; ///< by the number in the phase
  llvm::StringMap<int64_t> held;  ///< by each symbol that has been read or written
  int64_t next = 0;
};

/// The function's attributes are the maxima over its phases.
class Facts {
public:
  void add(train::FunctionOp phase) {
    if (std::optional<train::FunctionPlanAttr> plan = phase.getPlan()) {
      working = std::max(working, plan->getWorking());
      bound = std::max(bound, plan->getBound());
    }
    if (std::optional<train::RecomputedAttr> recomputed = phase.getRecomputed()) {
      permille = std::max(permille, recomputed->getPermille());
      nodes.insert(recomputed->getNodes().begin(), recomputed->getNodes().end());
    }
  }
  void set(train::FunctionOp function) {
    MLIRContext *context = function.getContext();
    function.setPlanAttr(train::FunctionPlanAttr::get(context, working, bound));
    if (!nodes.empty())
      function.setRecomputedAttr(train::RecomputedAttr::get(context, permille, nodes.getArrayRef()));
  }

private:
  int64_t working = 0, bound = 0, permille = 0;
  llvm::SetVector<StringAttr> nodes;
};

struct JoinParts : impl::JoinPartsBase<JoinParts> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>()) {
      if (!program.getBatchParts())
        continue;
      SymbolTable symbols(program);
      auto functions = llvm::to_vector(program.getBody().getOps<train::FunctionOp>());
      for (train::FunctionOp function : functions)
        if (function.getPhases())
          join(function, symbols);
      for (train::FunctionOp function : functions)
        if (function.getOnePart())
          function.erase();
    }
  }

  void join(train::FunctionOp function, const SymbolTable &symbols) {
    Block &body = function.getBody().front();
    auto own = llvm::map_to_vector(body, [](Operation &op) { return &op; });
    auto b = OpBuilder::atBlockBegin(&body);
    Numbers numbers;
    Facts facts;
    for (auto phase : function.getPhasesAttr().getAsRange<train::PhaseAttr>()) {
      auto part = symbols.lookup<train::FunctionOp>(phase.getFunction().getAttr());
      IRMapping mapping;
      SmallVector<Operation *> copies;
      for (Operation &op : part.getBody().front()) {
        copies.push_back(b.clone(op, mapping));
        if (auto place = dyn_cast<train::PlaceOp>(copies.back()))
          move(place, phase.getPart(), symbols);
      }
      numbers.renumber(copies);
      facts.add(part);
    }
    numbers.renumber(own);
    facts.add(function);
    facts.set(function);
    function.removePhasesAttr();
    function.setBatchParts(train::batchPartsOf(function->getParentOfType<train::ProgramOp>()));
  }

  /// Moves a place in an input to the part of the batch.
  static void move(train::PlaceOp place, int64_t part, const SymbolTable &symbols) {
    auto input = place.getSymbol() ? symbols.lookup<train::InputOp>(*place.getSymbol()) : train::InputOp();
    if (!input || !train::isCutByBatch(input) || part == 0)
      return;
    int64_t whole = elementBytes(input.getType());
    for (int64_t size : atBound(nn::shapeOf(input.getType()), input->getParentOp()))
      whole *= size;
    const int64_t bytes = whole / train::batchPartsOf(input->getParentOfType<train::ProgramOp>());
    place.setOffset(place.getOffset().value_or(0) + part * bytes);
    place.setPart(true);
  }
};

} // namespace
} // namespace dlc::plan
