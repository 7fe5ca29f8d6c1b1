//===- TableSource.cpp - CSV files as data ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which columns are an input's: those that --columns gives it; else the column of its name; else, where the
// model has no other input, all that are not a target's. A target's: those of --columns or --target, or of
// its name.
//===----------------------------------------------------------------------===//
#include "dlc/data.h"
#include "tools/dlc/NearMiss.h"
#include "tools/dlc/train/Names.h"
#include "tools/dlc/train/Sources.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

namespace dlc::tool::training {

namespace {

class TableSource : public Source {
public:
  TableSource(const std::string &path, const TrainOptions &options, std::shared_ptr<ClassNames> classes)
      : path(path), classes(std::move(classes)) {
    char error[512];
    dlc_table *read = nullptr;
    if (dlc_table_read(path.c_str(), nullptr, &read, error, sizeof error) != DLC_OK)
      throw Failure(error);
    owner.reset(read);
    table = read;
    for (const std::string &name : options.targets)
      targets.push_back(find(name));
    for (const std::string &text : options.columns)
      addColumns(text);
    for (const auto &[name, columns] : options.knownColumns) {
      std::vector<int32_t> &found = given.emplace_back(name, std::vector<int32_t>()).second;
      for (const std::string &column : columns)
        found.push_back(find(column));
    }
  }
  std::string contents() const override { return allColumns() + " (" + path + ")"; }

  std::optional<std::string> place(const Wanted &wanted) const override {
    return columnsOf(wanted).empty() ? std::nullopt : std::optional(path);
  }

  Array read(const Wanted &wanted) override {
    const std::vector<int32_t> columns = columnsOf(wanted);
    requireTarget(wanted, columns);
    requireFew(wanted, columns);
    if (wanted.input.is_target && columns.size() == 1 && hasWords(columns[0])) {
      if (wanted.input.is_index)
        return readClasses(columns[0], wanted.input);
      if (elementCount(wanted.input.rank - 1, wanted.input.shape + 1) == 1)
        return readYesAndNo(columns[0], wanted.input);
    }
    const bool isWhole = wanted.input.dtype == DLC_I64 || wanted.input.dtype == DLC_I32;
    const int32_t dtype = wanted.input.dtype == DLC_F64 ? DLC_F64 : isWhole ? DLC_I64 : DLC_F32;
    char error[512];
    Array array;
    if (dlc_table_numbers(table, columns.data(), int32_t(columns.size()), dtype, array.get(), error,
                          sizeof error) != DLC_OK)
      throw Failure(error);
    return array;
  }

  std::vector<std::string> columnNames(const Wanted &wanted) const override {
    std::vector<std::string> names;
    for (int32_t column : columnsOf(wanted))
      names.push_back(dlc_table_name(table, column));
    return names;
  }

  std::vector<std::string> files() const override { return {path}; }

private:
  std::string allColumns() const {
    return "columns " +
           shortList(dlc_table_columns(table), [&](int64_t i) { return dlc_table_name(table, int32_t(i)); });
  }

  /// Where nobody says which column is the target, all go to the input, and do not fit.
  void requireTarget(const Wanted &wanted, const std::vector<int32_t> &columns) const {
    const bool takesAll = !wanted.input.is_target && int32_t(columns.size()) == dlc_table_columns(table);
    const int64_t wants = elementCount(wanted.input.rank - 1, wanted.input.shape + 1);
    if (takesAll && wanted.hasTarget && int64_t(columns.size()) > wants)
      throw Failure(
          path + ": no --target is given, so that all " + std::to_string(columns.size()) +
          " columns are values of input '" + wanted.input.name + "', which takes " + std::to_string(wants) +
          ": name the column that is to be predicted with --target=COLUMN; it has the " + allColumns());
  }

  /// Where columns are left for an input that it does not take, such as the number of a row.
  void requireFew(const Wanted &wanted, const std::vector<int32_t> &columns) const {
    const int64_t wants = elementCount(wanted.input.rank - 1, wanted.input.shape + 1);
    const bool isNamed = std::any_of(given.begin(), given.end(),
                                     [&](const auto &entry) { return entry.first == wanted.input.name; });
    if (!wanted.input.is_target && !isNamed && int64_t(columns.size()) > wants)
      throw Failure(path + ": " + std::to_string(columns.size()) + " columns are left for input '" +
                    wanted.input.name + "', which takes " + std::to_string(wants) +
                    ": say which with --columns=" + wanted.input.name + "=COLUMN,...; it has the " +
                    allColumns());
  }

  std::string nearColumn(const std::string &name) const {
    constexpr int32_t most = 1000; // each costs a comparison letter by letter
    std::vector<std::string> names;
    for (int32_t i = 0; i < dlc_table_columns(table) && i < most; ++i)
      names.push_back(dlc_table_name(table, i));
    const std::string near = nearest(name, names);
    return near.empty() ? "" : "; did you mean '" + shortName(near) + "'?";
  }

  int32_t find(const std::string &name) const {
    const int32_t column = dlc_table_find(table, name.c_str());
    if (column < 0)
      throw Failure(path + ": there is no column '" + name + "': it has the " + allColumns() +
                    nearColumn(name) + otherSeparator());
    return column;
  }

