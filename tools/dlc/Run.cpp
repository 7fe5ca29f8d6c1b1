//===- Run.cpp - dlc compile, check and inspect ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/Described.h"
#include "compiler/pipeline/Diagnostics.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/session/LoadedModel.h"
#include "frontends/mlir/ReadText.h"
#include "frontends/onnx/Import.h"
#include "tools/dlc/Against.h"
#include "tools/dlc/Describe.h"
#include "tools/dlc/ModelDigest.h"
#include "tools/dlc/OptionRules.h"
#include "tools/dlc/OtherKinds.h"
#include "tools/dlc/RunExport.h"
#include "tools/dlc/RunVerify.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace dlc::tool {

std::string versionText() { return ("dlc " + pipeline::version() + ", LLVM " LLVM_VERSION_STRING).str(); }

namespace {

/// A context with all dialects, and its diagnostics on stderr.
struct Session {
  explicit Session(const Invocation &invocation)
      : context(makeRegistry()),
        diagnostics(context, invocation.file, /*remarks=*/!invocation.quiet && !isInspecting(invocation)) {
    context.loadAllAvailableDialects();
    context.printOpOnDiagnostic(false); // messages are for users of the model, not of its IR
  }
  /// inspect shows the model, not how it is compiled.
  static bool isInspecting(const Invocation &invocation) {
    return invocation.command == Invocation::Command::Inspect;
  }
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    pipeline::registerDialects(registry);
    return registry;
  }
  MLIRContext context;
  pipeline::Diagnostics diagnostics;
};

onnx::ImportOptions importOptions(const Invocation &invocation) {
  onnx::ImportOptions result;
  result.name = invocation.options.name;
  result.batch = invocation.batch;
  result.openBatch = invocation.openBatch;
  result.dims = invocation.dims;
  result.predictOnly = invocation.options.loss.empty();
  result.anySizes = invocation.command == Invocation::Command::Export;
  result.keepTies = invocation.keepTies;
  result.customOps = invocation.customOps;
  result.train = invocation.options.train;
  result.freeze = invocation.options.freeze;
  if (!invocation.runningVariance.empty())
    result.runningVariance = invocation.runningVariance == "unbiased" ? onnx::RunningVariance::Unbiased
                                                                      : onnx::RunningVariance::Population;
  result.verbose = invocation.verbose;
  return result;
}

bool isMlir(const Invocation &invocation) { return StringRef(invocation.file).ends_with(".mlir"); }
bool isCpp(const Invocation &invocation) {
  StringRef extension = llvm::sys::path::extension(invocation.file);
  return extension == ".cpp" || extension == ".cc" || extension == ".cxx";
}

/// A file of another kind than models, such as a checkpoint of PyTorch, gets a sentence of its own: what it
/// is, and how a model comes out of it.
bool mayBeModel(const Invocation &invocation, MLIRContext &context) {
  std::string problem = findOtherKind(invocation.file);
  if (!problem.empty())
    emitError(UnknownLoc::get(&context)) << problem;
  return problem.empty();
}

/// Reports an option that changes nothing.
bool allHaveEffect(const Invocation &invocation, bool trains) {
  std::string problem = findOptionWithoutEffect(invocation, trains);
  if (!problem.empty())
    llvm::errs() << "dlc: error: " << problem << '\n';
  return problem.empty();
}

