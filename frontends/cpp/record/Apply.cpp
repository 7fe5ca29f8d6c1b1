//===- Apply.cpp - operations of a recording -----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any operation is made by its name. Its own inference gives the types of its results, or the error.
//===----------------------------------------------------------------------===//
#include "compiler/support/Messages.h"
#include "frontends/cpp/record/State.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;

namespace dlc::record {

/// Fills in the types of the results.
static LogicalResult inferTypes(OperationState &state) {
  RegisteredOperationName name = *state.name.getRegisteredInfo();
  auto *inference = name.getInterface<InferTypeOpInterface>();
  if (!inference)
    return emitError(state.location, "results of '") << state.name << "' are not inferred";
  DictionaryAttr attributes = state.attributes.getDictionary(state.getContext());
  std::unique_ptr<char[]> memory;
  OpaqueProperties properties = nullptr;
  if (size_t bytes = name.getOpPropertyByteSize()) {
    memory = std::make_unique<char[]>(bytes);
    properties = OpaqueProperties(memory.get());
    name.initOpProperties(properties, OpaqueProperties(nullptr));
    auto report = [&] { return emitError(state.location); };
    if (failed(name.setOpPropertiesFromAttribute(state.name, properties, attributes, report)))
      return failure();
  }
  LogicalResult result = inference->inferReturnTypes(state.getContext(), state.location, state.operands,
                                                     attributes, properties, state.regions, state.types);
  if (properties)
    name.destroyOpProperties(properties);
  return result;
}

/// "; it was given float32 [64, 784] and float32 [10]".
static std::string describeOperands(ValueRange operands) {
  std::string text;
  for (auto [i, operand] : llvm::enumerate(operands))
    text += (i == 0                     ? "; it was given "
             : i + 1 == operands.size() ? " and "
                                        : ", ") +
            typeForUsers(operand.getType());
  return text;
}

/// "exp: expects floating-point numbers, got int64 [2]; convert them with to(dlc::float32)" for what MLIR
/// says of types by their names in C++ ("operand #0 must be ranked tensor of 32-bit float or ... values, but
/// got int64 [2]").
static std::string inOurWords(StringRef error, ValueRange operands) {
  auto [before, kinds] = error.split(" must be ranked tensor of ");
  unsigned operand;
  if (kinds.empty() || !before.consume_front("operand #") || before.getAsInteger(10, operand) ||
      operand >= operands.size())
    return error.contains("operands of one dtype") ? (error + "; convert one with to(dlc::float32)").str()
                                                   : error.str();
  StringRef kind = kindOfValues(kinds.split(" values").first);
  return ("expects " + kind + (operands.size() > 1 ? " as operand " + Twine(operand) : Twine()) + ", got " +
          typeForUsers(operands[operand].getType()) + "; convert them with to(dlc::" +
          (kind == "integers"       ? "int64)"
           : kind == "truth values" ? "boolean)"
                                    : "float32)"))
      .str();
}

Outcome<std::vector<Id>> Recorder::apply(const char *operation, const std::vector<Id> &operands,
                                         const Attributes &attributes, const Place &place,
                                         const std::vector<Type> &types) {
  using Result = Outcome<std::vector<Id>>;
  OperationState state(recording->locationOf(place), operation);
  assert(state.name.getRegisteredInfo() && "no operation of the dialects");
  for (Id operand : operands)
    state.addOperands(recording->values[operand]);
  for (const auto &[name, attribute] : attributes)
    if (mlir::Attribute value = attributeOf(attribute, *recording))
      state.addAttribute(name, value);
  for (const Type &type : types) {
    auto tensor = recording->typeOf(type);
    if (!tensor.value)
      return Result::fail(tensor.error);
    state.addTypes(*tensor.value);
  }
  Operation *op = nullptr;
  std::string errors = errorsOf(recording->context, [&] {
    if (types.empty() && failed(inferTypes(state)))
      return;
    op = OpBuilder::atBlockEnd(&recording->function.getBody().front()).create(state);
    if (failed(verify(op, /*verifyRecursively=*/false))) {
      op->erase();
      op = nullptr;
    }
  });
  if (!op)
    return Result::fail(state.name.stripDialect().str() + ": " + inOurWords(errors, state.operands) +
                        describeOperands(state.operands));
  if (auto dropout = dyn_cast<nn::DropoutOp>(op))
    dropout.setStream(recording->streams++);
  if (auto uniform = dyn_cast<nn::RandomUniformOp>(op)) {
    uniform.setStream(recording->streams);
    recording->streams += 2; // it draws from two
  }
  std::vector<Id> ids;
  for (Value result : op->getResults())
    ids.push_back(recording->add(result));
  return {std::move(ids), ""};
}

} // namespace dlc::record
