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
#include <cstdlib>
#include <filesystem>
#include <limits>
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
    if (dlc_decode_image(bytes.data(), bytes.size(), name.c_str(), &form, to, error, sizeof error) != DLC_OK)
      throw Failure(error);
  }

private:
  dlc_image_form form;
};

template <typename T> void fill(void *to, size_t bytes, double number, const std::string &name) {
  using Limits = std::numeric_limits<T>;
  const bool isInRange = number >= double(Limits::lowest()) && number < double(Limits::max());
  if (!isInRange || (Limits::is_integer && double(T(number)) != number))
    throw Failure("--pad: " + name + ": the arrays' type has no number " + std::to_string(number));
  std::fill_n(static_cast<T *>(to), bytes / sizeof(T), T(number));
}

/// Fills up an array of that type with a number.
void fillWith(int32_t dtype, double number, void *to, size_t bytes, const std::string &name) {
  switch (dtype) {
  case DLC_F32:
    return fill<float>(to, bytes, number, name);
  case DLC_F64:
    return fill<double>(to, bytes, number, name);
  case DLC_I32:
    return fill<int32_t>(to, bytes, number, name);
  case DLC_I64:
    return fill<int64_t>(to, bytes, number, name);
  default:
    throw Failure("--pad: " + name + ": arrays of " + dtypeName(uint32_t(dtype)) + " cannot be filled up");
  }
}

/// Arrays of NumPy, all of the first one's shape, or, with `padding`, as long along the first axis as the
/// input takes them, or shorter.
class ShardArrays : public ShardRows {
public:
  ShardArrays(Shards shards, Kinds kinds, const std::string &place, const dlc_input &input,
              std::optional<double> padding)
      : ShardRows(std::move(shards), std::move(kinds), place), name(input.name), padding(padding) {
    const Array first = array(0);
    of.dtype = first->dtype;
    of.rank = first->rank;
    std::copy_n(first->shape, first->rank, of.shape);
    if (padding && (of.rank < 1 || input.rank < 2))
      throw Failure("--pad: " + name + ": one number for each sample cannot be filled up");
    if (padding)
      of.shape[0] = input.shape[1];
  }
  dlc_field field() const override { return of; }
  void read(int64_t row, void *to) const override {
    const Array values = array(row);
    const int fixed = padding ? 1 : 0; // the first axis that is as long as that of others
    const bool isAlike = values->dtype == of.dtype && values->rank == of.rank &&
                         std::equal(of.shape + fixed, of.shape + of.rank, values->shape + fixed);
    if (!isAlike || (padding && values->shape[0] > of.shape[0]))
      throw Failure(place + ": the array of sample '" + shortName(dlc_shards_key(shards.get(), row)) +
                    "' has " +
                    (isAlike ? std::to_string(values->shape[0]) + " along its first axis, and input '" +
                                   name + "' takes at most " + std::to_string(of.shape[0])
                             : "another shape or type than that of the first one"));
    auto *place = static_cast<char *>(to);
    std::copy_n(static_cast<const char *>(values->data), values->bytes, place);
    if (padding)
      fillWith(of.dtype, *padding, place + values->bytes, bytesOfSample() - values->bytes, name);
  }

private:
  size_t bytesOfSample() const {
    return size_t(elementCount(uint32_t(of.rank), of.shape)) * elementBytes(uint32_t(of.dtype));
  }
  std::string name;
  std::optional<double> padding;
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
  ShardSource(const std::string &place, std::vector<std::string> paths, const TrainOptions &options,
              std::shared_ptr<ClassNames> classes)
      : name(place), paths(std::move(paths)), pads(options.pads), classes(std::move(classes)) {
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
      return std::make_unique<ShardArrays>(shards, kinds, name, wanted.input, paddingOf(wanted.input.name));
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
  /// The last number that --pad gives; none where shorter arrays are errors.
  std::optional<double> paddingOf(const std::string &input) const {
    std::optional<double> padding;
    for (const std::string &text : pads)
      if (const size_t equals = text.find('='); text.substr(0, equals) == input)
        padding = std::strtod(text.c_str() + equals + 1, nullptr);
    return padding;
  }

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
  std::vector<std::string> paths, pads;
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
                                   const TrainOptions &options, std::shared_ptr<ClassNames> classes) {
  return std::make_unique<ShardSource>(place, std::move(paths), options, std::move(classes));
}

} // namespace dlc::tool::training
