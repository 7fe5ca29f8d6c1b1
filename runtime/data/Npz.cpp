//===- Npz.cpp ------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of the archives that numpy.savez and numpy.savez_compressed write: members of a ZIP archive that are
// files of NPY.
//===----------------------------------------------------------------------===//
#include "dlc/data.h"
#include "runtime/data/Answer.h"
#include "runtime/data/ArrayHeader.h"
#include "runtime/data/Zip.h"

#include <cstdio>

using dlc::runtime::Error;

struct dlc_npz {
  ~dlc_npz() { free(path); }

  char *path = nullptr; ///< which the file refers to
  dlc::runtime::ZipFile zip;
  dlc::runtime::Array<dlc::runtime::ZipMember> arrays; ///< the members that are, called as in Python
};

namespace {

dlc_status openNpz(const char *path, dlc_npz &npz, Error &error) {
  if (!path)
    return error.fail(DLC_INVALID_ARGUMENT, "the path of the NPZ file is NULL");
  npz.path = strdup(path);
  if (!npz.path)
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to read it", path);
  if (dlc_status status = npz.zip.open(npz.path, error))
    return status;
  constexpr char ending[] = ".npy";
  constexpr size_t endingBytes = sizeof ending - 1;
  for (const dlc::runtime::ZipMember &member : npz.zip.members()) {
    const size_t length = strlen(member.name);
    if (length <= endingBytes || strcmp(member.name + length - endingBytes, ending) != 0)
      continue;
    const_cast<char *>(member.name)[length - endingBytes] = 0; // the archive's own copy
    if (!npz.arrays.append(member))
      return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for its directory", path);
  }
  if (npz.arrays.size() == 0)
    return error.fail(DLC_BAD_FILE,
                      "%s: none of its %zu members is an array (.npy), as numpy.savez writes them", path,
                      npz.zip.members().size());
  return DLC_OK;
}

dlc_status readArray(const dlc_npz &npz, const char *name, const dlc_scaling *scaling, dlc_array &out,
                     Error &error) {
  if (dlc_status status = dlc::runtime::checkScaling(npz.path, scaling, error))
    return status;
  for (const dlc::runtime::ZipMember &member : npz.arrays) {
    if (!name || strcmp(member.name, name) != 0)
      continue;
    char place[512];
    snprintf(place, sizeof place, "%s: array '%s'", npz.path, dlc::runtime::Printable(name).text);
    dlc::runtime::ByteSource source;
    if (dlc_status status = npz.zip.openMember(member, place, source, error))
      return status;
    return dlc::runtime::readNpyValues(place, source, scaling, /*isKept=*/false, out, error);
  }
  return error.fail(DLC_NOT_FOUND, "%s: there is no array '%s'", npz.path,
                    name ? dlc::runtime::Printable(name).text : "");
}

} // namespace

extern "C" {

dlc_status dlc_npz_open(const char *path, dlc_npz **out, char *error, size_t error_bytes) {
  return dlc::runtime::answerObject(
      out, error, error_bytes, "an NPZ file", dlc_npz_close,
      [&](dlc_npz &npz, Error &sentence) { return openNpz(path, npz, sentence); });
}

int64_t dlc_npz_count(const dlc_npz *npz) { return npz ? static_cast<int64_t>(npz->arrays.size()) : 0; }

const char *dlc_npz_name(const dlc_npz *npz, int64_t index) {
  return index >= 0 && index < dlc_npz_count(npz) ? npz->arrays[static_cast<size_t>(index)].name : nullptr;
}

dlc_status dlc_npz_read(const dlc_npz *npz, const char *name, const dlc_scaling *scaling, dlc_array *out,
                        char *error, size_t error_bytes) {
  return dlc::runtime::answerArray(out, error, error_bytes, [&](dlc_array &array, Error &sentence) {
    return npz ? readArray(*npz, name, scaling, array, sentence)
               : sentence.fail(DLC_INVALID_ARGUMENT, "the NPZ file is NULL");
  });
}

void dlc_npz_close(dlc_npz *npz) { dlc::runtime::destroyObjects(npz, 1); }

} // extern "C"
