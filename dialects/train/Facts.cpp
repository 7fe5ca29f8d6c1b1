//===- Facts.cpp - train: what stages tell each other ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be said of each fact alone. What it says of an operation, that operation's verifier knows; here
// are those of operations of other dialects, too.
//===----------------------------------------------------------------------===//
#include "dialects/train/Train.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IntegerSet.h"

using namespace mlir;
using namespace train;

using EmitError = llvm::function_ref<InFlightDiagnostic()>;

//===-- Attributes -------------------------------------------------------------===//

LogicalResult DerivativeOfAttr::verify(EmitError emitError, Derivative derivative, FlatSymbolRefAttr of) {
  if (derivative == Derivative::None)
    return emitError() << "expected vjp, jvp or hvp, got none";
  if (bool(of) == (derivative == Derivative::Hvp))
    return emitError() << (of ? "expected no name for hvp, which is of the loss by all parameters"
                              : "expected `of` and the name of an input or a prediction");
  return success();
}

LogicalResult PhaseAttr::verify(EmitError emitError, FlatSymbolRefAttr, int64_t part) {
  return part >= 0 ? success() : emitError() << "expected a part's number, 0 or more, got " << part;
}

LogicalResult ProgramPlanAttr::verify(EmitError emitError, int64_t states, int64_t arena, int64_t bound) {
  if (0 <= states && states <= bound && bound <= arena)
    return success();
  return emitError() << "expected 0 <= states <= bound <= arena, got " << states << ", " << bound << ", "
                     << arena;
}

LogicalResult FunctionPlanAttr::verify(EmitError emitError, int64_t working, int64_t bound) {
  if (0 <= bound && bound <= working)
    return success();
  return emitError() << "expected 0 <= bound <= working, got " << bound << ", " << working;
}

LogicalResult BudgetAttr::verify(EmitError emitError, int64_t bytes, int64_t without) {
  if (bytes > 0 && without >= 0)
    return success();
  return emitError() << "expected a budget above 0, got " << bytes
                     << ", and no less than 0 bytes without it, got " << without;
}

LogicalResult RecomputeAttr::verify(EmitError emitError, int64_t price, int64_t layers) {
  if (price >= 0 && layers >= 0)
    return success();
  return emitError() << "expected numbers that are not negative, got " << price << " and " << layers;
}

LogicalResult MemberAttr::verify(EmitError emitError, int64_t kernel, int64_t step, ArrayRef<int64_t>) {
  if (kernel >= 0 && step >= 0)
    return success();
  return emitError() << "expected the numbers of a kernel and of a step, 0 or more, got " << kernel << " and "
                     << step;
}

/// A list of loops, as `[0, 2]`.
static ParseResult parseLoops(AsmParser &parser, SmallVector<int64_t> &loops) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(loops.emplace_back()); });
}
static void printLoops(AsmPrinter &printer, StringRef name, ArrayRef<int64_t> loops) {
  if (loops.empty())
    return;
  printer << ", " << name << " [";
  llvm::interleaveComma(loops, printer);
  printer << "]";
}

Attribute MemberAttr::parse(AsmParser &parser, Type) {
  int64_t kernel = 0, step = 0;
  SmallVector<int64_t> shared;
  llvm::SMLoc at = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseInteger(kernel))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    const bool isStep = succeeded(parser.parseOptionalKeyword("step"));
    if (isStep ? failed(parser.parseInteger(step))
               : parser.parseKeyword("shared", ", or 'step'") || parseLoops(parser, shared))
      return {};
  }
  if (parser.parseGreater())
    return {};
  if (failed(verify([&] { return parser.emitError(at); }, kernel, step, shared)))
    return {};
  return get(parser.getContext(), kernel, step, shared);
}

void MemberAttr::print(AsmPrinter &printer) const {
  printer << "<" << getKernel();
  if (getStep() != 0)
    printer << ", step " << getStep();
  printLoops(printer, "shared", getShared());
  printer << ">";
}

Attribute RoleAttr::parse(AsmParser &parser, Type) {
  StringRef name;
  int64_t number = 0;
  SmallVector<int64_t> loops;
  llvm::SMLoc at = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&name))
    return {};
  std::optional<KernelRole> role = symbolizeKernelRole(name);
  if (!role) {
    parser.emitError(at) << "expected a role of a loop nest, got '" << name << "'";
    return {};
  }
  OptionalParseResult hasNumber = parser.parseOptionalInteger(number);
  if ((hasNumber.has_value() && failed(*hasNumber)) ||
      (succeeded(parser.parseOptionalComma()) &&
       (parser.parseKeyword("loops") || parseLoops(parser, loops))) ||
      parser.parseGreater())
    return {};
  if (failed(verify([&] { return parser.emitError(at); }, *role, number, loops)))
    return {};
  return get(parser.getContext(), *role, number, loops);
}

