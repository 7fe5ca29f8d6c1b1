//===- Shards.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Samples of tar files, as WebDataset has them.
//===----------------------------------------------------------------------===//
#include "dlc/shards.h"
#include "runtime/data/Answer.h"
#include "runtime/data/ArrayHeader.h"
#include "runtime/data/Tar.h"

#include <cinttypes>
#include <cstdio>

using dlc::runtime::Array;
using dlc::runtime::Error;
using dlc::runtime::InputFile;
using dlc::runtime::Printable;

namespace {

struct Member {
  int32_t kind;
  uint64_t begin, bytes;
};

struct ShardSample {
  char *key;
  int64_t shard;
  size_t first, count; ///< of its members
};

constexpr size_t mostKinds = 64;

} // namespace

struct dlc_shards {
  ~dlc_shards() {
    for (ShardSample &sample : samples)
      free(sample.key);
    for (char *kind : kinds)
      free(kind);
    for (char *path : paths)
      free(path);
  }

  Array<char *> paths, kinds;
  Array<ShardSample> samples;
  Array<Member> members;
};

namespace {

dlc_status noMemory(Error &error) {
  return error.fail(DLC_OUT_OF_MEMORY, "no memory for samples of tar files");
}

/// The number of a kind, in lower case; -1 where there is no memory or are too many.
int32_t kindCalled(dlc_shards &shards, const char *text) {
  char lower[64];
  size_t length = 0;
  for (; text[length] && length + 1 < sizeof lower; ++length)
    lower[length] =
        text[length] >= 'A' && text[length] <= 'Z' ? static_cast<char>(text[length] + 32) : text[length];
  lower[length] = 0;
  for (size_t i = 0; i < shards.kinds.size(); ++i)
    if (strcmp(shards.kinds[i], lower) == 0)
      return static_cast<int32_t>(i);
  char *copy = shards.kinds.size() < mostKinds && !text[length] ? strdup(lower) : nullptr;
  if (!copy || !shards.kinds.append(copy)) {
    free(copy);
    return -1;
  }
  return static_cast<int32_t>(shards.kinds.size()) - 1;
}

/// "folder/0001.left.png" is of the sample "folder/0001" and of the kind "left.png".
dlc_status addMember(dlc_shards &shards, int64_t shard, const dlc::runtime::TarReader &tar, Error &error) {
  const char *path = shards.paths[static_cast<size_t>(shard)], *name = tar.name();
  const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name, *dot = strchr(base, '.');
  if (!dot || dot == base || !dot[1])
    return DLC_OK;
  const auto keyBytes = static_cast<size_t>(dot - name);
  ShardSample *last = shards.samples.size() ? &shards.samples[shards.samples.size() - 1] : nullptr;
  if (!last || last->shard != shard || strncmp(last->key, name, keyBytes) != 0 || last->key[keyBytes]) {
    char *key = strndup(name, keyBytes);
    if (!key || !shards.samples.append({key, shard, shards.members.size(), 0})) {
      free(key);
      return noMemory(error);
    }
    last = &shards.samples[shards.samples.size() - 1];
  }
  const int32_t kind = kindCalled(shards, dot + 1);
  if (kind < 0)
    return error.fail(DLC_BAD_FILE,
                      "%s: '%s': expected at most %zu kinds of members, of names up to 63 bytes", path,
                      Printable(name).text, mostKinds);
  for (size_t i = 0; i < last->count; ++i)
    if (shards.members[last->first + i].kind == kind)
      return error.fail(DLC_BAD_FILE, "%s: sample '%s' has two members '.%s'", path,
                        Printable(last->key).text, Printable(dot + 1).text);
  ++last->count;
  return shards.members.append({kind, tar.begin(), tar.size()}) ? DLC_OK : noMemory(error);
}

dlc_status readShard(dlc_shards &shards, int64_t shard, Error &error) {
  const char *path = shards.paths[static_cast<size_t>(shard)];
  InputFile file;
  if (dlc_status status = file.open(path, error))
    return status;
  unsigned char magic[2] = {};
  if (file.size() >= sizeof magic)
    if (dlc_status status = file.readAt(0, magic, sizeof magic, error))
      return status;
  if (magic[0] == 0x1f && magic[1] == 0x8b)
    return error.fail(DLC_BAD_FILE,
                      "%s: is compressed with gzip, so that no sample can be read by itself: decompress it",
                      path);
  dlc::runtime::TarReader tar(path, file);
  for (bool isEnd = false; !isEnd;) {
    if (dlc_status status = tar.next(isEnd, error))
      return status;
    if (!isEnd)
      if (dlc_status status = addMember(shards, shard, tar, error))
        return status;
  }
  return DLC_OK;
}

dlc_status openShards(const char *const *paths, int64_t count, dlc_shards &shards, Error &error) {
  constexpr int64_t most = 1 << 20;
  if (!paths || count < 1 || count > most)
    return error.fail(DLC_INVALID_ARGUMENT, "%" PRId64 " tar files, expected 1 to %" PRId64, count, most);
  for (int64_t i = 0; i < count; ++i) {
    char *copy = paths[i] ? strdup(paths[i]) : nullptr;
    if (!paths[i])
      return error.fail(DLC_INVALID_ARGUMENT, "the path of tar file %" PRId64 " is NULL", i);
    if (!copy || !shards.paths.append(copy)) {
      free(copy);
      return noMemory(error);
    }
    if (dlc_status status = readShard(shards, i, error))
      return status;
  }
  if (shards.samples.size() == 0)
    return error.fail(DLC_BAD_FILE, "%s: has no samples: expected members such as 0001.png and 0001.cls",
                      paths[0]);
  return DLC_OK;
}

const Member *findMember(const dlc_shards *shards, int64_t sample, const char *kind) {
  if (!shards || !kind || sample < 0 || sample >= dlc_shards_count(shards))
    return nullptr;
  const ShardSample &of = shards->samples[static_cast<size_t>(sample)];
  for (size_t i = 0; i < of.count; ++i)
    if (strcmp(shards->kinds[static_cast<size_t>(shards->members[of.first + i].kind)], kind) == 0)
      return &shards->members[of.first + i];
  return nullptr;
}

/// Calls `read` with the member, its file's path, and a text for messages. Files are opened anew for each
/// member: a process may have fewer open files than a data set has shards.
template <typename Read>
dlc_status withMember(const dlc_shards *shards, int64_t sample, const char *kind, Error &error,
                      const Read &read) {
  const Member *member = findMember(shards, sample, kind);
  const char *key = dlc_shards_key(shards, sample);
  if (!member)
    return error.fail(key && kind ? DLC_NOT_FOUND : DLC_INVALID_ARGUMENT,
                      "sample %" PRId64 " ('%s') of %" PRId64 " has no member '.%s'", sample,
                      key ? Printable(key).text : "", dlc_shards_count(shards),
                      kind ? Printable(kind).text : "");
  const auto shard = static_cast<size_t>(shards->samples[static_cast<size_t>(sample)].shard);
  char place[512];
  snprintf(place, sizeof place, "%s: %s.%s", shards->paths[shard], Printable(key).text, Printable(kind).text);
  return read(*member, shards->paths[shard], place);
}

template <typename Read>
dlc_status answered(const dlc_shards *shards, int64_t sample, const char *kind, char *error,
                    size_t error_bytes, const Read &read) {
  if (error && error_bytes)
    error[0] = 0;
  Error sentence;
  const dlc_status status = withMember(shards, sample, kind, sentence,
                                       [&](const Member &member, const char *path, const char *place) {
                                         return read(member, path, place, sentence);
                                       });
  if (status != DLC_OK)
    sentence.copyTo(error, error_bytes);
  return status;
}

dlc_status readBytesOf(const Member &member, const char *path, const char *place, void *to, Error &error) {
  InputFile file;
  if (!to && member.bytes > 0)
    return error.fail(DLC_INVALID_ARGUMENT, "%s: its place is NULL", place);
  if (dlc_status status = file.open(path, error))
    return status;
  return file.readAt(member.begin, to, static_cast<size_t>(member.bytes), error);
}

dlc_status readNumber(const Member &member, const char *path, const char *place, int64_t &out, Error &error) {
  char text[32] = "";
  if (member.bytes == 0 || member.bytes >= sizeof text)
    return error.fail(DLC_BAD_FILE, "%s: has %" PRIu64 " bytes, expected a whole number", place,
                      member.bytes);
  if (dlc_status status = readBytesOf(member, path, place, text, error))
    return status;
  const char *next = text;
  while (*next == ' ' || *next == '\n' || *next == '\r' || *next == '\t')
    ++next;
  const bool isNegative = *next == '-';
  next += isNegative;
  const char *digits = next;
  int64_t value = 0;
  bool fits = true;
  for (; *next >= '0' && *next <= '9'; ++next)
    fits = fits && !__builtin_mul_overflow(value, int64_t{10}, &value) &&
           !__builtin_add_overflow(value, static_cast<int64_t>(*next - '0'), &value);
  const size_t length = static_cast<size_t>(next - digits);
  while (*next == ' ' || *next == '\n' || *next == '\r' || *next == '\t')
    ++next;
  if (length == 0 || !fits || next != text + member.bytes)
    return error.fail(DLC_BAD_FILE, "%s: is '%s', expected a whole number", place, Printable(text).text);
  out = isNegative ? -value : value;
  return DLC_OK;
}

} // namespace

