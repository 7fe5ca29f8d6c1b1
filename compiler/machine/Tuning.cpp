//===- Tuning.cpp - what was measured to be fast on one machine ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/machine/Tuning.h"
#include "compiler/machine/CpuFeatures.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace dlc {

static constexpr StringLiteral format = "dlc-tune";
static constexpr int64_t formatVersion = 1, mostBytes = 1 << 20, mostNesting = 16;
static constexpr int64_t mostRows = 16,
                         mostVectors = 4; // a panel of more vectors would be left by narrower tiles

bool isPossible(const CpuTarget &target, const TileChoice &choice) {
  return choice.tileRows >= 1 && choice.tileRows <= mostRows && choice.tileVectors >= 1 &&
         choice.tileVectors <= mostVectors &&
         choice.tileRows * choice.tileVectors <= target.registers - choice.tileVectors - 1;
}

Tuning tuningOf(const CpuTarget &target, const TileChoice &choice) {
  Triple triple(target.triple);
  return {"", triple.getArchName().str(), featureNames(target.featureBits, triple), choice, {}};
}

static json::Object toJson(const TileChoice &choice) {
  return json::Object{
      {"tile_rows", choice.tileRows}, {"tile_vectors", choice.tileVectors}, {"fetch_rows", choice.fetchRows}};
}

std::string toText(const Tuning &tuning) {
  json::Array measured;
  for (const Measurement &measurement : tuning.measured) {
    json::Object entry = toJson(measurement.choice);
    entry["nanoseconds"] = json::Array(measurement.nanoseconds);
    measured.push_back(std::move(entry));
  }
  json::Object root{{"format", format},
                    {"version", formatVersion},
                    {"cpu", tuning.cpu},
                    {"architecture", tuning.architecture},
                    {"features", json::Array(tuning.features)},
                    {"costs", toJson(tuning.choice)},
                    {"measured", std::move(measured)}};
  std::string text;
  raw_string_ostream(text) << formatv("{0:2}\n", json::Value(std::move(root)));
  return text;
}

namespace {

/// Reads a file's text; what is wrong with it is an error that begins with the file's name.
class Reader {
public:
  explicit Reader(StringRef file) : file(file) {}
  Expected<Tuning> read();

private:
  Error wrong(const Twine &problem) { return createStringError(file + ": " + problem); }
  Error wrongField(StringRef name, StringRef expected, const json::Object &object);
  Expected<std::string> text();
  Error readChoice(const json::Object &costs, TileChoice &choice);

