//===- Loading.cpp - described programs in this process -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/CutForRanks.h"
#include "compiler/pipeline/Diagnostics.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/session/LoadedModel.h"
#include "dialects/train/Recipe.h"
#include "frontends/cpp/record/Loader.h"
#include "frontends/cpp/record/State.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"
#include "tools/dlc/Decisions.h"
#include "tools/dlc/profile/InMemory.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace dlc::record {

namespace {

DialectRegistry allDialects() {
  DialectRegistry registry;
  pipeline::registerDialects(registry);
  return registry;
}

/// Compiles in a context of its own: it may use several threads, which the recording's may not, and what it
/// takes goes with the session.
class InMemory : public LoadedProgram {
public:
  InMemory() : context(allDialects()) {
    context.loadAllAvailableDialects();
    context.printOpOnDiagnostic(false);
  }
  const dlc_model *model() const override { return loaded->model(); }
  const std::string &lossWithoutClasses() const override { return otherLoss; }
  Outcome<Profiled> profile(const ProfileWanted &wanted) const override;
  LogicalResult load(const Program &program, const LoadOptions &wanted);

  MLIRContext context;

private:
  OwningOpRef<ModuleOp> copy(const Program &program);

  std::unique_ptr<session::LoadedModel> loaded;
  std::string otherLoss; ///< which has no classes
};

/// As bytecode, whose large tensors are not copied once more when it is read: they need the memory's
/// alignment.
OwningOpRef<ModuleOp> InMemory::copy(const Program &program) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  if (failed(writeBytecodeToFile(program.module.get(), stream)))
    return {};
  auto buffer = llvm::WritableMemoryBuffer::getNewUninitMemBuffer(bytes.size(), "program", llvm::Align(64));
  llvm::copy(bytes, buffer->getBufferStart());
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
}

/// What goes before the description's recipe, as on the command line.
static train::RecipeSettings settingsOf(const LoadOptions &wanted) {
  train::RecipeSettings settings{{"seed", std::to_string(wanted.seed)}, {"precision", wanted.precision}};
  if (wanted.maxGradNorm)
    settings.emplace_back("clip_grad_norm", train::textOf(wanted.maxGradNorm));
  if (wanted.lossScale)
    settings.emplace_back("loss_scale", train::textOf(wanted.lossScale));
  if (wanted.gradNorm)
    settings.emplace_back("grad_norm", "");
  if (wanted.stepMetrics)
    settings.emplace_back("step_metrics", "");
  return settings;
}

LogicalResult InMemory::load(const Program &program, const LoadOptions &wanted) {
  OwningOpRef<ModuleOp> module = copy(program);
  pipeline::Options options;
  if (!module)
    return failure();
  train::ProgramOp copied = *module->getOps<train::ProgramOp>().begin();
  if (failed(train::addToRecipe(copied, settingsOf(wanted))))
    return failure();
  options.cpu = wanted.cpu;
  options.memoryBudget = wanted.memoryBudget;
  if (wanted.isForGpus) {
    options.targets = {"nvptx"};
    options.gpu = "native";
  }
  options.simt = wanted.simt;
  module->walk([&](train::DimOp dim) { dim.setOpen(wanted.anySize); });
  const std::string loss = tool::lossOf(*module, train::lossNameOf(copied));
  if (!tool::decides(loss))
    otherLoss = loss;
  if (wanted.ranks > 1 && failed(pipeline::cutForRanks(*module, options, wanted.ranks)))
    return failure();
  loaded = session::load(*module, options);
  return success(loaded != nullptr);
}

Outcome<Profiled> InMemory::profile(const ProfileWanted &wanted) const {
  tool::ProfileOptions options;
  options.function = wanted.function;
  options.steps = wanted.steps;
  options.threads = wanted.threads;
  options.byNode = wanted.byNode;
  tool::ProfileInMemory found = tool::profileInMemory(*loaded->model(), loaded->manifest(), options);
  if (!found.error.empty())
    return Outcome<Profiled>::fail(found.error);
  Profiled result;
  result.nanoseconds = found.nanoseconds;
  result.calls = found.calls;
  result.threads = found.threads;
  for (const tool::TimedLine &line : found.lines)
    result.lines.push_back({line.name, line.launches, line.nanoseconds});
  result.text = std::move(found.text);
  result.trace = std::move(found.trace);
  return {std::move(result), ""};
}

} // namespace

Outcome<std::unique_ptr<LoadedProgram>> loadProgram(const Program &program, const LoadOptions &options) {
  auto result = std::make_unique<InMemory>();
  pipeline::Diagnostics warnings(result->context, "the program", /*remarks=*/false);
  LogicalResult status = failure();
  std::string errors = errorsOf(result->context, [&] { status = result->load(program, options); });
  if (failed(status))
    return Outcome<std::unique_ptr<LoadedProgram>>::fail(errors);
  return {std::move(result), ""};
}

} // namespace dlc::record
