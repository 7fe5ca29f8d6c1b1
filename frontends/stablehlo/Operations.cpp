//===- Operations.cpp - what a program of StableHLO computes ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/support/Messages.h"
#include "frontends/common/DenseElements.h"
#include "frontends/stablehlo/Importer.h"

using namespace mlir;

namespace dlc::stablehlo {

//===-- Tables -----------------------------------------------------------------===//

ArrayRef<ArrayRef<Operator>> operatorTables() {
#define FAMILY(Name) operatorsOf##Name(),
  static const ArrayRef<Operator> tables[] = {
#include "frontends/stablehlo/Operators.inc"
  };
  return tables;
}

static const Operator *findOperator(StringRef name) {
  static const auto *byName = [] {
    auto *map = new llvm::StringMap<const Operator *>;
    for (ArrayRef<Operator> table : operatorTables())
      for (const Operator &op : table)
        map->try_emplace(op.name, &op);
    return map;
  }();
  return byName->lookup(name);
}

/// Special functions that are written out, but not to be differentiated so, by the names that JAX gives them.
static StringRef specialFunction(Operation *op) {
  std::string name = nameOf(op->getLoc());
  StringRef last =
      StringRef(name).rsplit('/').second.empty() ? StringRef(name) : StringRef(name).rsplit('/').second;
  for (StringRef function :
       {"lgamma", "digamma", "polygamma", "igamma", "igammac", "bessel_i0e", "bessel_i1e"})
    if (last == function)
      return function;
  return "";
}

/// What its author may do.
static StringRef adviceFor(StringRef operation) {
  return llvm::StringSwitch<StringRef>(operation)
      .Case("stablehlo.while", "; write a loop of known length out (jax.lax.scan(..., unroll=True))")
      .Cases({"stablehlo.case", "stablehlo.if"}, "; choose between values with jax.numpy.where")
      .Case("stablehlo.scatter", "; write .at[...] with jax.numpy.where or concatenate")
      .Case("stablehlo.custom_call @Sharding", "; export the function without shardings, for one device")
      .Cases({"sdy.mesh", "sdy.sharding_constraint"},
             "; export the function without shardings, for one device")
      .Default("");
}

void Importer::addUnsupported(Operation *op) {
  std::string kind = op->getName().getStringRef().str(), name = nameOf(op->getLoc());
  if (auto target = op->getAttr("call_target_name")) // who is called says what it does
    if (auto symbol = dyn_cast<StringAttr>(target))
      kind += " @" + symbol.str();
  if (StringRef function = specialFunction(op); !function.empty())
    kind = "jax.lax." + function.str();
  kind += adviceFor(kind).empty() ? "" : " (" + adviceFor(kind).drop_front(2).str() + ")";
  diagnostics.addUnsupported("operation " + kind + " is not supported",
                             (name.empty() ? "without a name" : "'" + name + "'") + placeOf(op->getLoc()));
}

/// Random numbers are made of many operations; here is said what they are.
bool Importer::refuseRandomNumbers() {
  bool isRandom = false;
  source.visitOperations([&](Operation *op) {
    auto function = dyn_cast<func::FuncOp>(op);
    isRandom |= function && function.getSymName().contains("threefry");
    isRandom |= op->getName().getStringRef().starts_with("stablehlo.rng");
  });
  if (isRandom)
    diagnostics.addReason(
        "the program draws random numbers (jax.random), which dlc does not do as JAX does: export the "
        "function "
        "as it predicts (Flax: deterministic=True, Equinox: inference=True)");
  return isRandom;
}

//===-- Walk -------------------------------------------------------------------===//

std::vector<Known> Importer::importBody(Block &block, ArrayRef<Known> arguments, unsigned depth) {
  Scope inner;
  for (auto [argument, known] : llvm::zip_equal(block.getArguments(), arguments))
    inner[argument] = known;
  Scope *outer = scope;
  scope = &inner;
  for (Operation &op : block.without_terminator())
    importOperation(&op, depth);
  std::vector<Known> results;
  for (Value result : block.getTerminator()->getOperands())
    results.push_back(inner[result]);
  scope = outer;
  diagnostics.currentNode.clear();
  return results;
}

/// Functions stand in the place of their calls: dlc optimises the program as a whole.
void Importer::importCall(Operation *op, StringRef callee, unsigned depth) {
  constexpr unsigned deepest = 64;
  func::FuncOp function = source.find(callee);
  bool fits = function && !function.isExternal() && function.getBody().hasOneBlock() &&
              function.getFunctionType().getInputs() == op->getOperandTypes() &&
              function.getFunctionType().getResults() == op->getResultTypes();
  if (!fits || depth >= deepest) {
    diagnostics.addReason(describe(op) +
                          (fits ? ": functions call each other more than " + Twine(deepest) + " deep"
                                : ": there is no function '" + callee + "' that takes and gives this"));
    for (Value result : op->getResults())
      (*scope)[result].failed = true;
    return;
  }
  std::vector<Known> arguments;
  for (Value operand : op->getOperands())
    arguments.push_back((*scope)[operand]);
  callers.push_back(nameOf(op->getLoc()));
  std::vector<Known> results = importBody(function.getBody().front(), arguments, depth + 1);
  callers.pop_back();
  // JAX leaves no trace of lax.stop_gradient but the name of a function of the user's.
  bool stops = callee == "stop_gradient" || callee.starts_with("stop_gradient_");
  for (auto [result, known] : llvm::zip_equal(op->getResults(), results)) {
    if (stops && known.value && isa<FloatType>(nn::elementTypeOf(known.value)))
      known.value = train::StopGradientOp::create(program.body, known.value).getY();
    (*scope)[result] = known;
  }
}

/// Functions that were written out are what they were; what their formulas compute is read by nothing then.
bool Importer::giveWhole(Operation *op) {
  auto [functions, isNew] = writtenOut.try_emplace(op->getBlock());
  if (isNew)
    functions->second = findWrittenOut(*op->getBlock());
  auto found = functions->second.find(op);
  if (found == functions->second.end())
    return false;
  Known &argument = (*scope)[found->second.argument];
  Value x = argument.failed ? Value() : materialize(argument, found->second.argument.getType());
  if (!x)
    return false;
  Known result;
  switch (found->second.function) {
  case Function::Erf:
    result.value = nn::erf({program.body, x});
    break;
  case Function::Erfc:
    result.value = nn::erfc({program.body, x});
    break;
  case Function::Erfinv:
    result.value = nn::ErfinvOp::create(program.body, x);
    break;
  }
  (*scope)[op->getResult(0)] = result;
  return true;
}

/// Whether all operands have values; what has no value is told where it was made.
bool Importer::isReady(Operation *op) {
  for (Value operand : op->getOperands()) {
    auto found = scope->find(operand);
    if (found == scope->end() || found->second.failed)
      return false;
  }
  return true;
}

void Importer::importOperation(Operation *op, unsigned depth) {
  constexpr size_t mostOperations = 1 << 20;
  for (Value result : op->getResults())
    (*scope)[result].failed = true; // until it is given
  if (++walked > mostOperations) {
    if (walked == mostOperations + 1)
      diagnostics.addReason("the program has more than " + Twine(mostOperations) +
                            " operations, each call of a function "
                            "counted as its operations");
    return;
  }
  StringRef name = op->getName().getStringRef();
  if (auto call = dyn_cast<func::CallOp>(op))
    return importCall(op, call.getCallee(), depth);
  const Operator *known = findOperator(name);
  if (name == "stablehlo.composite") { // a function with a name, and how it may be computed
    auto called = op->getAttrOfType<StringAttr>("name");
    known = called && called.getValue().starts_with("chlo.") ? findOperator(called.getValue()) : nullptr;
    if (auto decomposition = op->getAttrOfType<FlatSymbolRefAttr>("decomposition"); decomposition && !known)
      return importCall(op, decomposition.getValue(), depth);
  }
  if (name == "stablehlo.custom_call" && op->getAttrOfType<StringAttr>("call_target_name") &&
      op->getAttrOfType<StringAttr>("call_target_name").getValue() == "shape_assertion")
    return; // what it checks are sizes, which the program has as they are
  if (!known || !specialFunction(op).empty())
    return addUnsupported(op);
  if (!isReady(op))
    return;
  diagnostics.currentNode = describe(op);
  unsigned before = diagnostics.errors();
  int count = op->getNumOperands();
  if (known->operands < 0 ? count == 0 : count != known->operands)
    return diagnostics.addNodeReason(
        "expects " + (known->operands < 0 ? "operands" : Twine(known->operands)) + ", got " + Twine(count));
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !elementTypeOf(tensor.getElementType()) || tensor.getRank() > nn::maxRank)
      return diagnostics.addNodeReason(
          "gives " + dtypeName(type) +
          ", which dlc does not have; compute it in float32, int32, int64 or bool");
  }
  std::string own = nameOf(op->getLoc());
  program.body.setLoc(
      program.locationOf(own.empty() && !callers.empty() ? StringRef(callers.back()) : StringRef(own)));
  if (!giveWhole(op)) {
    Node node(*this, op, program.body);
    known->import(node);
  }
  if (diagnostics.errors() != before)
    for (Value result : op->getResults())
      (*scope)[result].failed = true;
  else
    checkDeclared(op);
}