  /// Said of a table with one column whose name looks like several.
  std::string otherSeparator() const {
    const std::string name = dlc_table_columns(table) == 1 ? dlc_table_name(table, 0) : "";
    const size_t at = name.find_first_of(";\t|");
    if (at == std::string::npos)
      return "";
    return "; columns are separated by commas here, this table has " +
           (name[at] == '\t' ? std::string("tabs") : "'" + std::string(1, name[at]) + "'") + " between them";
  }

  /// "INPUT=A,B".
  void addColumns(const std::string &text) {
    const size_t equals = text.find('=');
    std::vector<int32_t> &columns = given.emplace_back(text.substr(0, equals), std::vector<int32_t>()).second;
    for (size_t begin = equals + 1, end; begin <= text.size(); begin = end + 1) {
      end = std::min(text.find(',', begin), text.size());
      columns.push_back(find(text.substr(begin, end - begin)));
    }
  }

  std::vector<int32_t> columnsOf(const Wanted &wanted) const {
    auto isHere = [&](const std::string &name) { return dlc_table_find(table, name.c_str()) >= 0; };
    if (std::any_of(wanted.names.begin(), wanted.names.end(), isHere)) {
      std::vector<int32_t> same;
      for (const std::string &name : wanted.names)
        same.push_back(find(name));
      return same;
    }
    for (const auto &[name, columns] : given)
      if (name == wanted.input.name)
        return columns;
    if (const int32_t column = dlc_table_find(table, wanted.input.name); column >= 0)
      return {column};
    if (!wanted.isOnly)
      return {};
    if (wanted.input.is_target)
      return targets;
    std::set<int32_t> taken(targets.begin(), targets.end());
    for (const auto &entry : given)
      taken.insert(entry.second.begin(), entry.second.end());
    std::vector<int32_t> rest;
    for (int32_t i = 0; i < dlc_table_columns(table); ++i)
      if (!taken.count(i))
        rest.push_back(i);
    return rest;
  }

  /// Whether a cell is a word; that all of them are is found out when the words become classes.
  bool hasWords(int32_t column) const {
    for (int64_t row = 0; row < dlc_table_rows(table); ++row)
      if (const char *cell = dlc_table_cell(table, row, column); cell[std::strspn(cell, "0123456789+-.eE")])
        return true;
    return false;
  }

  /// The table that is read first says which classes there are.
  Array readClasses(int32_t column, const dlc_input &target) {
    findClasses(column);
    if (const int64_t count = dlc_classes_count(classes->get()); count > target.index_limit)
      throw Failure(path + ": column '" + dlc_table_name(table, column) + "' has " + std::to_string(count) +
                    " classes (" + someClasses() + "), and the model has scores for " +
                    std::to_string(target.index_limit));
    return labels(column);
  }

  /// Two words as 0 and 1, for a target of one number.
  Array readYesAndNo(int32_t column, const dlc_input &target) {
    findClasses(column);
    if (const int64_t count = dlc_classes_count(classes->get()); count != 2)
      throw Failure(path + ": column '" + dlc_table_name(table, column) + "' has words, " +
                    std::to_string(count) + " different ones (" + someClasses() + "), and target '" +
                    target.name +
                    "' is one number, for which two words could be 0 and 1: classes take a "
                    "model with a score for each, and cross entropy");
    Array whole = labels(column), numbers;
    const auto count = size_t(whole.samples());
    numbers->dtype = int32_t(DLC_F32);
    numbers->rank = 1;
    numbers->shape[0] = int64_t(count);
    numbers->bytes = count * sizeof(float);
    numbers->data = std::malloc(numbers->bytes);
    if (!numbers->data)
      throw Failure(path + ": no memory for its labels");
    for (size_t i = 0; i < count; ++i)
      static_cast<float *>(numbers->data)[i] = float(static_cast<const int64_t *>(whole->data)[i]);
    return numbers;
  }

  /// The first of them: a list of 20, as of columns, could be a long line of long words.
  std::string someClasses() const {
    constexpr int64_t most = 5;
    const int64_t count = dlc_classes_count(classes->get());
    return shortList(std::min(count, most), [&](int64_t i) { return dlc_classes_name(classes->get(), i); }) +
           (count > most ? ", ..." : "");
  }

  void findClasses(int32_t column) {
    char error[512];
    dlc_classes *found = nullptr;
    if (*classes)
      return;
    if (dlc_table_classes(table, column, &found, error, sizeof error) != DLC_OK)
      throw Failure(error);
    classes->reset(found, dlc_classes_free);
  }

  Array labels(int32_t column) {
    char error[512];
    Array array;
    if (dlc_table_labels(table, column, classes->get(), array.get(), error, sizeof error) != DLC_OK)
      throw Failure(error);
    return array;
  }

  std::string path;
  std::shared_ptr<ClassNames> classes;
  std::unique_ptr<dlc_table, decltype(&dlc_table_free)> owner{nullptr, dlc_table_free};
  const dlc_table *table = nullptr;
  std::vector<int32_t> targets;
  std::vector<std::pair<std::string, std::vector<int32_t>>> given;
};

} // namespace

std::unique_ptr<Source> openTable(const std::string &path, const TrainOptions &options,
                                  std::shared_ptr<ClassNames> classes) {
  return std::make_unique<TableSource>(path, options, std::move(classes));
}

} // namespace dlc::tool::training
