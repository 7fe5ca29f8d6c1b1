//===- Compiler.cpp - the compiler as a C library -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same options and the same steps as the command dlc; messages are kept instead of printed.
//===----------------------------------------------------------------------===//
#include "dlc/compiler.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/session/LoadedModel.h"
#include "dlc/abi.h"
#include "tools/dlc/Decisions.h"
#include "tools/dlc/ReadModel.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <dlfcn.h>
#include <new>

using namespace mlir;

namespace {

using dlc::pipeline::Message;
using dlc::tool::Invocation;

/// An option of dlc compile that has no place here, and why.
struct Refused {
  const char *flag, *reason;
};

constexpr const char *printing = "prints, which the library does not: it is for the command dlc compile";
const Refused refusedAlways[] = {
    {"--time-passes", printing},
    {"--verify", printing},
    {"--output", "is for the command dlc compile: here files come back in memory"},
};
const Refused refusedInProcess[] = {
    {"--emit", "has no effect on code for this process: it is for files"},
    {"--embed-weights", "has no effect on code for this process: it is for files"},
    {"--bindings", "has no effect on code for this process: it is for files"},
    {"--elide", "has no effect on code for this process: it is for files"},
};

} // namespace

struct dlc_compiled {
  Invocation invocation;
  std::unique_ptr<dlc::tool::Reading> reading; ///< has the initial values of the code
  OwningOpRef<ModuleOp> module;
  std::shared_ptr<dlc::session::LoadedModel> loaded;
  std::vector<Message> messages;
  std::vector<std::pair<std::string, std::string>> files;
  std::string errors, manifest, loss, runtime;

  void add(const Message &message) {
    if (message.severity == DiagnosticSeverity::Error) {
      errors += (errors.empty() ? "" : "\n") + message.place + ": " + message.text;
      isAboutError = true;
    } else if (message.severity != DiagnosticSeverity::Note) {
      isAboutError = false;
    } else if (isAboutError) {
      errors += "\n  " + message.place + ": " + message.text;
    }
    messages.push_back(message);
  }
  bool fail(const std::string &sentence) {
    add({DiagnosticSeverity::Error, "dlc", sentence});
    return false;
  }
  bool parse(const dlc_compile_request &request, const char *command, bool intoProcess);
  bool refuses(const Refused &refused);
  void read(bool checks);

private:
  bool isAboutError = false;
};

/// Whether the option was given; its error is then added.
bool dlc_compiled::refuses(const Refused &refused) {
  if (!llvm::is_contained(invocation.allGiven, refused.flag))
    return false;
  fail(std::string(refused.flag) + " " + refused.reason);
  return true;
}

bool dlc_compiled::parse(const dlc_compile_request &request, const char *command, bool intoProcess) {
  std::vector<const char *> arguments{"dlc", command};
  arguments.insert(arguments.end(), request.options, request.options + request.option_count);
  arguments.insert(arguments.end(), {"--", request.file});
  for (size_t i = 2; i + 2 < arguments.size(); ++i)
    if (llvm::StringRef(arguments[i]) == "--")
      return fail("'--' is no option");
  const auto parsed = dlc::tool::parseArguments(int(arguments.size()), arguments.data(), invocation);
  if (parsed.kind == dlc::tool::Parsed::Kind::Asked)
    return fail("--help and --version are for the command dlc");
  if (!invocation.file.empty() && invocation.file != request.file)
    return fail("'" + invocation.file + "' is no option");
  if (parsed.kind == dlc::tool::Parsed::Kind::Wrong)
    return fail(parsed.text);
  bool isRefused = false;
  for (const Refused &refused : refusedAlways)
    isRefused |= refuses(refused);
  if (intoProcess)
    for (const Refused &refused : refusedInProcess)
      isRefused |= refuses(refused);
  if (dlc::tool::isCpp(invocation))
    return fail("a C++ description is a program of its own, which the command dlc compile runs; the library "
                "takes .onnx, .pt2 and .mlir");
  if (request.model)
    invocation.contents = {static_cast<const char *>(request.model), request.model_bytes};
  if (request.model && dlc::tool::isMlir(invocation))
    return fail("a model in memory is an ONNX model, a program of torch.export or one of StableHLO; a program of "
                "dlc's own (.mlir) is read from its file");
  return !isRefused;
}

void dlc_compiled::read(bool checks) {
  reading =
      std::make_unique<dlc::tool::Reading>(invocation, [this](const Message &message) { add(message); });
  module = checks ? dlc::tool::checkModel(invocation, *reading) : dlc::tool::readModel(invocation, *reading);
  if (module)
    loss = dlc::tool::lossOf(*module, dlc::tool::lossNameOf(*module));
}

/// The folder of this library, where the runtimes lie too.
static std::string libraryFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void *>(&dlc_compile), &info) || !info.dli_fname)
    return ".";
  llvm::SmallString<256> path;
  if (llvm::sys::fs::real_path(info.dli_fname, path))
    path = info.dli_fname;
  llvm::sys::path::remove_filename(path);
  return path.str().str();
}

static bool isRequest(const dlc_compile_request *request) {
  if (!request || request->struct_size != sizeof *request || !request->file ||
      (request->option_count && !request->options) || (!request->model && request->model_bytes))
    return false;
  return llvm::none_of(llvm::ArrayRef(request->options, request->option_count),
                       [](const char *option) { return !option; });
}

