//===- FuzzTarget.cpp - parses, runs and compiles arbitrary text
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/unit/pipeline/FuzzTarget.h"
#include "compiler/backward/Passes.h"
#include "compiler/forward/Passes.h"
#include "compiler/fuse/Passes.h"
#include "compiler/interpret/Interpreter.h"
#include "compiler/layout/Passes.h"
#include "compiler/lower/Passes.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/plan/Passes.h"
#include "compiler/schedule/cpu/Passes.h"
#include "dialects/train/Recipe.h"
#include "frontends/mlir/ReadText.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// A context is used for some texts and then made anew: what it keeps of each would fill the memory.
static MLIRContext &freshContext() {
  static std::unique_ptr<MLIRContext> context;
  static int uses = 0;
  if (context && ++uses % 500 != 0)
    return *context;
  static const bool registered = [] {
    registerCanonicalizerPass();
    registerCSEPass();
    dlc::forward::registerForwardPasses();
    dlc::backward::registerBackwardPasses();
    dlc::backward::registerBackwardPipeline();
    dlc::lower::registerLowerPasses();
    dlc::layout::registerLayoutPasses();
    dlc::fuse::registerFusePasses();
    dlc::fuse::registerFusePipeline();
    dlc::schedule::registerScheduleCpuPasses();
    dlc::plan::registerPlanPasses();
    return true;
  }();
  (void)registered;
  DialectRegistry registry;
  dlc::pipeline::registerDialects(registry);
  registry.insert<func::FuncDialect>();
  context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  context->getDiagEngine().registerHandler([](Diagnostic &) { return success(); });
  return *context;
}

/// "dlc-backward{optimizer=adam},dlc-verify-backward" of the first line that calls dlc-opt with passes.
static std::string passesOf(StringRef text) {
  std::string pipeline;
  auto [before, options] = text.split("RUN: dlc-opt");
  options = options.take_until([](char c) { return c == '\n' || c == '|' || c == ';'; });
  while (!options.empty()) {
    options = options.ltrim(" ");
    size_t end = 0;
    for (bool quoted = false; end < options.size() && (quoted || options[end] != ' '); ++end)
      quoted ^= options[end] == '"';
    StringRef option = options.take_front(end);
    options = options.drop_front(end);
    if (!option.consume_front("--") || !(option.starts_with("dlc-") || option == "canonicalize"))
      continue;
    auto [name, value] = option.split('=');
    pipeline += (pipeline.empty() ? "" : ",") + name.str();
    if (!value.empty())
      pipeline += "{" + value.trim('"').str() + "}";
  }
  return pipeline;
}

static void runPasses(ModuleOp module, StringRef pipeline) {
  OwningOpRef<ModuleOp> copy(module.clone());
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  if (succeeded(parsePassPipeline(pipeline, passes, llvm::nulls())))
    (void)passes.run(*copy);
}

static bool isSmallTensor(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.hasStaticShape() && tensor.getNumElements() < 5000;
}

/// Programs whose tensors are so small that it takes no time.
static bool isSmall(ModuleOp module) {
  bool small = true;
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        small &= isSmallTensor(tensor);
    if (auto state = dyn_cast<train::StateOp>(op))
      small &= isSmallTensor(state.getType());
    if (auto input = dyn_cast<train::InputOp>(op))
      small &= isSmallTensor(input.getType());
    small &= !isa<train::DimOp>(op);
  });
  return small;
}

static void interpret(train::ProgramOp program) {
  auto interpreter = dlc::interpret::Interpreter::create(program);
  if (failed(interpreter))
    return;
  llvm::StringMap<dlc::interpret::Tensor> inputs;
  for (auto input : program.getBody().getOps<train::InputOp>()) {
    auto type = cast<RankedTensorType>(input.getType());
    if (auto dtype = dlc::interpret::dtypeOf(type.getElementType()); dtype && type.hasStaticShape())
      inputs[input.getSymName()] = dlc::interpret::Tensor::zeros(*dtype, type.getShape());
  }
  for (auto function : program.getBody().getOps<train::FunctionOp>())
    (void)interpreter->run(function.getSymName(), inputs);
}

static void compile(ModuleOp module, StringRef loss) {
  OwningOpRef<ModuleOp> copy(module.clone());
  dlc::pipeline::Options options;
  options.triple = "x86_64-unknown-linux-gnu";
  options.cpu = "x86-64-v3";
  for (auto program : copy->getOps<train::ProgramOp>())
    if (failed(train::addToRecipe(program, {{"loss", loss.str()}, {"optimizer", "adam"}})))
      return;
  (void)dlc::pipeline::compileToManifest(*copy, options);
}

bool fuzzProgram(StringRef text) {
  OwningOpRef<ModuleOp> module =
      dlc::text::parse(llvm::MemoryBuffer::getMemBufferCopy(text, "text"), freshContext());
  if (!module)
    return false;
  std::string printed;
  llvm::raw_string_ostream(printed) << *module;
  runPasses(*module, "canonicalize,cse");
  if (std::string passes = passesOf(text); !passes.empty())
    runPasses(*module, passes);
  auto programs = module->getOps<train::ProgramOp>();
  if (!llvm::hasSingleElement(programs))
    return true;
  if (isSmall(*module))
    interpret(*programs.begin());
  for (const char *loss : {"", "mse", "softmax-cross-entropy", "output"})
    compile(*module, loss);
  return true;
}

#ifdef DLC_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzzProgram(StringRef(reinterpret_cast<const char *>(bytes), size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t maxSize, unsigned seed) {
  std::mt19937 random(seed);
  std::string text = mutateText(std::string(reinterpret_cast<char *>(bytes), size), random);
  size_t length = std::min(text.size(), maxSize);
  std::copy_n(text.data(), length, reinterpret_cast<char *>(bytes));
  return length;
}
#endif
