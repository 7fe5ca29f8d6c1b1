//===- FuzzTest.cpp - imports mutations of sound programs
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fuzz target on the same mutations every time: of archives, and of the values in stored graphs, each of
// which the importer has to check.
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Zip.h"
#include "tests/unit/pt2/Archives.h"
#include "tests/unit/pt2/FuzzTarget.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <random>

namespace {

namespace json = llvm::json;
using llvm::StringRef;

/// All values in a text of JSON, in the order in which they stand.
void collect(json::Value &value, std::vector<json::Value *> &values) {
  values.push_back(&value);
  if (json::Array *list = value.getAsArray())
    for (json::Value &each : *list)
      collect(each, values);
  if (json::Object *object = value.getAsObject()) {
    std::vector<StringRef> keys;
    for (auto &entry : *object)
      keys.push_back(entry.first);
    llvm::sort(keys);
    for (StringRef key : keys)
      collect(*object->get(key), values);
  }
}

/// Another value of the same kind, or of another one.
json::Value changed(const json::Value &value, const std::vector<json::Value *> &all, std::mt19937 &random) {
  static const int64_t numbers[] = {
      0, 1, -1, 2, 3, 7, 12, -100, 1 << 20, int64_t(1) << 31, int64_t(1) << 62, INT64_MIN, INT64_MAX};
  if (random() % 4 == 0)
    return *all[random() % all.size()];
  if (value.getAsInteger())
    return numbers[random() % std::size(numbers)];
  if (value.getAsNumber())
    return random() % 2 ? json::Value("NaN") : json::Value(-1e300);
  if (auto flag = value.getAsBoolean())
    return !*flag;
  if (const json::Array *list = value.getAsArray(); list && !list->empty()) {
    json::Array shorter = *list;
    shorter.erase(shorter.begin() + random() % shorter.size());
    return shorter;
  }
  if (const json::Object *object = value.getAsObject(); object && !object->empty()) {
    json::Object less = *object;
    less.erase(less.begin());
    return less;
  }
  if (value.getAsString()) { // the name of something else
    for (int i = 0; i < 100; ++i)
      if (const json::Value *other = all[random() % all.size()]; other->getAsString())
        return *other;
  }
  return nullptr;
}

std::vector<std::string> storedGraphs() {
  std::vector<std::string> graphs;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(DLC_PROGRAMS, error), end; at != end && !error;
       at.increment(error)) {
    if (!StringRef(at->path()).ends_with(".pt2"))
      continue;
    auto buffer = llvm::MemoryBuffer::getFile(at->path(), false, false);
    auto zip = dlc::pt2::Zip::open((*buffer)->getBuffer());
    EXPECT_TRUE(bool(zip)) << at->path();
    for (StringRef name : zip->names())
      if (name.ends_with("/models/model.json"))
        graphs.push_back(zip->read(name)->str());
  }
  llvm::sort(graphs);
  return graphs;
}

TEST(Pt2Fuzz, BytesOfArchives) {
  std::mt19937 random(1);
  const std::string whole = archives::perceptron().bytes();
  ASSERT_TRUE(fuzzImport(whole));
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = whole;
    for (int n = 1 + random() % 3; n > 0; --n)
      bytes[random() % bytes.size()] = char(random());
    if (random() % 4 == 0)
      bytes.erase(random() % bytes.size(), 1 + random() % 40);
    fuzzImport(bytes);
  }
}

TEST(Pt2Fuzz, ValuesOfGraphs) {
  std::mt19937 random(2);
  std::vector<std::string> graphs = storedGraphs();
  graphs.push_back(archives::perceptron().json());
  ASSERT_GT(graphs.size(), 8u);
  int refused = 0, count = 0;
  for (const std::string &text : graphs)
    for (int i = 0; i < 60; ++i) {
      auto graph = json::parse(text);
      ASSERT_TRUE(bool(graph));
      for (int n = 1 + random() % 2; n > 0; --n) {
        std::vector<json::Value *> values;
        collect(*graph, values);
        json::Value *one = values[1 + random() % (values.size() - 1)];
        json::Value other = changed(*one, values, random);
        *one = std::move(other);
      }
      refused += !fuzzGraph(llvm::formatv("{0}", *graph).str());
      ++count;
    }
  EXPECT_GT(refused, count / 4);
}

} // namespace
