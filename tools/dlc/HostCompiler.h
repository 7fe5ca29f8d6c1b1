//===- HostCompiler.h - the C++ compiler of this machine ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// It compiles models that are C++ programs. Two thirds of its time are dlc's headers, and those of the
// standard library that they include: GCC can read them once, and keep what it made of them in a file
// (dlc precompile). The file holds for one compiler, its options and the headers as they were. It lies in a
// folder that is named after these: so another compiler finds another one or none, and as the folder gets its
// name when it is whole, processes may make it at the same time.
//
// GCC uses such a file only where nothing stands before it, and not from inside of another header. So it comes
// before a program's first line: there it serves all programs, whatever they include and where.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_HOSTCOMPILER_H
#define DLC_TOOLS_DLC_HOSTCOMPILER_H

#include <optional>
#include <string>
#include <vector>

namespace dlc::tool {

/// The folder that has bin/dlc and include/dlc.
std::string installedPrefix(const std::string &program);

struct HostCompiler {
  std::string path;   ///< of the compiler
  std::string prefix; ///< of dlc

  /// The compiler that the environment names (CXX), or the first that there is; a sentence in `problem` where
  /// there is none.
  static std::optional<HostCompiler> find(const std::string &prefix, std::string &problem);

  std::string include() const; ///< the folder of dlc's headers
  /// The beginning of a command that compiles with dlc's headers, with the user's CXXFLAGS; it has compiled
  /// headers where there are some.
  std::vector<std::string> command() const;
  /// Where folders with compiled headers may lie: beside dlc, and in the user's cache.
  std::vector<std::string> precompiledFolders() const;
  /// The folder that has what this compiler can use; empty: none.
  std::string precompiled() const;
  /// Compiles the headers to a file below the first place that can be written, and removes what is oldest
  /// there; its path, or a sentence in `problem`.
  std::optional<std::string> precompile(std::string &problem) const;

private:
  /// The command without compiled headers.
  std::vector<std::string> options() const;
  /// What a compiled header depends on: the compiler, its options, and the headers as they are now.
  std::string state() const;
  /// Compiles the headers to a file in `folder`; else a sentence.
  std::string compileHeaders(const std::string &folder) const;
};

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_HOSTCOMPILER_H
