//===- Writer.cpp - what writers of all languages share --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/bindings/Writer.h"
#include "dlc/abi.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace dlc::emit::bindings {

Writer::Writer(const Description &model, const NameRules &rules, StringRef alsoTaken)
    : model(model), interface(model.interface), name(model.interface.name), names(rules, alsoTaken) {
  for (const DimInterface &dim : interface.openDims)
    dims[&dim] = names.unique(dim.cName);
  for (const InputInterface &input : interface.inputs)
    tensors[&input] = names.unique(input.cName);
  for (const OutputInterface &output : interface.outputs)
    if (output.role == train::OutputRole::Prediction)
      tensors[&output] = names.unique(output.cName);
  for (const JacobianInterface &pair : interface.jacobians)
    tensors[&pair] = names.unique(pair.cName);
  values = {{"", "@"},
            {"model", name},
            {"abi", std::to_string(DLC_ABI_VERSION)},
            {"fingerprint", "0x" + utohexstr(interface.fingerprint(), true)},
            {"batch", std::to_string(interface.batch)},
            {"arena", std::to_string(interface.arenaBytes)},
            {"training", inAnyComment(model.training)},
            {"weights", inAnyComment(model.weights)},
            {"options size", std::to_string(sizeof(dlc_create_options))},
            {"busy", std::to_string(DLC_BUSY)}, // which leaves no sentence
            {"busy sentence",
             name + ": another thread is inside a call on this model, or a step in slices is not done"}};
}

void Writer::add(StringRef pattern, const Values &more) {
  Values all = more; // the first one of a name counts
  all.insert(all.end(), values.begin(), values.end());
  text += filled(pattern, all);
}

std::string Writer::extent(const nn::Dim &dim, const Step &step) const {
  int64_t number = dim.factor;
  std::string product;
  for (const std::string &factor : dim.names) {
    const bool isBatch = factor == interface.batchName;
    auto open = find_if(interface.openDims, [&](const DimInterface &dim) { return dim.name == factor; });
    if (isBatch ? step.rows != Rows::Given : !step.takesSizes)
      number *= isBatch ? interface.batch : open->bound;
    else
      product += (product.empty() ? "" : " * ") + (isBatch ? "rows" : nameOf(*open));
  }
  if (product.empty() || number != 1)
    product = std::to_string(number) + (product.empty() ? "" : " * ") + product;
  return product;
}

std::vector<std::string> Writer::extents(const TensorInterface &tensor, const Step &step) const {
  std::vector<std::string> result;
  for (const nn::Dim &dim : tensor.dims)
    result.push_back(extent(dim, step));
  return result;
}

std::string Writer::joined(ArrayRef<std::string> parts, StringRef separator) {
  return llvm::join(parts, separator);
}

std::vector<Writer::Size> Writer::sizes(const Step &step) const {
  std::vector<Size> result;
  if (step.rows == Rows::Given)
    result.push_back({"rows", interface.batch});
  if (step.takesSizes)
    for (const DimInterface &dim : interface.openDims)
      result.push_back({nameOf(dim), dim.bound});
  return result;
}

std::vector<Writer::Number> Writer::numbersOf(const Step &step) const {
  std::vector<Number> result;
  if (step.rows == Rows::Given)
    result.push_back({"rows", ""});
  if (step.rows == Rows::Only)
    result.push_back({"", std::to_string(interface.batch ? interface.batch : 1)});
  if (step.takesSizes)
    for (const DimInterface &dim : interface.openDims)
      result.push_back({nameOf(dim), ""});
  return result;
}

std::string Writer::countOf(const Function &function, StringRef choice) const {
  const std::string trainable = std::to_string(model.all.trainable);
  if (function.values.size() == 1)
    return trainable;
  std::string result;
  for (char c : choice)
    result += c == '@' ? trainable : c == '#' ? std::to_string(model.all.count) : std::string(1, c);
  return result;
}

std::string Writer::by(Result result, StringRef loss, StringRef metrics, StringRef nothing) {
  return (result == Result::Loss ? loss : result == Result::Metrics ? metrics : nothing).str();
}

std::string Writer::by(const Function &function, const std::string &text, const std::string &metrics,
                       const std::string &number) {
  return function.result == "text" ? text : function.result == "metrics" ? metrics : number;
}

std::vector<std::string> Writer::about(const Function &function) {
  SmallVector<StringRef> lines;
  StringRef(function.about).split(lines, '\n');
  return {lines.begin(), lines.end()};
}

std::vector<std::string> Writer::about(const Step &step) const {
  std::vector<std::string> lines{step.about};
  for (const Size &size : sizes(step))
    lines.push_back(size.name + ": 1 to " + std::to_string(size.largest));
  for (const Argument &argument : step.arguments) {
    const TensorInterface &tensor = *argument.tensor;
    std::string line = nameOf(tensor);
    if (line != tensor.name)
      line += " ('" + tensor.name + "')";
    line += ": " + tensor.dtype;
    for (const std::string &extent : extents(tensor, step))
      line += "[" + extent + "]";
    lines.push_back(line + argument.note);
  }
  return lines;
}

std::string Writer::constantOf(const DimInterface &dim, const Interface &interface) {
  return dim.maxName.substr(interface.upperName.size() + 1);
}

std::string Writer::shapeText(const StateInterface &state) {
  std::string result;
  for (int64_t bound : state.bounds)
    result += (result.empty() ? "" : ", ") + std::to_string(bound);
  return result;
}

} // namespace dlc::emit::bindings