extern "C" {

dlc_status dlc_shards_open(const char *const *paths, int64_t count, dlc_shards **out, char *error,
                           size_t error_bytes) {
  return dlc::runtime::answerObject(
      out, error, error_bytes, "tar files", dlc_shards_close,
      [&](dlc_shards &shards, Error &sentence) { return openShards(paths, count, shards, sentence); });
}

int64_t dlc_shards_count(const dlc_shards *shards) {
  return shards ? static_cast<int64_t>(shards->samples.size()) : 0;
}

const char *dlc_shards_key(const dlc_shards *shards, int64_t sample) {
  return sample >= 0 && sample < dlc_shards_count(shards) ? shards->samples[static_cast<size_t>(sample)].key
                                                          : nullptr;
}

const char *dlc_shards_kind(const dlc_shards *shards, int32_t index) {
  return shards && index >= 0 && static_cast<size_t>(index) < shards->kinds.size()
             ? shards->kinds[static_cast<size_t>(index)]
             : nullptr;
}

int64_t dlc_shards_size(const dlc_shards *shards, int64_t sample, const char *kind) {
  const Member *member = findMember(shards, sample, kind);
  return member ? static_cast<int64_t>(member->bytes) : -1;
}

dlc_status dlc_shards_read(const dlc_shards *shards, int64_t sample, const char *kind, void *to, char *error,
                           size_t error_bytes) {
  return answered(shards, sample, kind, error, error_bytes,
                  [&](const Member &member, const char *path, const char *place, Error &sentence) {
                    return readBytesOf(member, path, place, to, sentence);
                  });
}

dlc_status dlc_shards_number(const dlc_shards *shards, int64_t sample, const char *kind, int64_t *out,
                             char *error, size_t error_bytes) {
  return answered(shards, sample, kind, error, error_bytes,
                  [&](const Member &member, const char *path, const char *place, Error &sentence) {
                    return out ? readNumber(member, path, place, *out, sentence)
                               : sentence.fail(DLC_INVALID_ARGUMENT, "%s: its place is NULL", place);
                  });
}

dlc_status dlc_shards_array(const dlc_shards *shards, int64_t sample, const char *kind,
                            const dlc_scaling *scaling, dlc_array *out, char *error, size_t error_bytes) {
  return dlc::runtime::answerArray(out, error, error_bytes, [&](dlc_array &array, Error &sentence) {
    return withMember(
        shards, sample, kind, sentence, [&](const Member &member, const char *path, const char *place) {
          dlc::runtime::ByteSource source;
          if (dlc_status status = dlc::runtime::checkScaling(place, scaling, sentence))
            return status;
          const dlc::runtime::FilePart part = {member.begin, member.bytes, false, member.bytes, 0, false};
          if (dlc_status status = source.openPart(path, place, part, sentence))
            return status;
          return dlc::runtime::readNpyValues(place, source, scaling, /*isKept=*/false, array, sentence);
        });
  });
}

void dlc_shards_close(dlc_shards *shards) { dlc::runtime::destroyObjects(shards, 1); }

} // extern "C"