/// Compares each result with the type that the text says.
void Importer::checkDeclared(Operation *op) {
  for (Value result : op->getResults()) {
    Known &known = (*scope)[result];
    if (known.failed) {
      diagnostics.addNodeReason("has no result");
      return;
    }
    auto declared = cast<RankedTensorType>(result.getType());
    if (!known.value)
      continue;
    nn::Shape shape = nn::shapeOf(known.value);
    bool fits = nn::elementTypeOf(known.value) == elementTypeOf(declared.getElementType()) &&
                int64_t(shape.size()) == declared.getRank();
    for (unsigned i = 0; fits && i < shape.size(); ++i)
      fits = declared.isDynamicDim(i) || !shape[i].isStatic() || shape[i].factor == declared.getDimSize(i);
    if (!fits) {
      diagnostics.addNodeReason("gives " + typeForUsers(known.value.getType()) + ", but the text says " +
                                dtypeName(declared));
      known.failed = true;
    }
  }
}

//===-- Values -----------------------------------------------------------------===//

/// Elements of any float type, as those of `type`.
static DenseElementsAttr convertedFloats(DenseElementsAttr elements, RankedTensorType type) {
  const llvm::fltSemantics &semantics = cast<FloatType>(type.getElementType()).getFloatSemantics();
  SmallVector<APFloat> numbers;
  auto add = [&](APFloat number) {
    bool loses = false;
    number.convert(semantics, APFloat::rmNearestTiesToEven, &loses);
    numbers.push_back(number);
  };
  if (elements.isSplat())
    add(elements.getSplatValue<APFloat>());
  else
    for (APFloat number : elements.getValues<APFloat>())
      add(number);
  return DenseElementsAttr::get(type, numbers);
}