void RoleAttr::print(AsmPrinter &printer) const {
  printer << "<" << stringifyKernelRole(getRole());
  if (getNumber() != 0)
    printer << " " << getNumber();
  printLoops(printer, "loops", getLoops());
  printer << ">";
}

LogicalResult RoleAttr::verify(EmitError emitError, KernelRole, int64_t number, ArrayRef<int64_t>) {
  return number >= 0 ? success() : emitError() << "expected a number of 0 or more, got " << number;
}

LogicalResult RecomputedAttr::verify(EmitError emitError, int64_t permille, ArrayRef<StringAttr>) {
  return permille >= 0 ? success() : emitError() << "expected a share that is not negative, got " << permille;
}

LogicalResult RecognizedAttr::verify(EmitError emitError, StringRef function, int64_t count) {
  if (!function.empty() && count > 0)
    return success();
  return emitError() << "expected the name of a function and how often it is there, got '" << function
                     << "' and " << count;
}

LogicalResult NearMissAttr::verify(EmitError emitError, StringRef, StringRef why) {
  return !why.empty() ? success() : emitError() << "expected a reason";
}

//===-- Of operations of other dialects ----------------------------------------===//

/// How many loops a nest has; an error for other operations.
static FailureOr<int64_t> loopsOf(Operation *op, NamedAttribute attribute) {
  if (auto nest = dyn_cast<linalg::LinalgOp>(op))
    return nest.getNumLoops();
  return op->emitOpError("has the attribute '")
         << attribute.getName().getValue() << "', which loop nests have";
}

static LogicalResult verifyNonzero(Operation *op, NamedAttribute attribute) {
  FailureOr<int64_t> loops = loopsOf(op, attribute);
  if (failed(loops))
    return failure();
  auto terms = dyn_cast<IntegerSetAttr>(attribute.getValue());
  if (terms && terms.getValue().getNumDims() == *loops && terms.getValue().getNumSymbols() == 0 &&
      llvm::none_of(terms.getValue().getEqFlags(), [](bool isEquality) { return isEquality; }))
    return success();
  return op->emitOpError("expects in '")
         << attribute.getName().getValue() << "' a set of inequalities over its " << *loops << " loops, got "
         << attribute.getValue();
}

static LogicalResult verifyZerosBefore(Operation *op, NamedAttribute attribute) {
  FailureOr<int64_t> loops = loopsOf(op, attribute);
  if (failed(loops))
    return failure();
  auto zeros = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
  if (zeros && zeros.size() == *loops &&
      llvm::none_of(zeros.asArrayRef(), [](int64_t each) { return each < 0; }))
    return success();
  return op->emitOpError("expects in '") << attribute.getName().getValue() << "' a number for each of its "
                                         << *loops << " loops, 0 or more, got " << attribute.getValue();
}

static LogicalResult verifyMember(Operation *op, NamedAttribute attribute) {
  FailureOr<int64_t> loops = loopsOf(op, attribute);
  if (failed(loops))
    return failure();
  auto member = dyn_cast<MemberAttr>(attribute.getValue());
  if (!member)
    return op->emitOpError("expects a #train.member, got ") << attribute.getValue();
  llvm::SmallDenseSet<int64_t> seen;
  if (llvm::all_of(member.getShared(),
                   [&](int64_t loop) { return loop >= 0 && loop < *loops && seen.insert(loop).second; }))
    return success();
  return op->emitOpError("expects shared loops among its ") << *loops << ", each once, got " << member;
}

static LogicalResult verifyRole(Operation *op, NamedAttribute attribute) {
  FailureOr<int64_t> loops = loopsOf(op, attribute);
  if (failed(loops))
    return failure();
  auto role = dyn_cast<RoleAttr>(attribute.getValue());
  if (role && int64_t(role.getLoops().size()) == *loops &&
      llvm::none_of(role.getLoops(), [](int64_t loop) { return loop < -1; }))
    return success();
  return op->emitOpError("expects a #train.role that says for each of its ")
         << *loops << " loops which one it is, -1 or more, got " << attribute.getValue();
}

static LogicalResult verifyPosition(Operation *op, NamedAttribute attribute) {
  auto position = dyn_cast<IntegerAttr>(attribute.getValue());
  if (position && position.getType().isInteger(64) && position.getInt() >= 0)
    return success();
  return op->emitOpError("expects a position of 0 or more as i64, got ") << attribute.getValue();
}

LogicalResult TrainDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == NonzeroAttrHelper::getNameStr())
    return verifyNonzero(op, attribute);
  if (name == ZerosBeforeAttrHelper::getNameStr())
    return verifyZerosBefore(op, attribute);
  if (name == MemberAttrHelper::getNameStr())
    return verifyMember(op, attribute);
  if (name == RoleAttrHelper::getNameStr())
    return verifyRole(op, attribute);
  if (name == PositionAttrHelper::getNameStr())
    return verifyPosition(op, attribute);
  return op->emitOpError("has the attribute '") << name << "', which the dialect 'train' does not have";
}
