//===- Answer.h -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the C functions that read files have in common: the caller gets a result or a sentence, never both.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_ANSWER_H
#define DLC_RUNTIME_DATA_ANSWER_H

#include "dlc/data.h"
#include "runtime/core/Error.h"
#include "runtime/core/Memory.h"

namespace dlc::runtime {

/// `read` fills an array, or returns why not and says so in an Error.
template <typename Read>
dlc_status answerArray(dlc_array *out, char *error, size_t error_bytes, const Read &read) {
  if (error && error_bytes)
    error[0] = 0;
  if (!out)
    return DLC_INVALID_ARGUMENT;
  *out = dlc_array{};
  Error sentence;
  const dlc_status status = read(*out, sentence);
  if (status != DLC_OK) {
    dlc_array_free(out);
    sentence.copyTo(error, error_bytes);
  }
  return status;
}

/// `open` fills a new object, called `what` where there is no memory for it; `close` takes it back.
template <typename Object, typename Open>
dlc_status answerObject(Object **out, char *error, size_t error_bytes, const char *what,
                        void (*close)(Object *), const Open &open) {
  if (error && error_bytes)
    error[0] = 0;
  if (!out)
    return DLC_INVALID_ARGUMENT;
  *out = nullptr;
  Error sentence;
  Object *object = createObjects<Object>(1);
  const dlc_status status =
      object ? open(*object, sentence) : sentence.fail(DLC_OUT_OF_MEMORY, "no memory for %s", what);
  if (status == DLC_OK) {
    *out = object;
  } else {
    close(object);
    sentence.copyTo(error, error_bytes);
  }
  return status;
}

} // namespace dlc::runtime

#endif
