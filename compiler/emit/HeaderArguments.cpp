//===- HeaderArguments.cpp - what a header says of tensors and sizes -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/HeaderArguments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

namespace dlc::emit {

std::string cArray(const TensorInterface &tensor) {
  std::string text = cTypeName(tensor.dtype).str();
  for (int64_t bound : tensor.bounds)
    text += "[" + std::to_string(bound) + "]";
  return text;
}

std::string inComment(llvm::StringRef text) {
  std::string result;
  for (char c : text) {
    bool closes =
        !result.empty() && ((result.back() == '*' && c == '/') || (result.back() == '/' && c == '*'));
    result += closes ? std::string(" ") + c : std::string(1, llvm::isPrint(c) ? c : '?');
  }
  return result;
}

bool HeaderArguments::isTaken(const InputInterface &input, bool withTargets,
                              train::Derivative derivative) const {
  return input.derivative == train::Derivative::None ? withTargets || !input.target
                                                     : input.derivative == derivative;
}

std::string HeaderArguments::inputParameters(bool withTargets, train::Derivative derivative) const {
  std::string result;
  for (const InputInterface &input : interface.inputs)
    if (isTaken(input, withTargets, derivative))
      result += ",\n    const " + cTypeName(input.dtype).str() + " *" + input.cName;
  return result;
}

std::string HeaderArguments::arrayOf(const TensorInterface &tensor, bool atSizes) const {
  if (!atSizes || interface.openDims.empty())
    return cArray(tensor);
  std::string text = cTypeName(tensor.dtype).str();
  for (const nn::Dim &dim : tensor.dims) {
    std::string product = dim.isStatic() || dim.factor != 1 ? std::to_string(dim.factor) : "";
    for (const std::string &factor : dim.names) {
      auto open =
          llvm::find_if(interface.openDims, [&](const DimInterface &dim) { return dim.name == factor; });
      product += (product.empty() ? "" : " * ") + (factor == interface.batchName      ? "rows"
                                                   : open != interface.openDims.end() ? open->cName
                                                                                      : factor);
    }
    text += "[" + product + "]";
  }
  return text;
}

std::string noteOf(const InputInterface &input) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (input.classAxis)
    out << "; classes: axis " << *input.classAxis << " (" << *input.limit << ")";
  if (input.low) {
    out << ", values " << *input.low << " to " << *input.limit - 1;
    if (input.ignore)
      out << ", or " << *input.ignore << " for rows that do not count";
    out << " (else DLC_INDEX_OUT_OF_RANGE)";
  }
  if (input.derivative == train::Derivative::Vjp)
    out << "; the cotangent of '" << inComment(input.of) << "'";
  else if (input.derivative == train::Derivative::Jvp)
    out << "; the tangent of '" << inComment(input.of) << "'";
  else if (input.derivative == train::Derivative::Hvp)
    out << "; the vector";
  else if (input.target)
    out << "; the target";
  return text;
}

std::string rangeOf(const StateInterface &hyperparameter) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << llvm::format("initially %.9g", hyperparameter.initial.value_or(0));
  // The largest float is the end of all ranges that have no other.
  constexpr double largest = std::numeric_limits<float>::max();
  if (hyperparameter.low && *hyperparameter.low > -largest)
    out << llvm::format("; at least %g", *hyperparameter.low);
  if (hyperparameter.limit && *hyperparameter.limit < largest)
    out << llvm::format(", less than %g", *hyperparameter.limit);
  return text;
}

void HeaderArguments::describeInput(const InputInterface &input, bool atSizes) {
  out << " *   " << input.cName;
  if (input.cName != input.name)
    out << " ('" << inComment(input.name) << "')";
  out << ": " << arrayOf(input, atSizes) << noteOf(input) << "\n";
}

void HeaderArguments::describeInputs(bool withTargets, bool atSizes, train::Derivative derivative) {
  for (const InputInterface &input : interface.inputs)
    if (isTaken(input, withTargets, derivative))
      describeInput(input, atSizes);
}

void HeaderArguments::describeOutputs(train::Derivative derivative) {
  for (const OutputInterface &output : interface.outputs) {
    if (!output.isResultOf(derivative))
      continue;
    out << " *   " << output.cName;
    if (output.cName != output.name)
      out << " ('" << inComment(output.name) << "')";
    out << ": receives " << arrayOf(output, /*atSizes=*/true) << "\n";
  }
}

std::string HeaderArguments::outputParameters(train::Derivative derivative) const {
  std::string result;
  for (const OutputInterface &output : interface.outputs)
    if (output.isResultOf(derivative))
      result += ",\n    " + cTypeName(output.dtype).str() + " *" + output.cName;
  return result;
}

std::string HeaderArguments::sizeParameters() const {
  std::string result;
  for (const DimInterface &dim : interface.openDims)
    result += ", int64_t " + dim.cName;
  return result;
}

void HeaderArguments::describeSizes() {
  for (const DimInterface &dim : interface.openDims) {
    out << " *   " << dim.cName;
    if (dim.cName != dim.name)
      out << " ('" << inComment(dim.name) << "')";
    out << ": a size of inputs and outputs, 1 to " << dim.maxName << "\n";
  }
}

} // namespace dlc::emit
