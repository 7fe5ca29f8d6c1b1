//===- PreprocessingReader.cpp --------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file may be anything. What it has beside what is known is passed over.
//===----------------------------------------------------------------------===//
#include "runtime/data/Preprocessing.h"

#include <cmath>

namespace dlc::runtime {

bool PreprocessingReader::fail(const char *what) {
  if (!problem)
    problem = what;
  return false;
}

/// {"name": what `member` reads, ...}
template <typename Member> bool PreprocessingReader::object(const Member &member) {
  if (!json.accept('{'))
    return fail("expected an object");
  if (json.accept('}'))
    return true;
  do {
    const char *name;
    if (!json.string(name) || !json.accept(':'))
      return fail("expected a name and a colon");
    if (!member(name))
      return fail("a value cannot be read");
  } while (json.accept(','));
  return json.accept('}') || fail("an object does not end");
}

/// [what `item` reads, ...]
template <typename Item> bool PreprocessingReader::list(const Item &item) {
  if (!json.accept('['))
    return fail("expected a list");
  if (json.accept(']'))
    return true;
  do
    if (!item())
      return fail("an item of a list cannot be read");
  while (json.accept(','));
  return json.accept(']') || fail("a list does not end");
}

bool PreprocessingReader::skip(int depth) {
  constexpr int deepest = 64;
  if (depth > deepest)
    return fail("objects are too deep in each other");
  const char *text;
  double value;
  if (json.isNext('{'))
    return object([&](const char *) { return skip(depth + 1); });
  if (json.isNext('['))
    return list([&] { return skip(depth + 1); });
  return json.isNext('"')
             ? json.string(text)
             : json.word("true") || json.word("false") || json.word("null") || json.number(value);
}

bool PreprocessingReader::number(double &value) {
  return (json.number(value) && std::isfinite(value)) || fail("expected a finite number");
}

PreparedInput *PreprocessingReader::inputCalled(const char *name) {
  for (PreparedInput &input : to.inputs)
    if (strcmp(input.name, name) == 0)
      return &input;
  return to.inputs.append({name, {}, {}, {}, false}) ? &to.inputs[to.inputs.size() - 1] : nullptr;
}

bool PreprocessingReader::scales(PreparedInput &input) {
  if (input.means.count || input.deviations.count)
    return fail("an input is normalized twice");
  const bool isRead = object([&](const char *name) {
    const bool isMean = strcmp(name, "mean") == 0;
    if (!isMean && strcmp(name, "deviation") != 0)
      return skip(1);
    Range &range = isMean ? input.means : input.deviations;
    if (range.count)
      return fail("means or deviations are there twice");
    range.first = to.numbers.size();
    return list([&] {
      double value;
      if (!number(value))
        return false;
      if (!isMean && !(value > 0))
        return fail("a deviation is not above 0");
      ++range.count;
      return to.numbers.append(value) || fail("no memory");
    });
  });
  if (isRead && (input.means.count == 0 || input.means.count != input.deviations.count))
    return fail("means and deviations differ in number, or there are none");
  return isRead;
}

bool PreprocessingReader::normalize() {
  return object([&](const char *name) {
    PreparedInput *input = inputCalled(name);
    return input ? scales(*input) : fail("no memory");
  });
}

bool PreprocessingReader::columns(bool ofTargets) {
  return object([&](const char *name) {
    PreparedInput *input = inputCalled(name);
    if (!input)
      return fail("no memory");
    if (input->columns.count)
      return fail("the columns of an input are there twice");
    input->columns.first = to.columns.size();
    input->isTarget = ofTargets;
    return list([&] {
      const char *column;
      if (!json.string(column))
        return fail("expected the name of a column");
      ++input->columns.count;
      return to.columns.append(column) || fail("no memory");
    });
  });
}

bool PreprocessingReader::words() {
  if (to.words.size())
    return fail("the classes are there twice");
  return list([&] {
    const char *word;
    return json.string(word) ? to.words.append(word) || fail("no memory")
                             : fail("expected the word of a class");
  });
}

bool PreprocessingReader::loss() {
  return to.loss ? fail("the loss is there twice")
                 : json.string(to.loss) || fail("expected the name of a loss");
}

const char *PreprocessingReader::read() {
  const bool isRead = object([&](const char *name) {
    if (strcmp(name, "normalize") == 0)
      return normalize();
    if (strcmp(name, "columns") == 0 || strcmp(name, "targets") == 0)
      return columns(/*ofTargets=*/*name == 't');
    if (strcmp(name, "loss") == 0)
      return loss();
    return strcmp(name, "classes") == 0 ? words() : skip(1);
  });
  if (isRead && !json.atEnd())
    fail("something follows its end");
  return problem;
}

} // namespace dlc::runtime
