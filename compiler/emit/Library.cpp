//===- Library.cpp - object files as a static or shared library ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/Library.h"
#include "compiler/emit/Linker.h"
#include "compiler/emit/SystemLibrary.h"
#include "compiler/support/Programs.h"
#include "llvm/Object/ArchiveWriter.h"

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

/// A version script: the model's functions and, for the profiler, its description; and what the runtime's
/// headers declare, but for dlc/abi.h, whose functions are what the model's own call.
static std::string exportedSymbols(StringRef prefix) {
  std::string text = "{ global: " + prefix.str() + "_*; \"" + prefix.str() + ".model\";";
  for (const char *name : {"dlc_array_free",
                           "dlc_auc",
                           "dlc_changes_*",
                           "dlc_classes_*",
                           "dlc_confusion_*",
                           "dlc_csv_*",
                           "dlc_early_stop_step",
                           "dlc_events_*",
                           "dlc_gpu_*",
                           "dlc_image_a*",
                           "dlc_init_values",
                           "dlc_lbfgs_*",
                           "dlc_loader_*",
                           "dlc_mean_absolute_error",
                           "dlc_npz_*",
                           "dlc_plateau_step",
                           "dlc_preprocessing_*",
                           "dlc_progress_*",
                           "dlc_r2",
                           "dlc_rate_finder_*",
                           "dlc_read_*",
                           "dlc_report_*",
                           "dlc_rows_*",
                           "dlc_schedule_*",
                           "dlc_shards_*",
                           "dlc_split",
                           "dlc_statistics_of",
                           "dlc_status_string",
                           "dlc_table_*",
                           "dlc_tensors_*",
                           "dlc_tokens_*",
                           "dlc_top_k_accuracy"})
    text += std::string(" ") + name + ";";
  return text + " local: *; };\n";
}

#ifdef DLC_SANITIZED
static const char undefined[] = "undefs";
#else
static const char undefined[] = "defs";
#endif

Expected<std::string> linkShared(ArrayRef<Member> members, StringRef runtime, StringRef prefix,
                                 const Triple &triple) {
  auto archive = makeArchive(members);
  if (!archive)
    return archive.takeError();
  std::vector<TemporaryFile> files;
  auto addFile = [&](StringRef suffix, StringRef content) -> Expected<std::string> {
    auto file = TemporaryFile::create(suffix, content);
    if (!file)
      return file.takeError();
    files.push_back(std::move(*file));
    return files.back().path;
  };
  auto objects = addFile("a", *archive), exports = addFile("map", exportedSymbols(prefix));
  auto output = addFile("so", "");
  for (auto *path : {&objects, &exports, &output})
    if (!*path)
      return path->takeError();

  std::vector<std::string> arguments{
      "-m", triple.isAArch64() ? "aarch64linux" : "elf_x86_64", "-shared", "-o", *output, "-soname",
      "lib" + prefix.str() + ".so", "--version-script", *exports, "--build-id=none", "--eh-frame-hdr",
      "--hash-style=gnu", "--undefined-version", "-z", undefined,
      // The whole runtime, as nothing in the model refers to the readers of
      // data sets; --gc-sections drops what no exported function reaches.
      "--whole-archive", *objects, runtime.str(), "--no-whole-archive", "--gc-sections", "--as-needed"};
  for (const SystemLibrary &library : systemLibraries(triple)) {
    auto stub = addFile("so", stubOf(library, triple));
    if (!stub)
      return stub.takeError();
    arguments.push_back(*stub);
  }
  if (Error error = runLinker(arguments))
    return createStringError("lib" + prefix + ".so cannot be linked: " + toString(std::move(error)));
  return files[2].read();
}

} // namespace dlc::emit
