//===- Library.cpp - object files as a static or shared library ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/Library.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

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

namespace {

/// A file in the system's folder for temporary files, removed at the end.
class TemporaryFile {
public:
  static Expected<TemporaryFile> create(StringRef suffix, StringRef content) {
    SmallString<128> path;
    int descriptor;
    if (std::error_code error = sys::fs::createTemporaryFile("dlc", suffix, descriptor, path))
      return createStringError(error, "cannot create a temporary file: " + error.message());
    TemporaryFile file(path.str());
    raw_fd_ostream out(descriptor, /*shouldClose=*/true);
    out << content;
    out.close();
    if (std::error_code error = out.error()) {
      out.clear_error();
      return createStringError(error, path + ": " + error.message());
    }
    return file;
  }
  std::string path;

private:
  explicit TemporaryFile(StringRef path)
      : path(path.str()), remover(std::make_unique<FileRemover>(Twine(path))) {}
  std::unique_ptr<FileRemover> remover;
};

/// A version script: the model's functions and, for the profiler, its description; and what dlc/runtime.h
/// declares, with the functions of dlc/data.h that make loaders and read files.
std::string exportedSymbols(StringRef prefix) {
  std::string text = "{ global: " + prefix.str() + "_*; \"" + prefix.str() + ".model\";";
  for (const char *name : {"dlc_status_string", "dlc_read_*", "dlc_array_free", "dlc_loader_*",
                           "dlc_tokens_*", "dlc_progress_*"})
    text += std::string(" ") + name + ";";
  return text + " local: *; };\n";
}

} // namespace

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
  auto output = TemporaryFile::create("so", "");
  auto messages = TemporaryFile::create("txt", "");
  for (auto *file : {&objects, &exports, &output, &messages})
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
  std::vector<StringRef> references(arguments.begin(), arguments.end());
  std::string error;
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(messages->path), StringRef(messages->path)};
  int status = sys::ExecuteAndWait(*driver, references, std::nullopt, redirects, 0, 0, &error);
  if (status != 0) {
    auto text = MemoryBuffer::getFile(messages->path);
    return createStringError("linking with " + *driver + " failed: " + error +
                             (text ? (*text)->getBuffer().str() : std::string()));
  }
  auto bytes = MemoryBuffer::getFile(output->path);
  if (!bytes)
    return createStringError(bytes.getError(), output->path + ": " + bytes.getError().message());
  return (*bytes)->getBuffer().str();
}

} // namespace dlc::emit
