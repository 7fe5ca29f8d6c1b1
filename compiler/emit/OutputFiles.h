//===- OutputFiles.h - files that appear together or not at all ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_OUTPUTFILES_H
#define DLC_COMPILER_EMIT_OUTPUTFILES_H

#include "compiler/emit/TemporaryNames.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dlc::emit {

/// Files written to a folder under temporary names, and renamed when all of them are complete and on the
/// disk. Unless `commit` succeeds, everything that was there before stays as it was: if a file cannot be
/// renamed, the files renamed before it get their old content back. What a killed
/// process left in the folder is removed.
class OutputFiles {
public:
  /// Makes the folder if it is not there.
  static llvm::Expected<OutputFiles> in(llvm::StringRef folder, OnSignal onSignal = OnSignal::Remove);
  /// Files that are kept in memory, by name; they are added to `files` by commit().
  static llvm::Expected<OutputFiles> inMemory(std::vector<std::pair<std::string, std::string>> &files);
  OutputFiles(OutputFiles &&) = default; // what was moved from has no files and no folders to clean up
  ~OutputFiles();

  llvm::Error add(llvm::StringRef name, llvm::function_ref<void(llvm::raw_ostream &)> write);
  llvm::Error add(llvm::StringRef name, llvm::StringRef content) {
    return add(name, [&](llvm::raw_ostream &out) { out << content; });
  }
  llvm::Error commit();
  /// Paths of the committed files.
  llvm::ArrayRef<std::string> written() const { return committed; }

private:
  struct File {
    std::string temporary, path;
    std::string old; ///< during commit, where the file that is replaced is kept; empty: there was none
  };
  llvm::Error keepOld(File &file);
  OutputFiles(llvm::StringRef folder, OnSignal onSignal) : folder(folder.str()), onSignal(onSignal) {}
  std::string folder;
  OnSignal onSignal;
  std::optional<TemporaryNames> names; ///< since the first file
  std::vector<File> files;
  std::vector<std::string> committed;
  std::vector<std::pair<std::string, std::string>> *memory = nullptr; ///< in place of the folder
  std::vector<std::pair<std::string, std::string>> kept;              ///< that go there
  std::vector<std::string> madeFolders; ///< not there before; the innermost first
};

/// One file, by its path.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef content);

} // namespace dlc::emit

#endif // DLC_COMPILER_EMIT_OUTPUTFILES_H
