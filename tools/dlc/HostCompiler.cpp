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
#include "llvm/Support/xxhash.h"
#include <algorithm>

using namespace llvm;
using namespace llvm::sys;

namespace dlc::tool {

namespace {

constexpr const char *headerName = "dlc/dlc.h", *sourceName = "dlc/precompiled.h",
                     *precompiledName = "dlc/dlc.h.gch", *stampName = "made-of.txt",
                     *unfinishedName = "unfinished";
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

/// A folder that is removed in the end, unless it has another name by then.
struct Unfinished {
  ~Unfinished() {
    if (!path.empty())
      (void)fs::remove_directories(path);
  }
  SmallString<128> path;
};

/// The name of the folder for a state.
std::string nameOf(StringRef state) {
  return utohexstr(xxh3_64bits(state), /*LowerCase=*/true, /*Width=*/16);
}

bool isWhole(const std::string &folder, StringRef state) {
  return fs::exists(joined(folder, precompiledName)) && contentOf(joined(folder, stampName)) == state;
}

/// Compilers and versions of dlc come and go: what is newest stays, and what another process is making. A
/// compiler that has opened a file still reads it.
void removeOldest(const std::string &place, StringRef kept) {
  constexpr size_t others = 3;
  const auto beginning = std::chrono::system_clock::now() - std::chrono::seconds(2 * precompileSeconds);
  std::vector<std::pair<TimePoint<>, std::string>> found;
  std::error_code error;
  for (fs::directory_iterator entry(place, error), end; entry != end && !error; entry.increment(error)) {
    fs::file_status status;
    const StringRef name = path::filename(entry->path());
    if (name == kept || fs::status(entry->path(), status))
      continue;
    const TimePoint<> changed = status.getLastModificationTime();
    if (!name.starts_with(unfinishedName))
      found.push_back({changed, entry->path()});
    else if (changed < beginning)
      (void)fs::remove_directories(entry->path());
  }
  llvm::sort(found, std::greater<>());
  for (size_t i = others; i < found.size(); ++i)
    (void)fs::remove_directories(found[i].second);
}

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
  std::vector<std::string> command = options();
  if (const std::string folder = precompiled(); !folder.empty())
    command.insert(command.end(), {"-include", joined(folder, headerName)});
  return command;
}

std::vector<std::string> HostCompiler::options() const {
  std::vector<std::string> command{path, "-std=c++20", "-fPIC", "-I" + include()};
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
  return text + "CXXFLAGS " + Process::GetEnv("CXXFLAGS").value_or("") + "\n";
}

std::string HostCompiler::precompiled() const {
  const std::string now = state();
  for (const std::string &place : precompiledFolders())
    if (std::string folder = joined(place, nameOf(now)); isWhole(folder, now))
      return folder;
  return "";
}

std::string HostCompiler::compileHeaders(const std::string &folder) const {
  const std::string file = joined(folder, precompiledName);
  std::vector<std::string> arguments = options();
  arguments.insert(arguments.end(), {"-x", "c++-header", joined(include(), sourceName), "-o", file});
  if (!runSupervised(arguments, {precompileSeconds, defaultMemoryLimit()}).isSuccess())
    return "'" + path + "' does not compile dlc's headers";
  if (!isOfGcc(file))
    return "'" + path +
           "' is not GCC, which alone uses compiled headers as dlc calls it; CXX chooses another compiler";
  // What GCC reads instead where it refuses the file.
  if (llvm::Error error = emit::writeFile(joined(folder, headerName), "#include <dlc/dlc.h>\n"))
    return llvm::toString(std::move(error));
  return "";
}

std::optional<std::string> HostCompiler::precompile(std::string &problem) const {
  const std::string before = state(), name = nameOf(before);
  for (const std::string &place : precompiledFolders()) {
    Unfinished made;
    if (fs::create_directories(place) || fs::createUniqueDirectory(joined(place, unfinishedName), made.path))
      continue;
    const std::string unfinished = made.path.str().str(), folder = joined(place, name);
    problem.clear();
    if (!fs::create_directories(joined(unfinished, "dlc")))
      problem = compileHeaders(unfinished);
    if (problem.empty() && state() != before)
      problem = "the headers or the compiler have changed meanwhile";
    if (!problem.empty())
      return std::nullopt;
    llvm::Error writing = emit::writeFile(joined(unfinished, stampName), before);
    if (!writing && fs::rename(unfinished, folder) && !isWhole(folder, before)) {
      (void)fs::remove_directories(folder); // what lies there is not from another process, and of no use
      writing = llvm::errorCodeToError(fs::rename(unfinished, folder));
    }
    if (writing) {
      problem = "cannot write to '" + folder + "': " + llvm::toString(std::move(writing));
      return std::nullopt;
    }
    removeOldest(place, name);
    return joined(folder, precompiledName);
  }
  problem = "none of these folders can be written: " + llvm::join(precompiledFolders(), ", ");
  return std::nullopt;
}

} // namespace dlc::tool
