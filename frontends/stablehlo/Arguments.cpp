//===- Arguments.cpp - what a program of StableHLO takes --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text does not tell parameters from inputs: a function of JAX takes both. An argument for which the file
// of values has a tensor is a parameter; the others are inputs. What looks like a parameter and has no value
// is refused.
//===----------------------------------------------------------------------===//
#include "compiler/support/Messages.h"
#include "frontends/common/DenseElements.h"
#include "frontends/stablehlo/Importer.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace dlc::stablehlo {

//===-- Names ------------------------------------------------------------------===//

/// Programs with open sizes hand their arguments on to the function that has the names.
static Path pathOf(const Source &source, BlockArgument argument) {
  Path path = parsePath(nameOf(argument.getLoc()));
  for (OpOperand &use : argument.getUses()) {
    auto call = dyn_cast<func::CallOp>(use.getOwner());
    func::FuncOp callee = path.empty() && call ? source.find(call.getCallee()) : nullptr;
    if (callee && use.getOperandNumber() < callee.getNumArguments())
      path = parsePath(nameOf(callee.getArgument(use.getOperandNumber()).getLoc()));
  }
  return path;
}

void Importer::readArguments() {
  for (BlockArgument argument : source.main().getArguments()) {
    Input input{argument, pathOf(source, argument), "", nullptr};
    input.name = input.path.empty() ? "arg" + std::to_string(argument.getArgNumber())
                                    : input.path.join(input.path.hasKey ? "." : "_", input.path.hasKey);
    inputs.push_back(std::move(input));
  }
}

/// The argument of Python's function that holds the leaf.
static std::string treeOf(const Path &path) {
  bool isNumbered = path.parts.size() > 1 && path.parts[0] == "args";
  return path.empty() ? "" : isNumbered ? "args[" + path.parts[1] + "]" : path.parts[0];
}

/// How many parts of a leaf's path that argument takes.
static size_t partsOfTree(const Path &path) {
  return path.empty() ? 0 : treeOf(path) == path.parts.front() ? 1 : 2;
}

/// The names that a tensor may have: with or without the argument of Python's function, and without Flax's
/// collection of parameters.
static SmallVector<std::string> namesOfTensor(StringRef name, const Path &path) {
  SmallVector<std::string> names{name.str()};
  if (path.empty())
    return names;
  names.append({path.join("."), path.join(".", 1)});
  size_t collection = partsOfTree(path);
  if (path.parts.size() > collection + 1) {
    if (collection == 2)
      names.push_back(path.join(".", 2));
    if (path.parts[collection] == "params")
      names.push_back(path.join(".", collection + 1));
  }
  return names;
}

void Importer::matchWeights() {
  if (!weights)
    return;
  llvm::StringMap<SmallVector<Input *, 1>> byName;
  for (Input &input : inputs)
    for (const std::string &name : namesOfTensor(input.name, input.path))
      if (!llvm::is_contained(byName[name], &input))
        byName[name].push_back(&input);
  if (!inputs.empty() && llvm::all_of(inputs, [](const Input &input) { return input.path.empty(); }) &&
      llvm::none_of(weights->tensors(), [&](const auto &each) { return byName.contains(each.first); }))
    return diagnostics.addReason(
        "the text has no names of its arguments, so no tensor of '" + weightsFile +
        "' is one of them: write it with jax.jit(f).lower(...).as_text(debug_info=True) or with "
        "jax.export, or call the tensors 'arg0', 'arg1' and so on, by their places");
  for (const auto &[name, tensor] : weights->tensors()) {
    const auto &found = byName[name];
    std::string where = "tensor '" + name + "' of '" + weightsFile + "'";
    if (found.empty())
      diagnostics.addReason(where + " is no argument of the program, which takes " +
                            (inputs.empty() ? "none" : "'" + inputs.front().name + "'") +
                            (inputs.size() > 1 ? " to '" + inputs.back().name + "'" : "") +
                            "; name it as its argument, or leave it out");
    else if (found.size() > 1)
      diagnostics.addReason(where + " may be the argument '" + found[0]->path.join(".") + "' or '" +
                            found[1]->path.join(".") + "'; give it its whole name");
    else if (found[0]->weight)
      diagnostics.addReason(where + " is a second value of the argument '" + found[0]->name + "'");
    else
      found[0]->weight = &tensor;
  }
}

