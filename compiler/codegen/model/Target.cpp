//===- Target.cpp - places, kernels and tables of launches, as constants ---===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes down what the plan says; decides nothing.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/model/Constants.h"
#include "compiler/codegen/model/Model.h"
#include "compiler/support/Elements.h"
#include "dialects/train/Custom.h"
#include "dlc/abi.h"

using namespace mlir;

namespace dlc::codegen {

static_assert(sizeof(dlc_target) == 72 && sizeof(dlc_placement) == 32 && sizeof(dlc_kernel_info) == 24 &&
                  sizeof(dlc_place) == 8 && sizeof(dlc_launch) == 16 && sizeof(dlc_function) == 40,
              "dlc/abi.h changed: change the emission below with it");
namespace {

class Target {
public:
  explicit Target(Constants &constants);
  llvm::Constant *describeCpu(uint32_t features);
  llvm::Constant *describeDevice(const DeviceCode &code);

private:
  SmallVector<llvm::Constant *> placements();
  SmallVector<llvm::Constant *> functions();
  llvm::Constant *arenaBytes();
  llvm::Constant *placement(train::StateOp state);
  llvm::Constant *kernel(train::KernelOp kernel);
  llvm::Constant *function(train::FunctionOp function);
  uint64_t place(train::PlaceOp place);
  /// What a launch of a collective function says of its sum (dlc_launch::copy_size); nullopt for others.
  std::optional<uint32_t> sumOverRanks(train::LaunchOp launch, SmallVectorImpl<llvm::Constant *> &sizes);
  /// Its number in the description's array.
  uint32_t number(Operation *op) { return numbers.lookup(op); }

  Constants &c;
  train::ProgramOp program;
  SymbolTable symbols;
  DenseMap<Operation *, uint32_t> numbers; ///< of states, inputs, outputs, kernels: each counts for itself
};

Target::Target(Constants &constants) : c(constants), program(c.program), symbols(program) {
  auto count = [&](auto ops) {
    for (auto [position, op] : llvm::enumerate(ops))
      numbers[op] = position;
  };
  count(program.getBody().getOps<train::StateOp>());
  count(program.getBody().getOps<train::InputOp>());
  count(program.getBody().getOps<train::OutputOp>());
  count(program.getBody().getOps<train::KernelOp>());
}

/// The order of the dims in memory, and the size of a panel of the last of them, or 0.
static std::pair<SmallVector<uint32_t>, uint32_t> physicalForm(train::StateOp state) {
  SmallVector<uint32_t> axes;
  uint32_t panel = 0;
  if (auto layout = state.getLayout()) {
    SmallVector<uint32_t> dimOf; // of the pieces that dims are cut into
    auto cuts = layout->cuts(cast<RankedTensorType>(state.getType()).getShape());
    for (auto [dim, cut] : llvm::enumerate(cuts))
      dimOf.append(cut.size(), dim);
    for (int64_t piece : layout->getPermutation().drop_front(layout->isCut() ? 1 : 0))
      axes.push_back(dimOf[piece]);
    if (layout->isCut())
      panel = cuts[axes.back()].back();
  }
  return {axes, panel};
}

llvm::Constant *Target::placement(train::StateOp state) {
  auto [axes, panel] = physicalForm(state);
  llvm::Constant *permutation = axes.empty() ? c.null() : c.numbers<uint32_t>(axes);
  auto type = cast<RankedTensorType>(state.getType());
  return c.record({permutation, c.i64(*state.getOffset()), c.i64(type.getNumElements() * elementBytes(type)),
                   c.i32(panel), c.i32(0)});
}

llvm::Constant *Target::kernel(train::KernelOp kernel) {
  auto &context = c.module.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context), *i64 = llvm::Type::getInt64Ty(context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer, i64, i64}, false);
  auto *code =
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, kernelSymbol(kernel), c.module);
  code->setVisibility(llvm::GlobalValue::HiddenVisibility);
  return c.record({c.string(kernel.getSymName()), code, c.i64(kernel.getSchedule()->chunks())});
}

uint64_t Target::place(train::PlaceOp place) {
  uint64_t offset = place.getOffset().value_or(0);
  if (!place.getSymbol())
    return DLC_PLACE(DLC_PLACE_WORKING, 0, offset);
  Operation *symbol = symbols.lookup(*place.getSymbol());
  uint32_t kind = isa<train::StateOp>(symbol)   ? DLC_PLACE_STATE
                  : isa<train::InputOp>(symbol) ? DLC_PLACE_INPUT
                                                : DLC_PLACE_OUTPUT;
  return DLC_PLACE(kind, number(symbol), offset);
}

/// The bytes of a place, whose open axes (an output may have some) are named by `dims`.
nn::Dim bytesOf(MemRefType type, nn::DimsAttr dims) {
  nn::Dim bytes;
  bytes.factor = elementBytes(type);
  for (auto [axis, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size)) {
      bytes.factor *= size;
      continue;
    }
    nn::Dim dim = *nn::Dim::parse(dims.getNames()[axis].getValue());
    bytes.factor *= dim.factor;
    bytes.names.insert(bytes.names.end(), dim.names.begin(), dim.names.end());
  }
  return bytes;
}