  StringRef file;
};

/// The parser calls itself for what is inside something else.
bool nestsTooDeep(StringRef text) {
  int64_t depth = 0, deepest = 0;
  for (char c : text) {
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    deepest = std::max(deepest, depth);
  }
  return deepest > mostNesting;
}

Error Reader::wrongField(StringRef name, StringRef expected, const json::Object &object) {
  const json::Value *found = object.get(name);
  std::string got = found ? formatv("{0}", *found).str() : "nothing";
  if (got.size() > 60)
    got = got.substr(0, 60) + "...";
  return wrong("expected " + expected + " as '" + name + "', got " + got +
               ": write the file again with dlc tune");
}

Expected<std::string> Reader::text() {
  auto buffer = MemoryBuffer::getFile(file, /*IsText=*/true);
  if (!buffer)
    return wrong("cannot read the file: " + buffer.getError().message());
  StringRef text = (*buffer)->getBuffer();
  if (int64_t(text.size()) > mostBytes || nestsTooDeep(text))
    return wrong("expected a file that dlc tune wrote, of at most " + Twine(mostBytes) +
                 " bytes, got one of " + Twine(text.size()) +
                 (nestsTooDeep(text) ? " with too many brackets inside brackets" : ""));
  return text.str();
}

Error Reader::readChoice(const json::Object &costs, TileChoice &choice) {
  for (const auto &[key, value] : costs)
    if (key != "tile_rows" && key != "tile_vectors" && key != "fetch_rows")
      return wrong("'costs' has a number that this dlc does not know, '" + StringRef(key) +
                   "': write the file again with dlc tune");
  auto rows = costs.getInteger("tile_rows"), vectors = costs.getInteger("tile_vectors");
  auto fetch = costs.getBoolean("fetch_rows");
  if (!rows)
    return wrongField("tile_rows", "a whole number", costs);
  if (!vectors)
    return wrongField("tile_vectors", "a whole number", costs);
  if (!fetch)
    return wrongField("fetch_rows", "true or false", costs);
  choice = {*rows, *vectors, *fetch};
  return Error::success();
}

Expected<Tuning> Reader::read() {
  auto content = text();
  if (!content)
    return content.takeError();
  auto parsed = json::parse(*content);
  if (!parsed)
    return wrong("expected JSON, got something else: " + toString(parsed.takeError()));
  const json::Object *root = parsed->getAsObject();
  if (!root || root->getString("format") != StringRef(format))
    return wrong("expected a file that dlc tune wrote (\"format\": \"dlc-tune\")");
  if (root->getInteger("version") != formatVersion)
    return wrongField("version", std::to_string(formatVersion), *root);
  Tuning tuning;
  auto architecture = root->getString("architecture");
  if (!architecture)
    return wrongField("architecture", "a name", *root);
  tuning.architecture = architecture->str();
  tuning.cpu = root->getString("cpu").value_or("").str();
  const json::Array *features = root->getArray("features");
  if (!features)
    return wrongField("features", "a list of names", *root);
  for (const json::Value &feature : *features) {
    if (!feature.getAsString())
      return wrongField("features", "a list of names", *root);
    tuning.features.push_back(feature.getAsString()->str());
  }
  sort(tuning.features);
  const json::Object *costs = root->getObject("costs");
  if (!costs)
    return wrongField("costs", "an object", *root);
  if (Error error = readChoice(*costs, tuning.choice))
    return std::move(error);
  return tuning;
}

} // namespace

Error useTuning(StringRef file, CpuTarget &target) {
  auto tuning = Reader(file).read();
  if (!tuning)
    return tuning.takeError();
  Tuning wanted = tuningOf(target, tuning->choice);
  auto wrong = [&](const Twine &problem) { return createStringError(file + ": " + problem); };
  if (tuning->architecture != wanted.architecture || tuning->features != wanted.features) {
    std::vector<std::string> missing, more;
    std::set_difference(wanted.features.begin(), wanted.features.end(), tuning->features.begin(),
                        tuning->features.end(), std::back_inserter(missing));
    std::set_difference(tuning->features.begin(), tuning->features.end(), wanted.features.begin(),
                        wanted.features.end(), std::back_inserter(more));
    auto list = [](const std::vector<std::string> &names, StringRef what) {
      return names.empty() ? std::string() : "; " + what.str() + " " + join(names, ", ");
    };
    return wrong("was measured for other instructions (" + tuning->cpu + ", " + tuning->architecture +
                 ") than those of '" + target.cpu + "', " + wanted.architecture +
                 list(missing, "the file lacks") + list(more, "the target lacks") +
                 ": run dlc tune with the same --cpu");
  }
  if (!isPossible(target, tuning->choice))
    return wrong("expected a tile of 1 to " + Twine(mostRows) + " rows and 1 to " + Twine(mostVectors) +
                 " vectors that fits " + Twine(target.registers) + " registers, got " +
                 Twine(tuning->choice.tileRows) + " rows of " + Twine(tuning->choice.tileVectors) +
                 " vectors");
  target.costs.tileRows = tuning->choice.tileRows;
  target.costs.tileVectors = tuning->choice.tileVectors;
  target.costs.fetchRows = tuning->choice.fetchRows;
  return Error::success();
}

} // namespace dlc
