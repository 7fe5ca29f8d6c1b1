//===- ShardSource.cpp - samples in tar files ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tar files as WebDataset has them. A member is for the input or target that it is called by (0001.x.npy is
// for x); for a model with one input it is an image or an array, and the one target is a class by its number
// (.cls) or its word (.txt).
//===----------------------------------------------------------------------===//
#include "dlc/shards.h"
#include "tools/dlc/train/ImageForm.h"
#include "tools/dlc/train/Names.h"
#include "tools/dlc/train/Sources.h"
#include <algorithm>
#include <filesystem>
#include <set>

namespace dlc::tool::training {

namespace {

using Shards = std::shared_ptr<dlc_shards>;
using Kinds = std::vector<std::string>; ///< of which a sample has one

std::string lastPart(const std::string &kind) { return kind.substr(kind.rfind('.') + 1); }
bool isImageKind(const std::string &kind) {
  const std::string last = lastPart(kind);
  return last == "png" || last == "jpg" || last == "jpeg";
}

std::string memberText(const Shards &shards, int64_t sample, const std::string &kind) {
  char error[512];
  std::string bytes(size_t(std::max<int64_t>(dlc_shards_size(shards.get(), sample, kind.c_str()), 0)), ' ');
  if (dlc_shards_read(shards.get(), sample, kind.c_str(), bytes.data(), error, sizeof error) != DLC_OK)
    throw Failure(error);
  return bytes;
}

/// The values of one input, each read when it is asked for.
class ShardRows : public Rows {
public:
  ShardRows(Shards shards, Kinds kinds, const std::string &place)
      : shards(std::move(shards)), kinds(std::move(kinds)), place(place) {}
  int64_t count() const override { return dlc_shards_count(shards.get()); }

protected:
  /// Failure where the sample has none.
  const std::string &kindOf(int64_t sample) const {
    for (const std::string &kind : kinds)
      if (dlc_shards_size(shards.get(), sample, kind.c_str()) >= 0)
        return kind;
    throw Failure(place + ": sample '" + shortName(dlc_shards_key(shards.get(), sample)) +
                  "' has no member '." + kinds.front() + "', which others have");
  }
  Shards shards;
  Kinds kinds;
  std::string place;
};

class ShardImages : public ShardRows {
public:
  ShardImages(Shards shards, Kinds kinds, const std::string &place, const dlc_image_form &form)
      : ShardRows(std::move(shards), std::move(kinds), place), form(form) {}
  dlc_field field() const override { return fieldOf(form); }
  void read(int64_t row, void *to) const override {
    const std::string &kind = kindOf(row), bytes = memberText(shards, row, kind),
                      name = place + ": " + dlc_shards_key(shards.get(), row) + "." + kind;
    char error[512];
    if (dlc_decode_image(bytes.data(), bytes.size(), name.c_str(), &form, static_cast<float *>(to), error,
                         sizeof error) != DLC_OK)
      throw Failure(error);
  }

private:
  dlc_image_form form;
};

/// Arrays of NumPy, all of the first one's shape.
class ShardArrays : public ShardRows {
public:
  ShardArrays(Shards shards, Kinds kinds, const std::string &place)
      : ShardRows(std::move(shards), std::move(kinds), place) {
    const Array first = array(0);
    of.dtype = first->dtype;
    of.rank = first->rank;
    std::copy_n(first->shape, first->rank, of.shape);
  }
  dlc_field field() const override { return of; }
  void read(int64_t row, void *to) const override {
    const Array values = array(row);
    if (values->dtype != of.dtype || values->rank != of.rank ||
        !std::equal(of.shape, of.shape + of.rank, values->shape))
      throw Failure(place + ": the array of sample '" + shortName(dlc_shards_key(shards.get(), row)) +
                    "' has another shape or type than that of the first one");
    std::copy_n(static_cast<const char *>(values->data), values->bytes, static_cast<char *>(to));
  }

private:
  Array array(int64_t row) const {
    Array values;
    char error[512];
    if (dlc_shards_array(shards.get(), row, kindOf(row).c_str(), nullptr, values.get(), error,
                         sizeof error) != DLC_OK)
      throw Failure(error);
    return values;
  }
  dlc_field of = {};
};

/// Numbers of classes.
class ShardNumbers : public ShardRows {
public:
  using ShardRows::ShardRows;
  dlc_field field() const override {
    dlc_field field = {};
    field.dtype = DLC_I64;
    return field;
  }
  void read(int64_t row, void *to) const override {
    char error[512];
    if (dlc_shards_number(shards.get(), row, kindOf(row).c_str(), static_cast<int64_t *>(to), error,
                          sizeof error) != DLC_OK)
      throw Failure(error);
  }
};

class ShardSource : public Source {
public:
  ShardSource(const std::string &place, std::vector<std::string> paths, std::shared_ptr<ClassNames> classes)
      : name(place), paths(std::move(paths)), classes(std::move(classes)) {
    std::vector<const char *> texts;
    for (const std::string &path : this->paths)
      texts.push_back(path.c_str());
    char error[512];
    dlc_shards *opened = nullptr;
    if (dlc_shards_open(texts.data(), int64_t(texts.size()), &opened, error, sizeof error) != DLC_OK)
      throw Failure(error);
    shards.reset(opened, dlc_shards_close);
  }
  std::string contents() const override {
    const Kinds kinds = allKinds();
    return "members " + shortList(int64_t(kinds.size()), [&](int64_t i) { return "." + kinds[size_t(i)]; }) +
           " (" + name + ")";
  }
  std::optional<std::string> place(const Wanted &wanted) const override {
    return kindsFor(wanted).empty() ? std::nullopt : std::optional(name);
  }
  std::unique_ptr<Rows> open(const Wanted &wanted) override {
    const Kinds kinds = kindsFor(wanted);
    const std::string last = lastPart(kinds.front());
    if (isImageKind(kinds.front()))
      return std::make_unique<ShardImages>(shards, kinds, name, formOf(wanted.input, name));
    if (last == "npy")
      return std::make_unique<ShardArrays>(shards, kinds, name);
    return last == "cls" ? std::make_unique<ShardNumbers>(shards, kinds, name) : nullptr;
  }
  Array read(const Wanted &wanted) override {
    const std::unique_ptr<Rows> rows = open(wanted);
    return rows ? readAll(*rows, name) : words(kindsFor(wanted).front());
  }
  std::vector<std::string> files() const override { return paths; }
  std::vector<std::string> sampleNames() const override {
    std::vector<std::string> names;
    for (int64_t i = 0; i < dlc_shards_count(shards.get()); ++i)
      names.push_back(dlc_shards_key(shards.get(), i));
    return names;
  }
  std::string remark(const Wanted &wanted) const override {
    const Kinds kinds = kindsFor(wanted);
    if (!isImageKind(kinds.front()))
      return "";
    return name + ": " + describeForm(formOf(wanted.input, name), dlc_shards_count(shards.get()));
  }

private:
  Kinds allKinds() const {
    Kinds kinds;
    for (int32_t i = 0; dlc_shards_kind(shards.get(), i); ++i)
      kinds.push_back(dlc_shards_kind(shards.get(), i));
    return kinds;
  }

