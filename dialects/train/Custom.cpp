//===- Custom.cpp - train: uses of operations that users bring themselves --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which types and sizes a use has, and its gradient. What a declaration may say is in CustomFunction.cpp.
//===----------------------------------------------------------------------===//
#include "dialects/train/Custom.h"
#include "dialects/nn/Expr.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace train;

static constexpr StringLiteral gradientOf = "grad_";

//===-- Types ------------------------------------------------------------------===//

namespace {

/// What the names of a function's sizes stand for in one use.
class Sizes {
public:
  Sizes(CustomFunctionOp function, ReportError error) : function(function), error(error) {}

  LogicalResult bind(CustomTensorAttr tensor, Type type);
  RankedTensorType typeOf(CustomTensorAttr tensor) const;
  nn::Dim sizeOf(StringRef name) const { return nn::elementCount(bound.lookup(name)); }

private:
  LogicalResult bind(CustomTensorAttr tensor, const CustomDim &dim, ArrayRef<nn::Dim> sizes);
  InFlightDiagnostic problem(CustomTensorAttr tensor) {
    return error() << "input '" << tensor.getName() << "' of '" << function.getSymName() << "' ";
  }

  CustomFunctionOp function;
  ReportError error;
  llvm::StringMap<nn::Shape> bound; ///< a name of one dim has one
};

} // namespace

static std::string textOf(CustomTensorAttr tensor) {
  return "[" +
         llvm::join(llvm::map_range(tensor.getShape(), [](StringAttr dim) { return dim.getValue(); }), ", ") +
         "]";
}

LogicalResult Sizes::bind(CustomTensorAttr tensor, const CustomDim &dim, ArrayRef<nn::Dim> sizes) {
  if (dim.size)
    return sizes.front() == nn::Dim(*dim.size)
               ? success()
               : problem(tensor) << "has a dim of size " << sizes.front().str() << ", expected " << *dim.size
                                 << " as its shape " << textOf(tensor) << " says";
  auto [entry, isNew] = bound.try_emplace(dim.name, sizes);
  if (isNew || ArrayRef<nn::Dim>(entry->second) == sizes)
    return success();
  auto text = [&](ArrayRef<nn::Dim> sizes) { return dim.isGroup ? nn::str(sizes) : sizes.front().str(); };
  return problem(tensor) << "has '" << dim.name << "' = " << text(sizes) << ", but it is "
                         << text(entry->second) << " in another input";
}

LogicalResult Sizes::bind(CustomTensorAttr tensor, Type type) {
  auto ranked = cast<RankedTensorType>(type);
  if (ranked.getElementType() != tensor.getElement())
    return problem(tensor) << "has elements of type " << ranked.getElementType() << ", expected "
                           << tensor.getElement();
  nn::Shape shape = nn::shapeOf(type);
  size_t single = tensor.getShape().size();
  bool hasGroup =
      llvm::any_of(tensor.getShape(), [](StringRef dim) { return CustomDim::parse(dim).isGroup; });
  single -= hasGroup;
  if (hasGroup ? shape.size() < single : shape.size() != single)
    return problem(tensor) << "has shape " << nn::str(shape) << ", expected " << textOf(tensor);
  ArrayRef<nn::Dim> rest = shape;
  for (StringRef text : tensor.getShape()) {
    CustomDim dim = CustomDim::parse(text);
    size_t count = dim.isGroup ? shape.size() - single : 1;
    if (failed(bind(tensor, dim, rest.take_front(count))))
      return failure();
    rest = rest.drop_front(count);
  }
  return success();
}

RankedTensorType Sizes::typeOf(CustomTensorAttr tensor) const {
  nn::Shape shape;
  for (StringRef text : tensor.getShape()) {
    CustomDim dim = CustomDim::parse(text);
    if (dim.size)
      shape.push_back(*dim.size);
    else
      llvm::append_range(shape, bound.lookup(dim.name));
  }
  return nn::tensorType(shape, tensor.getElement());
}

FailureOr<CustomShapes> train::customShapes(CustomFunctionOp function, TypeRange inputs, ReportError error) {
  SmallVector<CustomTensorAttr> declared = function.inputTensors();
  if (declared.size() != inputs.size())
    return error() << "'" << function.getSymName() << "' has " << declared.size() << " inputs, got "
                   << inputs.size();
  Sizes sizes(function, error);
  for (auto [tensor, type] : llvm::zip_equal(declared, inputs))
    if (failed(sizes.bind(tensor, type)))
      return failure();
  CustomShapes result;
  for (CustomTensorAttr tensor : function.outputTensors())
    result.outputs.push_back(sizes.typeOf(tensor));
  for (StringRef name : function.sizeNames())
    result.sizes.push_back(sizes.sizeOf(name));
  return result;
}

