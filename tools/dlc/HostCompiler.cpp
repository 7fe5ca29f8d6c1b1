//===- HostCompiler.cpp - the C++ compiler of this machine ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/HostCompiler.h"
#include "compiler/emit/OutputFiles.h"
#include "tools/dlc/Commands.h"
#include "tools/dlc/Supervised.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace llvm;
using namespace llvm::sys;

namespace dlc::tool {

namespace {

constexpr const char *headerName = "dlc/dlc.h";
constexpr unsigned precompileSeconds = 600;

std::string joined(const std::string &folder, StringRef name) {
  SmallString<128> path(folder);
  path::append(path, name);
  return path.str().str();
}

std::string contentOf(const std::string &path) {
  auto file = MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

/// A line for a file as it is: its name, size and time of change.
std::string lineOf(const std::string &path) {
  fs::file_status status;
  if (fs::status(path, status))
    return path + " is missing\n";
  return path + " " + std::to_string(status.getSize()) + " " +
         std::to_string(status.getLastModificationTime().time_since_epoch().count()) + "\n";
}

/// GCC's files begin so; other compilers have other ways to use theirs.
bool isOfGcc(const std::string &path) {
  auto file = MemoryBuffer::getFileSlice(path, 4, 0);
  return file && (*file)->getBuffer() == "gpch";
}

/// Removed in the end where it is still there.
struct Unfinished {
  ~Unfinished() { (void)fs::remove(path); }
  SmallString<128> path;
};

} // namespace

std::string installedPrefix(const std::string &program) {
  const std::string executable = fs::getMainExecutable(program.c_str(), (void *)&versionText);
  return path::parent_path(path::parent_path(executable)).str();
}

std::optional<HostCompiler> HostCompiler::find(const std::string &prefix, std::string &problem) {
  if (auto chosen = Process::GetEnv("CXX")) {
    if (auto path = findProgramByName(*chosen))
      return HostCompiler{*path, prefix};
    problem = "the C++ compiler '" + *chosen + "' of the environment variable CXX was not found";
    return std::nullopt;
  }
  for (StringRef name : {"c++", "clang++-22", "clang++", "g++"})
    if (auto path = findProgramByName(name))
      return HostCompiler{*path, prefix};
  problem =
      "describing a model takes a C++ compiler: none of c++, clang++, g++ is in PATH, and CXX is not set";
  return std::nullopt;
}

std::string HostCompiler::include() const { return joined(prefix, "include"); }

std::vector<std::string> HostCompiler::command() const {
  std::vector<std::string> command{path, "-std=c++20", "-fPIC"};
  if (const std::string folder = precompiled(); !folder.empty())
    command.push_back("-I" + folder); // before the headers themselves
  command.push_back("-I" + include());
  if (auto flags = Process::GetEnv("CXXFLAGS")) {
    SmallVector<StringRef> words;
    llvm::SplitString(*flags, words);
    command.insert(command.end(), words.begin(), words.end());
  }
  return command;
}

std::vector<std::string> HostCompiler::precompiledFolders() const {
  std::vector<std::string> folders{joined(prefix, "lib/dlc/precompiled")};
  SmallString<128> cache;
  if (path::cache_directory(cache))
    folders.push_back(joined(cache.str().str(), "dlc/precompiled"));
  return folders;
}

std::string HostCompiler::state() const {
  SmallString<128> real; // c++ is a link to a link
  if (fs::real_path(path, real))
    real = path;
  std::string text = lineOf(real.str().str());
  std::vector<std::string> headers;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(joined(include(), "dlc"), error), end; entry != end && !error;
       entry.increment(error))
    headers.push_back(entry->path());
  llvm::sort(headers);
  for (const std::string &header : headers)
    text += lineOf(header);
  return text;
}

std::string HostCompiler::precompiled() const {
  for (const std::string &folder : precompiledFolders())
    if (fs::exists(joined(folder, "dlc/dlc.h.gch")) && contentOf(joined(folder, "made-of.txt")) == state())
      return folder;
  return "";
}

std::optional<std::string> HostCompiler::precompile(std::string &problem) const {
  std::string folder;
  for (const std::string &each : precompiledFolders()) {
    if (fs::create_directories(joined(each, "dlc")) || fs::access(joined(each, "dlc"), fs::AccessMode::Write))
      continue;
    folder = each;
    break;
  }
  if (folder.empty()) {
    problem = "none of these folders can be written: " + llvm::join(precompiledFolders(), ", ");
    return std::nullopt;
  }
  const std::string file = joined(folder, "dlc/dlc.h.gch"), stamp = joined(folder, "made-of.txt");
  const std::string before = state();
  Unfinished made;
  if (std::error_code error = fs::createUniqueFile(file + "-%%%%%%", made.path)) {
    problem = "cannot write to '" + folder + "': " + error.message();
    return std::nullopt;
  }
  std::vector<std::string> arguments = command();
  arguments.insert(arguments.end(),
                   {"-x", "c++-header", joined(include(), headerName), "-o", made.path.str().str()});
  if (!runSupervised(arguments, {precompileSeconds, defaultMemoryLimit()}).isSuccess()) {
    problem = "'" + path + "' does not compile dlc's headers";
    return std::nullopt;
  }
  if (!isOfGcc(made.path.str().str())) {
    problem = "'" + path +
              "' is not GCC, which alone uses compiled headers as dlc calls it; CXX chooses another compiler";
    return std::nullopt;
  }
  (void)fs::remove(stamp); // of what may lie there
  std::error_code error = fs::rename(made.path, file);
  if (llvm::Error writing = error ? llvm::errorCodeToError(error) : emit::writeFile(stamp, before)) {
    problem = "cannot write to '" + folder + "': " + llvm::toString(std::move(writing));
    return std::nullopt;
  }
  return file;
}

} // namespace dlc::tool
