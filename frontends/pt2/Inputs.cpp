//===- Inputs.cpp - what an exported program reads -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Inputs.h"
#include "frontends/pt2/Sizes.h"

using namespace mlir;

namespace dlc::pt2 {

void Inputs::declare() {
  for (const auto &tensor : model.graph.tensors)
    program.symbols.addModelName(tensor.first());
  SmallVector<const InputSpec *> inputs;
  for (const InputSpec &spec : model.inputs) {
    bool isTensor = spec.arg.kind == Argument::Kind::Tensor;
    if (spec.kind == InputSpec::Kind::Other && spec.target != "constant_input")
      diagnostics.addReason("the model has an input of the kind " + spec.target + ", expected tensors");
    if (!isTensor)
      continue; // a number that was known when the module was exported
    GraphValue &value = values[spec.arg.text];
    if (value.storage != 0) {
      diagnostics.addReason("input '" + spec.arg.text + "' is there twice");
      continue;
    }
    value.storage = values.newStorage();
    if (spec.kind == InputSpec::Kind::User) {
      value.failed = true; // until it is declared
      inputs.push_back(&spec);
    } else if (spec.kind != InputSpec::Kind::Parameter) {
      value.state = &spec;
    }
  }
  for (const InputSpec &spec : model.inputs)
    if (spec.kind == InputSpec::Kind::Parameter)
      states.declareParameter(spec);
  declareUserInputs(inputs);
}

std::optional<frontend::InputDims> Inputs::dimsOf(const InputSpec &spec, const TensorMeta &meta) {
  frontend::InputDims result{spec.arg.text, {}};
  for (const Size &size : meta.sizes) {
    if (size.expression.empty()) {
      result.dims.push_back({size.number, false, ""});
      continue;
    }
    std::optional<Product> product = parseProduct(size.expression);
    if (!product || product->symbols.size() != 1) {
      diagnostics.addReason("dim " + Twine(result.dims.size()) + " of input '" + spec.arg.text +
                            "' has the size " + StringRef(size.expression).take_front(200) +
                            ", expected a symbol, or a multiple of one");
      return std::nullopt;
    }
    result.dims.push_back({product->factor, true, product->symbols.front()});
  }
  return result;
}

void Inputs::declareUserInputs(ArrayRef<const InputSpec *> inputs) {
  std::vector<std::pair<const InputSpec *, Type>> known;
  std::vector<frontend::InputDims> dims;
  for (const InputSpec *spec : inputs) {
    std::string where = "input '" + spec->arg.text + "'";
    auto meta = model.graph.tensors.find(spec->arg.text);
    if (meta == model.graph.tensors.end()) {
      diagnostics.addReason(where + " has no dtype and no shape");
      continue;
    }
    Type element = elementTypeOf(meta->second.dtype, program.context);
    if (!element) {
      diagnostics.addReason(where + ": tensors of type " + dtypeName(meta->second.dtype) +
                            " are not supported");
      continue;
    }
    DType dtype = DType(meta->second.dtype);
    if (dtype == DType::Half || dtype == DType::BFloat16)
      diagnostics.remark("tensors of type " + dtypeName(meta->second.dtype) +
                         " are read as float32 and computed in float32; the arrays of " + where +
                         " hold float32, too");
    if (std::optional<frontend::InputDims> found = dimsOf(*spec, meta->second)) {
      known.emplace_back(spec, element);
      dims.push_back(std::move(*found));
    }
  }
  program.dimNames.findBatch(dims);
  for (auto [each, sizes] : llvm::zip_equal(known, dims)) {
    const auto &[spec, element] = each;
    GraphValue &graphValue = values[spec->arg.text];
    graphValue.value = program.declareInput(sizes, element);
    graphValue.failed = !graphValue.value;
  }
  checkRanges();
  program.declareDims(!inputs.empty(),
                      "module with an open batch (torch.export.export(module, (x,), dynamic_shapes=({0: "
                      "\"batch\"},)))");
}

/// The module was traced for a range of sizes: another one may take another way through the author's code.
/// PyTorch begins ranges at 2 where nothing depends on it.
void Inputs::checkRanges() {
  for (const auto &range : model.ranges) {
    StringRef key = range.first();
    const nn::Dim *dim = program.dimNames.find(key);
    bool isGiven = dim && (program.dimNames.isBatch(key)
                               ? program.options.batch != 0 || program.options.dims.count(key.str())
                               : program.options.dims.count(key.str()) != 0);
    if (!isGiven)
      continue;
    int64_t size = program.dimNames.boundOf(*dim);
    std::optional<int64_t> low = range.second.low, high = range.second.high;
    if ((high && size > *high) || (low && *low > 2 && size < *low))
      diagnostics.addReason(
          Twine(program.dimNames.isBatch(key) ? "the batch" : "the dim '" + key.str() + "'") +
          " cannot have the size " + Twine(size) + ": the module was exported for sizes from " +
          (low ? Twine(*low).str() : "0") + (high ? " to " + Twine(*high).str() : " on") +
          "; give one of these, or export it with another range (torch.export.Dim)");
  }
}

} // namespace dlc::pt2
