//===- Steps.cpp - kernels of several steps --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each step runs as it would run as a kernel by itself, but on one thread: the loops that all steps share are
// what is cut into chunks. What a step hands to another gets a place in the chunk's scratch for as long as it
// is needed.
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/machine/cpu/Scratch.h"
#include "compiler/schedule/cpu/Chunks.h"
#include "compiler/schedule/cpu/Stages.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace dlc::schedule {
namespace {

// The number of chunks that is enough where the loops that are cut are long: each chunk has memory of its
// own.
constexpr int64_t manyBlockChunks = 32;

/// The layout of a tensor of static shape that steps hand to each other, if loop `tiled` runs in blocks of
/// `mostBlock`.
Attribute stridesInBlock(linalg::GenericOp maker, OpResult tensor, int64_t tiled) {
  Builder b(tensor.getContext());
  AffineMap map = maker.getIndexingMapMatchingResult(tensor);
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<Attribute> strides(type.getRank());
  int64_t step = 1;
  for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
    strides[axis] = b.getStringAttr(std::to_string(step));
    step *= map.getResult(axis) == b.getAffineDimExpr(tiled) ? std::min(mostBlock, type.getDimSize(axis))
                                                             : type.getDimSize(axis);
  }
  return b.getArrayAttr(strides);
}

/// A kernel, beside `kernel`, that consists of the step. Loop `tiled`, if that is not negative, runs in
/// blocks.
train::KernelOp kernelOfStep(train::KernelOp kernel, ArrayRef<linalg::GenericOp> step, int64_t tiled) {
  OpBuilder b(kernel);
  OperationState state(kernel.getLoc(), train::KernelOp::getOperationName());
  state.addRegion();
  auto own = cast<train::KernelOp>(b.create(state));
  own.setSymName("step");
  Block &body = own.getBody().emplaceBlock();
  IRMapping mapping;
  SmallVector<Attribute> dims, strides;
  // The layouts of the whole kernel's arguments and results; tensors that steps hand to each other are
  // row-major.
  ValueRange results = kernel.getBody().front().getTerminator()->getOperands();
  auto describe = [&](Value tensor) {
    dims.push_back(analysis::dimNamesOf(kernel, tensor));
    auto argument = dyn_cast<BlockArgument>(tensor);
    size_t index = argument
                       ? argument.getArgNumber()
                       : kernel.getBody().getNumArguments() + (llvm::find(results, tensor) - results.begin());
    ArrayAttr all = kernel.getArgStridesAttr();
    auto maker = tensor.getDefiningOp<linalg::GenericOp>();
    if (maker && tiled >= 0 && !llvm::is_contained(results, tensor) &&
        cast<RankedTensorType>(tensor.getType()).hasStaticShape())
      strides.push_back(stridesInBlock(maker, cast<OpResult>(tensor), tiled));
    else
      strides.push_back(all && index < all.size() ? all[index] : b.getUnitAttr());
  };
  llvm::SetVector<Value> inputs;
  for (linalg::GenericOp op : step) {
    auto isInput = [&](Value value) {
      auto producer = value.getDefiningOp<linalg::GenericOp>();
      return isa<BlockArgument>(value) || (producer && !llvm::is_contained(step, producer));
    };
    for (Value operand : op->getOperands())
      if (isInput(operand))
        inputs.insert(operand);
    op.getBody()->walk([&](tensor::ExtractOp extract) { inputs.insert(extract.getTensor()); });
  }
  for (Value input : inputs) {
    mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
    describe(input);
  }
  b.setInsertionPointToEnd(&body);
  SmallVector<Value> yielded;
  for (linalg::GenericOp op : step) {
    for (Value operand : op->getOperands())
      if (analysis::isMadeInKernel(operand.getDefiningOp()))
        analysis::cloneMadeInKernel(operand, mapping, b);
    b.clone(*op, mapping);
  }
  for (linalg::GenericOp op : step)
    for (OpResult result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            auto reader = dyn_cast<linalg::GenericOp>(user);
            return !reader || !llvm::is_contained(step, reader);
          })) {
        yielded.push_back(mapping.lookup(result));
        describe(result);
      }
  train::YieldOp::create(b, kernel.getLoc(), yielded);
  own.setArgDimsAttr(b.getArrayAttr(dims));
  if (kernel.getArgStrides() || tiled >= 0)
    own.setArgStridesAttr(b.getArrayAttr(strides));
  linalg::GenericOp first = step.front();
  own.setShared(analysis::isContraction(first) ? first.getNumParallelLoops() : analysis::sharedIn(step));
  return own;
}

