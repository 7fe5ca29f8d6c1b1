//===- Describe.cpp - models that are described as C++ programs ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/Describe.h"
#include "dialects/train/Train.h"
#include "mlir/Parser/Parser.h"
#include "tools/dlc/HostCompiler.h"
#include "tools/dlc/KnownPrograms.h"
#include "tools/dlc/ReadModel.h"
#include "tools/dlc/Supervised.h"
#include "tools/libdlc/DescribeStatus.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cstring>

using namespace mlir;
using namespace llvm::sys;

namespace dlc::tool {

namespace {

/// At least: a machine that is slow, or busy, shall not keep anyone from compiling.
constexpr unsigned compilerSeconds = 600;

/// Removed in the end, also where Ctrl-C is the end.
class TemporaryFile {
public:
  explicit TemporaryFile(StringRef suffix) {
    error = fs::createTemporaryFile("dlc-describe", suffix, path);
    if (!error)
      RemoveFileOnSignal(path);
  }
  ~TemporaryFile() {
    if (error)
      return;
    (void)fs::remove(path);
    DontRemoveFileOnSignal(path);
  }
  bool hasContent() const {
    uint64_t bytes = 0;
    return !fs::file_size(path, bytes) && bytes > 0;
  }
  SmallString<128> path;
  std::error_code error;
};

class Description {
public:
  Description(const Invocation &invocation, MLIRContext &context) : invocation(invocation), context(context) {
    prefix = installedPrefix(invocation.program);
  }
  OwningOpRef<ModuleOp> read();

private:
  InFlightDiagnostic error() { return emitError(UnknownLoc::get(&context)); }
  /// A file below the folder that dlc is in: the build's or the one that it is installed in.
  std::optional<std::string> find(ArrayRef<StringRef> folders, StringRef name);
  bool compile(StringRef library);
  bool run(StringRef library, const TemporaryFile &output);
  Limits limits() const;
  bool succeeds(const Ending &ending, const Limits &limits, StringRef what);

