//===- Tokens.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows of a file of tokens. Each window is read where it lies, in one call: the system keeps in memory
// what it has room for, and a file that becomes shorter meanwhile is an error, where a mapped one would end
// the program.
//===----------------------------------------------------------------------===//
#include "runtime/core/File.h"
#include "runtime/core/Options.h"
#include "runtime/data/Random.h"
#include "runtime/data/Ranks.h"

#include <cinttypes>

namespace dlc::runtime {
namespace {
/// A row's bytes are read through a buffer on the stack.
constexpr size_t bufferBytes = 16384;
constexpr int64_t maxWindow = int64_t{1} << 31, maxBatch = int64_t{1} << 31;
} // namespace
} // namespace dlc::runtime

using dlc::runtime::Error;

struct dlc_tokens {
  dlc::runtime::InputFile file;
  dlc_tokens_options options = {};
  char *path = nullptr; ///< for messages
  int64_t windows = 0;  ///< of the part that is used, without the token after the last
  dlc::runtime::Ranks ranks;

  ~dlc_tokens() { free(path); }

  dlc_status open(const char *name, Error &error);
  dlc_status readBatch(int64_t step, int64_t *inputs, int64_t *targets, Error &error) const;

private:
  dlc_status checkOptions(Error &error);
  int64_t startOf(int64_t step, int64_t row) const;
  dlc_status readRow(int64_t start, int64_t *inputs, int64_t *targets, Error &error) const;
  dlc_status decode(const unsigned char *bytes, int64_t position, int64_t &token, Error &error) const;
};

dlc_status dlc_tokens::checkOptions(Error &error) {
  if (options.token_bytes != 2 && options.token_bytes != 4)
    return error.fail(DLC_INVALID_ARGUMENT, "tokens of %d bytes, expected 2 or 4", options.token_bytes);
  if (options.window < 1 || options.window > dlc::runtime::maxWindow || options.batch < 1 ||
      options.batch > dlc::runtime::maxBatch)
    return error.fail(DLC_INVALID_ARGUMENT,
                      "windows of %" PRId64 " tokens in batches of %" PRId64 ", expected 1 to 2^31 of both",
                      options.window, options.batch);
  if (options.vocabulary < 0 || options.first < 0 || options.count < 0)
    return error.fail(DLC_INVALID_ARGUMENT,
                      "vocabulary %" PRId64 ", first token %" PRId64 ", %" PRId64
                      " tokens: expected numbers that are not negative",
                      options.vocabulary, options.first, options.count);
  return ranks.take(options.rank, options.ranks, error);
}

dlc_status dlc_tokens::open(const char *name, Error &error) {
  if (!name)
    return error.fail(DLC_INVALID_ARGUMENT, "the path of the file of tokens is NULL");
  if (dlc_status status = checkOptions(error))
    return status;
  const size_t bytes = strlen(name) + 1;
  if (!(path = static_cast<char *>(malloc(bytes))))
    return error.fail(DLC_OUT_OF_MEMORY, "no memory for a file of tokens");
  memcpy(path, name, bytes);
  if (dlc_status status = file.open(path, error)) // which keeps the path
    return status;
  const uint64_t width = static_cast<uint64_t>(options.token_bytes);
  if (file.size() % width != 0)
    return error.fail(DLC_BAD_FILE,
                      "%s: %" PRIu64
                      " bytes are no whole number of tokens of %d bytes: truncated, or no file "
                      "of such tokens",
                      path, file.size(), options.token_bytes);
  const int64_t tokens = static_cast<int64_t>(file.size() / width);
  if (options.first > tokens || options.count > tokens - options.first)
    return error.fail(DLC_BAD_FILE,
                      "%s: holds %" PRId64 " tokens, expected %" PRId64 " from number %" PRId64 " on", path,
                      tokens, options.count, options.first);
  if (options.count == 0)
    options.count = tokens - options.first;
  if (options.count <= options.window)
    return error.fail(DLC_BAD_FILE,
                      "%s: %" PRId64 " tokens, expected at least the %" PRId64
                      " of a window and the one after it",
                      path, options.count, options.window);
  windows = (options.count - 1) / options.window;
  return DLC_OK;
}

/// The remainder of a product that 64 bits may not hold. Division of 128 bits would be a function of the
/// compiler's own library, and a program in another language may link none.
static uint64_t productModulo(uint64_t a, uint64_t b, uint64_t modulus) {
  uint64_t result = 0;
  if (!__builtin_mul_overflow(a, b, &result))
    return result % modulus;
  result = 0;
  for (a %= modulus; b > 0; b >>= 1) { // the modulus is below 2^63, so that no sum overflows
    if (b & 1)
      result = (result + a) % modulus;
    a = (a + a) % modulus;
  }
  return result;
}

/// The window's first token, counted from the part's first. A step may be any number.
int64_t dlc_tokens::startOf(int64_t step, int64_t row) const {
  if (options.random) {
    // A generator for each row: what one row draws moves no other.
    uint64_t stream =
        static_cast<uint64_t>(step) * static_cast<uint64_t>(options.batch) + static_cast<uint64_t>(row);
    dlc::runtime::Random random(options.seed, stream);
    return static_cast<int64_t>(random.below(static_cast<uint64_t>(options.count - options.window)));
  }
  const uint64_t count = static_cast<uint64_t>(windows);
  const uint64_t first =
      productModulo(static_cast<uint64_t>(step), static_cast<uint64_t>(options.batch), count);
  return static_cast<int64_t>((first + static_cast<uint64_t>(row) % count) % count) * options.window;
}