/// Whether the text has a loss of its own.
bool hasLoss(ModuleOp module) {
  return module.walk([](train::LossOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// A seed where nothing is random is no error: scripts may give one for all their models. dlc train shuffles.
void warnOfSeed(const Invocation &invocation, ModuleOp module) {
  if (invocation.command == Invocation::Command::Train)
    return;
  bool isRandom = false;
  module.walk([&](train::StateOp state) { isRandom |= state.getKind() == train::StateKind::Rng; });
  if (!isRandom && llvm::is_contained(invocation.given, "--seed"))
    emitWarning(UnknownLoc::get(module.getContext())) << "--seed has no effect: the model has no dropout";
}

/// The model as a program; null after errors. A description's loss and optimizer go to the invocation's
/// options.
OwningOpRef<ModuleOp> importModel(Invocation &invocation, MLIRContext &context) {
  if (!mayBeModel(invocation, context))
    return {};
  bool trains = !invocation.options.loss.empty();
  if ((isMlir(invocation) || isCpp(invocation)) &&
      (invocation.keepTies || !invocation.runningVariance.empty())) {
    emitError(UnknownLoc::get(&context)) << "--keep-ties and --running-variance are for ONNX models; "
                                         << (isCpp(invocation) ? "a C++ description" : "an .mlir program")
                                         << " says what it shares and keeps itself";
    return {};
  }
  if ((isMlir(invocation) || isCpp(invocation)) && !invocation.customOps.empty()) {
    emitError(UnknownLoc::get(&context))
        << "--custom-ops is for ONNX models"
        << (isMlir(invocation) ? "; an .mlir program has train.custom_function"
                               : "; a C++ description names their file itself, in dlc::custom");
    return {};
  }
  if (isCpp(invocation)) {
    OwningOpRef<ModuleOp> module = describeModel(invocation, context);
    if (module && !allHaveEffect(invocation, !invocation.options.loss.empty() || hasLoss(*module)))
      return {};
    return module;
  }
  if (!isMlir(invocation)) {
    if (!allHaveEffect(invocation, trains))
      return {};
    return onnx::importOnnx(invocation.file, importOptions(invocation), context);
  }
  if (invocation.batch || !invocation.dims.empty()) {
    emitError(UnknownLoc::get(&context))
        << "--batch and --dim are for ONNX models; an .mlir program says its sizes itself, with train.dim";
    return {};
  }
  OwningOpRef<ModuleOp> module = text::readFile(invocation.file, context);
  if (module && (failed(pipeline::takeDescribed(*module, invocation.given, invocation.options)) ||
                 !allHaveEffect(invocation, !invocation.options.loss.empty() || hasLoss(*module))))
    return {};
  return module;
}

OwningOpRef<ModuleOp> load(Invocation &invocation, MLIRContext &context) {
  OwningOpRef<ModuleOp> module = importModel(invocation, context);
  if (module)
    warnOfSeed(invocation, *module);
  return module;
}

/// Which functions have been recognized, and by remarks which nearly have been.
void printRecognized(const forward::Recognized &recognized) {
  for (auto [name, count] : recognized.counts)
    llvm::outs() << llvm::formatv("{0,7} {1}\n", count, name);
  for (const auto &missed : recognized.missed)
    emitRemark(missed.location) << missed.reason;
}

} // namespace

std::string findLibraries(const std::string &program) {
  std::string executable = llvm::sys::fs::getMainExecutable(program.c_str(), (void *)&versionText);
  SmallString<128> prefix(llvm::sys::path::parent_path(llvm::sys::path::parent_path(executable)));
  for (StringRef folder : {"lib", DLC_LIBDIR}) {
    SmallString<128> path(prefix);
    llvm::sys::path::append(path, folder);
    if (llvm::sys::fs::exists(path + "/libdlc-runtime.a"))
      return path.str().str();
  }
  llvm::sys::path::append(prefix, "lib");
  return prefix.str().str();
}

int runCompile(Invocation &invocation) {
  Session session(invocation);
  invocation.options.verbose = invocation.verbose;
  invocation.options.libraryFolder = findLibraries(invocation.program);
  OwningOpRef<ModuleOp> module = load(invocation, session.context);
  if (!module || (invocation.verify.beforeWriting && verifyBeforeWriting(*module, invocation) != 0))
    return 1;
  return failed(pipeline::compile(*module, invocation.options, llvm::outs()));
}

int runVerify(Invocation &invocation) {
  Session session(invocation);
  if (!invocation.against.empty() && !canCompare(invocation))
    return 2;
  OwningOpRef<ModuleOp> module = load(invocation, session.context);
  return module ? verifyModel(*module, invocation) : 2;
}

ModelInMemory loadModel(Invocation &invocation) {
  struct Program {
    explicit Program(const Invocation &invocation) : session(invocation) {}
    Session session;
    OwningOpRef<ModuleOp> module;
  };
  auto program = std::make_shared<Program>(invocation);
  program->module = load(invocation, program->session.context);
  if (!program->module)
    return {};
  const std::string digest = digestOf(*program->module);
  if (invocation.train.keepLibrary) {
    invocation.options.libraryFolder = findLibraries(invocation.program);
    OwningOpRef<ModuleOp> copy = program->module->clone();
    if (failed(pipeline::compile(*copy, invocation.options, llvm::nulls())))
      return {};
  }
  std::shared_ptr<session::LoadedModel> loaded = session::load(*program->module, invocation.options);
  if (!loaded)
    return {};
  return {{loaded, loaded->model()}, program, invocation.options.loss, digest};
}

int runCheck(Invocation &invocation) {
  Session session(invocation);
  if (!mayBeModel(invocation, session.context))
    return 1;
  OwningOpRef<ModuleOp> module;
  if (isMlir(invocation) || isCpp(invocation)) {
    module = load(invocation, session.context);
  } else {
    if (!allHaveEffect(invocation, !invocation.options.loss.empty()))
      return 1;
    for (const std::string &reason :
         onnx::checkOnnx(invocation.file, importOptions(invocation), session.context, &module))
      emitError(UnknownLoc::get(&session.context)) << reason;
    if (module)
      warnOfSeed(invocation, *module);
  }
  if (!module)
    return 1;
  bool trains = !invocation.options.loss.empty() || hasLoss(*module);
  OwningOpRef<ModuleOp> imported = module->clone();
  if (failed(pipeline::compileToManifest(*module, invocation.options)))
    return 1;
  if (invocation.quiet)
    return invocation.against.empty() ? 0 : checkAgainst(invocation) != 0;
  llvm::outs() << invocation.file << ": can be compiled"
               << (invocation.options.loss.empty() && !isMlir(invocation)
                       ? " for prediction (--loss=... checks training)"
                       : "")
               << '\n';
  if (trains) {
    auto recognized = pipeline::recognize(*imported, invocation.options);
    if (failed(recognized))
      return 1;
    printRecognized(*recognized);
  }
  return invocation.against.empty() ? 0 : checkAgainst(invocation) != 0;
}

int runExport(Invocation &invocation) {
  Session session(invocation);
  OwningOpRef<ModuleOp> module = load(invocation, session.context);
  if (invocation.options.loss != "output") // which a description says, and is part of its program
    invocation.options.loss.clear();
  return module && succeeded(exportModel(*module, invocation)) ? 0 : 1;
}

int runInspect(Invocation &invocation) {
  StringRef file = invocation.file;
  if (std::string problem = findOtherKind(invocation.file); !problem.empty()) {
    llvm::errs() << file << ": error: " << problem << '\n';
    return 1;
  }
  if (file.ends_with(".onnx") || file.ends_with(".mlir") || isCpp(invocation)) {
    Session session(invocation);
    OwningOpRef<ModuleOp> module = load(invocation, session.context);
    if (!module)
      return 1;
    FailureOr<std::string> manifest = pipeline::compileToManifest(*module, invocation.options);
    if (failed(manifest))
      return 1;
    return printManifest(*manifest, invocation.file, invocation.verbose);
  }
  if (!invocation.given.empty()) {
    llvm::errs() << "dlc: error: " << invocation.given.front() << " has no effect: " << file
                 << " is no model, but compiled already\n";
    return 1;
  }
  // A library's manifest lies beside it: out/libmlp.a and out/mlp.json.
  SmallString<128> path(file);
  if (file.ends_with(".a") || file.ends_with(".so")) {
    StringRef stem = llvm::sys::path::stem(file);
    stem.consume_front("lib");
    path = llvm::sys::path::parent_path(file);
    llvm::sys::path::append(path, stem + ".json");
  }
  llvm::sys::fs::file_status status; // a pipe would keep the process waiting
  if (!llvm::sys::fs::status(path, status) && !llvm::sys::fs::is_regular_file(status)) {
    llvm::errs() << path << ": error: not a regular file\n";
    return 1;
  }
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    llvm::errs() << invocation.file << ": error: cannot read "
                 << (path == file ? StringRef("it") : "its manifest '" + path.str().str() + "'") << ": "
                 << buffer.getError().message() << '\n';
    return 1;
  }
  return printManifest((*buffer)->getBuffer().str(), path.str().str(), invocation.verbose);
}

} // namespace dlc::tool
