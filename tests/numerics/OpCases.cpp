//===- OpCases.cpp - reads the table of cases -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/numerics/OpCases.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <filesystem>
#include <limits>

namespace dlc::numerics {
namespace {

[[noreturn]] void stop(const llvm::Twine &message) {
  llvm::errs() << message << "\n";
  std::exit(1);
}

double numberFrom(const llvm::json::Value &value) {
  if (std::optional<double> number = value.getAsNumber())
    return *number;
  llvm::StringRef name = value.getAsString().value_or("");
  if (name == "nan")
    return std::numeric_limits<double>::quiet_NaN();
  if (name == "inf" || name == "-inf")
    return (name == "inf" ? 1 : -1) * std::numeric_limits<double>::infinity();
  stop("expected a number, found '" + name + "'");
}

std::vector<int64_t> sizesFrom(const llvm::json::Value &value) {
  std::vector<int64_t> sizes;
  for (const llvm::json::Value &size : *value.getAsArray())
    sizes.push_back(*size.getAsInteger());
  return sizes;
}

/// The dtype at the end of the shape in `tensor<2x3xf32, ...>`.
interpret::DType dtypeIn(llvm::StringRef type) {
  type = type.drop_front(type.find('<') + 1);
  type = type.take_until([](char c) { return c == '>' || c == ','; });
  type = type.substr(type.rfind('x') + 1);
  for (int dtype = 0; dtype <= static_cast<int>(interpret::DType::I1); ++dtype)
    if (interpret::str(static_cast<interpret::DType>(dtype)) == type)
      return static_cast<interpret::DType>(dtype);
  stop("no dtype in the type of a case: " + type);
}

OpCase caseFrom(llvm::StringRef family, const llvm::json::Object &entry) {
  OpCase made;
  made.family = family.str();
  made.name = entry.getString("name")->str();
  made.op = entry.getString("op")->str();
  made.text = entry.getString("text")->str();
  for (const llvm::json::Value &value : *entry.getArray("inputs")) {
    const llvm::json::Object &input = *value.getAsObject();
    made.types.push_back(input.getString("type")->str());
    made.inputs.push_back(
        tensorFrom(*input.get("data"), sizesFrom(*input.get("shape")), dtypeIn(made.types.back())));
  }
  for (const llvm::json::Value &value : *entry.getArray("outputs")) {
    const llvm::json::Object &output = *value.getAsObject();
    made.outputs.push_back(
        tensorFrom(*output.get("data"), sizesFrom(*output.get("shape")), interpret::DType::F64));
  }
  if (const llvm::json::Array *indices = entry.getArray("differentiate"))
    for (const llvm::json::Value &index : *indices)
      made.differentiate.push_back(static_cast<unsigned>(*index.getAsInteger()));
  if (const llvm::json::Object *dims = entry.getObject("dims"))
    for (const auto &[name, size] : *dims)
      made.dims[name.str()] = *size.getAsInteger();
  if (const llvm::json::Object *kink = entry.getObject("kink")) {
    made.kink.emplace();
    for (auto [dy, output] : llvm::zip_equal(*kink->getArray("dy"), made.outputs))
      made.kink->dy.push_back(tensorFrom(dy, output.shape, interpret::DType::F64));
    for (auto [dx, input] : llvm::zip_equal(*kink->getArray("dx"), made.inputs))
      made.kink->dx.push_back(
          dx.getAsArray() ? std::optional(tensorFrom(dx, input.shape, interpret::DType::F64)) : std::nullopt);
  }
  return made;
}

} // namespace

const std::vector<std::string> &families() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const auto &file : std::filesystem::directory_iterator(DLC_NUMERICS_DIR "/op_cases"))
      names.push_back(file.path().stem().string());
    llvm::sort(names);
    return names;
  }();
  return all;
}

Tensor tensorFrom(const llvm::json::Value &data, llvm::ArrayRef<int64_t> shape, interpret::DType dtype) {
  Tensor tensor = Tensor::zeros(dtype, shape);
  const llvm::json::Array *numbers = data.getAsArray();
  if (!numbers || static_cast<int64_t>(numbers->size()) != tensor.size())
    stop("expected " + llvm::Twine(tensor.size()) + " numbers for " + tensor.typeStr());
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (tensor.isFloat())
      tensor.floats[i] = numberFrom((*numbers)[i]);
    else
      tensor.ints[i] = *(*numbers)[i].getAsInteger();
  }
  return tensor;
}

llvm::json::Value readJson(const std::string &name) {
  std::string path = std::string(DLC_NUMERICS_DIR) + "/" + name;
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    stop(path + ": " + buffer.getError().message());
  auto value = llvm::json::parse((*buffer)->getBuffer());
  if (!value)
    stop(path + ": " + llvm::toString(value.takeError()));
  return *value;
}

const std::vector<OpCase> &opCases() {
  static const std::vector<OpCase> all = [] {
    std::vector<OpCase> cases;
    for (const std::string &family : families()) {
      llvm::json::Value file = readJson("op_cases/" + family + ".json");
      for (const llvm::json::Value &entry : *file.getAsArray())
        cases.push_back(caseFrom(family, *entry.getAsObject()));
    }
    return cases;
  }();
  return all;
}

Tensors OpCase::namedInputs() const {
  Tensors named;
  for (auto [i, input] : llvm::enumerate(inputs))
    named["x" + std::to_string(i)] = input;
  return named;
}

std::string OpCase::declarations() const {
  std::string lines;
  for (const auto &dim : dims)
    lines += "  train.dim @" + dim.getKey().str() + " = 16\n";
  for (auto [i, type] : llvm::enumerate(types))
    lines += "  train.input @x" + std::to_string(i) + " : " + type + "\n";
  return lines;
}

std::string OpCase::body(llvm::StringRef indent) const {
  std::string lines;
  for (auto [i, type] : llvm::enumerate(types)) {
    std::string number = std::to_string(i);
    lines += indent.str() + "%" + number + " = train.read @x" + number + " : " + type + "\n";
  }
  std::string count = outputs.size() > 1 ? ":" + std::to_string(outputs.size()) : "";
  return lines + indent.str() + "%r" + count + " = " + text + "\n";
}

std::string inDouble(std::string text) {
  for (size_t at = text.find("f32"); at != std::string::npos; at = text.find("f32", at))
    text.replace(at, 3, "f64");
  return text;
}

std::string testName(llvm::StringRef name) {
  std::string result;
  for (size_t at = 0; at < name.size(); ++at) {
    llvm::StringRef rest = name.substr(at);
    if (rest.starts_with("()") || rest.starts_with("[]"))
      result += "none";
    else if (rest.starts_with(", ") && llvm::isAlnum(result.back()) && ++at)
      result += "x";
    else if (rest.front() == '-')
      result += "minus";
    else if (llvm::isAlnum(rest.front()))
      result += rest.front();
    else if (!result.empty() && result.back() != '_')
      result += '_';
  }
  while (!result.empty() && result.back() == '_')
    result.pop_back();
  return result;
}

} // namespace dlc::numerics
