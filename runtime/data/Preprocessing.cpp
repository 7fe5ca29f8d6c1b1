//===- Preprocessing.cpp --------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does to a program's rows what dlc train did to its own.
//===----------------------------------------------------------------------===//
#include "runtime/data/Preprocessing.h"
#include "runtime/core/File.h"
#include "runtime/core/PointLocale.h"
#include "runtime/data/Answer.h"

#include <cinttypes>

using dlc::runtime::Error;
using dlc::runtime::PreparedInput;
using dlc::runtime::Printable;

namespace {

dlc_status damaged(const char *path, const char *what, Error &error) {
  return error.fail(DLC_BAD_FILE, "%s: is damaged, or was not written by this version of dlc train: %s", path,
                    what);
}

dlc_status readFile(const char *path, dlc_preprocessing &to, Error &error) {
  constexpr uint64_t most = uint64_t{1} << 28;
  if (!path)
    return error.fail(DLC_INVALID_ARGUMENT, "the path of the preprocessing is NULL");
  dlc::runtime::InputFile file;
  if (dlc_status status = file.open(path, error))
    return status;
  if (file.size() > most)
    return damaged(path, "it is too large", error);
  const auto bytes = static_cast<size_t>(file.size());
  if (!to.text.allocate(bytes + 1))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to read it", path);
  if (dlc_status status = file.readAt(0, to.text.data(), bytes, error))
    return status;
  const dlc::runtime::PointLocale locale;
  if (const char *problem = dlc::runtime::PreprocessingReader(to.text.data(), bytes, to).read())
    return damaged(path, problem, error);
  char text[256] = "";
  if (to.words.size() && dlc_classes_create(to.words.data(), static_cast<int64_t>(to.words.size()),
                                            &to.classes, text, sizeof text) != DLC_OK)
    return damaged(path, text, error);
  return DLC_OK;
}

dlc_status apply(const dlc_preprocessing &preprocessing, const char *name, int64_t rows, int64_t count,
                 float *values, Error &error) {
  const PreparedInput *input = preprocessing.find(name);
  if (!name || rows < 0 || count < 1 || (rows > 0 && !values))
    return error.fail(DLC_INVALID_ARGUMENT,
                      "%" PRId64 " rows of %" PRId64 " numbers, or no input or no place", rows, count);
  if (!input || input->means.count == 0)
    return DLC_OK;
  const auto means = static_cast<int64_t>(input->means.count);
  if (count % means != 0)
    return error.fail(DLC_INVALID_ARGUMENT,
                      "input '%s' has %" PRId64 " means, which do not go into rows of %" PRId64
                      " numbers: rows are as the model takes them",
                      Printable(name).text, means, count);
  const double *mean = preprocessing.numbers.data() + input->means.first,
               *deviation = preprocessing.numbers.data() + input->deviations.first;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t group = 0; group < means; ++group)
      for (int64_t i = 0; i < count / means; ++i, ++values)
        *values = static_cast<float>((*values - mean[group]) / deviation[group]);
  return DLC_OK;
}

dlc_status fromTable(const dlc_preprocessing &preprocessing, const char *name, const dlc_table *table,
                     dlc_array &out, Error &error) {
  const int32_t count = dlc_preprocessing_column_count(&preprocessing, name);
  if (!table || count == 0)
    return error.fail(DLC_INVALID_ARGUMENT,
                      table ? "input '%s' was made of no table in the training"
                            : "the table for input '%s' is NULL",
                      name ? Printable(name).text : "");
  dlc::runtime::Array<int32_t> columns;
  for (int32_t i = 0; i < count; ++i) {
    const char *column = dlc_preprocessing_column(&preprocessing, name, i);
    const int32_t index = dlc_table_find(table, column);
    if (index < 0)
      return error.fail(DLC_NOT_FOUND, "the table has no column '%s', which input '%s' of the model needs",
                        Printable(column).text, Printable(name).text);
    if (!columns.append(index))
      return error.fail(DLC_OUT_OF_MEMORY, "no memory for the columns of a table");
  }
  char text[512] = "";
  if (dlc_status status = dlc_table_numbers(table, columns.data(), count, DLC_F32, &out, text, sizeof text))
    return error.fail(status, "%s", text);
  return apply(preprocessing, name, out.shape[0], count, static_cast<float *>(out.data), error);
}

} // namespace

