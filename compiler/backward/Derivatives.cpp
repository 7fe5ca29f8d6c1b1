//===- Derivatives.cpp - the pass dlc-derivatives ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// vjp is reverse mode over `evaluate`, from the predictions to the inputs. jvp is reverse mode over vjp: the
// gradients that vjp gives are linear in the cotangents u, g = J^T u, so that the gradient of the sum of
// v * g by u is J v. What was computed of u alone has no use then, and goes.
//===----------------------------------------------------------------------===//
#include "compiler/backward/Functions.h"
#include "compiler/backward/Passes.h"
#include "compiler/support/Symbols.h"
#include "dialects/nn/Dims.h"
#include "dialects/nn/Expr.h"
#include "dialects/train/DimNames.h"
#include "dialects/train/Recipe.h"

using namespace mlir;
using train::Derivative;

namespace dlc::backward {
#define GEN_PASS_DEF_DERIVATIVES
#include "compiler/backward/Passes.h.inc"

namespace {

/// One of the model's inputs or predictions, in a function.
struct Tensor {
  Operation *declaration; ///< train.input or train.output
  StringAttr name;
  RankedTensorType declared; ///< its type
  Value value;
};

bool isFloat(Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); }

class DerivativeBuilder {
public:
  /// `asked`: the function's name in messages, where it is made for another one.
  DerivativeBuilder(train::FunctionOp evaluate, Derivative derivative, ArrayRef<StringRef> wanted,
                    StringRef asked = "")
      : evaluate(evaluate), program(evaluate->getParentOfType<train::ProgramOp>()), derivative(derivative),
        wanted(wanted), asked(asked.empty() ? derivativeName(derivative) : asked) {}

  LogicalResult build();
  /// The one of which a whole Jacobian takes fewer calls at the largest sizes.
  static FailureOr<Derivative> chooseFor(train::FunctionOp evaluate, ArrayRef<StringRef> wanted);
  /// Marks the function as one that a Jacobian is made of, which has one type of elements.
  LogicalResult markForJacobian();

private:
  LogicalResult findTensors();
  LogicalResult checkWanted();
  LogicalResult findInputs();
  /// The gradient of each input, for the cotangents of the predictions.
  FailureOr<SmallVector<Value>> goBack(ArrayRef<Value> cotangents);
  FailureOr<SmallVector<Value>> goForth();
  /// An input of the function that is like `tensor`, and its value.
  Value given(const Tensor &tensor, StringRef suffix);
  /// An output of the function.
  Write result(const Tensor &tensor, StringRef suffix, Value value);
  Value zeros(RankedTensorType type);