/// The schedule of a step. The loops that all steps share are not cut, and of these it only runs a tiled one
/// itself.
cpu::ScheduleAttr scheduleOfStep(train::KernelOp kernel, ArrayRef<linalg::GenericOp> step, bool isTiled,
                                 const CpuTarget &target) {
  int64_t outside = *kernel.getShared() - isTiled;
  train::KernelOp own = kernelOfStep(kernel, step, isTiled ? outside : -1);
  cpu::ScheduleAttr alone;
  if (analysis::contractionOf(own))
    alone = contractionSchedule(own, target);
  else if (int64_t(*own.getShared()) == outside) // vectors do not run along loops that run outside
    alone = rowsSchedule(own, target, /*isLarge=*/false);
  else
    alone = loopSchedule(own, target);
  own->erase();
  Attribute form = alone.getForm();
  if (cpu::ColumnsAttr columns = alone.columns()) // names arguments of a kernel
    form = cpu::ColumnsAttr::get(kernel.getContext(), columns.getVectors(), {}, columns.getAccumulators());
  auto uncut = [&](int64_t scratch) {
    return cpu::ScheduleAttr::get(kernel.getContext(), form, alone.getLanes(), {}, scratch, {});
  };
  if (!alone.contraction())
    return uncut(alone.getScratch());
  // The step was scheduled as a kernel of its own, whose chunks pack less than the whole step does, and whose
  // sums may wait in its result.
  linalg::GenericOp root = step.front();
  int64_t bytes = cpu::ContractionScratch(root, uncut(0), analysis::loopBounds(kernel, root)).bytes();
  return uncut(alone.getScratch() == 0 && bytes <= stackBytes ? 0 : bytes);
}

/// Allocates the tensors that steps hand to each other in the scratch memory of a chunk.
class Places {
public:
  Places(train::KernelOp kernel, int64_t block, int64_t lanes)
      : steps(analysis::stepsOf(kernel)), handed(analysis::handedBetweenSteps(kernel, block)), lanes(lanes) {}

  SmallVector<int64_t> choose() {
    SmallVector<int64_t> places;
    for (size_t number = 0; number < handed.size(); ++number)
      places.push_back(place(number, places));
    return places;
  }
  int64_t end() const { return highest; }

private:
  int64_t stepOf(Operation *op) const {
    return llvm::find_if(steps, [&](const analysis::Step &step) { return llvm::is_contained(step, op); }) -
           steps.begin();
  }
  int64_t bytes(size_t number) const { return handed[number].bytes(1, lanes); }
  int64_t made(size_t number) const { return stepOf(handed[number].result.getOwner()); }
  int64_t lastRead(size_t number) const {
    int64_t last = 0;
    for (Operation *user : handed[number].result.getUsers())
      last = std::max(last, stepOf(user));
    return last;
  }
  /// Whether the later tensor may overwrite the earlier one: the step that computes it is the last to read
  /// the earlier one, and reads each element before it writes the same element of the later one.
  bool overwrites(size_t later, size_t earlier) const {
    int64_t step = made(later);
    if (lastRead(earlier) > step)
      return false;
    if (lastRead(earlier) < step)
      return true;
    auto maker = cast<linalg::GenericOp>(handed[later].result.getOwner());
    AffineMap written = maker.getIndexingMapMatchingResult(handed[later].result);
    int64_t shared = analysis::sharedIn(steps[step]);
    bool isLast = maker == steps[step].back() && maker.getNumReductionLoops() == 0 &&
                  handed[later].sizes == handed[earlier].sizes && bytes(later) == bytes(earlier);
    return isLast && llvm::all_of(handed[earlier].result.getUses(), [&](OpOperand &use) {
             auto reader = cast<linalg::GenericOp>(use.getOwner());
             if (stepOf(reader) != step)
               return true;
             AffineMap read = reader.getMatchingIndexingMap(&use);
             if (reader == maker)
               return read == written;
             // The row is read in the same iteration of the step's loops that writes it, but before it is
             // written.
             bool isContraction = analysis::isContraction(steps[step].front());
             return !isContraction && llvm::all_of(llvm::seq(shared), [&](int64_t loop) {
               auto dim = getAffineDimExpr(loop, read.getContext());
               return llvm::any_of(llvm::zip(read.getResults(), written.getResults()), [&](auto axes) {
                 return std::get<0>(axes) == dim && std::get<1>(axes) == dim;
               });
             });
           });
  }
  /// The lowest offset whose bytes no other tensor needs at the same time.
  int64_t place(size_t number, ArrayRef<int64_t> places) {
    int64_t at = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t other = 0; other < places.size(); ++other) {
        bool meets = at < places[other] + bytes(other) && places[other] < at + bytes(number);
        bool isFree = overwrites(number, other) && (lastRead(other) < made(number) || at == places[other]);
        if (meets && !isFree) {
          at = places[other] + bytes(other);
          moved = true;
        }
      }
    }
    highest = std::max(highest, at + bytes(number));
    return at;
  }

  SmallVector<analysis::Step> steps;
  SmallVector<analysis::Temporary> handed;
  int64_t lanes, highest = 0;
};

