//===- CustomFunction.cpp - train: what users' functions may say -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A declaration is checked once, whoever wrote it; its errors say names as users wrote them.
//===----------------------------------------------------------------------===//
#include "compiler/support/CNames.h"
#include "dialects/train/Custom.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace train;

template <typename Entry> static SmallVector<Entry> listOf(ArrayAttr entries) {
  return entries ? llvm::to_vector(entries.getAsRange<Entry>()) : SmallVector<Entry>();
}

SmallVector<CustomTensorAttr> CustomFunctionOp::inputTensors() {
  return listOf<CustomTensorAttr>(getInputsAttr());
}
SmallVector<CustomTensorAttr> CustomFunctionOp::outputTensors() {
  return listOf<CustomTensorAttr>(getOutputsAttr());
}
SmallVector<CustomSettingAttr> CustomFunctionOp::settingList() {
  return listOf<CustomSettingAttr>(getSettingsAttr());
}

static SmallVector<CustomTensorAttr> tensorsOf(CustomFunctionOp function) {
  SmallVector<CustomTensorAttr> tensors = function.inputTensors();
  llvm::append_range(tensors, function.outputTensors());
  return tensors;
}

StringRef CustomFunctionOp::codeName() {
  return getFunction() ? *getFunction() : getCudaAttr() ? getCudaAttr().getFunction() : getSymName();
}

SmallVector<StringRef> CustomFunctionOp::sizeNames() {
  SmallVector<StringRef> names;
  for (CustomTensorAttr tensor : inputTensors()) // outputs have no names of their own
    for (StringRef text : tensor.getShape())
      if (CustomDim dim = CustomDim::parse(text); !dim.size && !llvm::is_contained(names, dim.name))
        names.push_back(dim.name);
  return names;
}

namespace {

class CustomFunctionVerifier {
public:
  explicit CustomFunctionVerifier(CustomFunctionOp function) : function(function) {}
  LogicalResult run();

private:
  LogicalResult checkName(StringRef what, StringRef name);
  LogicalResult checkTensor(CustomTensorAttr tensor, bool isInput);
  LogicalResult checkDim(CustomTensorAttr tensor, const CustomDim &dim, bool isInput);
  LogicalResult checkSetting(CustomSettingAttr setting);
  LogicalResult checkInplace();
  LogicalResult checkCuda(CustomCudaAttr code);
  LogicalResult checkRows();
  LogicalResult checkCollective();

  CustomFunctionOp function;
  llvm::StringSet<> names;         ///< of what the function gets
  llvm::StringMap<bool> sizeNames; ///< whether it is a group
};

} // namespace

LogicalResult CustomFunctionVerifier::checkName(StringRef what, StringRef name) {
  if (name.empty() || name.starts_with("_") || dlc::cIdentifier(name) != name)
    return function.emitOpError("has the ")
           << what << " '" << name << "', expected an identifier of C that does not begin with '_'";
  if (names.insert(name).second)
    return success();
  return function.emitOpError("has the name '") << name << "' twice, the second time for the " << what;
}

LogicalResult CustomFunctionVerifier::checkDim(CustomTensorAttr tensor, const CustomDim &dim, bool isInput) {
  if (dim.size)
    return *dim.size > 0 ? success()
                         : function.emitOpError("has '") << tensor.getName() << "' with a dim of size "
                                                         << *dim.size << ", expected 1 or more";
  auto known = sizeNames.find(dim.name);
  if (known != sizeNames.end())
    return known->second == dim.isGroup
               ? success()
               : function.emitOpError("has the size '") << dim.name << "' with three dots and without them";
  if (!isInput)
    return function.emitOpError("has the output '")
           << tensor.getName() << "' with the size '" << dim.name << "', which no input has";
  sizeNames[dim.name] = dim.isGroup;
  return checkName("size", dim.name);
}

LogicalResult CustomFunctionVerifier::checkTensor(CustomTensorAttr tensor, bool isInput) {
  if (failed(checkName(isInput ? "input" : "output", tensor.getName())))
    return failure();
  Type element = tensor.getElement();
  if (!element.isF32() && !element.isF64() && !element.isSignlessInteger(32) &&
      !element.isSignlessInteger(64) && !element.isSignlessInteger(1))
    return function.emitOpError("has '")
           << tensor.getName() << "' of elements " << element << ", expected f32, f64, i32, i64 or i1";
  if (tensor.getConstant() && !isInput)
    return function.emitOpError("has the output '") << tensor.getName() << "', which cannot be constant";
  unsigned groups = 0;
  for (StringRef text : tensor.getShape()) {
    CustomDim dim = CustomDim::parse(text);
    groups += dim.isGroup;
    if (failed(checkDim(tensor, dim, isInput)))
      return failure();
  }
  return groups <= 1 ? success()
                     : function.emitOpError("has '")
                           << tensor.getName()
                           << "' with two names that have three dots, expected at most one";
}

