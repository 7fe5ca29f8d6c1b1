//===- Schedule.cpp - how kernels run on GPUs ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/machine/gpu/Schedule.h"
#include "compiler/machine/GpuTarget.h"
#include "compiler/support/Elements.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace dlc::gpu;

#include "compiler/machine/gpu/GpuDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "compiler/machine/gpu/GpuAttrs.cpp.inc"

void GpuDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/machine/gpu/GpuAttrs.cpp.inc"
      >();
}

LogicalResult CopyAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, int64_t bytes, bool) {
  if (bytes != 0 && bytes != 4 && bytes != 8 && bytes != 16)
    return emitError() << "expects copies of 4, 8 or 16 bytes, or of 0 for elements that go through "
                          "registers, got bytes = "
                       << bytes;
  return success();
}

/// Whether a block can have so many buffers: one for the round that is multiplied, the others for rounds that
/// are loaded meanwhile.
static bool areStages(int64_t stages) { return stages >= 1 && stages <= dlc::GpuTarget::mostStages; }

LogicalResult ScheduleAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, Attribute form,
                                   int64_t threads, int64_t grid, int64_t scratch,
                                   ArrayRef<int64_t> inplace) {
  if (!isa<PointsAttr, ContractionAttr, MmaAttr, AttentionAttr, TransientAttr, TransposeAttr, ScatterAttr,
           CallAttr>(form))
    return emitError() << "expects points, a contraction, an attention, transient matrices, a transpose, a "
                          "scatter or a call as form, got "
                       << form;
  if (threads < 1 || threads > 1024 || grid < 1 || scratch < 0)
    return emitError()
           << "expects 1 to 1024 threads, at least one block and no negative scratch, got threads = "
           << threads << ", grid = " << grid << ", scratch = " << scratch;
  if (auto points = dyn_cast<PointsAttr>(form);
      points && (points.getMembers() < 1 || threads % points.getMembers()))
    return emitError() << "expects a number of members that divides the " << threads << " threads, got "
                       << points.getMembers();
  if (auto tile = dyn_cast<ContractionAttr>(form);
      tile &&
      (tile.getRows() * tile.getColumns() != threads * tile.getThreadRows() * tile.getThreadColumns() ||
       tile.getRows() * tile.getSteps() % threads || tile.getColumns() * tile.getSteps() % threads))
    return emitError() << "expects tiles of " << threads << " threads' elements, got " << form;
  if (auto tile = dyn_cast<ContractionAttr>(form); tile && !areStages(tile.getStages()))
    return emitError() << "expects 1 to " << dlc::GpuTarget::mostStages << " stages, got " << form;
  if (auto tile = dyn_cast<MmaAttr>(form);
      tile &&
      (tile.getRows() * tile.getColumns() * 32 != threads * tile.getWarpRows() * tile.getWarpColumns() ||
       tile.getWarpRows() % 16 || tile.getWarpColumns() % 8 || tile.getRows() % tile.getWarpRows() ||
       tile.getColumns() % tile.getWarpColumns() || tile.getSteps() % 16 ||
       tile.getRows() * tile.getSteps() % threads || tile.getColumns() * tile.getSteps() % threads))
    return emitError() << "expects tiles of warps of 16 by 8 elements, " << threads << " threads in all, got "
                       << form;
  if (auto tile = dyn_cast<MmaAttr>(form); tile && !areStages(tile.getStages()))
    return emitError() << "expects 1 to " << dlc::GpuTarget::mostStages << " stages, got " << form;
  if (auto tile = dyn_cast<AttentionAttr>(form);
      tile && (tile.getRows() * 32 != threads * AttentionAttr::warpRows || tile.getKeys() % 16 ||
               tile.getSteps() % 16 || tile.getColumns() % 8))
    return emitError() << "expects a warp for 16 rows, keys and steps in sixteens and columns in eights, "
                       << threads << " threads in all, got " << form;
  if (auto tile = dyn_cast<TransientAttr>(form);
      tile && (tile.getRows() * 32 != threads * TransientAttr::warpRows || tile.getAlong() % 8 ||
               tile.getAlong() < 8 ||
               !llvm::all_of(llvm::concat<const int64_t>(tile.getKept(), tile.getBrought()),
                             [](int64_t numbers) { return numbers > 0 && numbers % 16 == 0; })))
    return emitError() << "expects a warp for 16 rows, positions in eights and numbers in sixteens, "
                       << threads << " threads in all, got " << form;
  if (inplace.size() % 2)
    return emitError() << "expects pairs in inplace, got " << inplace.size() << " numbers";
  return success();
}

