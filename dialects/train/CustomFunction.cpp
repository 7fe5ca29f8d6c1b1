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

CustomDim CustomDim::parse(StringRef text) {
  CustomDim dim;
  int64_t size;
  if (!text.getAsInteger(10, size)) {
    dim.size = size;
    return dim;
  }
  dim.isGroup = text.consume_back("...");
  dim.name = text;
  return dim;
}

//===-- What stands in attributes ----------------------------------------------===//

template <typename T> static T entry(DictionaryAttr entries, StringRef name) {
  return dyn_cast_or_null<T>(entries.get(name));
}

static StringRef nameOf(DictionaryAttr entries) {
  auto name = entry<StringAttr>(entries, "name");
  return name ? name.getValue() : "";
}

static Type typeOf(DictionaryAttr entries, StringRef name) {
  auto type = entry<TypeAttr>(entries, name);
  return type ? type.getValue() : Type();
}

StringRef CustomTensor::getName() const { return nameOf(entries); }
Type CustomTensor::getElement() const { return typeOf(entries, "element"); }
SmallVector<StringRef> CustomTensor::getShape() const {
  SmallVector<StringRef> shape;
  if (auto texts = entry<ArrayAttr>(entries, "shape"))
    for (Attribute text : texts)
      shape.push_back(isa<StringAttr>(text) ? cast<StringAttr>(text).getValue() : "");
  return shape;
}

StringRef CustomSetting::getName() const { return nameOf(entries); }
Type CustomSetting::getType() const { return typeOf(entries, "type"); }
TypedAttr CustomSetting::getFallback() const { return entry<TypedAttr>(entries, "fallback"); }

template <typename Entry> static SmallVector<Entry> listOf(ArrayAttr entries) {
  SmallVector<Entry> list;
  if (entries)
    for (auto each : entries.getAsRange<DictionaryAttr>())
      list.push_back(each);
  return list;
}

SmallVector<CustomTensor> CustomFunctionOp::inputTensors() { return listOf<CustomTensor>(getInputsAttr()); }
SmallVector<CustomTensor> CustomFunctionOp::outputTensors() { return listOf<CustomTensor>(getOutputsAttr()); }
SmallVector<CustomSetting> CustomFunctionOp::settingList() {
  return listOf<CustomSetting>(getSettingsAttr());
}

static SmallVector<CustomTensor> tensorsOf(CustomFunctionOp function) {
  SmallVector<CustomTensor> tensors = function.inputTensors();
  llvm::append_range(tensors, function.outputTensors());
  return tensors;
}

SmallVector<StringRef> CustomFunctionOp::sizeNames() {
  SmallVector<StringRef> names;
  for (CustomTensor tensor : inputTensors()) // outputs have no names of their own
    for (StringRef text : tensor.getShape())
      if (CustomDim dim = CustomDim::parse(text); !dim.size && !llvm::is_contained(names, dim.name))
        names.push_back(dim.name);
  return names;
}

namespace {

class Checker {
public:
  explicit Checker(CustomFunctionOp function) : function(function) {}
  LogicalResult run();

private:
  LogicalResult checkName(StringRef what, StringRef name);
  LogicalResult checkTensor(CustomTensor tensor, bool isInput);
  LogicalResult checkDim(CustomTensor tensor, const CustomDim &dim, bool isInput);
  LogicalResult checkSetting(CustomSetting setting);
  LogicalResult checkInplace();
  LogicalResult checkRows();

  CustomFunctionOp function;
  llvm::StringSet<> names;         ///< of what the function gets
  llvm::StringMap<bool> sizeNames; ///< whether it is a group
};

} // namespace

LogicalResult Checker::checkName(StringRef what, StringRef name) {
  if (name.empty() || name.starts_with("_") || dlc::cIdentifier(name) != name)
    return function.emitOpError("has the ")
           << what << " '" << name << "', expected an identifier of C that does not begin with '_'";
  if (names.insert(name).second)
    return success();
  return function.emitOpError("has the name '") << name << "' twice, the second time for the " << what;
}