void Importer::refuseMissingValues() {
  llvm::StringSet<> trees;
  for (const Input &input : inputs)
    if (input.weight)
      trees.insert(treeOf(input.path));
  std::vector<std::string> missing;
  for (const Input &input : inputs)
    if (!input.weight && !input.path.empty() &&
        (weights ? input.path.parts.size() > 1 && trees.contains(treeOf(input.path)) : input.path.hasKey))
      missing.push_back(input.name);
  if (missing.empty())
    return;
  std::string which = "argument '" + missing.front() + "'" +
                      (missing.size() > 1 ? " and " + std::to_string(missing.size() - 1) + " more" : "");
  if (weights)
    diagnostics.addReason("'" + weightsFile + "' has no value of " + which +
                          ", but of others of the same tree; write all of its leaves");
  else
    diagnostics.addReason("parameters have no values: " + which +
                          (missing.size() == 1 ? " is a leaf of a tree" : " are leaves of a tree") +
                          "; give their values with --parameters=FILE.safetensors, which "
                          "docs/stablehlo.md says how to write");
}

//===-- Parameters -------------------------------------------------------------===//

/// What safetensors calls the type.
static StringRef safetensorsName(Type type) {
  return isa<Float32Type>(type)    ? "F32"
         : isa<Float64Type>(type)  ? "F64"
         : isa<Float16Type>(type)  ? "F16"
         : isa<BFloat16Type>(type) ? "BF16"
         : type.isInteger(1)       ? "BOOL"
         : type.isInteger(8)       ? "U8"
         : type.isInteger(32)      ? "I32"
                                   : "I64";
}

/// Numbers of 16 bits as float32.
static std::vector<char> widened(ArrayRef<char> bytes, bool isBfloat) {
  std::vector<char> result(bytes.size() * 2);
  for (size_t i = 0; i < bytes.size() / 2; ++i) {
    llvm::APFloat number(isBfloat ? llvm::APFloat::BFloat() : llvm::APFloat::IEEEhalf(),
                         APInt(16, llvm::support::endian::read16le(bytes.data() + 2 * i)));
    bool loses = false;
    number.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &loses);
    llvm::support::endian::write32le(result.data() + 4 * i, number.bitcastToAPInt().getZExtValue());
  }
  return result;
}

static bool isStateName(StringRef name) {
  return name != "__metadata__" && !name.empty() && !name.contains('\0') && llvm::json::isUTF8(name);
}

void Importer::declareParameter(const Input &input) {
  auto type = cast<RankedTensorType>(input.source.getType());
  Type element = elementTypeOf(type.getElementType());
  const WeightTensor &weight = *input.weight;
  std::string where = "parameter '" + input.name + "'",
              expected = safetensorsName(type.getElementType()).str();
  if (!isStateName(input.name))
    return diagnostics.addReason("a parameter has a name that a safetensors file cannot have; rename it");
  if (!type.hasStaticShape() || type.getShape() != ArrayRef<int64_t>(weight.shape))
    return diagnostics.addReason(where + " has the shape " + nn::str(nn::shapeOf(type)) +
                                 " in the program, but its tensor " +
                                 nn::str(nn::Shape(weight.shape.begin(), weight.shape.end())));
  bool isShort = weight.dtype == "F16" || weight.dtype == "BF16";
  bool isLow = type.getElementType().getIntOrFloatBitWidth() == 16;
  if (weight.dtype != expected && !(isLow && weight.dtype == "F32"))
    return diagnostics.addReason(where + " is of type " + expected +
                                 " in the program, but its tensor of type " + weight.dtype);
  std::vector<char> wide = isShort ? widened(weight.bytes, weight.dtype == "BF16") : std::vector<char>();
  ArrayRef<char> bytes = isShort ? ArrayRef<char>(wide) : weight.bytes;
  auto target = RankedTensorType::get(type.getShape(), element);
  Known &known = (*scope)[input.source];
  program.body.setLoc(program.locationOf(input.name));
  if (!isa<FloatType>(element)) {
    known.value =
        nn::ConstantOp::create(program.body, frontend::denseElements(target, bytes, /*splat=*/false));
    known.failed = false;
    return;
  }
  // Only the collection 'params' of Flax is trained: the others hold statistics and caches.
  size_t collection = partsOfTree(input.path);
  auto isCollection = [&](const Input &other) {
    return collection > 0 && treeOf(other.path) == treeOf(input.path) &&
           other.path.parts.size() > collection + 1 && other.path.parts[collection] == "params";
  };
  bool isFrozen =
      treeOf(input.path) == "batch_stats" || (llvm::any_of(inputs, isCollection) && !isCollection(input));
  std::string symbol = program.symbols.unique(input.name);
  train::StateOp::create(
      program.declarations, program.locationOf(input.name), train::StateKind::Parameter, symbol,
      FlatSymbolRefAttr(), isFrozen, target,
      frontend::storedElements(target, frontend::TensorBytes::copy(bytes), /*splat=*/false, symbol));
  known.value = train::ReadOp::create(program.body, target, symbol);
  known.failed = false;
}

