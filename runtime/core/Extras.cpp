//===- Extras.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "runtime/core/Extras.h"
#include "runtime/core/Instance.h"
#include "runtime/core/PointLocale.h"

#include <cinttypes>
#include <cstdio>

namespace dlc::runtime {

namespace {

constexpr size_t longestName = 200, longestText = 65536;
constexpr size_t mostEntries = 1000, mostBytes = 262144; // of names and texts together

/// The bytes of the character that begins here, 0 where it is none (RFC 3629).
size_t characterBytes(const unsigned char *at) {
  if (at[0] < 0x80)
    return 1;
  const size_t bytes = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
  if (at[0] < 0xc2 || at[0] > 0xf4)
    return 0;
  for (size_t i = 1; i < bytes; ++i)
    if ((at[i] & 0xc0) != 0x80)
      return 0;
  const bool isWrong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] >= 0xa0) ||
                       (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] >= 0x90);
  return isWrong ? 0 : bytes;
}

bool isUtf8(const char *text, size_t most, bool withControls) {
  if (!text || strnlen(text, most + 1) > most)
    return false;
  for (const auto *at = reinterpret_cast<const unsigned char *>(text); *at;) {
    const size_t bytes = characterBytes(at);
    if (bytes == 0 || (!withControls && (*at < 0x20 || *at == 0x7f)))
      return false;
    at += bytes;
  }
  return true;
}

} // namespace

const char *Extras::nameIn(const char *key, Kind &kind) {
  for (Kind each : {Kind::Number, Kind::Text})
    if (const size_t length = strlen(prefixOf(each)); strncmp(key, prefixOf(each), length) == 0) {
      kind = each;
      return key + length;
    }
  return nullptr;
}

bool Extras::isName(const char *name) { return isUtf8(name, longestName, false) && *name; }
bool Extras::isText(const char *text) { return isUtf8(text, longestText, true); }

bool Extras::parse(const char *text, double &number, bool &isSet) {
  const PointLocale locale;
  isSet = locale.isSet();
  char *end = nullptr;
  number = isSet ? strtod(text, &end) : 0;
  return isSet && *text && static_cast<unsigned char>(*text) > ' ' && *end == 0;
}

const char *Extras::next(const char *key) const {
  const char *value = valueOf(key), *after = value + strlen(value) + 1;
  return after < entries.data() + entries.size() ? after : nullptr;
}

bool Extras::hasRoom(const char *value) const {
  size_t count = 0;
  for (const char *key = first(); key; key = next(key))
    ++count;
  return count < mostEntries && entries.size() + longestName + strlen(value) <= mostBytes;
}

const char *Extras::find(Kind kind, const char *name) const {
  for (const char *key = first(); key; key = next(key)) {
    Kind found;
    if (const char *known = nameIn(key, found); known && found == kind && strcmp(known, name) == 0)
      return valueOf(key);
  }
  return nullptr;
}

bool Extras::append(Array<char> &to, const char *key, const char *value) const {
  for (const char *text : {key, value})
    for (const char *c = text;; ++c) {
      if (!to.append(*c))
        return false;
      if (!*c)
        break;
    }
  return true;
}

bool Extras::set(Kind kind, const char *name, const char *value) {
  Array<char> made;
  for (const char *key = first(); key; key = next(key)) {
    Kind ignored;
    if (strcmp(nameIn(key, ignored), name) != 0 && !append(made, key, valueOf(key)))
      return false;
  }
  char key[longestName + 16];
  snprintf(key, sizeof key, "%s%s", prefixOf(kind), name);
  if (!append(made, key, value))
    return false;
  made.swap(entries);
  return true;
}

void Extras::remove(const char *name) {
  for (char *key = entries.data(); key && key < entries.data() + entries.size();) {
    Kind ignored;
    const char *after = next(key);
    if (strcmp(nameIn(key, ignored), name) != 0) {
      key += (valueOf(key) - key) + static_cast<ptrdiff_t>(strlen(valueOf(key))) + 1;
      continue;
    }
    const size_t left = after ? static_cast<size_t>(entries.data() + entries.size() - after) : 0;
    memmove(key, after ? after : key, left);
    entries.shrink(static_cast<size_t>(key - entries.data()) + left);
    return;
  }
}

bool Extras::copy(const Extras &other) {
  Array<char> made;
  for (char c : other.entries)
    if (!made.append(c))
      return false;
  made.swap(entries);
  return true;
}

