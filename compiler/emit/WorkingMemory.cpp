//===- WorkingMemory.cpp - what lies in the working memory, and when --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/WorkingMemory.h"
#include "compiler/analysis/KernelSizes.h"
#include "compiler/support/Elements.h"
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

  WorkingMemory read() const {
    WorkingMemory result;
    llvm::append_range(result.residents, llvm::make_second_range(values));
    llvm::append_range(result.residents, scratch);
    llvm::sort(result.residents, [](const Resident &a, const Resident &b) {
      return std::tuple(a.first, a.offset, a.last, a.bytes) < std::tuple(b.first, b.offset, b.last, b.bytes);
    });
    int64_t most = -1;
    for (int64_t now = 0; now < launches; ++now) {
      int64_t bytes = 0;
      for (size_t index : during(result.residents, now))
        bytes += result.residents[index].bytes;
      if (bytes > most) {
        most = bytes;
        result.fullest = now;
      }
    }
    result.whenFullest = during(result.residents, result.fullest);
    llvm::sort(result.whenFullest, [&](size_t a, size_t b) {
      return std::tuple(-result.residents[a].bytes, a) < std::tuple(-result.residents[b].bytes, b);
    });
    return result;
  }

private:
  /// What is there during a launch; what the launch writes over is there as what it writes.
  static SmallVector<size_t> during(ArrayRef<Resident> all, int64_t now) {
    llvm::DenseSet<int64_t> taken; // offsets
    for (const Resident &value : all)
      if (value.first == now)
        taken.insert(value.offset);
    SmallVector<size_t> result;
    for (auto [index, value] : llvm::enumerate(all)) {
      bool isReplaced = value.first < now && value.last == now && taken.contains(value.offset);
      if (value.first <= now && now <= value.last && !isReplaced)
        result.push_back(index);
    }
    return result;
  }

  void add(train::LaunchOp launch) {
    auto kernel = symbols.lookup<train::KernelOp>(launch.getKernel());
    Operation *yield = kernel.getBody().front().getTerminator();
    auto bytesOf = [&](Value tensor) {
      int64_t bytes = elementBytes(tensor);
      for (int64_t axis = 0; axis < cast<ShapedType>(tensor.getType()).getRank(); ++axis)
        bytes *= analysis::boundOf(kernel, tensor, axis);
      return bytes;
    };
    for (auto [place, argument] : llvm::zip_equal(launch.getInputs(), kernel.getBody().getArguments()))
      add(place, bytesOf(argument), launches);
    for (auto [index, place] : llvm::enumerate(launch.getDestinations()))
      if (index < yield->getNumOperands())
        add(place, bytesOf(yield->getOperand(index)), launches);
      else
        scratch.push_back(
            {{}, offsetOf(place), cast<MemRefType>(place.getType()).getNumElements(), launches, launches});
    ++launches;
  }
  void add(train::CopyOp copy, int64_t now) {
    for (Value memory : copy->getOperands())
      if (auto type = cast<MemRefType>(memory.getType()); type.hasStaticShape())
        add(memory, type.getNumElements() * elementBytes(type), now);
  }

  static int64_t offsetOf(Value memory) {
    return memory.getDefiningOp<train::PlaceOp>().getOffset().value_or(0);
  }

  void add(Value memory, int64_t bytes, int64_t now) {
    auto place = memory.getDefiningOp<train::PlaceOp>();
    std::optional<int64_t> number = place.getValue();
    if (place.getSymbol() || !number)
      return;
    const int64_t offset = offsetOf(memory);
    auto [it, isNew] = values.try_emplace(*number, Resident{{}, offset, 0, now, now});
    Resident &value = it->second;
    value.last = now;
    value.offset = std::min(value.offset, offset);
    if (!place.getPart()) {
      value.type = cast<MemRefType>(memory.getType());
      value.bytes = bytes;
    } else if (!value.type && parts[*number].insert(offset).second) {
      value.bytes += bytes;
    }
  }

  SymbolTable symbols;
  llvm::MapVector<int64_t, Resident> values; ///< by the number of the value
  llvm::DenseMap<int64_t, llvm::DenseSet<int64_t>> parts;
  SmallVector<Resident> scratch;
  int64_t launches = 0;
};

} // namespace

WorkingMemory workingMemoryOf(train::FunctionOp function) { return Residents(function).read(); }

} // namespace dlc::emit