dlc_status dlc_tokens::decode(const unsigned char *bytes, int64_t position, int64_t &token,
                              Error &error) const {
  token = bytes[0] | bytes[1] << 8;
  if (options.token_bytes == 4)
    token |= static_cast<int64_t>(bytes[2]) << 16 | static_cast<int64_t>(bytes[3]) << 24;
  const int64_t limit = options.vocabulary ? options.vocabulary : int64_t{1} << 31;
  if (token >= limit)
    return error.fail(DLC_BAD_FILE,
                      "%s: token number %" PRId64 " is %" PRId64 ", expected less than %" PRId64
                      ": damaged, of another vocabulary, or not of tokens of %d bytes",
                      path, position, token, limit, options.token_bytes);
  return DLC_OK;
}

dlc_status dlc_tokens::readRow(int64_t start, int64_t *inputs, int64_t *targets, Error &error) const {
  unsigned char buffer[dlc::runtime::bufferBytes];
  const int64_t width = options.token_bytes, atOnce = static_cast<int64_t>(sizeof buffer) / width;
  const int64_t needed = options.window + (targets != nullptr);
  for (int64_t done = 0; done < needed; done += atOnce) {
    const int64_t now = needed - done < atOnce ? needed - done : atOnce, first = options.first + start + done;
    if (dlc_status status = file.readAt(static_cast<uint64_t>(first * width), buffer,
                                        static_cast<size_t>(now * width), error))
      return status;
    for (int64_t i = 0; i < now; ++i) {
      int64_t token;
      if (dlc_status status = decode(buffer + i * width, first + i, token, error))
        return status;
      const int64_t place = done + i;
      if (place < options.window)
        inputs[place] = token;
      if (targets && place > 0)
        targets[place - 1] = token;
    }
  }
  return DLC_OK;
}

dlc_status dlc_tokens::readBatch(int64_t step, int64_t *inputs, int64_t *targets, Error &error) const {
  const int64_t first = ranks.begin(options.batch), end = ranks.end(options.batch);
  if ((!inputs && first < end) || step < 0)
    return error.fail(DLC_INVALID_ARGUMENT,
                      "batch %" PRId64 " for the array %p: expected a number from 0, and an array", step,
                      static_cast<void *>(inputs));
  for (int64_t row = first; row < end; ++row) {
    const int64_t place = (row - first) * options.window;
    if (dlc_status status =
            readRow(startOf(step, row), inputs + place, targets ? targets + place : nullptr, error))
      return status;
  }
  return DLC_OK;
}

extern "C" {

dlc_status dlc_tokens_open(const char *path, const dlc_tokens_options *options, dlc_tokens **out) {
  if (!out)
    return DLC_INVALID_ARGUMENT;
  *out = nullptr;
  if (!options)
    return DLC_INVALID_ARGUMENT;
  Error error;
  dlc_tokens_options known = {};
  dlc_tokens *tokens = dlc::runtime::createObjects<dlc_tokens>(1);
  dlc_status status = dlc::runtime::copyOptions(*options, known, error);
  if (!tokens)
    status = error.fail(DLC_OUT_OF_MEMORY, "no memory for a file of tokens");
  if (status == DLC_OK) {
    tokens->options = known;
    status = tokens->open(path, error);
  }
  if (status == DLC_OK)
    *out = tokens;
  else
    dlc_tokens_close(tokens);
  error.copyTo(known.error, known.error_bytes);
  return status;
}

int64_t dlc_tokens_count(const dlc_tokens *tokens) { return tokens ? tokens->options.count : 0; }

int64_t dlc_tokens_batches(const dlc_tokens *tokens) {
  return tokens ? (tokens->windows - 1) / tokens->options.batch + 1 : 0;
}

int64_t dlc_tokens_rows(const dlc_tokens *tokens) {
  return tokens ? tokens->ranks.end(tokens->options.batch) - tokens->ranks.begin(tokens->options.batch) : 0;
}

dlc_status dlc_tokens_batch(const dlc_tokens *tokens, int64_t step, int64_t *inputs, int64_t *targets) {
  if (!tokens)
    return DLC_INVALID_ARGUMENT;
  Error error;
  dlc_status status = tokens->readBatch(step, inputs, targets, error);
  if (status != DLC_OK)
    error.copyTo(tokens->options.error, tokens->options.error_bytes);
  return status;
}

dlc_status dlc_tokens_documents(const int64_t *tokens, int64_t rows, int64_t window, int64_t separator,
                                int64_t *documents, int64_t *targets, int64_t ignored) {
  if (!tokens || !documents || rows < 0 || window < 0)
    return DLC_INVALID_ARGUMENT;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t number = 0;
    for (int64_t i = row * window; i < (row + 1) * window; ++i) {
      const bool isLast = tokens[i] == separator; // read before a result that may lie in its place
      documents[i] = number;
      number += isLast;
      if (isLast && targets)
        targets[i] = ignored;
    }
  }
  return DLC_OK;
}

void dlc_tokens_close(dlc_tokens *tokens) { dlc::runtime::destroyObjects(tokens, 1); }

} // extern "C"