extern "C" {

dlc_status dlc_preprocessing_read(const char *path, dlc_preprocessing **out, char *error,
                                  size_t error_bytes) {
  return dlc::runtime::answerObject(
      out, error, error_bytes, "preprocessing", dlc_preprocessing_free,
      [&](dlc_preprocessing &to, Error &sentence) { return readFile(path, to, sentence); });
}

int32_t dlc_preprocessing_input_count(const dlc_preprocessing *preprocessing) {
  return preprocessing ? static_cast<int32_t>(preprocessing->inputs.size()) : 0;
}

const char *dlc_preprocessing_input(const dlc_preprocessing *preprocessing, int32_t index) {
  if (index < 0 || index >= dlc_preprocessing_input_count(preprocessing))
    return nullptr;
  return preprocessing->inputs[static_cast<size_t>(index)].name;
}

int32_t dlc_preprocessing_is_target(const dlc_preprocessing *preprocessing, const char *input) {
  const PreparedInput *found = preprocessing ? preprocessing->find(input) : nullptr;
  return found && found->isTarget;
}

int64_t dlc_preprocessing_means(const dlc_preprocessing *preprocessing, const char *input) {
  const PreparedInput *found = preprocessing ? preprocessing->find(input) : nullptr;
  return found ? static_cast<int64_t>(found->means.count) : 0;
}

dlc_status dlc_preprocessing_mean(const dlc_preprocessing *preprocessing, const char *input, int64_t index,
                                  double *mean, double *deviation) {
  if (index < 0 || index >= dlc_preprocessing_means(preprocessing, input))
    return DLC_NOT_FOUND;
  const PreparedInput &found = *preprocessing->find(input);
  const auto place = static_cast<size_t>(index);
  if (mean)
    *mean = preprocessing->numbers[found.means.first + place];
  if (deviation)
    *deviation = preprocessing->numbers[found.deviations.first + place];
  return DLC_OK;
}

dlc_status dlc_preprocessing_apply(const dlc_preprocessing *preprocessing, const char *input, int64_t rows,
                                   int64_t row_values, float *values, char *error, size_t error_bytes) {
  if (error && error_bytes)
    error[0] = 0;
  Error sentence;
  const dlc_status status = preprocessing ? apply(*preprocessing, input, rows, row_values, values, sentence)
                                          : sentence.fail(DLC_INVALID_ARGUMENT, "the preprocessing is NULL");
  if (status != DLC_OK)
    sentence.copyTo(error, error_bytes);
  return status;
}

int32_t dlc_preprocessing_column_count(const dlc_preprocessing *preprocessing, const char *input) {
  const PreparedInput *found = preprocessing ? preprocessing->find(input) : nullptr;
  return found ? static_cast<int32_t>(found->columns.count) : 0;
}

const char *dlc_preprocessing_column(const dlc_preprocessing *preprocessing, const char *input,
                                     int32_t index) {
  if (index < 0 || index >= dlc_preprocessing_column_count(preprocessing, input))
    return nullptr;
  return preprocessing->columns[preprocessing->find(input)->columns.first + static_cast<size_t>(index)];
}

dlc_status dlc_preprocessing_table(const dlc_preprocessing *preprocessing, const char *input,
                                   const dlc_table *table, dlc_array *out, char *error, size_t error_bytes) {
  return dlc::runtime::answerArray(out, error, error_bytes, [&](dlc_array &array, Error &sentence) {
    return preprocessing ? fromTable(*preprocessing, input, table, array, sentence)
                         : sentence.fail(DLC_INVALID_ARGUMENT, "the preprocessing is NULL");
  });
}

const dlc_classes *dlc_preprocessing_classes(const dlc_preprocessing *preprocessing) {
  return preprocessing ? preprocessing->classes : nullptr;
}

const char *dlc_preprocessing_loss(const dlc_preprocessing *preprocessing) {
  return preprocessing ? preprocessing->loss : nullptr;
}

void dlc_preprocessing_free(dlc_preprocessing *preprocessing) {
  dlc::runtime::destroyObjects(preprocessing, 1);
}

} // extern "C"