LogicalResult CustomFunctionVerifier::checkSetting(CustomSettingAttr setting) {
  if (failed(checkName("attribute", setting.getName())))
    return failure();
  if (!setting.getType().isF64() && !setting.getType().isSignlessInteger(64))
    return function.emitOpError("has the attribute '")
           << setting.getName() << "' of type " << setting.getType() << ", expected f64 or i64";
  if (setting.getFallback() && setting.getFallback().getType() != setting.getType())
    return function.emitOpError("has the attribute '")
           << setting.getName() << "' with a default of another type";
  return success();
}

LogicalResult CustomFunctionVerifier::checkInplace() {
  ArrayRef<int64_t> pairs = function.getInplace().value_or(ArrayRef<int64_t>());
  SmallVector<CustomTensorAttr> inputs = function.inputTensors(), outputs = function.outputTensors();
  if (pairs.size() % 2)
    return function.emitOpError("expects pairs in inplace, got ") << pairs.size() << " numbers";
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    int64_t input = pairs[i], output = pairs[i + 1];
    if (input < 0 || input >= int64_t(inputs.size()) || output < 0 || output >= int64_t(outputs.size()))
      return function.emitOpError("expects an input and an output in inplace, got ")
             << input << " and " << output;
    if (inputs[input].getElement() != outputs[output].getElement() ||
        inputs[input].getShape() != outputs[output].getShape())
      return function.emitOpError("expects one type and shape of '")
             << inputs[input].getName() << "' and '" << outputs[output].getName() << "', which are inplace";
  }
  return success();
}

/// All is there, and the function has the sizes.
LogicalResult CustomFunctionVerifier::checkCuda(CustomCudaAttr code) {
  constexpr int64_t mostThreads = 1024; // of a block, on every GPU
  StringRef name = code.getFunction(), source = code.getSource();
  if (source.empty() || source.contains('\0'))
    return function.emitOpError("expects the name of a source file in cuda");
  // Kernels of dlc begin with dlc_.
  if (name.empty() || name.starts_with("_") || name.starts_with("dlc_") || dlc::cIdentifier(name) != name)
    return function.emitOpError("has the function '")
           << name << "' in cuda, expected an identifier of C that begins with neither '_' nor 'dlc_'";
  if (code.getBlock() < 1 || code.getBlock() > mostThreads)
    return function.emitOpError("has blocks of ")
           << code.getBlock() << " threads in cuda, expected 1 to " << mostThreads;
  if (code.getFactors().empty())
    return function.emitOpError(
        "expects in cuda either threads or blocks, a list of numbers and names of sizes");
  for (StringRef text : code.getFactors()) {
    CustomDim factor = CustomDim::parse(text);
    if (factor.size ? *factor.size < 1 : !sizeNames.contains(factor.name))
      return function.emitOpError("has '") << text << "' in " << stringifyCustomCount(code.getCount())
                                           << " of cuda, expected a positive number or the name of a size";
  }
  return success();
}

/// The first dim of all outputs, and no other dim of any tensor.
LogicalResult CustomFunctionVerifier::checkRows() {
  if (!function.getRows())
    return success();
  StringRef rows = *function.getRows();
  if (!sizeNames.contains(rows))
    return function.emitOpError("has rows '") << rows << "', which is the name of no size";
  auto isRows = [&](StringRef text) { return CustomDim::parse(text).name == rows; };
  for (CustomTensorAttr tensor : tensorsOf(function))
    if (ArrayRef<StringAttr> shape = tensor.getShape();
        llvm::any_of(shape.drop_front(!shape.empty()), isRows))
      return function.emitOpError("has '")
             << tensor.getName() << "' with the rows '" << rows << "' in another place than the first";
  for (CustomTensorAttr tensor : function.outputTensors())
    if (tensor.getShape().empty() || !isRows(tensor.getShape().front()))
      return function.emitOpError("has the output '") << tensor.getName() << "' without the rows '" << rows
                                                      << "', which would be written several times";
  return success();
}

LogicalResult CustomFunctionVerifier::checkCollective() {
  SmallVector<CustomTensorAttr> inputs = function.inputTensors(), outputs = function.outputTensors();
  if (function.getFunction() || function.getSource() || function.getCuda() || function.getRows() ||
      !function.settingList().empty())
    return function.emitOpError("is collective: expects no code, rows or settings");
  if (inputs.size() != 1 || outputs.size() != 1 || inputs[0].getElement() != outputs[0].getElement() ||
      inputs[0].getShape() != outputs[0].getShape() ||
      !(inputs[0].getElement().isF32() || inputs[0].getElement().isF64()))
    return function.emitOpError("is collective: expects one input and one output, both of the same shape, "
                                "and of f32 or of f64");
  return success();
}

