//===- VerifyPlan.cpp - check the promise of the stage plan ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs each function on a memory of value numbers. It knows nothing of how the plan was made, and does not
// trust the schedule's pairs of operands and results that may share storage: it proves them (Overwrite.h).
//===----------------------------------------------------------------------===//
#include "compiler/plan/Overwrite.h"
#include "compiler/plan/Packer.h"
#include "compiler/plan/Passes.h"
#include "compiler/plan/Sizes.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace dlc::plan {

#define GEN_PASS_DEF_VERIFYPLAN
#include "compiler/plan/Passes.h.inc"

namespace {

/// Bytes of the arena, or of one input or output.
struct Range {
  StringRef memory; ///< empty: the arena
  int64_t begin = 0, end = 0;
  bool overlaps(const Range &other) const {
    return memory == other.memory && begin < other.end && other.begin < end;
  }
  bool operator==(const Range &other) const {
    return memory == other.memory && begin == other.begin && end == other.end;
  }
};

/// What was proved of (kernel, operand, result).
using Proofs = DenseMap<std::tuple<Operation *, unsigned, unsigned>, bool>;

class Checker {
public:
  Checker(train::ProgramOp program, train::FunctionOp function, const SymbolTable &symbols, Proofs &proofs)
      : function(function), symbols(symbols), proofs(proofs) {
    if (auto arena = program->getAttrOfType<IntegerAttr>("arena_bytes"))
      arenaBytes = arena.getInt();
  }
  LogicalResult run();

private:
  FailureOr<Range> rangeOf(Operation *user, Value memory, int64_t bytes);
  LogicalResult check(train::LaunchOp launch);
  LogicalResult check(train::CopyOp copy);
  LogicalResult checkOverwrites(train::LaunchOp launch, ArrayRef<Range> inputs, const Range &destination,
                                unsigned result);
  LogicalResult read(Operation *user, Value memory, const Range &range);
  void write(Value memory, const Range &range);
  static int64_t valueOf(Value memory) {
    auto value = memory.getDefiningOp()->getAttrOfType<IntegerAttr>("value");
    return value ? value.getInt() : -1;
  }