  /// The kinds of members that are for an input.
  Kinds kindsFor(const Wanted &wanted) const {
    const Kinds all = allKinds();
    const std::string called = wanted.input.name;
    const std::set<std::string> known = {"png", "jpg", "jpeg", "npy", "cls", "txt"};
    Kinds own, images, others;
    for (const std::string &kind : all) {
      if (kind.size() > called.size() && kind.compare(0, called.size(), called) == 0 &&
          kind[called.size()] == '.' && known.count(kind.substr(called.size() + 1)))
        own.push_back(kind);
      if (isImageKind(kind) && kind == lastPart(kind))
        images.push_back(kind);
    }
    if (!own.empty() || !wanted.isOnly)
      return own;
    if (!wanted.input.is_target && !images.empty())
      return images;
    for (const char *kind : {"npy", "cls", "txt"})
      if (const bool isFor = wanted.input.is_target == (std::string(kind) != "npy");
          isFor && std::find(all.begin(), all.end(), kind) != all.end())
        return {kind};
    return {};
  }

  /// Words become classes, those of the data that are read first.
  Array words(const std::string &kind) {
    std::vector<std::string> all;
    for (int64_t i = 0; i < dlc_shards_count(shards.get()); ++i) {
      std::string word = memberText(shards, i, kind);
      while (!word.empty() && std::isspace(static_cast<unsigned char>(word.back())))
        word.pop_back();
      all.push_back(std::move(word));
    }
    char error[512];
    if (!*classes) {
      const std::set<std::string> different(all.begin(), all.end());
      std::vector<const char *> names;
      for (const std::string &word : different)
        names.push_back(word.c_str());
      dlc_classes *made = nullptr;
      if (dlc_classes_create(names.data(), int64_t(names.size()), &made, error, sizeof error) != DLC_OK)
        throw Failure(name + ": the words of '." + kind + "' are no classes: " + error);
      classes->reset(made, dlc_classes_free);
    }
    Array labels = newArray(DLC_I64, {int64_t(all.size())}, name);
    for (size_t i = 0; i < all.size(); ++i) {
      const int64_t label = dlc_classes_find(classes->get(), all[i].c_str());
      if (label < 0)
        throw Failure(name + ": sample '" + shortName(dlc_shards_key(shards.get(), int64_t(i))) +
                      "' is of class '" + shortName(all[i]) + "', which is none of the " +
                      std::to_string(dlc_classes_count(classes->get())) + " classes");
      static_cast<int64_t *>(labels->data)[i] = label;
    }
    return labels;
  }

