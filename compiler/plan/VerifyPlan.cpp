//===- VerifyPlan.cpp - check the promise of the stage plan ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs each function on a memory of value numbers. A part of a value has the value's number: at each byte
// lies that byte of the value which belongs there. It knows nothing of how the plan was made, and does not
// trust the schedule's pairs of operands and results that may share storage: it proves them (Overwrite.h).
//===----------------------------------------------------------------------===//
#include "compiler/analysis/Views.h"
#include "compiler/plan/Overwrite.h"
#include "compiler/plan/Packer.h"
#include "compiler/plan/Passes.h"
#include "compiler/plan/Region.h"
#include "compiler/plan/Sizes.h"
#include "compiler/support/Elements.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace dlc::plan {

#define GEN_PASS_DEF_VERIFYPLAN
#include "compiler/plan/Passes.h.inc"

namespace {

/// What was proved about a (kernel, operand, result): whether the result may overwrite the operand.
using Proofs = DenseMap<std::tuple<Operation *, unsigned, unsigned>, bool>;

class PlanVerifier {
public:
  PlanVerifier(train::ProgramOp program, train::FunctionOp function, const SymbolTable &symbols,
               Proofs &proofs)
      : program(program), function(function), symbols(symbols), proofs(proofs),
        arenaBytes(program.getPlan() ? program.getPlan()->getArena() : 0) {}
  LogicalResult run();

private:
  /// The region of the state, input or output that a place is in, or of the arena.
  FailureOr<Region> roomOf(train::PlaceOp place);
  /// The region of `memory`, which has this shape; `strides` where it has gaps.
  FailureOr<Region> regionOf(Operation *user, Value memory, ArrayRef<nn::Dim> shape,
                             std::optional<nn::Shape> strides = std::nullopt);
  FailureOr<Region> argument(train::LaunchOp launch, train::KernelOp kernel, Value memory, unsigned index);
  LogicalResult check(train::LaunchOp launch);
  LogicalResult check(train::CopyOp copy);
  LogicalResult checkOverwrites(train::LaunchOp launch, ArrayRef<Region> inputs, const Region &destination,
                                unsigned result);
  LogicalResult read(Operation *user, Value memory, const Region &region);
  void write(Value memory, const Region &region);
  bool holds(const Region &region, int64_t value) const;
  static int64_t valueOf(Value memory) {
    std::optional<int64_t> value = memory.getDefiningOp<train::PlaceOp>().getValue();
    return value.value_or(-1);
  }

