//===- Fullest.cpp - what lies in the working memory when most does --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/Fullest.h"
#include "compiler/support/Elements.h"
#include "dialects/train/KernelSizes.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace dlc::emit {
namespace {

class Residents {
public:
  explicit Residents(train::FunctionOp function) : symbols(function->getParentOp()) {
    for (Operation &op : function.getBody().front())
      if (auto launch = dyn_cast<train::LaunchOp>(op))
        add(launch);
      else if (auto copy =
                   dyn_cast<train::CopyOp>(op)) // at the beginning, the end, or between parts of a batch
        add(copy, launches == 0 ? -1 : launches);
  }

  Fullest fullest() const {
    SmallVector<Entry> all = llvm::to_vector(llvm::make_second_range(values));
    llvm::append_range(all, scratch);
    Fullest result;
    int64_t most = -1;
    for (int64_t now = 0; now < launches; ++now) {
      int64_t bytes = 0;
      for (const Entry *entry : during(all, now))
        bytes += entry->resident.bytes;
      if (bytes > most) {
        most = bytes;
        result.launch = now;
      }
    }
    SmallVector<const Entry *> there = during(all, result.launch);
    llvm::sort(there, [](const Entry *a, const Entry *b) {
      return std::tuple(-a->resident.bytes, a->resident.first, a->offset) <
             std::tuple(-b->resident.bytes, b->resident.first, b->offset);
    });
    for (const Entry *entry : there)
      result.residents.push_back(entry->resident);
    return result;
  }

private:
  struct Entry {
    Resident resident;
    int64_t offset = 0; ///< where it begins
  };

  /// What is there during a launch; what the launch writes over is there as what it writes.
  static SmallVector<const Entry *> during(ArrayRef<Entry> all, int64_t now) {
    llvm::DenseSet<int64_t> taken; // offsets
    for (const Entry &entry : all)
      if (entry.resident.first == now)
        taken.insert(entry.offset);
    SmallVector<const Entry *> result;
    for (const Entry &entry : all) {
      const Resident &value = entry.resident;
      bool isReplaced = value.first < now && value.last == now && taken.contains(entry.offset);
      if (value.first <= now && now <= value.last && !isReplaced)
        result.push_back(&entry);
    }
    return result;
  }

  void add(train::LaunchOp launch) {
    auto kernel = symbols.lookup<train::KernelOp>(launch.getKernel());
    Operation *yield = kernel.getBody().front().getTerminator();
    auto bytesOf = [&](Value tensor) {
      int64_t bytes = elementBytes(tensor);
      for (int64_t axis = 0; axis < cast<ShapedType>(tensor.getType()).getRank(); ++axis)
        bytes *= train::boundOf(kernel, tensor, axis);
      return bytes;
    };
    for (auto [place, argument] : llvm::zip_equal(launch.getInputs(), kernel.getBody().getArguments()))
      add(place, bytesOf(argument), launches);
    for (auto [index, place] : llvm::enumerate(launch.getDestinations()))
      if (index < yield->getNumOperands())
        add(place, bytesOf(yield->getOperand(index)), launches);
      else
        scratch.push_back({{{}, cast<MemRefType>(place.getType()).getNumElements(), launches, launches}, -1});
    ++launches;
  }
  void add(train::CopyOp copy, int64_t now) {
    for (Value memory : copy->getOperands())
      if (auto type = cast<MemRefType>(memory.getType()); type.hasStaticShape())
        add(memory, type.getNumElements() * elementBytes(type), now);
  }

  void add(Value memory, int64_t bytes, int64_t now) {
    auto place = memory.getDefiningOp<train::PlaceOp>();
    auto number = place->getAttrOfType<IntegerAttr>("value");
    if (place.getSymbol() || !number)
      return;
    const int64_t offset = place.getOffset().value_or(0);
    auto [it, isNew] = values.try_emplace(number.getInt(), Entry{{{}, 0, now, now}, offset});
    Entry &entry = it->second;
    entry.resident.last = now;
    entry.offset = std::min(entry.offset, offset);
    if (!place->hasAttr("part")) {
      entry.resident.type = cast<MemRefType>(memory.getType());
      entry.resident.bytes = bytes;
    } else if (!entry.resident.type && parts[number.getInt()].insert(offset).second) {
      entry.resident.bytes += bytes;
    }
  }

  SymbolTable symbols;
  llvm::MapVector<int64_t, Entry> values; ///< by the number of the value
  llvm::DenseMap<int64_t, llvm::DenseSet<int64_t>> parts;
  SmallVector<Entry> scratch;
  int64_t launches = 0;
};

} // namespace

Fullest fullestOf(train::FunctionOp function) { return Residents(function).fullest(); }

} // namespace dlc::emit
