//===- List.cpp -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which images are in a folder, in an order that is that of their names alone.
//===----------------------------------------------------------------------===//
#include "runtime/images/Folder.h"

#include <cerrno>
#include <dirent.h>
#include <strings.h>
#include <sys/stat.h>

namespace dlc::runtime {

namespace {

/// Links may lead back to where they are.
constexpr int mostDepth = 32;

char *joined(const char *folder, const char *name) {
  const size_t first = strlen(folder), second = strlen(name);
  const bool hasSlash = first > 0 && folder[first - 1] == '/';
  auto *path = static_cast<char *>(malloc(first + second + 2));
  if (!path)
    return nullptr;
  memcpy(path, folder, first);
  if (!hasSlash)
    path[first] = '/';
  memcpy(path + first + !hasSlash, name, second + 1);
  return path;
}

const char *endingOf(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot && dot != name ? dot : "";
}

bool isOneOf(const char *ending, const char *const *known) {
  for (; *known; ++known)
    if (strcasecmp(ending, *known) == 0)
      return true;
  return false;
}

/// Calls `each` for the names in a folder, but for those that begin with a dot.
template <typename Each> dlc_status eachName(const char *folder, Error &error, const Each &each) {
  DIR *opened = opendir(folder);
  if (!opened)
    return error.fail(DLC_IO_ERROR, "%s: cannot be listed: %s", folder, strerror(errno));
  dlc_status status = DLC_OK;
  errno = 0;
  for (const dirent *entry; status == DLC_OK && (entry = readdir(opened)); errno = 0)
    if (entry->d_name[0] != '.')
      status = each(entry->d_name);
  if (status == DLC_OK && errno != 0)
    status = error.fail(DLC_IO_ERROR, "%s: cannot be listed: %s", folder, strerror(errno));
  closedir(opened);
  return status;
}

int compareFiles(const void *left, const void *right) {
  const auto &a = *static_cast<const ImageFile *>(left), &b = *static_cast<const ImageFile *>(right);
  const size_t common = a.folderBytes < b.folderBytes ? a.folderBytes : b.folderBytes;
  if (const int order = memcmp(a.path, b.path, common))
    return order;
  if (a.folderBytes != b.folderBytes)
    return a.folderBytes < b.folderBytes ? -1 : 1;
  return strcmp(a.path, b.path);
}

int compareNames(const void *left, const void *right) {
  return strcmp(*static_cast<char *const *>(left), *static_cast<char *const *>(right));
}

} // namespace

ImageList::~ImageList() {
  for (const ImageFile &file : files)
    free(file.path);
}

dlc_status ImageList::add(const char *folder, bool isDeep, int64_t label, Error &error) {
  const size_t before = files.size();
  if (dlc_status status = visit(folder, 0, isDeep, label, error))
    return status;
  if (files.size() > before)
    qsort(files.data() + before, files.size() - before, sizeof(ImageFile), compareFiles);
  return DLC_OK;
}

dlc_status ImageList::visit(const char *folder, int depth, bool isDeep, int64_t label, Error &error) {
  if (depth > mostDepth)
    return error.fail(DLC_BAD_FILE, "%s: more than %d folders in each other; does a link lead back?", folder,
                      mostDepth);
  return eachName(folder, error,
                  [&](const char *name) { return take(folder, name, depth, isDeep, label, error); });
}

dlc_status ImageList::take(const char *folder, const char *name, int depth, bool isDeep, int64_t label,
                           Error &error) {
  static const char *const known[] = {".png", ".jpg", ".jpeg", nullptr};
  static const char *const others[] = {".bmp", ".gif",  ".webp", ".tif", ".tiff", ".ppm",
                                       ".pgm", ".heic", ".avif", ".jp2", nullptr};
  char *path = joined(folder, name);
  struct stat status;
  if (!path)
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for the names of its files", folder);
  dlc_status result = DLC_OK;
  if (stat(path, &status) != 0)
    result = error.fail(DLC_IO_ERROR, "%s: cannot be read: %s", path, strerror(errno));
  else if (S_ISDIR(status.st_mode))
    result = isDeep ? visit(path, depth + 1, isDeep, label, error) : DLC_OK;
  else if (S_ISREG(status.st_mode) && isOneOf(endingOf(name), others))
    result =
        error.fail(DLC_BAD_FILE, "%s: is an image of another kind, expected PNG and JPEG: convert it", path);
  else if (S_ISREG(status.st_mode) && isOneOf(endingOf(name), known)) {
    if (files.append({path, strlen(path) - strlen(name), label}))
      return DLC_OK;
    result = error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for the names of its files", folder);
  }
  free(path);
  return result;
}

FolderNames::~FolderNames() {
  for (char *name : names)
    free(name);
}

dlc_status FolderNames::read(const char *folder, Error &error) {
  const dlc_status listed = eachName(folder, error, [&](const char *name) {
    char *path = joined(folder, name), *copy = strdup(name);
    struct stat status;
    const bool isFolder = path && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    free(path);
    if (isFolder && copy && names.append(copy))
      return DLC_OK;
    free(copy);
    return path && copy && !isFolder
               ? DLC_OK
               : error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for the names of its folders", folder);
  });
  if (listed == DLC_OK && names.size() > 0)
    qsort(names.data(), names.size(), sizeof(char *), compareNames);
  return listed;
}

} // namespace dlc::runtime
