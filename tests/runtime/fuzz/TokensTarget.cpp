//===- TokensTarget.cpp ---------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads arbitrary bytes as a file of tokens; the first bytes choose the options.
//===----------------------------------------------------------------------===//
#include "dlc/runtime.h"
#include "tests/runtime/fuzz/Targets.h"

#include <vector>

bool fuzzTokens(const uint8_t *bytes, size_t size) {
  using fuzz::require;
  constexpr size_t chosen = 8;
  if (size < chosen)
    return false;
  fuzz::MemoryFile file(bytes + chosen, size - chosen);
  char error[256] = "";
  dlc_tokens_options options = {};
  options.struct_size = sizeof options;
  options.token_bytes = bytes[0] & 1 ? 4 : 2;
  options.random = bytes[0] >> 1 & 1;
  options.window = 1 + bytes[1] % 32;
  options.batch = 1 + bytes[2] % 8;
  options.seed = bytes[3];
  options.vocabulary = bytes[4] ? bytes[4] * int64_t{256} : 0;
  options.first = bytes[5] % 16;
  options.count = bytes[6] % 64;
  options.error = error;
  options.error_bytes = sizeof error;
  dlc_tokens *tokens;
  dlc_status status = dlc_tokens_open(file.path().c_str(), &options, &tokens);
  bool valid = status == DLC_OK;
  require(valid == (tokens != nullptr), "tokens after an error, or none without");
  const size_t elements = static_cast<size_t>(options.window * options.batch);
  std::vector<int64_t> inputs(elements, -1), targets(elements, -1);
  for (int64_t step = 0; valid && step < 4; ++step) {
    status = dlc_tokens_batch(tokens, step * (bytes[7] + int64_t{1}), inputs.data(), targets.data());
    valid = status == DLC_OK;
    for (size_t i = 0; valid && i < elements; ++i) {
      const int64_t limit = options.vocabulary ? options.vocabulary : int64_t{1} << 31;
      require(inputs[i] >= 0 && inputs[i] < limit && targets[i] >= 0 && targets[i] < limit,
              "a token out of range");
      require((i + 1) % static_cast<size_t>(options.window) == 0 || targets[i] == inputs[i + 1],
              "a target that is not the next token");
    }
  }
  require(valid || (status == DLC_BAD_FILE && *error), "unexpected status, or no sentence");
  dlc_tokens_close(tokens);
  return valid;
}

#ifdef DLC_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzzTokens(bytes, size);
  return 0;
}
#endif
