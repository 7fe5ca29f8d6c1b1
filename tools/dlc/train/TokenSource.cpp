//===- TokenSource.cpp - files of tokens as data ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The samples are windows of the file, one after the other, as long as the rows of the model's input; their
// targets are the tokens that follow each.
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Sources.h"
#include <cstdlib>

namespace dlc::tool::training {

namespace {

class TokenFile : public Source {
public:
  TokenFile(std::string path, int32_t tokenBytes) : path(std::move(path)), tokenBytes(tokenBytes) {}
  std::string contents() const override { return "tokens (" + path + ")"; }
  std::optional<std::string> place(const Wanted &wanted) const override {
    const bool fits = wanted.isOnly && wanted.input.is_index && wanted.input.rank == 2;
    return fits ? std::optional(path) : std::nullopt;
  }

  Array read(const Wanted &wanted) override {
    const int64_t window = wanted.input.shape[1];
    char error[512];
    dlc_tokens_options options = {};
    options.struct_size = sizeof options;
    options.token_bytes = tokenBytes;
    options.window = window;
    options.batch = 1;
    options.vocabulary = wanted.input.index_limit;
    options.error = error;
    options.error_bytes = sizeof error;
    dlc_tokens *opened = nullptr;
    if (dlc_tokens_open(path.c_str(), &options, &opened) != DLC_OK)
      throw Failure(error);
    const std::unique_ptr<dlc_tokens, decltype(&dlc_tokens_close)> tokens(opened, dlc_tokens_close);
    Array array;
    const int64_t windows = dlc_tokens_batches(opened);
    array->dtype = DLC_I64;
    array->rank = 2;
    array->shape[0] = windows;
    array->shape[1] = window;
    array->bytes = size_t(windows) * size_t(window) * sizeof(int64_t);
    array->data = std::malloc(array->bytes);
    std::vector<int64_t> other(static_cast<size_t>(window));
    if (!array->data)
      throw Failure(path + ": no memory for its tokens");
    for (int64_t i = 0; i < windows; ++i) {
      int64_t *row = static_cast<int64_t *>(array->data) + i * window;
      const bool isTarget = wanted.input.is_target;
      if (dlc_tokens_batch(opened, i, isTarget ? other.data() : row, isTarget ? row : nullptr) != DLC_OK)
        throw Failure(error);
    }
    return array;
  }

private:
  std::string path;
  int32_t tokenBytes;
};

} // namespace

std::unique_ptr<Source> openTokenFile(const std::string &path, int32_t tokenBytes) {
  return std::make_unique<TokenFile>(path, tokenBytes);
}

} // namespace dlc::tool::training