FailureOr<ArrayAttr> train::customNumbers(CustomFunctionOp function, DictionaryAttr given,
                                          ReportError error) {
  SmallVector<Attribute> numbers;
  for (CustomSettingAttr setting : function.settingList()) {
    auto number = dyn_cast_or_null<TypedAttr>(given.get(setting.getName()));
    if (!number && !(number = setting.getFallback()))
      return error() << "'" << function.getSymName() << "' needs its attribute '" << setting.getName()
                     << "', which has no default";
    if (number.getType() != setting.getType())
      return error() << "the attribute '" << setting.getName() << "' of '" << function.getSymName()
                     << "' is of type " << number.getType() << ", expected " << setting.getType();
    numbers.push_back(number);
  }
  return ArrayAttr::get(function.getContext(), numbers);
}

//===-- Gradients --------------------------------------------------------------===//

static CustomFunctionOp gradientFunction(CustomFunctionOp function) {
  return function.getGradientAttr()
             ? SymbolTable::lookupNearestSymbolFrom<CustomFunctionOp>(function, function.getGradientAttr())
             : CustomFunctionOp();
}

template <typename Range> static std::optional<unsigned> indexOf(const Range &tensors, StringRef name) {
  for (auto [index, tensor] : llvm::enumerate(tensors))
    if (tensor.getName() == name)
      return index;
  return std::nullopt;
}

/// The value that an input of the gradient's function stands for, by its name.
template <typename T>
static T chosenBy(StringRef name, CustomFunctionOp function, ArrayRef<T> inputs, ArrayRef<T> outputs,
                  llvm::function_ref<T(unsigned)> gradientOfOutput) {
  if (auto input = indexOf(function.inputTensors(), name))
    return inputs[*input];
  if (auto output = indexOf(function.outputTensors(), name))
    return outputs[*output];
  name.consume_front(gradientOf);
  auto output = indexOf(function.outputTensors(), name);
  return output ? gradientOfOutput(*output) : T();
}

LogicalResult train::checkCustomGradient(CustomFunctionOp function, TypeRange inputs, TypeRange outputs,
                                         ReportError error) {
  CustomFunctionOp gradient = gradientFunction(function);
  if (!gradient)
    return success();
  SmallVector<Type> types, in(inputs), out(outputs);
  for (CustomTensorAttr tensor : gradient.inputTensors()) {
    types.push_back(chosenBy<Type>(tensor.getName(), function, in, out, [&](unsigned i) { return out[i]; }));
    if (!types.back())
      return error() << "'" << gradient.getSymName() << "' has an input '" << tensor.getName()
                     << "', which is neither an input or an output of '" << function.getSymName() << "' nor '"
                     << gradientOf << "' and the name of an output";
  }
  FailureOr<CustomShapes> shapes = customShapes(gradient, types, error);
  if (failed(shapes))
    return failure();
  for (auto [tensor, type] : llvm::zip_equal(gradient.outputTensors(), shapes->outputs)) {
    StringRef name = tensor.getName();
    name.consume_front(gradientOf);
    Type expected = inputs[*indexOf(function.inputTensors(), name)];
    if (type != expected)
      return error() << "the gradient '" << tensor.getName() << "' of '" << gradient.getSymName()
                     << "' has shape " << nn::str(nn::shapeOf(type)) << ", expected that of '" << name
                     << "', " << nn::str(nn::shapeOf(expected));
  }
  return success();
}

/// The values of the settings, which the gradient has in common.
static ArrayAttr numbersOfGradient(CustomOp op, CustomFunctionOp gradient) {
  NamedAttrList given;
  if (op.getNumbers())
    for (auto [setting, number] : llvm::zip_equal(op.definition().settingList(), *op.getNumbers()))
      given.append(setting.getName(), number);
  FailureOr<ArrayAttr> numbers = customNumbers(gradient, given.getDictionary(op.getContext()),
                                               [&]() -> InFlightDiagnostic { return op.emitOpError(); });
  return succeeded(numbers) && !numbers->empty() ? *numbers : ArrayAttr();
}

/// A use of the gradient's function, with zeros for the gradients of results that nothing uses.
SmallVector<Value> CustomOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                      ArrayRef<bool> needed) {
  CustomFunctionOp function = definition(), gradient = gradientFunction(function);
  SmallVector<Value> in(getInputs()), out(getOutputs()), taken;
  auto gradientOfOutput = [&](unsigned i) -> Value {
    if (dResults[i])
      return dResults[i];
    return expand(nn::Expr(builder, out[i]).scalar(0), cast<RankedTensorType>(out[i].getType())).get();
  };
  for (CustomTensorAttr tensor : gradient.inputTensors())
    taken.push_back(chosenBy<Value>(tensor.getName(), function, in, out, gradientOfOutput));
  FailureOr<CustomShapes> shapes = customShapes(gradient, TypeRange(ValueRange(taken)),
                                                [&]() -> InFlightDiagnostic { return emitOpError(); });
  if (failed(shapes)) // the engine says that gradients are missing
    return {};
  auto made = CustomOp::create(builder, shapes->outputs, gradient.getSymName(), taken,
                               numbersOfGradient(*this, gradient));
  SmallVector<Value> gradients(getNumOperands());
  for (auto [tensor, value] : llvm::zip_equal(gradient.outputTensors(), made.getOutputs())) {
    StringRef name = tensor.getName();
    name.consume_front(gradientOf);
    if (unsigned input = *indexOf(function.inputTensors(), name); needed[input])
      gradients[input] = value;
  }
  return gradients;
}

