//===- Predictions.cpp - what a model predicts, as a file -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Predictions.h"
#include "tools/dlc/train/Names.h"
#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace dlc::tool::training {

namespace {

int64_t perRow(const dlc_output &output) { return elementCount(output.rank - 1, output.shape + 1); }

template <typename T> void append(std::string &text, const char *place) {
  T value;
  std::memcpy(&value, place, sizeof value);
  char digits[64];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// With so many digits that the same number is read again.
void appendNumber(std::string &text, const Predicted &predicted, int64_t element) {
  const char *place = predicted.values.data() + size_t(element) * elementBytes(predicted.output->dtype);
  switch (predicted.output->dtype) {
  case DLC_F64:
    return append<double>(text, place);
  case DLC_I64:
    return append<int64_t>(text, place);
  case DLC_I32:
    return append<int32_t>(text, place);
  case DLC_BOOL:
    text += *place ? '1' : '0';
    return;
  case DLC_U8:
    text += std::to_string(static_cast<unsigned char>(*place));
    return;
  default:
    return append<float>(text, place);
  }
}

/// A cell, in quotes where it needs them.
std::string cell(const std::string &word) {
  if (word.find_first_of(",\"\r\n") == std::string::npos)
    return word;
  std::string text = "\"";
  for (char c : word)
    text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

/// "logits", "logits.3", "boxes.2.0".
std::string columnName(const dlc_output &output, int64_t element) {
  std::string text;
  for (int64_t i = int64_t(output.rank) - 1; i > 0; --i) {
    text = "." + std::to_string(element % output.shape[i]) + text;
    element /= output.shape[i];
  }
  return cell(output.name + text);
}

float score(const Predicted &scores, int64_t element) {
  float value;
  std::memcpy(&value, scores.values.data() + size_t(element) * sizeof value, sizeof value);
  return value;
}

/// The first of the highest.
int64_t largest(const Predicted &scores, int64_t row) {
  const int64_t count = perRow(*scores.output);
  int64_t best = 0;
  for (int64_t i = 1; i < count; ++i)
    if (score(scores, row * count + best) < score(scores, row * count + i))
      best = i;
  return best;
}

std::string bytes(const std::vector<char> &values) { return {values.begin(), values.end()}; }

} // namespace

PredictionFormat predictionFormat(const std::string &path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (path.empty() || ending == ".csv")
    return PredictionFormat::Csv;
  if (ending == ".npy")
    return PredictionFormat::Npy;
  if (ending == ".safetensors")
    return PredictionFormat::Safetensors;
  throw Failure("-o " + path + ": predictions are written to .csv, .npy or .safetensors");
}

Decision Decision::of(const std::vector<Predicted> &all, const ModelInMemory &compiled,
                      const std::vector<std::string> &words) {
  Decision decision;
  const auto hasScores = [](const Predicted &predicted, int64_t classes) {
    const dlc_output &output = *predicted.output;
    return output.dtype == DLC_F32 && output.rank == 2 && (classes == 0 || output.shape[1] == classes);
  };
  const bool isOnly = all.size() == 1 && all[0].output->dtype == DLC_F32 && all[0].output->rank < 3;
  if (words.size() == 2 && isOnly && compiled.isBinary() && perRow(*all[0].output) == 1) {
    decision.scores = &all[0];
    decision.words = words;
    decision.isBinary = true;
    decision.threshold = compiled.threshold(all[0].output->name);
  } else if (!words.empty()) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Predicted &predicted) {
      return hasScores(predicted, int64_t(words.size()));
    });
    decision.scores = found == all.end() ? nullptr : &*found;
    decision.words = words;
  } else if (isOnly && (compiled.isBinary() || (compiled.hasClasses() && hasScores(all[0], 0)))) {
    decision.scores = &all[0];
    decision.isBinary = compiled.isBinary();
    decision.threshold = compiled.threshold(all[0].output->name);
  }
  return decision;
}

std::vector<std::string> Decision::columns() const {
  if (!scores)
    return {};
  const int64_t count = isBinary ? perRow(*scores->output) : 1;
  std::vector<std::string> names;
  for (int64_t i = 0; i < count; ++i)
    names.push_back(count == 1 ? "class" : "class." + std::to_string(i));
  return names;
}

