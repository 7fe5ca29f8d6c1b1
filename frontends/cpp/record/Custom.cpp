//===- Custom.cpp - operations that users bring themselves ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The declarations of a file are read once, and stay in the recording; a program that is taken out gets those
// that it uses (Extract.cpp).
//===----------------------------------------------------------------------===//
#include "frontends/common/CustomOps.h"
#include "frontends/cpp/record/State.h"
#include <cmath>

using namespace mlir;

namespace dlc::record {

/// A file of which one operation is wrong leaves nothing behind.
static std::string readFile(const std::string &file, Recorder::State &state) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&state.context));
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto program = train::ProgramOp::create(builder, builder.getUnknownLoc(), "read");
  builder.setInsertionPointToStart(&program.getBody().emplaceBlock());
  if (llvm::Error error = frontend::addCustomOps(file, program, builder))
    return llvm::toString(std::move(error));
  std::map<std::string, std::string> names;
  for (auto op : program.getOps<train::CustomFunctionOp>()) {
    StringRef symbol = op.getSymName();
    if (SymbolTable::lookupSymbolIn(state.function->getParentOp(), symbol))
      return "custom operations in '" + file + "': another file has an operation '" + symbol.str() + "', too";
    names[symbol.rsplit('.').second.str()] = symbol.str();
  }
  for (auto op : llvm::make_early_inc_range(program.getOps<train::CustomFunctionOp>()))
    op->moveBefore(state.function);
  state.customOps[file] = std::move(names);
  return "";
}

/// Numbers of the types that the function's settings have.
static FailureOr<ArrayAttr> numbersOf(train::CustomFunctionOp function,
                                      const std::map<std::string, double> &attributes,
                                      train::ReportError error) {
  Builder builder(function.getContext());
  SmallVector<train::CustomSettingAttr> settings = function.settingList();
  NamedAttrList given;
  for (const auto &[name, number] : attributes) {
    auto setting = llvm::find_if(
        settings, [name = StringRef(name)](train::CustomSettingAttr each) { return each.getName() == name; });
    if (setting == settings.end())
      return error() << "attribute '" << name << "' is not declared for '" << function.getSymName() << "'";
    constexpr double most = 0x1p53; // larger ones may have been rounded
    if (setting->getType().isF64())
      given.append(name, builder.getF64FloatAttr(number));
    else if (std::abs(number) <= most && std::floor(number) == number)
      given.append(name, builder.getI64IntegerAttr(int64_t(number)));
    else
      return error() << "attribute '" << name << "': expected a whole number, got " << number;
  }
  return train::customNumbers(function, given.getDictionary(function.getContext()), error);
}

static train::CustomOp create(OpBuilder builder, Location location, train::CustomFunctionOp function,
                              ValueRange inputs, const std::map<std::string, double> &attributes) {
  auto error = [&] { return emitError(location); };
  FailureOr<ArrayAttr> numbers = numbersOf(function, attributes, error);
  FailureOr<train::CustomShapes> shapes = train::customShapes(function, inputs.getTypes(), error);
  if (failed(numbers) || failed(shapes) ||
      failed(train::checkCustomGradient(function, inputs.getTypes(), shapes->outputs, error)))
    return {};
  return train::CustomOp::create(builder, location, shapes->outputs, function.getSymName(), inputs,
                                 numbers->empty() ? ArrayAttr() : *numbers);
}

Outcome<std::vector<Id>> Recorder::custom(const std::string &file, const std::string &name,
                                          const std::vector<Id> &inputs,
                                          const std::map<std::string, double> &attributes,
                                          const Place &place) {
  using Result = Outcome<std::vector<Id>>;
  if (!recording->customOps.count(file))
    if (std::string problem = readFile(file, *recording); !problem.empty())
      return Result::fail(problem);
  const std::map<std::string, std::string> &names = recording->customOps[file];
  auto symbol = names.find(name);
  if (symbol == names.end())
    return Result::fail("custom operations in '" + file + "': there is no operation '" + name + "'");
  auto function = cast<train::CustomFunctionOp>(
      SymbolTable::lookupSymbolIn(recording->function->getParentOp(), symbol->second));
  SmallVector<Value> values;
  for (Id input : inputs)
    values.push_back(recording->values[input]);
  train::CustomOp op;
  std::string errors = errorsOf(recording->context, [&] {
    op = create(OpBuilder::atBlockEnd(&recording->function.getBody().front()), recording->locationOf(place),
                function, values, attributes);
  });
  if (!op)
    return Result::fail(errors);
  std::vector<Id> outputs;
  for (Value output : op.getOutputs())
    outputs.push_back(recording->add(output));
  return {std::move(outputs), ""};
}

} // namespace dlc::record
