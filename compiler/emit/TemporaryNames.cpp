//===- TemporaryNames.cpp - names for files that are being written ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/TemporaryNames.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include <cerrno>
#include <fcntl.h>
#include <map>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace llvm;
namespace fs = llvm::sys::fs;

namespace dlc::emit {

static constexpr StringLiteral start = ".dlc-";
static constexpr size_t digits = 16;

/// ".dlc-<digits>" of one of our names; empty where it is none.
static StringRef groupOf(StringRef name) {
  StringRef rest = name, group = name.take_front(start.size() + digits);
  auto isDigit = [](char c) { return llvm::isDigit(c) || (c >= 'a' && c <= 'f'); };
  if (!rest.consume_front(start) || rest.size() < digits || !all_of(rest.take_front(digits), isDigit))
    return {};
  rest = rest.drop_front(digits);
  if (rest == ".lock")
    return group;
  if (!rest.consume_front(".") || !(rest.consume_back(".new") || rest.consume_back(".old")))
    return {};
  return !rest.empty() && all_of(rest, llvm::isDigit) ? group : StringRef();
}

static bool isSameFile(int descriptor, const std::string &path) {
  struct stat opened, named;
  return ::fstat(descriptor, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// Nothing that fails here stops a compilation: what cannot be removed stays.
static void removeAbandoned(StringRef folder) {
  std::map<std::string, std::vector<std::string>> groups;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error, /*follow_symlinks=*/false), end; !error && entry != end;
       entry.increment(error)) {
    StringRef name = sys::path::filename(entry->path());
    if (StringRef group = groupOf(name); !group.empty())
      groups[group.str()].push_back(entry->path());
  }
  for (const auto &[group, paths] : groups) {
    SmallString<128> path(folder);
    sys::path::append(path, group + ".lock");
    std::string lockPath = path.str().str();
    int lock = ::open(lockPath.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool isAbandoned =
        lock >= 0 ? ::flock(lock, LOCK_EX | LOCK_NB) == 0 && isSameFile(lock, lockPath) : errno == ENOENT;
    if (isAbandoned) {
      for (const std::string &file : paths)
        if (file != lockPath)
          ::unlink(file.c_str());
      ::unlink(lockPath.c_str());
    }
    if (lock >= 0)
      ::close(lock);
  }
}

ErrorOr<TemporaryNames> TemporaryNames::in(StringRef folder, OnSignal onSignal) {
  removeAbandoned(folder);
  SmallString<128> model(folder);
  sys::path::append(model, start + std::string(digits, '%') + ".lock");
  for (;;) {
    SmallString<128> path;
    int lock;
    if (std::error_code error =
            fs::createUniqueFile(model, lock, path, fs::OF_None, fs::all_read | fs::all_write))
      return error;
    // Between its creation and its lock another process may take the file for abandoned and remove it. A file
    // system without locks has no such processes.
    bool isOurs = ::flock(lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (isOurs && isSameFile(lock, path.str().str())) {
      if (onSignal == OnSignal::Remove)
        sys::RemoveFileOnSignal(path);
      return TemporaryNames(path.str().drop_back(StringRef(".lock").size()).str(), lock);
    }
    ::close(lock);
  }
}

TemporaryNames::TemporaryNames(TemporaryNames &&other)
    : prefix(std::move(other.prefix)), lock(other.lock), count(other.count) {
  other.prefix.clear();
}

TemporaryNames::~TemporaryNames() {
  if (prefix.empty())
    return;
  ::unlink((prefix + ".lock").c_str());
  sys::DontRemoveFileOnSignal(prefix + ".lock");
  ::close(lock);
}

std::string TemporaryNames::next(StringRef extension) {
  return prefix + "." + std::to_string(count++) + "." + extension.str();
}

} // namespace dlc::emit