  std::string name;
  std::vector<std::string> paths;
  std::shared_ptr<ClassNames> classes;
  Shards shards;
};

} // namespace

/// "shard-{000..009}.tar": the numbers from the first to the last, with as many digits.
std::vector<std::string> expandShards(const std::string &pattern) {
  const size_t open = pattern.find('{'), close = pattern.find('}', open), dots = pattern.find("..", open);
  if (open == std::string::npos || close == std::string::npos || dots == std::string::npos || dots > close)
    return {};
  const std::string first = pattern.substr(open + 1, dots - open - 1),
                    last = pattern.substr(dots + 2, close - dots - 2);
  const auto isNumber = [](const std::string &digits) {
    return !digits.empty() && digits.size() < 10 &&
           digits.find_first_not_of("0123456789") == std::string::npos;
  };
  if (!isNumber(first) || !isNumber(last))
    return {};
  constexpr long most = 100000;
  const long begin = std::stol(first), end = std::stol(last);
  if (end < begin || end - begin >= most)
    throw Failure(pattern + ": expected numbers from the smaller to the larger one, at most " +
                  std::to_string(most));
  std::vector<std::string> paths;
  for (long i = begin; i <= end; ++i) {
    std::string digits = std::to_string(i);
    digits.insert(0, first.size() > digits.size() ? first.size() - digits.size() : 0, '0');
    paths.push_back(pattern.substr(0, open) + digits + pattern.substr(close + 1));
  }
  return paths;
}

std::vector<std::string> shardsInFolder(const std::string &folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".tar" && entry.is_regular_file(error))
      paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::unique_ptr<Source> openShards(const std::string &place, std::vector<std::string> paths,
                                   std::shared_ptr<ClassNames> classes) {
  return std::make_unique<ShardSource>(place, std::move(paths), std::move(classes));
}

} // namespace dlc::tool::training