LogicalResult Checker::checkDim(CustomTensor tensor, const CustomDim &dim, bool isInput) {
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

LogicalResult Checker::checkTensor(CustomTensor tensor, bool isInput) {
  if (failed(checkName(isInput ? "input" : "output", tensor.getName())))
    return failure();
  Type element = tensor.getElement();
  if (!element || (!element.isF32() && !element.isF64() && !element.isSignlessInteger(32) &&
                   !element.isSignlessInteger(64) && !element.isSignlessInteger(1)))
    return function.emitOpError("has '")
           << tensor.getName() << "' of elements " << element << ", expected f32, f64, i32, i64 or i1";
  if (tensor.isConstant() && !isInput)
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

LogicalResult Checker::checkSetting(CustomSetting setting) {
  if (failed(checkName("attribute", setting.getName())))
    return failure();
  if (!setting.getType() || (!setting.getType().isF64() && !setting.getType().isSignlessInteger(64)))
    return function.emitOpError("has the attribute '")
           << setting.getName() << "' of type " << setting.getType() << ", expected f64 or i64";
  if (setting.getFallback() && setting.getFallback().getType() != setting.getType())
    return function.emitOpError("has the attribute '")
           << setting.getName() << "' with a default of another type";
  return success();
}

LogicalResult Checker::checkInplace() {
  ArrayRef<int64_t> pairs = function.getInplace().value_or(ArrayRef<int64_t>());
  SmallVector<CustomTensor> inputs = function.inputTensors(), outputs = function.outputTensors();
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

/// The first dim of all outputs, and no other dim of any tensor.
LogicalResult Checker::checkRows() {
  if (!function.getRows())
    return success();
  StringRef rows = *function.getRows();
  if (!sizeNames.contains(rows))
    return function.emitOpError("has rows '") << rows << "', which is the name of no size";
  auto isRows = [&](StringRef text) { return CustomDim::parse(text).name == rows; };
  for (CustomTensor tensor : tensorsOf(function))
    if (SmallVector<StringRef> shape = tensor.getShape();
        llvm::any_of(ArrayRef(shape).drop_front(!shape.empty()), isRows))
      return function.emitOpError("has '")
             << tensor.getName() << "' with the rows '" << rows << "' in another place than the first";
  for (CustomTensor tensor : function.outputTensors())
    if (tensor.getShape().empty() || !isRows(tensor.getShape().front()))
      return function.emitOpError("has the output '") << tensor.getName() << "' without the rows '" << rows
                                                      << "', which would be written several times";
  return success();
}

LogicalResult Checker::run() {
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
  for (CustomTensor tensor : function.inputTensors())
    if (failed(checkTensor(tensor, /*isInput=*/true)))
      return failure();
  for (CustomTensor tensor : function.outputTensors())
    if (failed(checkTensor(tensor, /*isInput=*/false)))
      return failure();
  for (CustomSetting setting : function.settingList())
    if (failed(checkSetting(setting)))
      return failure();
  if (CustomCuda code = function.cudaCode(); code && failed(code.verify(function)))
    return failure();
  return success(succeeded(checkInplace()) && succeeded(checkRows()));
}

LogicalResult CustomFunctionOp::verify() { return Checker(*this).run(); }

//===-- The function of the gradient -------------------------------------------===//

template <typename Entry> static Entry named(ArrayRef<Entry> entries, StringRef name) {
  auto found = llvm::find_if(entries, [&](Entry each) { return each.getName() == name; });
  return found == entries.end() ? Entry() : *found;
}

/// What an input of the gradient's function is; null where its name says nothing.
static CustomTensor meant(CustomFunctionOp function, StringRef name) {
  if (CustomTensor tensor = named<CustomTensor>(tensorsOf(function), name))
    return tensor;
  return name.consume_front("grad_") ? named<CustomTensor>(function.outputTensors(), name) : CustomTensor();
}

static LogicalResult checkGradient(CustomFunctionOp function, CustomFunctionOp gradient) {
  SmallVector<CustomTensor> inputs = function.inputTensors(), outputs = function.outputTensors();
  for (CustomTensor output : outputs)
    if (named<CustomTensor>(tensorsOf(function), ("grad_" + output.getName()).str()))
      return function.emitOpError("has both '") << output.getName() << "' and 'grad_" << output.getName()
                                                << "', which its gradient cannot tell apart";
  for (CustomTensor taken : gradient.inputTensors()) {
    CustomTensor tensor = meant(function, taken.getName());
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
  for (CustomTensor given : gradient.outputTensors()) {
    StringRef name = given.getName();
    CustomTensor input = name.consume_front("grad_") ? named<CustomTensor>(inputs, name) : CustomTensor();
    if (!input || !input.isVariable() || input.getElement() != given.getElement())
      return gradient.emitOpError("has the output '")
             << given.getName() << "', but is the gradient of '" << function.getSymName()
             << "': expected grad_ and the name of one of its inputs of floating-point numbers that is not "
                "constant, "
                "of the same type";
  }
  for (CustomTensor input : inputs)
    if (input.isVariable() &&
        !named<CustomTensor>(gradient.outputTensors(), ("grad_" + input.getName()).str()))
      return gradient.emitOpError("has no output 'grad_")
             << input.getName() << "', but is the gradient of '" << function.getSymName()
             << "'; where no gradient is to flow to the input, declare it constant";
  for (CustomSetting setting : gradient.settingList()) {
    CustomSetting own = named<CustomSetting>(function.settingList(), setting.getName());
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
