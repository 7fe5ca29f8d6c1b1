//===- KernelCache.cpp - objects of kernels that were compiled before -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/KernelCache.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include <mutex>
#include <unistd.h>

using namespace llvm;

namespace dlc::codegen {
namespace {

/// A file begins with the digest of the object that follows, in bytes.
constexpr size_t digestBytes = 32;

std::string digestOf(StringRef object) {
  auto digest = SHA256::hash(arrayRefFromStringRef(object));
  return std::string(digest.begin(), digest.end());
}

/// Why a folder cannot be used; empty where it can. It is made where it is not there.
std::string prepare(StringRef folder) {
  if (std::error_code failed = sys::fs::create_directories(folder, /*IgnoreExisting=*/true, sys::fs::owner_all))
    return "it cannot be made (" + failed.message() + ")";
  sys::fs::file_status status;
  if (std::error_code failed = sys::fs::status(folder, status))
    return "it cannot be used (" + failed.message() + ")";
  if (status.type() != sys::fs::file_type::directory_file)
    return "it is no folder";
  if (status.getUser() != geteuid() || (status.permissions() & (sys::fs::group_write | sys::fs::others_write)))
    return "it can be written by others than its user, and what is in it will be run: give a folder of your own, "
           "without write permission for others (chmod go-w)";
  return "";
}

} // namespace

KernelCache::KernelCache(std::string path) : problem(prepare(path)) {
  if (problem.empty())
    folder = std::move(path);
  else
    problem = "DLC_CACHE: the folder '" + path + "' is not used: " + problem;
}

const KernelCache &KernelCache::ofUser() {
  static const KernelCache cache = [] {
    if (auto chosen = sys::Process::GetEnv("DLC_CACHE"))
      return *chosen == "off" || chosen->empty() ? KernelCache() : KernelCache(std::move(*chosen));
    SmallString<128> folder;
    if (!sys::path::cache_directory(folder))
      return KernelCache();
    sys::path::append(folder, "dlc", "kernels");
    KernelCache made{folder.str().str()};
    made.problem.clear(); // nobody asked for it
    return made;
  }();
  return cache;
}

std::string KernelCache::pathOf(StringRef key) const {
  SmallString<128> path(folder);
  sys::path::append(path, "llvmcache-" + key); // as LLVM calls the files that it may remove (CachePruning.h)
  return path.str().str();
}

std::optional<std::string> KernelCache::find(StringRef key) const {
  if (!isOn())
    return std::nullopt;
  auto file = MemoryBuffer::getFile(pathOf(key), /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return std::nullopt;
  StringRef content = (*file)->getBuffer(), object = content.drop_front(std::min(digestBytes, content.size()));
  if (content.take_front(digestBytes) != digestOf(object))
    return std::nullopt;
  return object.str();
}

void KernelCache::add(StringRef key, StringRef object) const {
  if (!isOn())
    return;
  auto file = sys::fs::TempFile::create(pathOf("new-%%%%%%%%"), sys::fs::owner_read | sys::fs::owner_write);
  if (!file)
    return consumeError(file.takeError());
  raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream << digestOf(object) << object;
  stream.flush();
  const bool isWritten = !stream.has_error();
  stream.clear_error(); // which would end the program
  consumeError(isWritten ? file->keep(pathOf(key)) : file->discard());

  static std::once_flag pruned;
  std::call_once(pruned, [&] {
    CachePruningPolicy policy;
    policy.Expiration = std::chrono::hours(30 * 24);
    policy.MaxSizeBytes = uint64_t(1) << 30;
    pruneCache(folder, policy);
  });
}

} // namespace dlc::codegen