/// The longest of the loops that all steps share is cut; where the last of them runs in blocks, each block
/// costs little more in a chunk of its own, so that few others leave it to be cut.
SmallVector<cpu::SplitAttr> splitOfShared(train::KernelOp kernel, ArrayRef<int64_t> bounds, int64_t block) {
  int64_t products = 0;
  for (const analysis::Step &step : analysis::stepsOf(kernel))
    if (linalg::GenericOp op = step.front(); analysis::isContraction(op))
      products += llvm::product_of(analysis::loopBounds(kernel, op));
  if (block == 0) {
    int64_t loop = llvm::max_element(bounds) - bounds.begin();
    const int64_t most = mostChunks(products, manyChunks);
    return gridOf(kernel, {{loop, bounds[loop], 1}}, most, most);
  }
  SmallVector<Cuttable> loops;
  for (auto [loop, bound] : llvm::enumerate(bounds.drop_back()))
    loops.push_back({int64_t(loop), bound, 1});
  llvm::sort(loops, [](const Cuttable &a, const Cuttable &b) {
    return std::pair(-a.size, a.loop) < std::pair(-b.size, b.loop);
  });
  loops.push_back({int64_t(bounds.size()) - 1, bounds.back(), block});
  return gridOf(kernel, loops, enoughChunks, mostChunks(products, manyBlockChunks));
}

} // namespace

cpu::ScheduleAttr stepsSchedule(train::KernelOp kernel, const CpuTarget &target) {
  int64_t shared = *kernel.getShared();
  bool isTiled = runsInBlocks(kernel);
  SmallVector<cpu::ScheduleAttr> steps;
  for (const analysis::Step &step : analysis::stepsOf(kernel))
    steps.push_back(scheduleOfStep(kernel, step, isTiled, target));
  auto placesOf = [&](int64_t block) { return Places(kernel, block, target.lanes); };
  int64_t block = 0;
  if (isTiled)
    block = chooseBlock(kernel, steps, [&](int64_t block) {
      Places places = placesOf(block);
      places.choose();
      return places.end() <= target.costs.l2Bytes / 2;
    });
  int64_t unit = leaveOutInBlocks(kernel, steps);
  Places places = placesOf(block);
  SmallVector<int64_t> offsets = places.choose();
  int64_t own = 0; // one after the other in the same place, unless copies stay from block to block
  for (cpu::ScheduleAttr step : steps)
    own = isTiled ? own + step.getScratch() : std::max(own, step.getScratch());
  auto form = cpu::StepsAttr::get(kernel.getContext(), steps, offsets, places.end(), block, unit);
  SmallVector<int64_t> bounds = analysis::loopBounds(kernel, rootOf(kernel));
  bounds.truncate(shared);
  return cpu::ScheduleAttr::get(kernel.getContext(), form, target.lanes, splitOfShared(kernel, bounds, block),
                                places.end() + own, inplacePairs(kernel));
}

} // namespace dlc::schedule