Value Importer::constantOf(ElementsAttr attribute) {
  auto elements = dyn_cast<DenseElementsAttr>(attribute);
  auto declared = dyn_cast<RankedTensorType>(attribute.getType());
  Type element = declared ? elementTypeOf(declared.getElementType()) : Type();
  if (!elements || !element || !declared.hasStaticShape()) {
    diagnostics.addNodeReason(
        "reads a constant of type " + dtypeName(attribute.getType()) +
        ", expected numbers of float32, float64, bfloat16, float16, int32, int64, uint8 or bool");
    return {};
  }
  if (!frontend::countElements(declared.getShape())) {
    diagnostics.addNodeReason("reads a constant of type " + dtypeName(declared) + ", which is too large");
    return {};
  }
  auto type = RankedTensorType::get(declared.getShape(), element);
  DenseElementsAttr result;
  if (isa<FloatType>(element)) {
    result = convertedFloats(elements, type);
  } else {
    SmallVector<APInt> numbers;
    if (elements.isSplat())
      numbers.push_back(elements.getSplatValue<APInt>());
    else
      llvm::append_range(numbers, elements.getValues<APInt>());
    result = DenseElementsAttr::get(type, numbers);
  }
  return nn::ConstantOp::create(program.body, result);
}

Value Importer::materialize(Known &known, Type sourceType) {
  if (known.value || known.failed)
    return known.value;
  if (known.constant)
    return known.value = constantOf(known.constant);
  auto type = dyn_cast<RankedTensorType>(sourceType);
  Type element = type ? elementTypeOf(type.getElementType()) : Type();
  if (!known.sizes || !element)
    return {};
  // The size of a named dim is counted when the program runs.
  frontend::OpMaker maker(program.body);
  SmallVector<Value> parts;
  for (const nn::Dim &size : *known.sizes) {
    Value part = maker.scalar(double(size.factor), element);
    if (!size.isStatic())
      part = nn::cast(
          nn::sumAll({program.body, maker.expand(maker.scalar(1, program.body.getI64Type()), {size})}),
          element);
    parts.push_back(type.getRank() == 0 ? part : maker.reshape(part, {nn::Dim(1)}));
  }
  if (type.getRank() == 0)
    return known.value = parts.size() == 1 ? parts.front() : Value();
  return known.value = parts.size() == 1 ? parts.front()
                                         : maker.make<nn::ConcatOp>(parts, maker.attr("axis", int64_t(0)));
}

} // namespace dlc::stablehlo
