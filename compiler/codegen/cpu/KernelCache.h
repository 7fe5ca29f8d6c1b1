//===- KernelCache.h - objects of kernels that were compiled before -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM takes most of the time that a model compiles, and of a model that is compiled again, with another layer,
// option or name, most kernels are the same. Their objects are kept in a folder of the user's, each under the
// SHA-256 of all that it was made of. A cache is a help only: where anything in it fails, for want of a folder,
// of room, or because a file is damaged, the kernel is compiled.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_KERNELCACHE_H
#define DLC_COMPILER_CODEGEN_CPU_KERNELCACHE_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace dlc::codegen {

class KernelCache {
public:
  /// The folder that the environment's DLC_CACHE names; where it is not set, `dlc/kernels` in the user's folder
  /// of caches ($XDG_CACHE_HOME, else ~/.cache). DLC_CACHE=off: none. What is in the folder will be run, so it
  /// must be the user's, without write permission for others: else none is used.
  static const KernelCache &ofUser();
  explicit KernelCache(std::string folder);

  bool isOn() const { return !folder.empty(); }
  /// Why a folder that DLC_CACHE names is not used; empty where it is.
  llvm::StringRef trouble() const { return problem; }

  /// The object that was added under this name, which is hexadecimal digits; nothing where there is none, or
  /// where it is not what was added. Objects may be sought and added by several threads and processes.
  std::optional<std::string> find(llvm::StringRef key) const;
  /// Appears whole or not at all. Now and then, what was not used for a month goes, and from the oldest on
  /// what makes the folder larger than a gigabyte.
  void add(llvm::StringRef key, llvm::StringRef object) const;

private:
  KernelCache() = default;
  std::string pathOf(llvm::StringRef key) const;
  std::string folder; ///< empty: nothing is kept
  std::string problem;
};

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_KERNELCACHE_H