/// Makes the handle, and lets `work` fill it.
static int32_t make(const dlc_compile_request *request, dlc_compiled **out,
                    llvm::function_ref<bool(dlc_compiled &)> work) {
  if (!out)
    return DLC_INVALID_ARGUMENT;
  *out = nullptr;
  if (!isRequest(request))
    return DLC_INVALID_ARGUMENT;
  auto *compiled = new (std::nothrow) dlc_compiled;
  if (!compiled)
    return DLC_OUT_OF_MEMORY;
  *out = compiled;
  const bool isDone = work(*compiled);
  if (compiled->reading) // the threads that compiled have nothing left to do
    compiled->reading->context.disableMultithreading();
  compiled->invocation.contents.reset(); // the caller's
  if (!isDone && compiled->errors.empty())
    compiled->fail("the model cannot be compiled, and no stage of the compiler said why");
  return isDone ? DLC_OK : DLC_BAD_FILE;
}

int32_t dlc_compile(const dlc_compile_request *request, dlc_compiled **out) {
  return make(request, out, [&](dlc_compiled &compiled) {
    if (!compiled.parse(*request, "compile", /*intoProcess=*/true))
      return false;
    compiled.read(/*checks=*/false);
    if (compiled.module)
      compiled.loaded = dlc::session::load(*compiled.module, compiled.invocation.options, /*functions=*/true);
    if (!compiled.loaded)
      return false;
    compiled.manifest = compiled.loaded->manifest();
    return true;
  });
}

int32_t dlc_compile_files(const dlc_compile_request *request, dlc_compiled **out) {
  return make(request, out, [&](dlc_compiled &compiled) {
    if (!compiled.parse(*request, "compile", /*intoProcess=*/false))
      return false;
    compiled.read(/*checks=*/false);
    compiled.invocation.options.libraryFolder = libraryFolder();
    compiled.invocation.options.filesInMemory = &compiled.files;
    return compiled.module &&
           succeeded(dlc::pipeline::compile(*compiled.module, compiled.invocation.options, llvm::nulls()));
  });
}

int32_t dlc_check(const dlc_compile_request *request, dlc_compiled **out) {
  return make(request, out, [&](dlc_compiled &compiled) {
    if (!compiled.parse(*request, "check", /*intoProcess=*/false))
      return false;
    compiled.read(/*checks=*/true);
    if (!compiled.module)
      return false;
    auto manifest = dlc::pipeline::compileToManifest(*compiled.module, compiled.invocation.options);
    if (succeeded(manifest))
      compiled.manifest = *manifest;
    return succeeded(manifest);
  });
}

void dlc_compiled_destroy(dlc_compiled *compiled) { delete compiled; }

const char *dlc_compiled_error(const dlc_compiled *compiled) {
  return compiled ? compiled->errors.c_str() : "";
}

size_t dlc_compiled_message_count(const dlc_compiled *compiled) {
  return compiled ? compiled->messages.size() : 0;
}

static int32_t severityOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return DLC_ERROR;
  case DiagnosticSeverity::Warning:
    return DLC_WARNING;
  case DiagnosticSeverity::Remark:
    return DLC_REMARK;
  case DiagnosticSeverity::Note:
    return DLC_NOTE;
  }
  llvm_unreachable("all severities are handled");
}

int32_t dlc_compiled_message(const dlc_compiled *compiled, size_t index, dlc_message *message) {
  if (!message)
    return DLC_INVALID_ARGUMENT;
  *message = {};
  if (!compiled || index >= compiled->messages.size())
    return DLC_INVALID_ARGUMENT;
  const Message &found = compiled->messages[index];
  *message = {severityOf(found.severity), found.place.c_str(), found.text.c_str()};
  return DLC_OK;
}

const char *dlc_compiled_manifest(const dlc_compiled *compiled) {
  return compiled ? compiled->manifest.c_str() : "";
}

const char *dlc_compiled_loss(const dlc_compiled *compiled) { return compiled ? compiled->loss.c_str() : ""; }

size_t dlc_compiled_file_count(const dlc_compiled *compiled) { return compiled ? compiled->files.size() : 0; }

int32_t dlc_compiled_file(const dlc_compiled *compiled, size_t index, dlc_file *file) {
  if (!file)
    return DLC_INVALID_ARGUMENT;
  *file = {};
  if (!compiled || index >= compiled->files.size())
    return DLC_INVALID_ARGUMENT;
  const auto &[name, contents] = compiled->files[index];
  *file = {name.c_str(), contents.data(), contents.size()};
  return DLC_OK;
}

const void *dlc_compiled_function(dlc_compiled *compiled, const char *name) {
  return compiled && compiled->loaded && name ? compiled->loaded->function(name) : nullptr;
}

int32_t dlc_compiled_create(dlc_compiled *compiled, const dlc_create_options *options, void **instance) {
  if (!instance)
    return DLC_INVALID_ARGUMENT;
  *instance = nullptr;
  if (!compiled)
    return DLC_INVALID_ARGUMENT;
  if (!compiled->loaded)
    return DLC_UNAVAILABLE;
  const dlc_model *model = compiled->loaded->model();
  dlc_instance *created = nullptr;
  const dlc_status status =
      dlc_instance_create(model, DLC_ABI_VERSION, model->fingerprint, options, &created);
  *instance = created;
  return status;
}

const char *dlc_compiler_version(void) {
  static const std::string version = dlc::pipeline::version().str();
  return version.c_str();
}

uint32_t dlc_compiler_abi_version(void) { return DLC_ABI_VERSION; }
