//===- File.cpp -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files through descriptors.
//===----------------------------------------------------------------------===//
#include "runtime/core/File.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dlc::runtime {

InputFile::~InputFile() {
  if (descriptor >= 0)
    close(descriptor);
}

dlc_status InputFile::open(const char *name, Error &error) {
  path = name;
  // Not blocking: the name of a pipe shall fail, not wait for a writer.
  descriptor = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status) != 0)
    return error.fail(DLC_IO_ERROR, "%s: cannot be opened: %s", path, strerror(errno));
  if (!S_ISREG(status.st_mode))
    return error.fail(DLC_IO_ERROR, "%s: not a regular file", path);
  bytes = static_cast<uint64_t>(status.st_size);
  return DLC_OK;
}

dlc_status InputFile::readAt(uint64_t offset, void *buffer, size_t count, Error &error) {
  unsigned char *next = static_cast<unsigned char *>(buffer);
  while (count > 0) {
    ssize_t got = pread(descriptor, next, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return error.fail(DLC_IO_ERROR, "%s: cannot be read: %s", path, strerror(errno));
    if (got == 0)
      return error.fail(DLC_BAD_FILE, "%s: truncated: %zu bytes missing at byte %" PRIu64, path, count,
                        offset);
    next += got;
    offset += static_cast<uint64_t>(got);
    count -= static_cast<size_t>(got);
  }
  return DLC_OK;
}

AtomicFile::~AtomicFile() {
  if (descriptor >= 0)
    close(descriptor);
  if (created)
    unlink(temporary.data());
  free(target);
}

dlc_status AtomicFile::fail(const char *what, Error &error) {
  return error.fail(DLC_IO_ERROR, "%s: cannot be %s: %s", path, what, strerror(errno));
}

dlc_status AtomicFile::open(const char *name, Error &error) {
  path = name;
  struct stat existing;
  const bool exists = stat(path, &existing) == 0;
  if (exists && !S_ISREG(existing.st_mode))
    return error.fail(DLC_IO_ERROR, "%s: cannot be written: not a regular file", path);
  target = realpath(path, nullptr);
  const char *place = target ? target : path;
  size_t length = strlen(place) + 40;
  if (!temporary.allocate(length))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to write it", path);
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  for (unsigned attempt = 0; attempt < 100; ++attempt) {
    unsigned tag = static_cast<unsigned>(now.tv_nsec) + attempt * 2654435761u;
    snprintf(temporary.data(), length, "%s.%ld-%08x.tmp", place, static_cast<long>(getpid()), tag);
    descriptor = ::open(temporary.data(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST)
      break;
  }
  if (descriptor < 0)
    return fail("written", error);
  created = true;
  if (exists && fchmod(descriptor, existing.st_mode & 07777) != 0)
    return fail("given the permissions of the file it replaces", error);
  return DLC_OK;
}

dlc_status AtomicFile::write(const void *data, size_t count, Error &error) {
  const unsigned char *next = static_cast<const unsigned char *>(data);
  while (count > 0) {
    ssize_t put = ::write(descriptor, next, count);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return fail("written", error);
    next += put;
    count -= static_cast<size_t>(put);
  }
  return DLC_OK;
}

/// After a power cut the new name shall be there as well. Some file systems cannot do it; the content is
/// safe either way.
void AtomicFile::syncFolder() {
  char *slash = strrchr(temporary.data(), '/');
  if (slash)
    slash[slash == temporary.data()] = 0; // keep the slash of the root folder
  int folder = ::open(slash ? temporary.data() : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    fsync(folder);
    close(folder);
  }
}

dlc_status AtomicFile::commit(Error &error) {
  if (fsync(descriptor) != 0)
    return fail("written", error);
  int closing = close(descriptor);
  descriptor = -1;
  if (closing != 0)
    return fail("written", error);
  if (rename(temporary.data(), target ? target : path) != 0)
    return fail("replaced", error);
  created = false;
  syncFolder();
  return DLC_OK;
}

} // namespace dlc::runtime