//===-- Inputs -----------------------------------------------------------------===//

/// A function of one integer, such as a dim of an argument, that JAX asks for.
static std::optional<std::pair<unsigned, unsigned>> askedDim(Value value) {
  Operation *op = value.getDefiningOp();
  auto dim = op ? op->getAttrOfType<IntegerAttr>("dimension") : nullptr;
  if (!dim || op->getName().getStringRef() != "stablehlo.get_dimension_size" || op->getNumOperands() != 1)
    return std::nullopt;
  auto argument = dyn_cast<BlockArgument>(op->getOperand(0));
  if (!argument || dim.getInt() < 0 || dim.getInt() > nn::maxRank)
    return std::nullopt;
  return std::pair(argument.getArgNumber(), unsigned(dim.getInt()));
}

/// A program with open sizes asks for sizes of its arguments, hands them on under their names, and asserts
/// that others are equal to them.
void Importer::nameDims() {
  Block &block = source.main().getBody().front();
  for (Operation &op : block) {
    auto call = dyn_cast<func::CallOp>(op);
    func::FuncOp callee = call ? source.find(call.getCallee()) : nullptr;
    for (unsigned i = 0; callee && i < std::min(callee.getNumArguments(), call.getNumOperands()); ++i)
      if (auto name = callee.getArgAttrOfType<StringAttr>(i, "jax.global_constant"))
        if (auto dim = askedDim(call.getOperand(i)))
          dimKeys[*dim] = name.str();
  }
  for (Operation &op : block) {
    if (op.getName().getStringRef() != "stablehlo.compare" || op.getNumOperands() != 2)
      continue;
    auto a = askedDim(op.getOperand(0)), b = askedDim(op.getOperand(1));
    auto direction = op.getAttrOfType<StringAttr>("comparison_direction");
    if (!a || !b || !direction || !direction.getValue().ends_with("EQ"))
      continue;
    if (auto known = dimKeys.find(*b); known != dimKeys.end())
      dimKeys.try_emplace(*a, known->second);
    else if (auto other = dimKeys.find(*a); other != dimKeys.end())
      dimKeys.try_emplace(*b, other->second);
  }
}

frontend::InputDims Importer::dimsOf(const Input &input) {
  frontend::InputDims result{input.name, {}};
  auto type = cast<RankedTensorType>(input.source.getType());
  unsigned argument = cast<BlockArgument>(input.source).getArgNumber();
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    auto key = dimKeys.find({argument, unsigned(i)});
    if (!ShapedType::isDynamic(size))
      result.dims.push_back({size, false, ""});
    else
      result.dims.push_back(
          {1, true, key == dimKeys.end() ? input.name + "_" + std::to_string(i) : key->second});
  }
  return result;
}

void Importer::declareInputs() {
  std::vector<std::pair<const Input *, Type>> known;
  std::vector<frontend::InputDims> dims;
  for (const Input &input : inputs) {
    if (input.weight)
      continue;
    program.symbols.addModelName(input.name);
    known.emplace_back(&input,
                       elementTypeOf(cast<RankedTensorType>(input.source.getType()).getElementType()));
    dims.push_back(dimsOf(input));
  }
  program.dimNames.findBatch(dims);
  for (auto [each, sizes] : llvm::zip_equal(known, dims)) {
    const auto &[input, element] = each;
    Known &value = (*scope)[input->source];
    value.value = program.declareInput(sizes, element);
    value.failed = !value.value;
  }
  program.declareDims(!known.empty(),
                      "function with an open batch (jax.export.symbolic_shape, docs/stablehlo.md)");
}

void Importer::declareArguments() {
  readArguments();
  matchWeights();
  refuseMissingValues();
  nameDims();
  for (const Input &input : inputs) {
    (*scope)[input.source].failed = true; // until it is declared
    auto type = dyn_cast<RankedTensorType>(input.source.getType());
    if (!type || !elementTypeOf(type.getElementType()) || type.getRank() > nn::maxRank)
      diagnostics.addReason(
          "argument '" + input.name + "' is of type " + dtypeName(input.source.getType()) +
          ", expected a tensor of float32, float64, bfloat16, float16, int32, int64, uint8 or bool");
  }
  if (diagnostics.errors() > 0)
    return;
  for (const Input &input : inputs)
    if (input.weight)
      declareParameter(input);
  declareInputs();
}

} // namespace dlc::stablehlo