LogicalResult CustomFunctionVerifier::run() {
  if (function.getCollective())
    return checkCollective();
  if (!function.getFunction() && !function.getCuda())
    return function.emitOpError("expects code for CPUs, for GPUs or for both");
  if (function.getFunction().has_value() != function.getSource().has_value())
    return function.emitOpError("expects a function and its source, or none of both");
  if (function.getSource() && (function.getSource()->empty() || function.getSource()->contains('\0')))
    return function.emitOpError("expects the name of a source file");
  if (function.getFunction() && failed(checkName("function", *function.getFunction())))
    return failure();
  if (function.inputTensors().empty() || function.outputTensors().empty())
    return function.emitOpError("expects at least one input and one output");
  for (CustomTensorAttr tensor : function.inputTensors())
    if (failed(checkTensor(tensor, /*isInput=*/true)))
      return failure();
  for (CustomTensorAttr tensor : function.outputTensors())
    if (failed(checkTensor(tensor, /*isInput=*/false)))
      return failure();
  for (CustomSettingAttr setting : function.settingList())
    if (failed(checkSetting(setting)))
      return failure();
  if (CustomCudaAttr code = function.getCudaAttr(); code && failed(checkCuda(code)))
    return failure();
  return success(succeeded(checkInplace()) && succeeded(checkRows()));
}

LogicalResult CustomFunctionOp::verify() { return CustomFunctionVerifier(*this).run(); }

//===-- The function of the gradient -------------------------------------------===//

template <typename Entry> static Entry named(ArrayRef<Entry> entries, StringRef name) {
  auto found = llvm::find_if(entries, [&](Entry each) { return each.getName() == name; });
  return found == entries.end() ? Entry() : *found;
}

/// What an input of the gradient's function is; null where its name says nothing.
static CustomTensorAttr meant(CustomFunctionOp function, StringRef name) {
  if (CustomTensorAttr tensor = named<CustomTensorAttr>(tensorsOf(function), name))
    return tensor;
  return name.consume_front("grad_") ? named<CustomTensorAttr>(function.outputTensors(), name)
                                     : CustomTensorAttr();
}

static LogicalResult checkGradient(CustomFunctionOp function, CustomFunctionOp gradient) {
  SmallVector<CustomTensorAttr> inputs = function.inputTensors(), outputs = function.outputTensors();
  for (CustomTensorAttr output : outputs)
    if (named<CustomTensorAttr>(tensorsOf(function), ("grad_" + output.getName()).str()))
      return function.emitOpError("has both '") << output.getName() << "' and 'grad_" << output.getName()
                                                << "', which its gradient cannot tell apart";
  for (CustomTensorAttr taken : gradient.inputTensors()) {
    CustomTensorAttr tensor = meant(function, taken.getName());
    if (!tensor)
      return gradient.emitOpError("has the input '")
             << taken.getName() << "', but is the gradient of '" << function.getSymName()
             << "': expected the name of one of its inputs or outputs, or grad_ and the name of an output";
    bool isGradient = taken.getName() != tensor.getName();
    if (taken.getElement() != tensor.getElement() || (isGradient && !isa<FloatType>(tensor.getElement())))
      return gradient.emitOpError("has the input '")
             << taken.getName() << "' of elements " << taken.getElement() << ", but '" << tensor.getName()
             << "' of '" << function.getSymName() << "' has " << tensor.getElement();
  }
  for (CustomTensorAttr given : gradient.outputTensors()) {
    StringRef name = given.getName();
    CustomTensorAttr input =
        name.consume_front("grad_") ? named<CustomTensorAttr>(inputs, name) : CustomTensorAttr();
    if (!input || !input.isVariable() || input.getElement() != given.getElement())
      return gradient.emitOpError("has the output '")
             << given.getName() << "', but is the gradient of '" << function.getSymName()
             << "': expected grad_ and the name of one of its inputs of floating-point numbers that is not "
                "constant, "
                "of the same type";
  }
  for (CustomTensorAttr input : inputs)
    if (input.isVariable() &&
        !named<CustomTensorAttr>(gradient.outputTensors(), ("grad_" + input.getName()).str()))
      return gradient.emitOpError("has no output 'grad_")
             << input.getName() << "', but is the gradient of '" << function.getSymName()
             << "'; where no gradient is to flow to the input, declare it constant";
  for (CustomSettingAttr setting : gradient.settingList()) {
    CustomSettingAttr own = named<CustomSettingAttr>(function.settingList(), setting.getName());
    if (own ? own.getType() != setting.getType() : !setting.getFallback())
      return gradient.emitOpError("has the attribute '")
             << setting.getName() << "', which '" << function.getSymName()
             << "' does not have, or not of the same type";
  }
  return success();
}

LogicalResult CustomFunctionOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (!getGradientAttr())
    return success();
  auto gradient = tables.lookupSymbolIn<CustomFunctionOp>((*this)->getParentOp(), getGradientAttr());
  if (!gradient)
    return emitOpError("has the gradient '") << *getGradient() << "', which is no custom operation";
  return checkGradient(*this, gradient);
}
