//===- RunProfile.cpp - dlc profile and report: linking static libraries -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/Digest.h"
#include "compiler/emit/Library.h"
#include "compiler/emit/OutputFiles.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/Runtime.h"
#include "tools/dlc/Expression.h"
#include "tools/dlc/ReadModel.h"
#include "llvm/Object/Archive.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace dlc::tool {

/// The members of a static library.
static Expected<std::vector<emit::Member>> readArchive(const std::string &path) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError(buffer.getError(), buffer.getError().message());
  auto archive = object::Archive::create(**buffer);
  if (!archive)
    return archive.takeError();
  std::vector<emit::Member> members;
  Error error = Error::success();
  for (const object::Archive::Child &child : (*archive)->children(error)) {
    auto name = child.getName();
    auto bytes = child.getBuffer();
    if (!name || !bytes)
      return joinErrors(name ? Error::success() : name.takeError(),
                        bytes ? Error::success() : bytes.takeError());
    members.emplace_back(name->str(), bytes->str());
  }
  if (error)
    return std::move(error);
  return members;
}

std::string digestForProfile(const std::string &path) {
  auto digest = emit::digestOfFile(path);
  if (digest)
    return *digest;
  errs() << path << ": error: cannot be read: " << toString(digest.takeError()) << '\n';
  return "";
}

static std::string writeWhole(const std::string &path, const std::string &content) {
  Error error = emit::writeFile(path, content);
  return error ? toString(std::move(error)) : "";
}

/// Links to a temporary file; the library is in memory when `temporary` goes, and the file with it.
static std::string linkArchive(const std::string &path, const std::string &name, const std::string &libraries,
                               std::vector<FileRemover> &temporary) {
  auto fail = [&](const Twine &message) {
    errs() << path << ": error: " << message << '\n';
    return "";
  };
  auto members = readArchive(path);
  if (!members)
    return fail(toString(members.takeError()));
  auto cpu = CpuTarget::get("", "");
  if (!cpu)
    return fail(toString(cpu.takeError()));
  auto runtime = pipeline::findRuntime(libraries, *cpu);
  if (!runtime)
    return fail(toString(runtime.takeError()));
  auto library = emit::linkShared(*members, *runtime, name, Triple(cpu->triple));
  if (!library)
    return fail(toString(library.takeError()));
  SmallString<128> shared;
  int descriptor;
  if (std::error_code error = sys::fs::createTemporaryFile("dlc", "so", descriptor, shared))
    return fail("cannot create a temporary file: " + error.message());
  temporary.emplace_back(shared);
  raw_fd_ostream out(descriptor, /*shouldClose=*/true);
  out << *library;
  out.close();
  if (std::error_code error = out.error()) {
    out.clear_error();
    return fail(shared + ": " + error.message());
  }
  return shared.str().str();
}

static ProfileServices profileServices(const Invocation &invocation, std::vector<FileRemover> &temporary) {
  auto link = [&](const std::string &path, const std::string &name) {
    return linkArchive(path, name, findLibraries(invocation.program), temporary);
  };
  return {link, writeWhole, digestForProfile};
}

namespace {
/// It goes with all that is in it.
struct ExpressionFolder {
  ExpressionFolder() { error = sys::fs::createUniqueDirectory("dlc-expression", path); }
  ~ExpressionFolder() {
    if (!error)
      sys::fs::remove_directories(path);
  }
  SmallString<128> path;
  std::error_code error;
};
} // namespace

/// Compiles the expression to a library in the folder; its manifest, "" after an error, which was printed.
static std::string compileExpression(const Invocation &invocation, StringRef folder) {
  auto fail = [](const Twine &message) {
    errs() << "dlc: error: --expression: " << message << '\n';
    return "";
  };
  std::string problem;
  const std::string program = programOf(invocation.profile.expression, problem);
  if (program.empty())
    return fail(problem);
  Invocation compilation;
  compilation.command = Invocation::Command::Compile;
  compilation.program = invocation.program;
  compilation.file = (folder + "/expression.cpp").str();
  compilation.quiet = true;
  if (const std::string problem = writeWhole(compilation.file, program); !problem.empty())
    return fail(problem);
  pipeline::Options &options = compilation.options;
  options.emit = pipeline::Stage::Shared;
  options.outputFolder = folder.str();
  options.libraryFolder = findLibraries(invocation.program);
  Reading reading(compilation);
  mlir::OwningOpRef<mlir::ModuleOp> module = readModel(compilation, reading);
  if (!module || failed(pipeline::compile(*module, options, nulls())))
    return "";
  return (folder + "/expression.json").str();
}

static int profileExpression(Invocation &invocation) {
  ExpressionFolder folder;
  if (folder.error) {
    errs() << "dlc: error: cannot make a temporary folder: " << folder.error.message() << '\n';
    return 1;
  }
  const std::string manifest = compileExpression(invocation, folder.path);
  std::vector<FileRemover> temporary;
  return manifest.empty() ? 1 : profile(manifest, invocation.profile, profileServices(invocation, temporary));
}

int runProfile(Invocation &invocation) {
  if (!invocation.profile.expression.empty())
    return profileExpression(invocation);
  std::vector<FileRemover> temporary;
  return profile(invocation.file, invocation.profile, profileServices(invocation, temporary));
}

int runReport(Invocation &invocation) {
  std::vector<FileRemover> temporary;
  return writeReport(invocation.file, invocation.report, invocation.profile,
                     profileServices(invocation, temporary));
}

int runPlot(Invocation &invocation) {
  std::vector<FileRemover> temporary;
  return writePlot(invocation.report.logs, invocation.report.output, profileServices(invocation, temporary));
}

} // namespace dlc::tool