namespace {

dlc_status checkEntry(dlc_instance &instance, const char *name) {
  if (Extras::isName(name))
    return DLC_OK;
  return instance.error.fail(
      DLC_INVALID_ARGUMENT,
      "%s: the name of an entry is NULL, empty, longer than %zu bytes, or no UTF-8 without "
      "control characters",
      instance.model->name, longestName);
}

dlc_status writeEntry(dlc_instance &instance, Extras::Kind kind, const char *name, const char *value) {
  if (!instance.extras.hasRoom(value))
    return instance.error.fail(
        DLC_INVALID_ARGUMENT,
        "%s: there is no room for the entry '%s': there may be %zu, of %zu bytes in all",
        instance.model->name, name, mostEntries, mostBytes);
  if (instance.extras.set(kind, name, value))
    return DLC_OK;
  return instance.error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for the entry '%s'", instance.model->name,
                             name);
}

dlc_status findEntry(dlc_instance &instance, Extras::Kind kind, const char *name, const char *&value) {
  if (dlc_status status = checkEntry(instance, name))
    return status;
  value = instance.extras.find(kind, name);
  if (value)
    return DLC_OK;
  const bool isNumber = kind == Extras::Kind::Number;
  const bool isOther =
      instance.extras.find(isNumber ? Extras::Kind::Text : Extras::Kind::Number, name) != nullptr;
  return instance.error.fail(DLC_INVALID_ARGUMENT,
                             isOther ? "%s: the entry '%s' is a %s" : "%s: there is no entry '%s'",
                             instance.model->name, name, isNumber ? "text" : "number");
}

} // namespace
} // namespace dlc::runtime

using dlc::runtime::Call;
using dlc::runtime::Extras;

extern "C" {

dlc_status dlc_instance_extra_write_number(dlc_instance *instance, const char *name, double value) {
  Call call(instance);
  if (call.refused())
    return call.status();
  if (dlc_status status = dlc::runtime::checkEntry(*instance, name))
    return status;
  const dlc::runtime::PointLocale locale;
  if (!locale.isSet())
    return instance->error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for the entry '%s'", instance->model->name,
                                name);
  char text[40];
  snprintf(text, sizeof text, "%.17g", value);
  return dlc::runtime::writeEntry(*instance, Extras::Kind::Number, name, text);
}

dlc_status dlc_instance_extra_write_text(dlc_instance *instance, const char *name, const char *text) {
  Call call(instance);
  if (call.refused())
    return call.status();
  if (dlc_status status = dlc::runtime::checkEntry(*instance, name))
    return status;
  if (!text) {
    instance->extras.remove(name);
    return DLC_OK;
  }
  if (!Extras::isText(text))
    return instance->error.fail(DLC_INVALID_ARGUMENT,
                                "%s: the text of the entry '%s' is no UTF-8, or longer than %zu bytes",
                                instance->model->name, name, dlc::runtime::longestText);
  return dlc::runtime::writeEntry(*instance, Extras::Kind::Text, name, text);
}

dlc_status dlc_instance_extra_read_number(dlc_instance *instance, const char *name, double *value) {
  if (!value)
    return DLC_INVALID_ARGUMENT;
  *value = 0;
  Call call(instance);
  if (call.refused())
    return call.status();
  const char *text = nullptr;
  if (dlc_status status = dlc::runtime::findEntry(*instance, Extras::Kind::Number, name, text))
    return status;
  bool isSet = false;
  if (Extras::parse(text, *value, isSet))
    return DLC_OK;
  return instance->error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to read the entry '%s'",
                              instance->model->name, name);
}

dlc_status dlc_instance_extra_read_text(dlc_instance *instance, const char *name, const char **text) {
  if (!text)
    return DLC_INVALID_ARGUMENT;
  *text = nullptr;
  Call call(instance);
  if (call.refused())
    return call.status();
  return dlc::runtime::findEntry(*instance, Extras::Kind::Text, name, *text);
}

int64_t dlc_instance_extra_count(const dlc_instance *instance) {
  int64_t count = 0;
  for (const char *key = instance ? instance->extras.first() : nullptr; key; key = instance->extras.next(key))
    ++count;
  return count;
}

dlc_status dlc_instance_extra_name(dlc_instance *instance, int64_t index, const char **name,
                                   int32_t *is_number) {
  if (!name)
    return DLC_INVALID_ARGUMENT;
  *name = nullptr;
  Call call(instance);
  if (call.refused())
    return call.status();
  const char *key = index >= 0 ? instance->extras.first() : nullptr;
  for (; key && index > 0; --index)
    key = instance->extras.next(key);
  if (!key)
    return instance->error.fail(DLC_INVALID_ARGUMENT, "%s: there is no entry of this number",
                                instance->model->name);
  Extras::Kind kind;
  *name = Extras::nameIn(key, kind);
  if (is_number)
    *is_number = kind == Extras::Kind::Number;
  return DLC_OK;
}

} // extern "C"
