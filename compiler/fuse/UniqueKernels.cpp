//===- UniqueKernels.cpp - equal kernels are one symbol ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Rewrite.h"
#include "compiler/support/Decisions.h"
#include "compiler/support/Remarks.h"
#include "dialects/train/Custom.h"
#include "mlir/IR/SymbolTable.h"

namespace dlc::fuse {

#define GEN_PASS_DEF_UNIQUEKERNELS
#include "compiler/fuse/Passes.h.inc"

// Whether the kernel computes numbers, and of hyperparameters and the step count alone.
static bool isOfScalars(train::KernelOp kernel, train::LaunchOp launch) {
  auto isRead = [](Value input) { return mlir::isa_and_nonnull<train::ReadOp>(input.getDefiningOp()); };
  return llvm::all_of(kernel.getBody().front().getOps<GenericOp>(),
                      [](GenericOp op) { return op.getNumLoops() == 0; }) &&
         llvm::all_of(launch.getInputs(), isRead);
}

// The first words of what the kernel's nests are documented to compute.
static std::string kernelName(train::KernelOp kernel, train::LaunchOp launch) {
  mlir::Block &body = kernel.getBody().front();
  if (auto call = mlir::dyn_cast<train::CustomCallOp>(body.front()))
    return call.definition().codeName().str();
  if (isOfScalars(kernel, launch))
    return "scalars";
  constexpr unsigned mostWords = 6;
  std::string doc;
  for (GenericOp op : body.getOps<GenericOp>())
    doc = joinDocs(doc, op.getDoc().value_or(""));
  SmallVector<StringRef> words;
  StringRef(doc).split(words, ' ', -1, /*KeepEmpty=*/false);
  if (words.size() > mostWords)
    words.truncate(mostWords);
  return words.empty() ? "kernel" : llvm::join(words, "_");
}

/// Emits remarks that say what has become one kernel, and which tensors it reads through memory although
/// their producers might have been part of it.
static void explain(train::LaunchOp launch) {
  using mlir::remark::metric;
  StringRef kernel = launch.getKernel();
  const Decided decided = decidedOf(launch.getLoc());
  if (decided.moved > 0)
    remarks::missed(launch, remarks::fuse, "moved", kernel)
        << "moves " << metric("bytes", decided.moved)
        << " bytes into another order and computes nothing: no reader takes them as they lie";
  else if (!decided.contents.empty())
    remarks::done(launch, remarks::fuse, "kernel", kernel) << "one kernel of " << decided.contents;
  for (const Apart &one : decided.apart)
    remarks::missed(launch, remarks::fuse, "apart", kernel)
        << "'" << one.from << "' hands " << metric("bytes", one.bytes) << " bytes to '" << one.to
        << "' through memory: " << one.why;
}

static bool areEqual(train::KernelOp a, train::KernelOp b) {
  return a.getShared() == b.getShared() && a.getArgDimsAttr() == b.getArgDimsAttr() &&
         a.getArgStridesAttr() == b.getArgStridesAttr() && a.getStepsAttr() == b.getStepsAttr() &&
         mlir::OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(),
                                                          mlir::OperationEquivalence::IgnoreLocations);
}

namespace {
struct UniqueKernelsPass : public impl::UniqueKernelsBase<UniqueKernelsPass> {
  using Launches = llvm::DenseMap<Operation *, SmallVector<train::LaunchOp>>;

  /// One of the `known` kernels of this name that is equal, or else this one, in the program.
  train::KernelOp insertOnce(train::KernelOp kernel, StringRef name, SmallVector<train::KernelOp> &known,
                             mlir::SymbolTable &symbols) {
    for (train::KernelOp other : known)
      if (areEqual(other, kernel)) {
        kernel->erase();
        return other;
      }
    kernel.setSymName(name);
    auto program = mlir::cast<train::ProgramOp>(symbols.getOp());
    symbols.insert(kernel, mlir::Block::iterator(*program.getBody().getOps<train::FunctionOp>().begin()));
    known.push_back(kernel);
    return kernel;
  }

  void unify(train::ProgramOp program, const Launches &launches) {
    SmallVector<std::pair<train::KernelOp, std::string>> kernels;
    for (auto kernel : program.getOps<train::KernelOp>())
      if (auto of = launches.find(kernel); of != launches.end())
        kernels.push_back({kernel, kernelName(kernel, of->second.front())});

    // Names are given anew, in order, as if no kernel had one yet.
    for (auto &[kernel, name] : kernels)
      kernel->remove();
    mlir::SymbolTable symbols(program);
    llvm::StringMap<SmallVector<train::KernelOp>> byName;
    for (auto &[kernel, name] : kernels) {
      SmallVector<train::LaunchOp> of = launches.lookup(kernel);
      train::KernelOp one = insertOnce(kernel, name, byName[name], symbols);
      for (train::LaunchOp launch : of) {
        launch.setKernel(one.getSymName());
        if (remarks::areWanted(program))
          explain(launch);
      }
    }
  }

  void runOnOperation() override {
    auto launches = launchesByKernel(getOperation());
    for (auto program : getOperation().getOps<train::ProgramOp>())
      unify(program, launches);
  }
};
} // namespace

} // namespace dlc::fuse