  train::FunctionOp function;
  const SymbolTable &symbols;
  Proofs &proofs;
  int64_t arenaBytes = 0;
  std::vector<std::pair<Range, int64_t>> contents; ///< what each written or first read range holds
};

FailureOr<Range> Checker::rangeOf(Operation *user, Value memory, int64_t bytes) {
  auto place = memory.getDefiningOp<train::PlaceOp>();
  if (!place)
    return user->emitOpError("expects places as operands");
  int64_t begin = 0;
  if (std::optional<StringRef> symbol = place.getSymbol()) {
    auto state = symbols.lookup<train::StateOp>(*symbol);
    if (!state)
      return Range{*symbol, 0, bytes};
    if (!state.getOffset())
      return state.emitOpError("has no offset");
    begin = *state.getOffset();
    int64_t room = bytesOf(cast<ShapedType>(state.getType()));
    if (bytes != room)
      return place.emitOpError("shows ") << bytes << " bytes of " << room;
  } else {
    begin = *place.getOffset();
  }
  if (begin % alignment != 0)
    return place.emitOpError("expects an offset that is a multiple of ") << alignment << ", got " << begin;
  if (begin + bytes > arenaBytes)
    return place.emitOpError("ends at byte ") << begin + bytes << " of an arena of " << arenaBytes;
  return Range{{}, begin, begin + bytes};
}

LogicalResult Checker::read(Operation *user, Value memory, const Range &range) {
  if (range.begin == range.end)
    return success(); // without elements there is nothing to write either
  int64_t value = valueOf(memory);
  for (auto &[known, holds] : contents) {
    if (!known.overlaps(range))
      continue;
    if (known == range && holds == value)
      return success();
    return user->emitOpError("reads value ")
           << value << " at byte " << range.begin << ", but value " << holds << " lies there";
  }
  auto symbol = memory.getDefiningOp<train::PlaceOp>().getSymbol();
  if (!symbol || symbols.lookup<train::OutputOp>(*symbol))
    return user->emitOpError("reads value ")
           << value << " at byte " << range.begin << ", which nothing has written";
  contents.push_back({range, value}); // as the function found it
  return success();
}

void Checker::write(Value memory, const Range &range) {
  llvm::erase_if(contents, [&](const auto &entry) { return entry.first.overlaps(range); });
  contents.push_back({range, valueOf(memory)});
}

/// Each operand that lies where a destination does must have been read before.
LogicalResult Checker::checkOverwrites(train::LaunchOp launch, ArrayRef<Range> inputs,
                                       const Range &destination, unsigned result) {
  auto kernel = symbols.lookup<train::KernelOp>(launch.getKernel());
  bool isScratch = result >= kernel.getBody().front().getTerminator()->getNumOperands();
  for (auto [operand, input] : llvm::enumerate(inputs)) {
    if (!destination.overlaps(input))
      continue;
    if (isScratch || input.begin != destination.begin)
      return launch.emitOpError("writes destination ")
             << result << " over a part of operand " << operand << " at byte " << destination.begin;
    auto [proof, isNew] = proofs.try_emplace({kernel, unsigned(operand), result}, false);
    if (isNew)
      proof->second = readsBeforeItWrites(kernel, operand, result);
    if (!proof->second)
      return launch.emitOpError("writes destination ") << result << " over operand " << operand << " at byte "
                                                       << destination.begin << ", which may still be read";
  }
  return success();
}

LogicalResult Checker::check(train::LaunchOp launch) {
  auto kernel = symbols.lookup<train::KernelOp>(launch.getKernel());
  int64_t scratch = kernel.getScheduleAttr() ? kernel.getScheduleAttr().scratchBytes() : 0;
  SmallVector<Range> inputs, destinations;
  unsigned index = 0;
  for (Value operand : launch.getInputs()) {
    FailureOr<Range> range =
        rangeOf(launch, operand, bytesAtBound(kernel, index++, cast<ShapedType>(operand.getType())));
    if (failed(range) || failed(read(launch, operand, *range)))
      return failure();
    inputs.push_back(*range);
  }
  unsigned results = launch.getDestinations().size() - (scratch > 0);
  for (auto [i, destination] : llvm::enumerate(launch.getDestinations())) {
    auto type = cast<ShapedType>(destination.getType());
    FailureOr<Range> range =
        rangeOf(launch, destination, i < results ? bytesAtBound(kernel, index++, type) : bytesOf(type));
    if (failed(range))
      return failure();
    for (const Range &other : destinations)
      if (range->overlaps(other))
        return launch.emitOpError("has destinations that overlap at byte ") << range->begin;
    if (failed(checkOverwrites(launch, inputs, *range, i)))
      return failure();
    destinations.push_back(*range);
  }
  for (auto [destination, range] : llvm::zip_equal(launch.getDestinations(), destinations))
    write(destination, range);
  return success();
}

LogicalResult Checker::check(train::CopyOp copy) {
  auto type = cast<ShapedType>(copy.getSource().getType());
  auto dims = copy->getAttrOfType<nn::DimsAttr>("dims");
  if (!type.hasStaticShape() && !dims)
    return copy.emitOpError("expects dims, the names of the dims of ") << type;
  int64_t bytes = type.hasStaticShape() ? bytesOf(type)
                                        : bytesAtBound(copy->getParentOfType<train::ProgramOp>(), dims, type);
  FailureOr<Range> source = rangeOf(copy, copy.getSource(), bytes);
  FailureOr<Range> destination = rangeOf(copy, copy.getDestination(), bytes);
  if (failed(source) || failed(destination) || failed(read(copy, copy.getSource(), *source)))
    return failure();
  write(copy.getDestination(), *destination);
  return success();
}

LogicalResult Checker::run() {
  for (Operation &op : function.getBody().front()) {
    LogicalResult result = success();
    if (auto launch = dyn_cast<train::LaunchOp>(op))
      result = check(launch);
    else if (auto copy = dyn_cast<train::CopyOp>(op))
      result = check(copy);
    else if (!isa<train::PlaceOp>(op))
      result = op.emitOpError("is not expected after the stage plan: places, launches and copies are");
    if (failed(result))
      return failure();
  }
  return success();
}

struct VerifyPlan : impl::VerifyPlanBase<VerifyPlan> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    for (auto program : getOperation().getOps<train::ProgramOp>()) {
      SymbolTable symbols(program);
      Proofs proofs;
      int64_t end = 0; // states lie one behind the other
      for (auto state : program.getBody().getOps<train::StateOp>()) {
        if (!state.getOffset() || int64_t(*state.getOffset()) < end) {
          state.emitOpError("has no place of its own in the arena");
          return signalPassFailure();
        }
        end = *state.getOffset() + bytesOf(cast<ShapedType>(state.getType()));
      }
      for (auto function : program.getBody().getOps<train::FunctionOp>())
        if (failed(Checker(program, function, symbols, proofs).run()))
          return signalPassFailure();
    }
  }
};

} // namespace
} // namespace dlc::plan
