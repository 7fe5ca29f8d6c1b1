//===- FolderLock.cpp - one training in a folder ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/FolderLock.h"
#include "tools/dlc/train/Arrays.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace dlc::tool::training {

namespace {

/// The number in the file of whoever holds the lock; 0 where it has not written it yet.
long holderOf(int file) {
  char text[32] = "";
  const ssize_t count = pread(file, text, sizeof text - 1, 0);
  return count > 0 ? std::strtol(text, nullptr, 10) : 0;
}

/// Whether the file is still the one of that name: the one who had the lock may have removed it meanwhile.
bool isStillThere(int file, const std::string &path) {
  struct stat opened, named;
  return fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

} // namespace

void FolderLock::take(const std::string &folder) {
  path = folder + "/.lock";
  while (true) {
    file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0)
      throw Failure(path + ": cannot be written: " + std::strerror(errno));
    int failed;
    while ((failed = flock(file, LOCK_EX | LOCK_NB)) != 0 && errno == EINTR) {
    }
    const int reason = errno;
    if (failed && reason == EWOULDBLOCK) {
      const long holder = holderOf(file);
      close(std::exchange(file, -1));
      throw Failure(folder + ": another training writes to this folder" +
                    (holder > 0 ? ", the process " + std::to_string(holder) : std::string()) +
                    ": wait for its end, or choose another folder with -o");
    }
    if (failed) {
      std::fprintf(stderr,
                   "dlc: warning: %s: cannot be locked (%s): see to it that no other training writes to this "
                   "folder\n",
                   folder.c_str(), std::strerror(reason));
      close(std::exchange(file, -1));
      unlink(path.c_str());
      return;
    }
    if (isStillThere(file, path))
      break;
    close(std::exchange(file, -1));
  }
  const std::string number = std::to_string(getpid()) + "\n";
  if (ftruncate(file, 0) != 0 || pwrite(file, number.data(), number.size(), 0) < 0)
    return; // a full disk: the lock holds, only the holder's number is missing
}

FolderLock::~FolderLock() {
  if (file < 0)
    return;
  unlink(path.c_str()); // before others can lock it
  close(file);
}

} // namespace dlc::tool::training