std::string Decision::of(int64_t row, int64_t column) const {
  if (isBinary) {
    const bool isYes = score(*scores, row * perRow(*scores->output) + column) > threshold;
    return words.empty() ? (isYes ? "1" : "0") : cell(words[isYes]);
  }
  const int64_t best = largest(*scores, row);
  return words.empty() ? std::to_string(best) : cell(words[size_t(best)]);
}

std::string predictionsAsCsv(const std::vector<Predicted> &all, int64_t rows, const Decision &decision,
                             const std::vector<std::string> &names) {
  constexpr int64_t most = 10000;
  std::vector<std::string> header = decision.columns();
  const auto decided = int64_t(header.size());
  if (!names.empty())
    header.insert(header.begin(), "file");
  int64_t columns = 0;
  for (const Predicted &predicted : all)
    columns += perRow(*predicted.output);
  if (columns > most)
    throw Failure("a row of the predictions has " + std::to_string(columns) +
                  " numbers, a table has at most " + std::to_string(most) +
                  ": write them to a file that ends in .npy or .safetensors");
  for (const Predicted &predicted : all)
    for (int64_t i = 0; i < perRow(*predicted.output); ++i)
      header.push_back(columnName(*predicted.output, i));
  std::string text;
  for (const std::string &name : header)
    text += (text.empty() ? "" : ",") + name;
  text += '\n';
  for (int64_t row = 0; row < rows; ++row) {
    if (!names.empty())
      text += cell(names[size_t(row)]) + ',';
    for (int64_t i = 0; i < decided; ++i)
      text += decision.of(row, i) + ',';
    for (const Predicted &predicted : all)
      for (int64_t i = 0, count = perRow(*predicted.output); i < count; ++i) {
        appendNumber(text, predicted, row * count + i);
        text += ',';
      }
    text.back() = '\n';
  }
  return text;
}

std::string predictionsAsNpy(const std::vector<Predicted> &all, int64_t rows) {
  if (all.size() != 1)
    throw Failure("a .npy file has one tensor, and the model has the outputs " +
                  shortList(int64_t(all.size()), [&](int64_t i) { return all[size_t(i)].output->name; }) +
                  ": write them to a .safetensors file");
  const dlc_output &output = *all[0].output;
  const char *dtype = output.dtype == DLC_F64    ? "<f8"
                      : output.dtype == DLC_I64  ? "<i8"
                      : output.dtype == DLC_I32  ? "<i4"
                      : output.dtype == DLC_BOOL ? "|b1"
                      : output.dtype == DLC_U8   ? "|u1"
                                                 : "<f4";
  std::string shape = std::to_string(rows) + ",";
  for (uint32_t i = 1; i < output.rank; ++i)
    shape += " " + std::to_string(output.shape[i]) + (i + 1 < output.rank ? "," : "");
  std::string header =
      std::string("{'descr': '") + dtype + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // Format 1.0: the numbers begin at a multiple of 64 bytes; a newline ends the header.
  constexpr size_t prefix = 10, alignment = 64;
  header.resize((prefix + header.size() + 1 + alignment - 1) / alignment * alignment - prefix - 1, ' ');
  header += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += char(header.size() & 255);
  text += char(header.size() >> 8);
  return text + header + bytes(all[0].values);
}

std::string predictionsAsSafetensors(const std::vector<Predicted> &all, int64_t rows) {
  nlohmann::ordered_json header;
  std::string values;
  for (const Predicted &predicted : all) {
    const dlc_output &output = *predicted.output;
    std::vector<int64_t> shape(output.shape, output.shape + output.rank);
    shape[0] = rows;
    const size_t begin = values.size();
    values += bytes(predicted.values);
    const char *dtype = output.dtype == DLC_F64    ? "F64"
                        : output.dtype == DLC_I64  ? "I64"
                        : output.dtype == DLC_I32  ? "I32"
                        : output.dtype == DLC_BOOL ? "BOOL"
                        : output.dtype == DLC_U8   ? "U8"
                                                   : "F32";
    header[output.name] = {{"dtype", dtype}, {"shape", shape}, {"data_offsets", {begin, values.size()}}};
  }
  std::string text = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  std::string length;
  for (int i = 0; i < 8; ++i)
    length += char(uint64_t(text.size()) >> (8 * i));
  return length + text + values;
}

} // namespace dlc::tool::training
