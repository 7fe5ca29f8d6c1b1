//===- Library.cpp - object files as a static or shared library ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/Library.h"
#include "compiler/support/Programs.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace dlc::emit {

Expected<std::string> makeArchive(ArrayRef<Member> members) {
  std::vector<NewArchiveMember> archived;
  for (auto &[name, bytes] : members)
    archived.emplace_back(MemoryBufferRef(bytes, name));
  auto buffer = writeArchiveToBuffer(archived, SymtabWritingMode::NormalSymtab, object::Archive::K_GNU,
                                     /*Deterministic=*/true, /*Thin=*/false, [](Error warning) {
                                       consumeError(std::move(warning)); // none concerns our own members
                                     });
  if (!buffer)
    return buffer.takeError();
  return (*buffer)->getBuffer().str();
}

/// A version script: the model's functions and, for the profiler, its description; and what dlc/runtime.h
/// declares, with the functions of dlc/data.h that make loaders and read files.
static std::string exportedSymbols(StringRef prefix) {
  std::string text = "{ global: " + prefix.str() + "_*; \"" + prefix.str() + ".model\";";
  for (const char *name : {"dlc_status_string", "dlc_read_*", "dlc_array_free", "dlc_loader_*",
                           "dlc_tokens_*", "dlc_progress_*"})
    text += std::string(" ") + name + ";";
  return text + " local: *; };\n";
}

Expected<std::string> linkShared(ArrayRef<Member> members, StringRef runtime, StringRef prefix) {
  ErrorOr<std::string> driver = std::make_error_code(std::errc::no_such_file_or_directory);
  for (StringRef candidate : {"cc", "clang-22", "clang", "gcc"})
    if (!driver)
      driver = sys::findProgramByName(candidate);
  if (!driver)
    return createStringError(
        "--emit=shared needs a C compiler to link with: none of cc, clang, gcc is in PATH");

  auto archive = makeArchive(members);
  if (!archive)
    return archive.takeError();
  auto objects = TemporaryFile::create("a", *archive);
  auto exports = TemporaryFile::create("map", exportedSymbols(prefix));
  auto output = TemporaryFile::create("so");
  for (auto *file : {&objects, &exports, &output})
    if (!*file)
      return file->takeError();

  std::string script = "-Wl,--version-script=" + exports->path;
  std::vector<std::string> arguments{*driver, "-shared", "-o", output->path, "-Wl,--build-id=none",
                                     "-Wl,-soname,lib" + prefix.str() + ".so", script,
                                     // The whole runtime, as nothing in the model refers to the readers of
                                     // data sets; --gc-sections drops what no exported function reaches.
                                     "-Wl,--whole-archive", objects->path, runtime.str(),
                                     "-Wl,--no-whole-archive", "-Wl,--gc-sections", "-Wl,--as-needed",
                                     "-lpthread", "-lm"};
  if (*DLC_LINK_ZLIB) // dlc_read_idx
    arguments.push_back(DLC_LINK_ZLIB);
  if (Error error = runProgram(arguments))
    return createStringError("linking with " + *driver + " failed: " + toString(std::move(error)));
  return output->read();
}

} // namespace dlc::emit