PointsAttr ScheduleAttr::points() const { return dyn_cast<PointsAttr>(getForm()); }
ContractionAttr ScheduleAttr::contraction() const { return dyn_cast<ContractionAttr>(getForm()); }
MmaAttr ScheduleAttr::mma() const { return dyn_cast<MmaAttr>(getForm()); }
AttentionAttr ScheduleAttr::attention() const { return dyn_cast<AttentionAttr>(getForm()); }
TransientAttr ScheduleAttr::transient() const { return dyn_cast<TransientAttr>(getForm()); }
TransposeAttr ScheduleAttr::transpose() const { return dyn_cast<TransposeAttr>(getForm()); }
ScatterAttr ScheduleAttr::scatter() const { return dyn_cast<ScatterAttr>(getForm()); }
CallAttr ScheduleAttr::call() const { return dyn_cast<CallAttr>(getForm()); }

ArrayRef<int64_t> ScheduleAttr::inplace() const { return getInplace(); }
int64_t ScheduleAttr::scratchBytes() const { return getScratch(); }
int64_t ScheduleAttr::chunks() const { return getGrid(); }

DictionaryAttr ScheduleAttr::describe() const {
  Builder b(getContext());
  StringRef kind =
      llvm::TypeSwitch<Attribute, StringRef>(getForm())
          .Case<PointsAttr, ContractionAttr, MmaAttr, AttentionAttr, TransientAttr, TransposeAttr,
                ScatterAttr, CallAttr>([](auto form) { return form.getMnemonic(); });
  NamedAttrList entries;
  entries.append("kind", b.getStringAttr(kind));
  entries.append("threads", b.getI64IntegerAttr(getThreads()));
  if (ContractionAttr form = contraction())
    entries.append("tile", b.getDenseI64ArrayAttr({form.getRows(), form.getColumns()}));
  if (MmaAttr form = mma())
    entries.append("tile", b.getDenseI64ArrayAttr({form.getRows(), form.getColumns()}));
  if (AttentionAttr form = attention())
    entries.append("tile", b.getDenseI64ArrayAttr({form.getRows(), form.getKeys()}));
  if (TransientAttr form = transient())
    entries.append("tile", b.getDenseI64ArrayAttr({form.getRows(), form.getAlong()}));
  return entries.getDictionary(getContext());
}

int64_t AttentionAttr::sharedBytes(int64_t perWord) const {
  constexpr int64_t wordBytes = 4;
  int64_t ofScores = (getRows() + getKeys()) * (getSteps() / perWord + padding);
  return wordBytes * (ofScores + getKeys() * (getColumns() / perWord + padding));
}

int64_t TransientAttr::sharedBytes(int64_t perWord) const {
  constexpr int64_t wordBytes = 4;
  auto words = [&](ArrayRef<int64_t> parts) {
    int64_t count = 0;
    for (int64_t numbers : parts)
      count += numbers / perWord + padding;
    return count;
  };
  return wordBytes * (getRows() * words(getKept()) + getAlong() * words(getBrought()));
}

bool dlc::gpu::isOfWarpGroup(int64_t rows, int64_t threads, Type low) {
  constexpr int64_t groupRows = 64;
  return threads == dlc::GpuTarget::warpGroup && rows % groupRows == 0 && isHalfWord(low);
}

int64_t dlc::gpu::partialBytes(train::KernelOp kernel, ArrayRef<int64_t> partials) {
  int64_t most = 0;
  for (auto [op, count] : llvm::zip(kernel.getBody().front().getOps<linalg::GenericOp>(), partials)) {
    int64_t bytes = 0;
    for (Value result : op->getResults())
      bytes += elementBytes(result);
    if (count > 1)
      most = std::max(most, bytes);
  }
  return most;
}