  const Invocation &invocation;
  MLIRContext &context;
  std::string prefix;
};

std::optional<std::string> Description::find(ArrayRef<StringRef> folders, StringRef name) {
  for (StringRef folder : folders) {
    SmallString<128> path(prefix);
    path::append(path, folder, name);
    if (fs::exists(path))
      return path.str().str();
  }
  error() << "'" << name << "' was not found in '" << prefix << "', where dlc is: install dlc whole";
  return std::nullopt;
}

Limits Description::limits() const {
  return {invocation.describeSeconds,
          invocation.describeBytes ? *invocation.describeBytes : defaultMemoryLimit()};
}

static std::string mebibytes(uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

/// Reports what ended otherwise than by an exit status of its own. `what` is the beginning of a sentence.
bool Description::succeeds(const Ending &ending, const Limits &limits, StringRef what) {
  switch (ending.kind) {
  case Ending::Exited:
    return true;
  case Ending::TimedOut:
    error() << what << " did not end within " << limits.seconds << " s; give it more with --describe-seconds";
    return false;
  case Ending::NotStarted:
    error() << what << " cannot be started: " << std::generic_category().message(ending.number);
    return false;
  case Ending::Signalled:
    break;
  }
  InFlightDiagnostic message = error();
  message << what << " crashed: " << strsignal(ending.number);
  if (limits.bytes && ending.residentBytes > limits.bytes / 2)
    message << "; it had " << mebibytes(ending.residentBytes) << " of the " << mebibytes(limits.bytes)
            << " of memory that it may have (--describe-memory)";
  return false;
}

bool Description::compile(StringRef library) {
  std::string problem;
  auto compiler = HostCompiler::find(prefix, problem);
  if (!compiler)
    error() << problem;
  if (!compiler || !find({"include"}, "dlc/dlc.h"))
    return false;
  std::vector<std::string> command = compiler->command();
  command.insert(command.end(), {"-shared", invocation.file, "-o", library.str()});
  if (wantsRemarks(invocation) && !isKnownProgram(invocation.file))
    emitRemark(UnknownLoc::get(&context))
        << "this is a program: it is compiled by " << path::filename(compiler->path)
        << " and run here, and can do all that you can; run none that you do not trust";
  Limits limits = this->limits();
  limits.seconds = std::max(limits.seconds, compilerSeconds);
  const Ending ending = runSupervised(command, limits);
  if (!succeeds(ending, limits, "the C++ compiler"))
    return false;
  if (ending.number != 0)
    error() << path::filename(compiler->path) << " cannot compile it, as said above";
  return ending.number == 0;
}

bool Description::run(StringRef library, const TemporaryFile &output) {
  auto runner = find({"bin"}, "dlc-describe");
  if (!runner)
    return false;
  std::vector<std::string> command{*runner, library.str(), output.path.str().str()};
  if (!invocation.model.empty())
    command.push_back(invocation.model);
  const Limits limits = this->limits();
  const Ending ending = runSupervised(command, limits);
  if (!succeeds(ending, limits, "the description"))
    return false;
  if (ending.number == 0 && output.hasContent())
    return true;
  if (ending.number == 0)
    error() << "the description ended the process before it was done";
  else if (ending.number == outOfMemoryStatus)
    error() << "the description asked for more memory than the " << mebibytes(limits.bytes)
            << " that it may have; give it more with --describe-memory";
  else
    error() << "the description failed, as said above";
  return false;
}

OwningOpRef<ModuleOp> Description::read() {
  if (!fs::exists(invocation.file)) {
    error() << "cannot read the file: no such file";
    return {};
  }
  if (!fs::is_regular_file(invocation.file)) { // a pipe would keep the compiler waiting
    error() << "cannot read the file: not a regular file";
    return {};
  }
  TemporaryFile library("so"), output("mlirbc");
  if (std::error_code problem = library.error ? library.error : output.error) {
    SmallString<128> temporary;
    path::system_temp_directory(/*ErasedOnReboot=*/true, temporary);
    error() << "cannot create a temporary file in '" << temporary << "': " << problem.message();
    return {};
  }
  if (!compile(library.path) || !run(library.path, output))
    return {};
  // Weights lie at multiples of 64 bytes from the file's begin, which small files in memory need not have.
  auto file = llvm::MemoryBuffer::getFile(output.path, /*IsText=*/false, /*RequiresNullTerminator=*/false,
                                          /*IsVolatile=*/false, llvm::Align(64));
  if (!file) {
    error() << "cannot read what the description wrote: " << file.getError().message();
    return {};
  }
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
}

/// Sizes on the command line go before those of the description; the first dim is the batch.
LogicalResult setSizes(const Invocation &invocation, ModuleOp module) {
  auto program = *module.getOps<train::ProgramOp>().begin();
  auto dims = llvm::to_vector(program.getBody().getOps<train::DimOp>());
  auto noDim = [&](const Twine &what) {
    std::string known;
    for (train::DimOp dim : dims)
      known += (known.empty() ? "" : ", ") + dim.getSymName().str();
    return emitError(UnknownLoc::get(module.getContext()))
           << what.str() << "; the model's named dims are: " << (dims.empty() ? "none" : known);
  };
  if (invocation.batch) {
    if (dims.empty())
      return noDim("--batch has no effect: the model has no named dim");
    dims[0].setBound(invocation.batch);
    dims[0].setOpen(invocation.openBatch);
  }
  for (const auto &entry : invocation.dims) {
    auto found = llvm::find_if(dims, [&](train::DimOp dim) { return dim.getSymName() == entry.first; });
    if (found == dims.end())
      return noDim("--dim: the model has no dim '" + entry.first + "'");
    auto [smallest, largest] = entry.second;
    found->setBound(largest);
    found->setOpen(smallest != largest);
  }
  return success();
}

} // namespace

OwningOpRef<ModuleOp> describeModel(Invocation &invocation, MLIRContext &context) {
  OwningOpRef<ModuleOp> module = Description(invocation, context).read();
  if (!module || failed(setSizes(invocation, *module)))
    return {};
  return module;
}

} // namespace dlc::tool
