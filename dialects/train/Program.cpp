//===- Program.cpp - train: the declarations of a program
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program, its dims, state, inputs and functions must be. Uses of symbols are in Symbols.cpp.
//===----------------------------------------------------------------------===//
#include "compiler/support/Elements.h"
#include "dialects/nn/Dims.h"
#include "dialects/train/Custom.h"
#include "dialects/train/Train.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace train;

/// The named dims of a program and their bounds.
using Bounds = llvm::StringMap<int64_t>;

/// Each name in the dims is declared.
static LogicalResult checkNamesDeclared(Operation *op, ArrayRef<nn::Dim> dims, const Bounds &bounds) {
  for (const nn::Dim &dim : dims)
    for (const std::string &name : dim.names)
      if (!bounds.contains(name))
        return op->emitOpError("uses dim '") << name << "', which the program does not declare (train.dim)";
  return success();
}

/// Later stages multiply sizes and do not ask any more whether the product is a number.
static LogicalResult checkSize(Operation *op, Type type, const Bounds &bounds) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto boundOf = [&](StringRef name) { return bounds.lookup(name); };
  if (!tensor || !nn::isTooLarge(nn::shapeOf(tensor), boundOf))
    return success();
  return op->emitOpError("has a tensor that is too large, ") << tensor;
}

static LogicalResult checkName(Operation &op) {
  auto symbol = dyn_cast<SymbolOpInterface>(op);
  if (!symbol || (llvm::json::isUTF8(symbol.getName()) && !symbol.getName().contains('\0')))
    return success();
  std::string escaped;
  llvm::raw_string_ostream stream(escaped);
  llvm::printEscapedString(symbol.getName(), stream);
  return op.emitOpError("expects a name in UTF-8 without zero bytes, for C and JSON, got '")
         << escaped << "'";
}

/// How a fact of an older version is written, which no operation declares any more; empty for other names.
static StringRef newForm(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Case("nonzero", "'train.nonzero'")
      .Case("zeros_before", "'train.zeros_before'")
      .Cases({"vjp", "jvp", "hvp"}, "'derivative'")
      .Cases({"state_bytes", "arena_bytes", "working_bytes", "lower_bound_bytes"},
             "'plan', #train.program_plan or #train.function_plan")
      .Cases({"memory_budget", "arena_bytes_without_budget"}, "'budget', #train.budget")
      .Cases({"recompute_price", "recompute_layers"}, "'recompute', #train.recompute")
      .Case("recomputed_permille", "'recomputed', #train.recomputed")
      .Default("");
}

/// What stages tell each other is declared: by the operation, or with a verifier by the dialect whose name it
/// has.
static LogicalResult checkAttributes(Operation *op) {
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    if (!attribute.getNameDialect()) {
      InFlightDiagnostic error = op->emitOpError("has the attribute '")
                                 << attribute.getName().getValue()
                                 << "', which neither it nor a dialect declares";
      if (StringRef form = newForm(attribute.getName()); !form.empty())
        error << "; it is written as " << form << " now";
      return error;
    }
  return success();
}

static LogicalResult checkDerivative(Operation *op, std::optional<DerivativeOfAttr> derivative,
                                     ProgramOp program) {
  if (!derivative || !derivative->getOf())
    return success();
  if (isa_and_nonnull<InputOp, OutputOp>(SymbolTable::lookupSymbolIn(program, derivative->getOf())))
    return success();
  return op->emitOpError("is of the derivative of ")
         << derivative->getOf() << ", which is no input or output";
}

LogicalResult ProgramOp::verify() {
  if (std::optional<int64_t> parts = getBatchParts(); parts && *parts < 1)
    return emitOpError("expects batch_parts of 1 or more, got ") << *parts;
  return success();
}

