//===- Preprocessing.h ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What preprocessing.json says.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_PREPROCESSING_H
#define DLC_RUNTIME_DATA_PREPROCESSING_H

#include "dlc/preprocessing.h"
#include "runtime/core/Error.h"
#include "runtime/core/JsonReader.h"
#include "runtime/core/Memory.h"

namespace dlc::runtime {

/// Some items of an array of them.
struct Range {
  size_t first, count;
};

/// An input or a target.
struct PreparedInput {
  const char *name;
  Range means, deviations, columns;
  bool isTarget;
};

/// Reads the text, in whose memory all names stay.
class PreprocessingReader {
public:
  PreprocessingReader(char *text, size_t length, dlc_preprocessing &to) : json(text, length), to(to) {}
  /// Null, or what is wrong.
  const char *read();

private:
  template <typename Member> bool object(const Member &member);
  template <typename Item> bool list(const Item &item);
  bool skip(int depth);
  bool number(double &value);
  bool normalize();
  bool scales(PreparedInput &input);
  bool columns(bool ofTargets);
  bool words();
  bool loss();
  PreparedInput *inputCalled(const char *name);
  bool fail(const char *what);

  JsonReader json;
  dlc_preprocessing &to;
  const char *problem = nullptr;
};

} // namespace dlc::runtime

struct dlc_preprocessing {
  ~dlc_preprocessing() { dlc_classes_free(classes); }

  const dlc::runtime::PreparedInput *find(const char *name) const {
    for (const dlc::runtime::PreparedInput &input : inputs)
      if (name && strcmp(input.name, name) == 0)
        return &input;
    return nullptr;
  }

  dlc::runtime::Array<char> text;
  dlc::runtime::Array<dlc::runtime::PreparedInput> inputs;
  dlc::runtime::Array<double> numbers;
  dlc::runtime::Array<const char *> columns, words;
  dlc_classes *classes = nullptr;
  const char *loss = nullptr;
};

#endif
