//===- Run.cpp - dlc compile, check and inspect ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/CutForRanks.h"
#include "compiler/session/LoadedModel.h"
#include "tools/dlc/Against.h"
#include "tools/dlc/Decisions.h"
#include "tools/dlc/ModelDigest.h"
#include "tools/dlc/OtherKinds.h"
#include "tools/dlc/ReadModel.h"
#include "tools/dlc/RunExport.h"
#include "tools/dlc/RunVerify.h"
#include "tools/dlc/ShownRemarks.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace dlc::tool {

namespace {

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
  Reading session(invocation);
  invocation.options.verbose = invocation.verbose;
  invocation.options.libraryFolder = findLibraries(invocation.program);
  // This process only hands the weights on. One that also computes with them wants them aligned, in memory.
  invocation.staysMapped = !invocation.verify.beforeWriting;
  OwningOpRef<ModuleOp> module = readModel(invocation, session);
  if (!module || (invocation.verify.beforeWriting && verifyBeforeWriting(*module, invocation) != 0))
    return 1;
  if (const int64_t ranks = invocation.options.ranks;
      ranks > 1 && failed(pipeline::cutForRanks(*module, invocation.options, ranks)))
    return 1;
  std::unique_ptr<remarks::Listener> listener = listenTo(session.context, invocation);
  if (failed(pipeline::compile(*module, invocation.options, llvm::outs())))
    return 1;
  return showRemarks(listener.get(), invocation, llvm::errs());
}

int runVerify(Invocation &invocation) {
  Reading session(invocation);
  if (!invocation.against.empty() && !canCompare(invocation))
    return 2;
  OwningOpRef<ModuleOp> module = readModel(invocation, session);
  return module ? verifyModel(*module, invocation) : 2;
}

ModelInMemory loadModel(Invocation &invocation) {
  struct Program {
    explicit Program(const Invocation &invocation) : session(invocation) {}
    Reading session;
    OwningOpRef<ModuleOp> module;
  };
  auto program = std::make_shared<Program>(invocation);
  program->module = readModel(invocation, program->session);
  if (!program->module)
    return {};
  const std::string digest = digestOf(*program->module),
                    loss = lossOf(*program->module, lossNameOf(*program->module));
  const std::set<std::string> sigmoids = sigmoidsOf(*program->module);
  if (invocation.train.keepLibrary) {
    invocation.options.libraryFolder = findLibraries(invocation.program);
    OwningOpRef<ModuleOp> copy = program->module->clone();
    if (failed(pipeline::compile(*copy, invocation.options, llvm::nulls())))
      return {};
  }
  std::string manifest;
  if (!invocation.train.report.empty()) {
    OwningOpRef<ModuleOp> copy = program->module->clone();
    FailureOr<std::string> text = pipeline::compileToManifest(*copy, invocation.options);
    if (failed(text))
      return {};
    manifest = *text;
  }
  ModelInMemory result;
  if (const int64_t ranks = invocation.train.thisRank.ranks; ranks > 1) {
    auto whole = pipeline::cutForRanks(*program->module, invocation.options, ranks);
    if (failed(whole))
      return {};
    result.rowsOfAll = whole->rows;
    result.takesFewer = whole->takesFewer;
  }
  std::shared_ptr<session::LoadedModel> loaded = session::load(*program->module, invocation.options);
  if (!loaded)
    return {};
  result.model = {loaded, loaded->model()};
  result.values = program;
  result.loss = loss;
  result.digest = digest;
  result.manifest = manifest;
  result.sigmoids = sigmoids;
  return result;
}

int runCheck(Invocation &invocation) {
  Reading session(invocation);
  OwningOpRef<ModuleOp> module = checkModel(invocation, session);
  if (!module)
    return 1;
  const bool addsLoss = !lossNameOf(*module).empty();
  bool trains = addsLoss || hasLoss(*module);
  OwningOpRef<ModuleOp> imported = module->clone();
  if (failed(pipeline::compileToManifest(*module, invocation.options)))
    return 1;
  if (invocation.quiet)
    return invocation.against.empty() ? 0 : checkAgainst(invocation) != 0;
  llvm::outs() << invocation.file << ": can be compiled"
               << (!addsLoss && !isMlir(invocation)
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
  Reading session(invocation);
  OwningOpRef<ModuleOp> module = readModel(invocation, session);
  if (!module)
    return 1;
  module->walk([](train::RecipeOp recipe) {
    train::LossAttr loss = recipe.getLossAttr();
    if (loss && loss.getKind() != train::LossKind::Output) // which is part of a description's program
      recipe.removeLossAttr();
  });
  return succeeded(exportModel(*module, invocation)) ? 0 : 1;
}

/// Kernels and memory are those of some size: which one, where nobody gave it.
static void noteSizes(ModuleOp module, const Invocation &invocation) {
  auto isGiven = [&](StringRef option) { return llvm::is_contained(invocation.given, option); };
  const bool hasNames = module.walk([](train::DimOp) { return WalkResult::interrupt(); }).wasInterrupted();
  const bool isGraph =
      StringRef(invocation.file).ends_with(".onnx") || isPt2(invocation) || isStablehlo(invocation);
  if (hasNames && isGraph && !isGiven("--batch") && !isGiven("--dim"))
    llvm::errs()
        << invocation.file
        << ": note: sizes that the model leaves open count as 1 here: --batch=N and --dim NAME=N give them\n";
}

int runInspect(Invocation &invocation) {
  StringRef file = invocation.file;
  if (std::string problem = findOtherKind(invocation.file); !problem.empty()) {
    llvm::errs() << file << ": error: " << problem << '\n';
    return 1;
  }
  if (file.ends_with(".onnx") || file.ends_with(".mlir") || isCpp(invocation) || isPt2(invocation) ||
      isStablehlo(invocation)) {
    Reading session(invocation);
    OwningOpRef<ModuleOp> module = readModel(invocation, session);
    if (!module)
      return 1;
    noteSizes(*module, invocation);
    std::unique_ptr<remarks::Listener> listener = listenTo(session.context, invocation);
    FailureOr<std::string> manifest = pipeline::compileToManifest(*module, invocation.options);
    if (failed(manifest))
      return 1;
    if (!invocation.why.empty())
      return showReasons(*listener, invocation, llvm::outs());
    if (listener)
      return showRemarks(listener.get(), invocation, llvm::outs());
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
