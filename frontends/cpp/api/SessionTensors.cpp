//===- SessionTensors.cpp - the tensors of a session by name -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/DTypes.h"
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/SessionState.h"
#include "frontends/cpp/api/StateDict.h"
#include "frontends/cpp/api/Text.h"
#include <cmath>

namespace dlc {
using namespace detail;

void Session::save(const std::string &path, Where where) const {
  state->check(dlc_instance_save(state->instance(), path.c_str()), where);
}
void Session::load(const std::string &path, Where where) {
  state->check(dlc_instance_load(state->instance(), path.c_str()), where);
  state->changed();
}
void Session::save_weights(const std::string &path, Where where) const {
  state->check(dlc_instance_save_weights(state->instance(), path.c_str()), where);
}

void Session::set_extra(const std::string &name, double number, Where where) {
  state->check(dlc_instance_extra_write_number(state->instance(), name.c_str(), number), where);
}
void Session::set_extra(const std::string &name, const std::string &text, Where where) {
  if (text.find('\0') != std::string::npos)
    fail("the entry '" + name + "': a text ends at its first NUL, so it cannot have one", where);
  state->check(dlc_instance_extra_write_text(state->instance(), name.c_str(), text.c_str()), where);
}
void Session::remove_extra(const std::string &name, Where where) {
  state->check(dlc_instance_extra_write_text(state->instance(), name.c_str(), nullptr), where);
}
double Session::extra_number(const std::string &name, Where where) const {
  double value = 0;
  state->check(dlc_instance_extra_read_number(state->instance(), name.c_str(), &value), where);
  return value;
}
std::string Session::extra_text(const std::string &name, Where where) const {
  const char *text = nullptr;
  state->check(dlc_instance_extra_read_text(state->instance(), name.c_str(), &text), where);
  return text;
}
std::vector<std::string> Session::extras() const {
  std::vector<std::string> names;
  const char *name = nullptr;
  for (int64_t i = 0; i < dlc_instance_extra_count(state->instance()); ++i)
    if (dlc_instance_extra_name(state->instance(), i, &name, nullptr) == DLC_OK)
      names.push_back(name);
  return names;
}

static std::vector<int64_t> shapeOf(const dlc_symbol &symbol) {
  return {symbol.shape, symbol.shape + symbol.rank};
}

/// The only tensor of that name; throws where there is none.
static const dlc_symbol &find(const SessionState &state, const std::string &name, const Where &where) {
  const dlc_symbol *found = nullptr;
  std::string known;
  state.forEach(learnedKinds, [&](const dlc_symbol &symbol) {
    if (symbol.name == name)
      found = &symbol;
    if (parameterKinds >> symbol.kind & 1)
      known += (known.empty() ? "" : ", ") + std::string(symbol.name);
  });
  if (!found)
    fail("the model has no parameter '" + name + "'; it has " + (known.empty() ? "none" : known), where);
  return *found;
}

static Array read(const SessionState &state, const dlc_symbol &symbol, const Where &where) {
  Array values(dtypeOf(symbol.dtype), shapeOf(symbol), where);
  state.check(dlc_instance_parameter_read(state.instance(), symbol.name, values.bytes().data(),
                                          values.bytes().size()),
              where);
  return values;
}

static void requireType(const dlc_symbol &symbol, const View &value, const Where &where) {
  if (value.dtype() != dtypeOf(symbol.dtype) || value.shape() != shapeOf(symbol))
    fail("'" + std::string(symbol.name) + "' is " + name_of(dtypeOf(symbol.dtype)) + " " +
             textOf(shapeOf(symbol)) + "; got " + name_of(value.dtype()) + " " + textOf(value.shape()),
         where);
}

static void write(const SessionState &state, const dlc_symbol &symbol, const View &value,
                  const Where &where) {
  state.check(dlc_instance_parameter_write(state.instance(), symbol.name, value.data(), value.bytes()),
              where);
  state.changed();
}

Array Session::parameter(const std::string &name, Where where) const {
  return read(*state, find(*state, name, where), where);
}

void Session::set_parameter(const std::string &name, const View &value, Where where) {
  const dlc_symbol &symbol = find(*state, name, where);
  state->requireParameters(where);
  requireType(symbol, value, where);
  write(*state, symbol, value, where);
}

Array Session::gradient(const std::string &name, Where where) const {
  const dlc_symbol &symbol = find(*state, name, where);
  Array values(dtypeOf(symbol.dtype), shapeOf(symbol), where);
  state->check(dlc_instance_gradient_read(state->instance(), symbol.name, values.bytes().data(),
                                          values.bytes().size()),
               where);
  return values;
}

double Session::gradient_weight(Where where) const {
  double weight = 0;
  state->check(dlc_instance_gradient_read(state->instance(), "gradient_weight", &weight, sizeof weight),
               where);
  return weight;
}

void Session::set_gradient(const std::string &name, const View &value, Where where) {
  const dlc_symbol &symbol = find(*state, name, where);
  requireType(symbol, value, where);
  state->check(dlc_instance_gradient_write(state->instance(), symbol.name, value.data(), value.bytes()),
               where);
}

void Session::set_gradient_weight(double weight, Where where) {
  if (!(weight >= 0 && std::isfinite(weight)))
    fail("the weight of gradients: expected a number of at least 0, got " + pythonNumber(weight), where);
  state->check(dlc_instance_gradient_write(state->instance(), "gradient_weight", &weight, sizeof weight),
               where);
}

void Session::use_average(bool on, Where where) {
  state->check(dlc_instance_use_average(state->instance(), on), where);
  state->usesAverage = on;
  state->changed();
}

StateDict Session::state_dict() const {
  StateDict tensors;
  state->forEach(parameterKinds, [&](const dlc_symbol &symbol) {
    tensors.emplace_back(symbol.name, read(*state, symbol, Where::current()));
  });
  return tensors;
}

StateDifference Session::load_state_dict(const StateDict &tensors, bool strict, Where where) {
  state->requireParameters(where);
  std::vector<WantedTensor> wanted;
  std::vector<const dlc_symbol *> symbols;
  state->forEach(parameterKinds, [&](const dlc_symbol &symbol) {
    wanted.push_back({symbol.name});
    symbols.push_back(&symbol);
  });
  auto [found, difference] = matchStateDict(tensors, wanted, strict, where);
  std::vector<std::pair<const dlc_symbol *, Array>> values; // all of them fit before one is written
  for (size_t i = 0; i < symbols.size(); ++i)
    if (found[i])
      values.emplace_back(symbols[i], fittingArray(symbols[i]->name, dtypeOf(symbols[i]->dtype),
                                                   shapeOf(*symbols[i]), *found[i], where));
  for (const auto &[symbol, value] : values)
    write(*state, *symbol, value, where);
  return difference;
}

StateDifference Session::load_state_dict(const std::string &path, bool strict, Where where) {
  return load_state_dict(load_tensors(path, where), strict, where);
}

} // namespace dlc