  train::ProgramOp program;
  train::FunctionOp function;
  const SymbolTable &symbols;
  Proofs &proofs;
  int64_t arenaBytes;
  std::vector<std::pair<Region, int64_t>> contents; ///< what each written or first read region holds
};

FailureOr<Region> PlanVerifier::roomOf(train::PlaceOp place) {
  std::optional<StringRef> symbol = place.getSymbol();
  if (!symbol)
    return Region("", 0, arenaBytes);
  if (auto state = symbols.lookup<train::StateOp>(*symbol)) {
    if (!state.getOffset())
      return state.emitOpError("has no offset");
    int64_t begin = *state.getOffset();
    return Region("", begin, begin + bytesOf(cast<ShapedType>(state.getType())));
  }
  auto input = symbols.lookup<train::InputOp>(*symbol);
  Type type = input ? input.getType() : symbols.lookup<train::OutputOp>(*symbol).getType();
  int64_t bytes = elementBytes(type);
  for (int64_t size : atBound(nn::shapeOf(type), program))
    bytes *= size;
  return Region(*symbol, 0, bytes);
}

FailureOr<Region> PlanVerifier::regionOf(Operation *user, Value memory, ArrayRef<nn::Dim> shape,
                                         std::optional<nn::Shape> strides) {
  auto place = memory.getDefiningOp<train::PlaceOp>();
  if (!place)
    return user->emitOpError("expects places as operands");
  FailureOr<Region> room = roomOf(place);
  if (failed(room))
    return failure();
  for (const nn::Dim &size :
       llvm::concat<const nn::Dim>(shape, strides ? ArrayRef(*strides) : ArrayRef<nn::Dim>()))
    for (const std::string &name : size.names)
      if (!symbols.lookup<train::DimOp>(name))
        return user->emitOpError("has the size '") << name << "', which is no dim of the program";
  int64_t width = elementBytes(memory), begin = room->begin() + place.getOffset().value_or(0);
  Region region(room->memory(), begin, width, atBound(shape, program),
                atBound(strides.value_or(analysis::rowMajor(shape)), program));
  bool isPart = place.getPart(), isState = room->memory().empty() && place.getSymbol();
  if (isState && !isPart && !(region == *room))
    return place.emitOpError("shows ") << region.bytes() << " bytes of " << room->bytes();
  int64_t unit = isPart ? width : alignment;
  if (begin % unit != 0)
    return place.emitOpError("expects an offset that is a multiple of ") << unit << ", got " << begin;
  if (region.end() > room->end())
    return place.emitOpError("ends at byte ")
           << region.end() << ", behind the end of its memory at " << room->end();
  return region;
}

/// Whether the regions written with this value, which do not overlap, cover the whole region.
bool PlanVerifier::holds(const Region &region, int64_t value) const {
  int64_t bytes = 0;
  for (auto &[known, held] : contents) {
    if (held != value)
      continue;
    if (known.contains(region))
      return true;
    if (region.contains(known))
      bytes += known.bytes();
    else if (region.overlaps(known))
      bytes += region.sharedBytes(known);
  }
  return bytes == region.bytes();
}

LogicalResult PlanVerifier::read(Operation *user, Value memory, const Region &region) {
  if (region.isEmpty())
    return success(); // without elements there is nothing to write either
  int64_t value = valueOf(memory);
  if (holds(region, value))
    return success();
  for (auto &[known, held] : contents)
    if (known.overlaps(region) && held != value)
      return user->emitOpError("reads value ")
             << value << " at byte " << region.begin() << ", but value " << held << " lies there";
    else if (known.overlaps(region))
      return user->emitOpError("reads value ")
             << value << " at byte " << region.begin() << ", of which only parts have been written";
  auto place = memory.getDefiningOp<train::PlaceOp>();
  if (!place.getSymbol() || symbols.lookup<train::OutputOp>(*place.getSymbol()))
    return user->emitOpError("reads value ")
           << value << " at byte " << region.begin() << ", which nothing has written";
  contents.push_back({*roomOf(place), value}); // as the function found it
  return success();
}

// When all parts of a value have been written, they become one region, so that any part of it may be read.
void PlanVerifier::write(Value memory, const Region &region) {
  int64_t value = valueOf(memory);
  llvm::erase_if(contents, [&](const auto &entry) { return entry.first.overlaps(region); });
  contents.push_back({region, value});
  if (!memory.getDefiningOp<train::PlaceOp>().getPart())
    return;
  int64_t begin = region.begin(), end = region.end(), bytes = 0;
  auto isSame = [&](const auto &entry) {
    return entry.second == value && entry.first.memory() == region.memory();
  };
  for (const auto &entry : llvm::make_filter_range(contents, isSame)) {
    begin = std::min(begin, entry.first.begin());
    end = std::max(end, entry.first.end());
    bytes += entry.first.bytes();
  }
  if (bytes != end - begin)
    return;
  llvm::erase_if(contents, isSame);
  contents.push_back({Region(region.memory(), begin, end), value});
}

/// Each operand that lies where a destination does must have been read before.
LogicalResult PlanVerifier::checkOverwrites(train::LaunchOp launch, ArrayRef<Region> inputs,
                                            const Region &destination, unsigned result) {
  auto kernel = symbols.lookup<train::KernelOp>(launch.getKernel());
  bool isScratch = result >= kernel.getBody().front().getTerminator()->getNumOperands();
  for (auto [operand, input] : llvm::enumerate(inputs)) {
    if (!destination.overlaps(input))
      continue;
    if (isScratch || !(input == destination) ||
        launch.getInputs()[operand].getType() != launch.getDestinations()[result].getType())
      return launch.emitOpError("writes destination ")
             << result << " over a part of operand " << operand << " at byte " << destination.begin();
    auto [proof, isNew] = proofs.try_emplace({kernel, unsigned(operand), result}, false);
    if (isNew)
      proof->second = readsBeforeItWrites(kernel, operand, result);
    if (!proof->second)
      return launch.emitOpError("writes destination ") << result << " over operand " << operand << " at byte "
                                                       << destination.begin() << ", which may still be read";
  }
  return success();
}

/// The region of argument or result `index` of the kernel.
FailureOr<Region> PlanVerifier::argument(train::LaunchOp launch, train::KernelOp kernel, Value memory,
                                         unsigned index) {
  return regionOf(launch, memory, shapeOf(kernel, index, cast<ShapedType>(memory.getType())),
                  kernel.stridesOf(index));
}

LogicalResult PlanVerifier::check(train::LaunchOp launch) {
  auto kernel = symbols.lookup<train::KernelOp>(launch.getKernel());
  int64_t scratch = kernel.getScheduleAttr() ? kernel.getScheduleAttr().scratchBytes() : 0;
  SmallVector<Region> inputs, destinations;
  unsigned index = 0;
  for (Value operand : launch.getInputs()) {
    FailureOr<Region> region = argument(launch, kernel, operand, index++);
    if (failed(region) || failed(read(launch, operand, *region)))
      return failure();
    inputs.push_back(*region);
  }
  unsigned results = launch.getDestinations().size() - (scratch > 0);
  for (auto [i, destination] : llvm::enumerate(launch.getDestinations())) {
    FailureOr<Region> region =
        i < results
            ? argument(launch, kernel, destination, index++)
            : regionOf(launch, destination, nn::Dim(bytesOf(cast<ShapedType>(destination.getType()))));
    if (failed(region))
      return failure();
    for (const Region &other : destinations)
      if (region->overlaps(other))
        return launch.emitOpError("has destinations that overlap at byte ") << region->begin();
    if (failed(checkOverwrites(launch, inputs, *region, i)))
      return failure();
    destinations.push_back(*region);
  }
  for (auto [destination, region] : llvm::zip_equal(launch.getDestinations(), destinations))
    write(destination, region);
  return success();
}

LogicalResult PlanVerifier::check(train::CopyOp copy) {
  auto type = cast<ShapedType>(copy.getSource().getType());
  nn::DimsAttr dims = copy.getDimsAttr();
  if (!type.hasStaticShape() && !dims)
    return copy.emitOpError("expects dims, the names of the dims of ") << type;
  nn::Shape shape = nn::shapeOf(RankedTensorType::get(type.getShape(), type.getElementType(), dims));
  FailureOr<Region> source = regionOf(copy, copy.getSource(), shape);
  FailureOr<Region> destination = regionOf(copy, copy.getDestination(), shape);
  if (failed(source) || failed(destination) || failed(read(copy, copy.getSource(), *source)))
    return failure();
  write(copy.getDestination(), *destination);
  return success();
}

LogicalResult PlanVerifier::run() {
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
        if (failed(PlanVerifier(program, function, symbols, proofs).run()))
          return signalPassFailure();
    }
  }
};

} // namespace
} // namespace dlc::plan