std::optional<uint32_t> Target::sumOverRanks(train::LaunchOp launch, SmallVectorImpl<llvm::Constant *> &sizes) {
  auto kernel = symbols.lookup<train::KernelOp>(launch.getKernel());
  auto call = dyn_cast<train::CustomCallOp>(kernel.getBody().front().front());
  if (!call || !call.definition().getCollective())
    return std::nullopt;
  auto type = cast<MemRefType>(launch.getDestinations().front().getType());
  auto dims = call.getDims() ? dyn_cast<nn::DimsAttr>((*call.getDims())[0]) : nn::DimsAttr();
  sizes.push_back(c.axis(bytesOf(type, dims)));
  return DLC_SUM_OVER_RANKS | (type.getElementType().isF64() ? DLC_SUM_OF_F64 : 0) | uint32_t(sizes.size() - 1);
}

llvm::Constant *Target::function(train::FunctionOp function) {
  SmallVector<llvm::Constant *> launches, copySizes;
  SmallVector<uint64_t> places;
  auto add = [&](uint32_t kernel, ValueRange first, ValueRange second, size_t copySize) {
    launches.push_back(c.record(
        {c.i32(kernel), c.i32(places.size()), c.i32(first.size() + second.size()), c.i32(copySize)}));
    for (ValueRange range : {first, second})
      for (Value memory : range)
        places.push_back(place(memory.getDefiningOp<train::PlaceOp>()));
  };
  for (Operation &op : function.getBody().front()) {
    if (auto launch = dyn_cast<train::LaunchOp>(op)) {
      std::optional<uint32_t> summed = sumOverRanks(launch, copySizes);
      add(number(symbols.lookup(launch.getKernel())), launch.getInputs(), launch.getDestinations(),
          summed.value_or(0));
    } else if (auto copy = dyn_cast<train::CopyOp>(op)) {
      add(DLC_COPY, copy.getSource(), copy.getDestination(), copySizes.size());
      copySizes.push_back(
          c.axis(bytesOf(cast<MemRefType>(copy.getDestination().getType()), copy.getDimsAttr())));
    }
  }
  return c.record({c.table(launches), c.numbers<uint64_t>(places), c.table(copySizes), c.i32(launches.size()),
                   c.i32(places.size()), c.i32(copySizes.size()), c.i32(0)});
}

SmallVector<llvm::Constant *> Target::placements() {
  SmallVector<llvm::Constant *> placements;
  for (auto state : program.getBody().getOps<train::StateOp>())
    placements.push_back(placement(state));
  return placements;
}

SmallVector<llvm::Constant *> Target::functions() {
  llvm::Constant *none = c.record({c.null(), c.null(), c.null(), c.i32(0), c.i32(0), c.i32(0), c.i32(0)});
  SmallVector<llvm::Constant *> functions;
  for (auto op : program.getBody().getOps<train::FunctionOp>()) {
    uint32_t kind = functionKind(op);
    functions.resize(std::max<size_t>(functions.size(), kind + 1), none);
    functions[kind] = function(op);
  }
  return functions;
}

llvm::Constant *Target::arenaBytes() { return c.i64(program.getPlan()->getArena()); }

llvm::Constant *Target::describeCpu(uint32_t features) {
  SmallVector<llvm::Constant *> places = placements(), kernels;
  for (auto op : program.getBody().getOps<train::KernelOp>())
    kernels.push_back(kernel(op));
  SmallVector<llvm::Constant *> tables = functions();
  return c.record({c.i32(DLC_TARGET_CPU), c.i32(features), arenaBytes(), c.table(places), c.table(kernels),
                   c.table(tables), c.i32(kernels.size()), c.i32(0), c.null(), c.null(), c.null()});
}

llvm::Constant *Target::describeDevice(const DeviceCode &code) {
  SmallVector<llvm::Constant *> places = placements(), tables = functions();
  llvm::Constant *kernels = deviceKernels(c, code);
  auto [images, imageCount] = deviceImages(c, code);
  unsigned least = code.images.empty() ? 0 : code.images.front().capability;
  llvm::Constant *backend =
      c.module.getOrInsertGlobal("dlc_cuda_backend", llvm::Type::getInt8Ty(c.module.getContext()));
  return c.record({c.i32(DLC_TARGET_CUDA), c.i32(least), arenaBytes(), c.table(places), c.null(),
                   c.table(tables), c.i32(code.kernels.size()), c.i32(imageCount), kernels, images, backend});
}

} // namespace

llvm::Constant *describeCpuTarget(Constants &constants, uint32_t features) {
  return Target(constants).describeCpu(features);
}

llvm::Constant *describeDevice(Constants &constants, const DeviceCode &code) {
  return Target(constants).describeDevice(code);
}

} // namespace dlc::codegen