  train::FunctionOp evaluate;
  train::ProgramOp program;
  Derivative derivative;
  ArrayRef<StringRef> wanted; ///< names of inputs; none: all that have gradients
  StringRef asked;
  train::FunctionOp function;
  SmallVector<Tensor> inputs, predictions;
  SmallVector<Write> writes;
};

/// What is asked for by name has a gradient.
LogicalResult DerivativeBuilder::checkWanted() {
  for (StringRef name : wanted) {
    auto input = dyn_cast_or_null<train::InputOp>(SymbolTable::lookupSymbolIn(program, name));
    if (!input || input.getTarget()) {
      InFlightDiagnostic error = program.emitError() << "--function=" << asked << ": '" << name
                                                     << "' is no input of the model; its inputs are";
      for (auto known : program.getBody().getOps<train::InputOp>())
        if (!known.getTarget())
          error << " '" << known.getSymName() << "'";
      return error;
    }
    if (!isFloat(input.getType()))
      return input.emitError("--function=")
             << asked << ": input '" << name << "' is " << getElementTypeOrSelf(input.getType())
             << ", and only floating-point inputs have gradients";
  }
  return success();
}

LogicalResult DerivativeBuilder::findInputs() {
  if (failed(checkWanted()))
    return failure();
  ImplicitLocOpBuilder atBegin(function.getLoc(), OpBuilder::atBlockBegin(&function.getBody().front()));
  for (auto input : program.getBody().getOps<train::InputOp>()) {
    if (input.getTarget() || !isFloat(input.getType()))
      continue;
    if (!wanted.empty() && !llvm::is_contained(wanted, input.getSymName()))
      continue;
    auto type = cast<RankedTensorType>(input.getType());
    inputs.push_back(
        {input, input.getSymNameAttr(), type, readSymbol(atBegin, function, input.getSymName(), type)});
  }
  if (!inputs.empty())
    return success();
  return program.emitError("--function=")
         << asked << ": '" << program.getSymName()
         << "' has no input of floating-point numbers, by which its predictions could be differentiated";
}

LogicalResult DerivativeBuilder::findTensors() {
  mergeReads(function);
  for (const Write &write : takeWrites(function, /*states=*/false, /*predictions=*/true)) {
    auto output = dyn_cast<train::OutputOp>(SymbolTable::lookupSymbolIn(program, write.symbol));
    if (output && output.getIndexRange()) {
      if (!needsTarget(program, write.value))
        writes.push_back(write);
      continue;
    }
    if (output && isPrediction(output) && isFloat(output.getType()))
      predictions.push_back({output, write.symbol, cast<RankedTensorType>(output.getType()), write.value});
  }
  takeLoss(function);
  if (predictions.empty())
    return program.emitError("--function=")
           << asked << ": '" << program.getSymName()
           << "' has no prediction of floating-point numbers, which could be differentiated";
  return findInputs();
}

Value DerivativeBuilder::zeros(RankedTensorType type) {
  ImplicitLocOpBuilder builder(function.getLoc(), OpBuilder::atBlockEnd(&function.getBody().front()));
  auto element = DenseElementsAttr::get(RankedTensorType::get({}, type.getElementType()),
                                        builder.getFloatAttr(type.getElementType(), 0));
  return expand(nn::Expr(builder, nn::ConstantOp::create(builder, element)), type);
}

/// The name of a tensor and what it is of it, which must be free.
static std::string nameOf(train::ProgramOp program, StringRef tensor, StringRef suffix) {
  return freeSymbol(program, (tensor + "_" + suffix).str());
}

Value DerivativeBuilder::given(const Tensor &tensor, StringRef suffix) {
  ImplicitLocOpBuilder declare(program.getLoc(), OpBuilder(evaluate));
  std::string name = nameOf(program, tensor.name, suffix);
  auto input = train::InputOp::create(declare, /*target=*/true, name, IntegerAttr(), IntegerAttr(),
                                      IntegerAttr(), tensor.declared);
  input.setDerivativeAttr(
      train::DerivativeOfAttr::get(program.getContext(), derivative, FlatSymbolRefAttr::get(tensor.name)));
  ImplicitLocOpBuilder builder(function.getLoc(), OpBuilder::atBlockEnd(&function.getBody().front()));
  return train::ReadOp::create(builder, cast<RankedTensorType>(tensor.value.getType()), name);
}

Write DerivativeBuilder::result(const Tensor &tensor, StringRef suffix, Value value) {
  ImplicitLocOpBuilder declare(program.getLoc(), OpBuilder(evaluate));
  std::string name = nameOf(program, tensor.name, suffix);
  auto output = train::OutputOp::create(declare, train::OutputRole::Prediction, name, tensor.declared);
  output.setDerivativeAttr(
      train::DerivativeOfAttr::get(program.getContext(), derivative, FlatSymbolRefAttr::get(tensor.name)));
  return {value, output.getSymNameAttr(), function.getLoc()};
}

static SmallVector<Value> valuesOf(ArrayRef<Tensor> tensors) {
  return llvm::map_to_vector(tensors, [](const Tensor &tensor) { return tensor.value; });
}

FailureOr<SmallVector<Value>> DerivativeBuilder::goBack(ArrayRef<Value> cotangents) {
  SmallVector<Value> from = valuesOf(predictions), leaves = valuesOf(inputs);
  train::ReverseMode reverse(from, leaves);
  for (const train::ReverseMode::Missing &missing : reverse.getMissing())
    reportMissing(missing, derivative) << ", but lies between the inputs and the predictions";
  auto builder = OpBuilder::atBlockEnd(&function.getBody().front());
  DenseMap<Value, Value> gradients;
  if (!reverse.getMissing().empty() ||
      failed(reverse.build(
          builder, [&](Value leaf, Value gradient) { gradients[leaf] = gradient; }, cotangents)))
    return failure();
  SmallVector<Value> result;
  for (const Tensor &input : inputs) {
    Value gradient = gradients.lookup(input.value);
    result.push_back(gradient ? gradient : zeros(cast<RankedTensorType>(input.value.getType())));
  }
  return result;
}

FailureOr<SmallVector<Value>> DerivativeBuilder::goForth() {
  // Any cotangents would do; nothing of them is left in the end.
  SmallVector<Value> cotangents, tangents;
  auto builder = OpBuilder::atBlockEnd(&function.getBody().front());
  const std::string anything = freeSymbol(program, "cotangent");
  for (const Tensor &prediction : predictions)
    cotangents.push_back(
        train::ReadOp::create(builder, function.getLoc(), prediction.value.getType(), anything));
  FailureOr<SmallVector<Value>> gradients = goBack(cotangents);
  if (failed(gradients))
    return failure();
  for (const Tensor &input : inputs)
    tangents.push_back(given(input, "tangent"));
  train::ReverseMode reverse(*gradients, cotangents);
  for (const train::ReverseMode::Missing &missing : reverse.getMissing())
    reportMissing(missing, derivative) << ", and the forward derivative is the gradient of the gradient";
  builder = OpBuilder::atBlockEnd(&function.getBody().front());
  DenseMap<Value, Value> forward;
  if (!reverse.getMissing().empty() ||
      failed(reverse.build(builder, [&](Value leaf, Value gradient) { forward[leaf] = gradient; }, tangents)))
    return failure();
  SmallVector<Value> result;
  for (auto [prediction, cotangent] : llvm::zip_equal(predictions, cotangents)) {
    Value tangent = forward.lookup(cotangent);
    result.push_back(tangent ? tangent : zeros(cast<RankedTensorType>(prediction.value.getType())));
  }
  return result;
}

FailureOr<Derivative> DerivativeBuilder::chooseFor(train::FunctionOp evaluate, ArrayRef<StringRef> wanted) {
  DerivativeBuilder tried(evaluate, Derivative::Vjp, wanted, train::jacobianName);
  tried.function = addFunction(tried.program, train::FunctionKind::Predict, evaluate);
  LogicalResult found = tried.findTensors();
  auto count = [&](ArrayRef<Tensor> tensors) {
    int64_t sum = 0;
    for (const Tensor &tensor : tensors) {
      int64_t elements = 1;
      for (const nn::Dim &dim : nn::shapeOf(tensor.declared))
        elements *= train::sizeAtBound(dim, tried.program);
      sum += elements;
    }
    return sum;
  };
  tried.function.erase();
  if (failed(found))
    return failure();
  return count(tried.predictions) <= count(tried.inputs) ? Derivative::Vjp : Derivative::Jvp;
}

LogicalResult DerivativeBuilder::markForJacobian() {
  for (ArrayRef<Tensor> tensors : {ArrayRef<Tensor>(inputs), ArrayRef<Tensor>(predictions)})
    for (const Tensor &tensor : tensors)
      if (tensor.declared.getElementType() != inputs.front().declared.getElementType())
        return program.emitError("--function=jacobian: '")
               << tensor.name.getValue() << "' is " << tensor.declared.getElementType() << " and '"
               << inputs.front().name.getValue() << "' is " << inputs.front().declared.getElementType()
               << ": a Jacobian has elements of one type; choose inputs (--function=jacobian:NAME)";
  function.setJacobian(true);
  return success();
}

LogicalResult DerivativeBuilder::build() {
  function = addFunction(program, train::FunctionKind::Predict, evaluate);
  std::string name = freeSymbol(program, derivativeName(derivative));
  function.setSymName(name);
  function.setDerivative(derivative);
  if (failed(findTensors()))
    return failure();
  const bool isVjp = derivative == Derivative::Vjp;
  SmallVector<Value> cotangents;
  if (isVjp)
    for (const Tensor &prediction : predictions)
      cotangents.push_back(given(prediction, "cotangent"));
  FailureOr<SmallVector<Value>> values = isVjp ? goBack(cotangents) : goForth();
  if (failed(values))
    return failure();
  for (auto [tensor, value] : llvm::zip_equal(isVjp ? inputs : predictions, *values))
    writes.push_back(result(tensor, isVjp ? "gradient" : "tangent", value));
  addWrites(function, writes);
  eraseGradientMarks(function);
  simplify(function);
  for (auto read : function.getBody().getOps<train::ReadOp>())
    if (!SymbolTable::lookupSymbolIn(program, read.getSymbol()))
      return function.emitError("--function=")
             << asked
             << ": a gradient of the description's own (a hook, or a function with a backward) is not linear "
                "in the gradient that it takes, so that there is no forward derivative";
  return success();
}

class DerivativesPass : public impl::DerivativesBase<DerivativesPass> {
public:
  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>())
      if (failed(run(program)))
        return signalPassFailure();
  }

