//===- FuzzTest.cpp - imports mutations of sound programs
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fuzz target on the same mutations every time: bytes of texts and of files of values, and words of a
// text in each other's place, which the parser takes more often.
//===----------------------------------------------------------------------===//
#include "tests/unit/stablehlo/FuzzTarget.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <random>

namespace {

using llvm::StringRef;

struct Stored {
  std::string text, weights;
};

std::string contentsOf(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, false, false);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

std::vector<Stored> storedPrograms() {
  std::vector<std::string> paths;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(DLC_JAX_PROGRAMS, error), end; at != end && !error;
       at.increment(error))
    if (StringRef(at->path()).ends_with(".mlir"))
      paths.push_back(at->path());
  llvm::sort(paths);
  std::vector<Stored> programs;
  for (const std::string &path : paths)
    programs.push_back({contentsOf(path), contentsOf(StringRef(path).drop_back(5).str() + ".safetensors")});
  return programs;
}

/// Numbers, names, signs.
std::vector<std::string> wordsOf(StringRef text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    auto isOfWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '%' || c == '@'; };
    StringRef word = text.take_while(isOfWord);
    if (word.empty())
      word = text.take_front(1);
    words.push_back(word.str());
    text = text.drop_front(word.size());
  }
  return words;
}

/// The operations, without the places of the user's program.
StringRef operationsOf(StringRef text) {
  size_t begin = text.find("module"), end = text.find("\n#loc", begin == StringRef::npos ? 0 : begin);
  return begin == StringRef::npos || text.starts_with("\"") ? text : text.slice(begin, end);
}

TEST(StablehloFuzz, TakesStoredPrograms) {
  std::vector<Stored> programs = storedPrograms();
  ASSERT_GT(programs.size(), 8u);
  for (const Stored &program : programs)
    EXPECT_TRUE(fuzzStablehlo(program.text, program.weights)) << StringRef(program.text).take_front(80).str();
}

TEST(StablehloFuzz, Bytes) {
  std::mt19937 random(1);
  for (const Stored &program : storedPrograms())
    for (int i = 0; i < 30; ++i) {
      std::string text = program.text, weights = program.weights;
      std::string &changed = i % 4 == 0 ? weights : text;
      for (int n = 1 + random() % 3; n > 0; --n)
        changed[random() % changed.size()] = char(random());
      if (random() % 4 == 0)
        changed.erase(random() % changed.size(), 1 + random() % 40);
      fuzzStablehlo(text, weights);
    }
}

TEST(StablehloFuzz, Words) {
  static const char *const others[] = {"0",
                                       "1",
                                       "-1",
                                       "2",
                                       "4",
                                       "9223372036854775807",
                                       "2147483648",
                                       "?",
                                       "f32",
                                       "i32",
                                       "i1",
                                       "f16",
                                       "stablehlo.add",
                                       "stablehlo.reshape",
                                       "stablehlo.while",
                                       "[",
                                       "]"};
  std::mt19937 random(2);
  int refused = 0, count = 0;
  for (const Stored &program : storedPrograms()) {
    std::vector<std::string> words = wordsOf(program.text);
    size_t operations = wordsOf(operationsOf(program.text)).size();
    for (int i = 0; i < 60; ++i) {
      std::vector<std::string> mutated = words;
      for (int n = 1 + random() % 2; n > 0; --n) {
        std::string &word = mutated[random() % mutated.size()];
        for (int tries = 0; tries < 50; ++tries) { // of the same kind
          const std::string &other =
              random() % 4 ? words[random() % operations] : others[random() % std::size(others)];
          if (other != word && !other.empty() && (llvm::isDigit(other[0]) == llvm::isDigit(word[0])) &&
              (llvm::isAlpha(other[0]) == llvm::isAlpha(word[0]))) {
            word = other;
            break;
          }
        }
      }
      refused += !fuzzStablehlo(llvm::join(mutated, ""), program.weights);
      ++count;
    }
  }
  EXPECT_GT(refused, count / 4);
}

} // namespace