LogicalResult ProgramOp::verifyRegions() {
  if (failed(checkAttributes(*this)))
    return failure();
  if (FlatSymbolRefAttr scale = getLossScaleAttr()) {
    auto state = dyn_cast_or_null<StateOp>(mlir::SymbolTable::lookupSymbolIn(*this, scale));
    if (!state || state.getKind() != StateKind::Hyperparameter)
      return emitOpError("expects loss_scale to name a hyperparameter, got ") << scale;
  }
  auto recipes = getOps<RecipeOp>();
  if (std::distance(recipes.begin(), recipes.end()) > 1)
    return (*std::next(recipes.begin())).emitOpError("is the program's second one, expected one at most");
  Bounds dims;
  for (auto dim : getOps<DimOp>())
    dims[dim.getSymName()] = dim.getBound();
  for (Operation &op : getBody().front()) {
    if (!isa<RecipeOp, DimOp, StateOp, InputOp, OutputOp, FunctionOp, KernelOp, CustomFunctionOp>(op))
      return op.emitOpError("is not expected in a train.program: declarations, functions and kernels are");
    Type type;
    std::optional<DerivativeOfAttr> derivative;
    if (auto input = dyn_cast<InputOp>(op))
      type = input.getType(), derivative = input.getDerivative();
    else if (auto output = dyn_cast<OutputOp>(op))
      type = output.getType(), derivative = output.getDerivative();
    else if (auto state = dyn_cast<StateOp>(op))
      type = state.getType();
    else if (auto kernel = dyn_cast<KernelOp>(op))
      for (unsigned i = 0; i < (kernel.getArgStrides() ? kernel.getArgStrides()->size() : 0); ++i)
        if (failed(checkNamesDeclared(&op, kernel.stridesOf(i).value_or(nn::Shape()), dims)))
          return failure();
    if (failed(checkName(op)) || failed(checkDerivative(&op, derivative, *this)) ||
        (type &&
         (failed(checkNamesDeclared(&op, nn::shapeOf(type), dims)) || failed(checkSize(&op, type, dims)))))
      return failure();
  }
  llvm::DenseSet<Type> fitting; // a program of a million operations has few types
  WalkResult sizes = walk([&](Operation *op) {
    bool fits = llvm::all_of(op->getResultTypes(), [&](Type type) {
      return fitting.contains(type) || (succeeded(checkSize(op, type, dims)) && fitting.insert(type).second);
    });
    return fits && succeeded(checkAttributes(op)) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return failure(sizes.wasInterrupted());
}

LogicalResult DimOp::verify() {
  std::optional<nn::Dim> dim = nn::Dim::parse(getSymName());
  if (!dim || dim->isStatic())
    return emitOpError("expects a name of letters, digits and _, got '") << getSymName() << "'";
  if (getBound() <= 0)
    return emitOpError("expects a bound above 0, got ") << getBound();
  if (leastSize() < 1 || leastSize() > getBound())
    return emitOpError("expects a least size from 1 to the bound ") << getBound() << ", got " << leastSize();
  return success();
}

RankedTensorType StateOp::getPhysicalType() {
  auto logical = cast<RankedTensorType>(getType());
  return getLayout() ? getLayout()->of(logical)
                     : RankedTensorType::get(logical.getShape(), logical.getElementType());
}

/// What the kind says about the type; null where any type will do.
static RankedTensorType expectedType(StateOp state) {
  Builder b(state.getContext());
  switch (state.getKind()) {
  case StateKind::Hyperparameter:
    return RankedTensorType::get({}, b.getF64Type());
  case StateKind::Rng:
    return RankedTensorType::get({2}, b.getI64Type());
  case StateKind::StepCount:
    return RankedTensorType::get({}, b.getI64Type());
  default:
    return {};
  }
}

/// The runtime and the files know these.
static LogicalResult checkElementType(Operation *op, Type type) {
  Type element = cast<RankedTensorType>(type).getElementType();
  if (element.isF32() || element.isF64() || element.isBF16() || element.isF16() ||
      element.isSignlessInteger(32) || element.isSignlessInteger(64) || element.isUnsignedInteger(8) ||
      element.isSignlessInteger(1))
    return success();
  return op->emitOpError("expects elements of type f32, f64, bf16, f16, i32, i64, ui8 or i1, got ")
         << element;
}

/// Values that can be written to a file: all of them are there, one behind the other.
static LogicalResult checkInitial(StateOp state, RankedTensorType type, ElementsAttr initial) {
  if (initial.getType() != Type(type))
    return state.emitOpError("expects initial values of type ") << type << ", got " << initial.getType();
  if (isa<DenseIntOrFPElementsAttr>(initial))
    return success();
  auto resource = dyn_cast<DenseResourceElementsAttr>(initial);
  if (!resource)
    return state.emitOpError("expects initial values in the form dense<...> or dense_resource<...>");
  StringRef key = resource.getRawHandle().getKey();
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!blob)
    return state.emitOpError("has the values `dense_resource<") << key << ">`, which are not in the file";
  size_t bytes = dlc::elementBytes(type) * type.getNumElements();
  if (blob->getData().size() != bytes)
    return state.emitOpError("expects ")
           << bytes << " bytes of `dense_resource<" << key << ">`, got " << blob->getData().size();
  return success();
}

/// Whether `<model>_set_<name>` is a C identifier, and no function that all models have.
static bool isCSuffix(StringRef name) {
  return !name.empty() && name != "seed" &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

LogicalResult StateOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (getSymName() == "__metadata__")
    return emitOpError(
        "expects another name than '__metadata__', which safetensors files keep for themselves");
  if (!type.hasStaticShape() || nn::isTooLarge(nn::shapeOf(type)))
    return emitOpError(type.hasStaticShape() ? "has a tensor that is too large, "
                                             : "expects a static shape, got ")
           << type;
  if (failed(checkElementType(*this, type)))
    return failure();
  if (RankedTensorType expected = expectedType(*this); expected && expected != type)
    return emitOpError("expects type ")
           << expected << " for kind " << stringifyStateKind(getKind()) << ", got " << type;
  if (std::optional<ElementsAttr> initial = getInitial();
      initial && failed(checkInitial(*this, type, *initial)))
    return failure();
  if (getLow().has_value() != getLimit().has_value())
    return emitOpError("expects both ends of a range");
  if (getLow() && getKind() != StateKind::Hyperparameter)
    return emitOpError("expects a range on hyperparameters only, got kind ") << stringifyStateKind(getKind());
  if (getLow() && !(*getLow() < *getLimit()))
    return emitOpError("expects a range that is not empty");
  if (getKind() == StateKind::Hyperparameter && !isCSuffix(getSymName()))
    return emitOpError(
               "expects a name of letters, digits and _ for a hyperparameter, which C functions have, got '")
           << getSymName() << "'";
  bool ofParameter = getKind() == StateKind::OptimizerState || getKind() == StateKind::Gradient;
  bool isNumber = type == RankedTensorType::get({}, Float64Type::get(getContext())); // may be of no parameter
  // What an optimizer keeps of rows and columns has its own shape, and no part in its parameter's layout.
  bool mayBeAlone = !ofParameter || isNumber || getKind() == StateKind::OptimizerState;
  if (getOwner() ? !ofParameter : !mayBeAlone)
    return emitOpError(ofParameter ? "expects an owner (of @parameter) for kind "
                                   : "expects no owner for kind ")
           << stringifyStateKind(getKind());
  if (getAverage() && (getKind() != StateKind::OptimizerState || !getOwner()))
    return emitOpError("expects 'average' on an optimizer's states of parameters only");
  if ((getGradientWeight() || getPartLoss()) && (getKind() != StateKind::Gradient || !isNumber || getOwner()))
    return emitOpError(
        "expects 'gradient_weight' and 'part_loss' on gradients of type tensor<f64> of no parameter only");
  if (getFrozen() && getKind() != StateKind::Parameter)
    return emitOpError("expects 'frozen' on parameters only, got kind ") << stringifyStateKind(getKind());
  if (std::optional<LayoutAttr> layout = getLayout(); layout && layout->cuts(type.getShape()).empty())
    return emitOpError("expects a layout of ") << type << ", got " << *layout;
  if (std::optional<int64_t> offset = getOffset(); offset && *offset < 0)
    return emitOpError("expects an offset that is not negative, got ") << *offset;
  return success();
}

LogicalResult InputOp::verify() {
  if (failed(checkElementType(*this, getType())))
    return failure();
  Type elementType = cast<RankedTensorType>(getType()).getElementType();
  if (getLow().has_value() != getLimit().has_value())
    return emitOpError("expects both ends of a range");
  if ((getLow() || getIgnore()) && !isa<IntegerType>(elementType))
    return emitOpError("expects integers where there is a range, got ") << elementType;
  if (getIgnore() && !getLow())
    return emitOpError("expects a range where a value is ignored");
  if (getClassAxis() && !getLow())
    return emitOpError("expects a range where there is a class axis");
  if (getClassAxis() && *getClassAxis() > uint64_t(cast<RankedTensorType>(getType()).getRank()))
    return emitOpError("expects a class axis of 0 to ")
           << cast<RankedTensorType>(getType()).getRank() << ", got " << int64_t(*getClassAxis());
  if (getLow() && int64_t(*getLow()) >= int64_t(*getLimit()))
    return emitOpError("expects a range that is not empty, got [")
           << int64_t(*getLow()) << ", " << int64_t(*getLimit()) << ")";
  return success();
}

// The interface has one type for the loss of all models; a loss of another type is converted.
LogicalResult OutputOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (getRole() == OutputRole::Loss && (type.getRank() != 0 || !type.getElementType().isF32()))
    return emitOpError("expects a loss of type tensor<f32>, whatever the model computes with, got ") << type;
  bool isOfBatch = getRole() == OutputRole::LossSum || getRole() == OutputRole::LossWeight ||
                   getRole() == OutputRole::Correct;
  if (getOfStep() && !isOfBatch)
    return emitOpError("expects 'of_step' on roles of eval_step only, got ")
           << stringifyOutputRole(getRole());
  if (getIndexRange() && (getRole() != OutputRole::Correct || type.getRank() != 1 ||
                          type.getDimSize(0) != 4 || !type.getElementType().isSignlessInteger(64)))
    return emitOpError(
        "expects 'index_range' on outputs of the role correct and the type tensor<4xi64> only");
  if (getDerivative() && getRole() != OutputRole::Prediction)
    return emitOpError("expects a derivative's outputs to be predictions, got ")
           << stringifyOutputRole(getRole());
  return checkElementType(*this, type);
}

LogicalResult DimSizeOp::verify() {
  std::optional<nn::Dim> dim = nn::Dim::parse(getDim());
  if (dim && !dim->isStatic())
    return success();
  return emitOpError("expects a name or a product such as \"32*batch\", got \"") << getDim() << "\"";
}

LogicalResult LossOp::verify() {
  for (Value value : {getValue(), getWeight()}) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() != 0 || !isa<FloatType>(type.getElementType()))
      return emitOpError("expects one floating-point number each, got ") << type;
  }
  return success();
}
