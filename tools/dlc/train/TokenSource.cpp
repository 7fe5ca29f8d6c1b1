//===- TokenSource.cpp - files of tokens as data ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The samples are windows of the file, one after the other, as long as the rows of the model's input; their
// targets are the tokens that follow each.
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Sources.h"
#include <cstdlib>
#include <mutex>

namespace dlc::tool::training {

namespace {

/// A window and, where these are targets, the tokens that follow each of its.
class Windows : public Rows {
public:
  Windows(const std::string &path, int32_t tokenBytes, const dlc_input &input)
      : window(input.shape[1]), isTarget(input.is_target != 0) {
    dlc_tokens_options options = {};
    options.struct_size = sizeof options;
    options.token_bytes = tokenBytes;
    options.window = window;
    options.batch = 1;
    options.vocabulary = input.index_limit;
    options.error = error;
    options.error_bytes = sizeof error;
    dlc_tokens *opened = nullptr;
    if (dlc_tokens_open(path.c_str(), &options, &opened) != DLC_OK)
      throw Failure(error);
    tokens.reset(opened);
  }
  int64_t count() const override { return dlc_tokens_batches(tokens.get()); }
  dlc_field field() const override {
    dlc_field field = {};
    field.dtype = DLC_I64;
    field.rank = 1;
    field.shape[0] = window;
    return field;
  }
  void read(int64_t row, void *to) const override {
    std::vector<int64_t> inputs(static_cast<size_t>(isTarget ? window : 0));
    const std::lock_guard<std::mutex> lock(reading);
    auto *values = static_cast<int64_t *>(to);
    if (dlc_tokens_batch(tokens.get(), row, isTarget ? inputs.data() : values, isTarget ? values : nullptr) !=
        DLC_OK)
      throw Failure(error);
  }

private:
  int64_t window;
  bool isTarget;
  char error[512] = "";       ///< where the runtime writes its sentence ...
  mutable std::mutex reading; ///< ... in one call at a time
  std::unique_ptr<dlc_tokens, decltype(&dlc_tokens_close)> tokens{nullptr, dlc_tokens_close};
};

class TokenFile : public Source {
public:
  TokenFile(std::string path, int32_t tokenBytes) : path(std::move(path)), tokenBytes(tokenBytes) {}
  std::string contents() const override { return "tokens (" + path + ")"; }
  std::optional<std::string> place(const Wanted &wanted) const override {
    const bool fits = wanted.isOnly && wanted.input.is_index && wanted.input.rank == 2;
    return fits ? std::optional(path) : std::nullopt;
  }
  std::unique_ptr<Rows> open(const Wanted &wanted) override {
    return std::make_unique<Windows>(path, tokenBytes, wanted.input);
  }
  Array read(const Wanted &wanted) override {
    const std::unique_ptr<Rows> rows = open(wanted);
    const int64_t window = wanted.input.shape[1];
    Array array;
    array->dtype = DLC_I64;
    array->rank = 2;
    array->shape[0] = rows->count();
    array->shape[1] = window;
    array->bytes = size_t(rows->count()) * size_t(window) * sizeof(int64_t);
    array->data = std::malloc(array->bytes);
    if (!array->data)
      throw Failure(path + ": no memory for its tokens");
    for (int64_t i = 0; i < rows->count(); ++i)
      rows->read(i, static_cast<int64_t *>(array->data) + i * window);
    return array;
  }
  std::vector<std::string> files() const override { return {path}; }

private:
  std::string path;
  int32_t tokenBytes;
};

} // namespace

std::unique_ptr<Source> openTokenFile(const std::string &path, int32_t tokenBytes) {
  return std::make_unique<TokenFile>(path, tokenBytes);
}

} // namespace dlc::tool::training