private:
  /// A Jacobian is made of the others where they are asked for, too.
  LogicalResult run(train::ProgramOp program) {
    train::RecipeOp recipe = train::recipeOf(program);
    const SmallVector<std::string> functions =
        recipe ? train::textsOf(recipe.getFunctions()) : SmallVector<std::string>();
    const std::string *jacobian = nullptr;
    SmallVector<StringRef> others;
    for (const std::string &text : functions)
      if (text == "hvp") // which is of the loss: dlc-gradients makes it
        continue;
      else if (StringRef(text).split(':').first == train::jacobianName)
        jacobian = &text;
      else
        others.push_back(text);
    for (StringRef text : others)
      if (failed(build(program, text, jacobian)))
        return failure();
    if (!jacobian || !others.empty())
      return checkNames(program, jacobian);
    train::FunctionOp evaluate = findFunction(program, train::FunctionKind::Evaluate);
    if (!evaluate)
      return program.emitError("expected the function 'evaluate'; run dlc-resolve-modes first");
    SmallVector<StringRef> wanted;
    StringRef(*jacobian).split(':').second.split(wanted, '|', -1, /*KeepEmpty=*/false);
    FailureOr<Derivative> chosen = DerivativeBuilder::chooseFor(evaluate, wanted);
    if (failed(chosen))
      return failure();
    DerivativeBuilder builder(evaluate, *chosen, wanted, train::jacobianName);
    return success(succeeded(builder.build()) && succeeded(builder.markForJacobian()));
  }

  LogicalResult checkNames(train::ProgramOp program, const std::string *jacobian) {
    if (!jacobian || *jacobian == train::jacobianName)
      return success();
    return program.emitError("--function=")
           << *jacobian
           << ": vjp or jvp is asked for as well, and names the inputs of both: leave them out here";
  }

  /// "vjp", or "vjp:image|mask".
  LogicalResult build(train::ProgramOp program, StringRef text, bool forJacobian) {
    train::FunctionOp evaluate = findFunction(program, train::FunctionKind::Evaluate);
    if (!evaluate)
      return program.emitError("expected the function 'evaluate'; run dlc-resolve-modes first");
    auto [name, names] = text.split(':');
    SmallVector<StringRef> wanted;
    names.split(wanted, '|', -1, /*KeepEmpty=*/false);
    for (Derivative derivative : {Derivative::Vjp, Derivative::Jvp})
      if (name == derivativeName(derivative)) {
        DerivativeBuilder builder(evaluate, derivative, wanted);
        return success(succeeded(builder.build()) && (!forJacobian || succeeded(builder.markForJacobian())));
      }
    return program.emitError("expected the function vjp, jvp or jacobian, got '") << name << "'";
  }
};
} // namespace

} // namespace dlc::backward