//===-- Uses -------------------------------------------------------------------===//

CustomFunctionOp CustomOp::definition() {
  return SymbolTable::lookupNearestSymbolFrom<CustomFunctionOp>(*this, getCalleeAttr());
}

CustomFunctionOp CustomCallOp::definition() {
  return SymbolTable::lookupNearestSymbolFrom<CustomFunctionOp>(*this, getCalleeAttr());
}

nn::Dim CustomCallOp::sizeOf(StringRef name) {
  SmallVector<StringRef> names = definition().sizeNames();
  size_t number = llvm::find(names, name) - names.begin();
  return *nn::Dim::parse(cast<StringAttr>(getSizes()[number]).getValue());
}

std::optional<nn::Dim> CustomCallOp::rowCount() {
  std::optional<StringRef> rows = definition().getRows();
  return rows ? std::optional<nn::Dim>(sizeOf(*rows)) : std::nullopt;
}

template <typename Op> static FailureOr<CustomFunctionOp> lookUp(Op op, SymbolTableCollection &tables) {
  auto program = op->template getParentOfType<ProgramOp>();
  auto function =
      program ? tables.lookupSymbolIn<CustomFunctionOp>(program, op.getCalleeAttr()) : CustomFunctionOp();
  if (!function)
    return op.emitOpError("expects ") << op.getCalleeAttr() << " to be a train.custom_function";
  SmallVector<CustomSettingAttr> settings = function.settingList();
  ArrayAttr numbers = op.getNumbersAttr();
  bool fits = (numbers ? numbers.size() : 0) == settings.size();
  for (auto [setting, number] : llvm::zip(settings, numbers ? numbers.getValue() : ArrayRef<Attribute>()))
    fits &= isa<TypedAttr>(number) && cast<TypedAttr>(number).getType() == setting.getType();
  if (!fits)
    return op.emitOpError("expects a number for each setting of ") << op.getCalleeAttr();
  return function;
}

LogicalResult CustomOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<CustomFunctionOp> function = lookUp(*this, tables);
  if (failed(function))
    return failure();
  auto error = [&]() -> InFlightDiagnostic { return emitOpError(); };
  FailureOr<CustomShapes> shapes = customShapes(*function, getInputs().getTypes(), error);
  if (failed(shapes))
    return failure();
  if (TypeRange(shapes->outputs) != TypeRange(getOutputs()))
    return emitOpError("expects results of types ") << shapes->outputs << ", got " << getOutputs().getTypes();
  return checkCustomGradient(*function, getInputs().getTypes(), getOutputs().getTypes(), error);
}

static LogicalResult checkElements(CustomCallOp op, StringRef what, TypeRange types,
                                   ArrayRef<CustomTensorAttr> declared) {
  if (types.size() != declared.size())
    return op.emitOpError("expects ") << declared.size() << " " << what << ", got " << types.size();
  for (auto [type, tensor] : llvm::zip_equal(types, declared))
    if (cast<RankedTensorType>(type).getElementType() != tensor.getElement())
      return op.emitOpError("expects '")
             << tensor.getName() << "' of elements " << tensor.getElement() << ", got " << type;
  return success();
}

LogicalResult CustomCallOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<CustomFunctionOp> function = lookUp(*this, tables);
  if (failed(function) ||
      failed(checkElements(*this, "inputs", getInputs().getTypes(), function->inputTensors())) ||
      failed(checkElements(*this, "results", getOutputs().getTypes(), function->outputTensors())))
    return failure();
  auto isSize = [](Attribute size) { return nn::Dim::parse(cast<StringAttr>(size).getValue()).has_value(); };
  if (getSizes().size() != function->sizeNames().size() || !llvm::all_of(getSizes(), isSize))
    return emitOpError("expects a size for each of the ")
           << function->sizeNames().size() << " names of sizes of " << getCalleeAttr();
  bool isNamed = !getDims() || (getDims()->size() == getNumResults() &&
                                llvm::all_of(*getDims(), llvm::IsaPred<UnitAttr, nn::DimsAttr>));
  for (auto [i, type] : llvm::enumerate(getOutputs().getTypes()))
    if (!cast<RankedTensorType>(type).hasStaticShape())
      isNamed &= getDims() && i < getDims()->size() && isa<nn::DimsAttr>((*getDims())[i]);
  return isNamed ? success() : emitOpError("expects #nn.dims or unit for each result in dims");
}
