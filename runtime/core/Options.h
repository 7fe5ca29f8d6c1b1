//===- Options.h ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs of options grow at their end, and struct_size says how many of the fields a program knows. A size
// that no header has ever had is a slip, such as the size of a pointer, and would silently drop options.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_OPTIONS_H
#define DLC_RUNTIME_CORE_OPTIONS_H

#include "dlc/data.h"
#include "runtime/core/Error.h"

#include <string.h>

namespace dlc::runtime {

/// The name of a struct of options, and the sizes that it has had, the smallest first. Whoever adds a field
/// adds the offset of the first new one.
template <typename T> struct Released;

template <> struct Released<dlc_create_options> {
  static constexpr const char *name = "dlc_create_options";
  static constexpr size_t sizes[] = {offsetof(dlc_create_options, device), sizeof(dlc_create_options)};
};
template <> struct Released<dlc_loader_options> {
  static constexpr const char *name = "dlc_loader_options";
  static constexpr size_t sizes[] = {
      offsetof(dlc_loader_options, augmentation), offsetof(dlc_loader_options, samples),
      offsetof(dlc_loader_options, changes), offsetof(dlc_loader_options, rank), sizeof(dlc_loader_options)};
};
template <> struct Released<dlc_tokens_options> {
  static constexpr const char *name = "dlc_tokens_options";
  static constexpr size_t sizes[] = {offsetof(dlc_tokens_options, rank), sizeof(dlc_tokens_options)};
};
template <> struct Released<dlc_table_options> {
  static constexpr const char *name = "dlc_table_options";
  static constexpr size_t sizes[] = {sizeof(dlc_table_options)};
};

/// Copies what a program of the given size knows to `known`, and leaves the rest zero. DLC_INVALID_ARGUMENT
/// where no header has had this size. `known` then has what the smallest struct has, as every program's does,
/// so that the sentence finds its way; nothing where the size is so far off that nobody can have filled the
/// struct in.
template <typename T> dlc_status copyOptions(const T &given, T &known, Error &error) {
  memset(static_cast<void *>(&known), 0, sizeof known);
  constexpr size_t incredible = 4096;
  const size_t size = given.struct_size;
  for (const size_t released : Released<T>::sizes)
    if (size == released) {
      memcpy(static_cast<void *>(&known), &given, size);
      return DLC_OK;
    }
  if (size <= incredible)
    memcpy(static_cast<void *>(&known), &given, Released<T>::sizes[0]);
  const char *const name = Released<T>::name;
  if (size > sizeof known && size <= incredible)
    return error.fail(DLC_INVALID_ARGUMENT,
                      "struct_size is %zu, expected %zu: the program's headers are newer than this runtime, "
                      "or it is not sizeof(%s)",
                      size, sizeof known, name);
  return error.fail(DLC_INVALID_ARGUMENT,
                    "struct_size is %zu, expected %zu: set it to sizeof(%s)%s, and the other fields to zero "
                    "or to what they shall be",
                    size, sizeof known, name,
                    size == sizeof(void *) ? ", not to the size of a pointer to it" : "");
}

} // namespace dlc::runtime

#endif
