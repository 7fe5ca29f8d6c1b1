//===- LostForward.cpp - copies of modules as a base of their class -------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ copies an object of a derived class into one of a base without a word, and what the derived class
// overrides is lost: the network would be another one. A copy knows the class of what it was copied from, and
// its own class as soon as it is whole; where it is called, registered or made a program of, both are
// compared. A class that takes a module into its base, Own(const Base &base) : Base(base), has lost nothing.
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/ModuleState.h"
#include <cctype>
#include <cstdlib>
#include <cxxabi.h>
#include <mutex>
#include <set>
#include <string_view>

namespace dlc::nn {
using namespace detail;

std::string nameOf(const std::type_info &type) {
  int status = 0;
  char *full = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string name = full ? full : type.name();
  std::free(full);
  std::string plain = name.substr(0, name.find('<')); // template arguments have colons, too
  size_t colon = plain.rfind("::");
  return colon == std::string::npos ? plain : plain.substr(colon + 2);
}

/// The classes that a class derives from directly, as the ABI describes them.
static std::vector<const std::type_info *> basesOf(const std::type_info &type) {
  if (auto *one = dynamic_cast<const abi::__si_class_type_info *>(&type))
    return {one->__base_type};
  std::vector<const std::type_info *> bases;
  if (auto *several = dynamic_cast<const abi::__vmi_class_type_info *>(&type))
    for (unsigned i = 0; i < several->__base_count; ++i)
      bases.push_back(several->__base_info[i].__base_type);
  return bases;
}

static bool derives(const std::type_info &type, const std::type_info &from) {
  for (const std::type_info *base : basesOf(type))
    if (*base == from || derives(*base, from))
      return true;
  return false;
}

/// Whether modules of the class compute something. A copy as one that does not is a handle to parameters and
/// settings.
static bool computes(const std::type_info &type) { return type != typeid(Module) && type != typeid(Layer); }

/// Whether a copy of such an object may be one of a base that computes something else.
static bool canBeLost(const std::type_info &type) {
  for (const std::type_info *base : basesOf(type))
    if (derives(*base, typeid(Module)) && (computes(*base) || canBeLost(*base)))
      return true;
  return false;
}

namespace {
/// Copies that may have lost their forward: what they are is known when they are whole.
struct Copies {
  std::mutex mutex; ///< threads may copy modules, although one describes them
  std::set<const Module *> all;
};
} // namespace
static Copies &copies() {
  static Copies *known = new Copies; // modules may live longer than what is static here
  return *known;
}

static void remember(const Module *copy, const std::type_info *made) {
  if (!canBeLost(*made))
    return;
  std::lock_guard lock(copies().mutex);
  copies().all.insert(copy);
}
static void forget(const Module *copy, const std::type_info *made) {
  if (!made || !canBeLost(*made))
    return;
  std::lock_guard lock(copies().mutex);
  copies().all.erase(copy);
}

/// What a copy of `other` is a copy of.
static const std::type_info *madeOf(const Module &other) {
  const std::type_info *lost = other.lost();
  return lost ? lost : &typeid(other);
}

Module::Module(const Module &other)
    : weight(other.weight), bias(other.bias), shared(other.shared), made(madeOf(other)) {
  remember(this, made);
}

Module &Module::operator=(const Module &other) {
  if (this == &other)
    return *this;
  forget(this, made);
  weight = other.weight;
  bias = other.bias;
  shared = other.shared;
  made = madeOf(other);
  remember(this, made);
  return *this;
}

Module::~Module() { forget(this, made); }

const std::type_info *Module::lost() const {
  const std::type_info &type = typeid(*this);
  return made && *made != type && derives(*made, type) ? made : nullptr;
}

/// `what` it is: "the module that is called".
[[noreturn]] static void failOfLost(const std::string &what, const Module &copy, const Where &where) {
  const ModuleState &state = copy.state();
  const std::string whole = nameOf(*copy.lost()), base = nameOf(typeid(copy));
  const std::string of = state.registeredAt.empty() ? "a module of class " + whole
                                                    : "'" + state.path() + "', which is of class " + whole +
                                                          " and registered at " + state.registeredAt;
  fail(what + " is a copy as " + base + " of " + of + ": it computes what " + base +
           " computes, without what " + whole + " adds; write " + whole + " instead of " + base +
           " where it is declared, also in a ModuleList; a function takes it as " + base + " &",
       where);
}

/// Whether a function's name, as the compiler writes it, says that it is one of a class called `name`.
static bool isMemberOf(std::string_view function, std::string_view name) {
  auto isPartOfName = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (size_t at = function.find(name); at != std::string_view::npos; at = function.find(name, at + 1)) {
    std::string_view behind = function.substr(at + name.size());
    int depth = 0; // of the arguments of a template
    while (behind.starts_with('<') || (depth > 0 && !behind.empty())) {
      depth += behind.front() == '<' ? 1 : behind.front() == '>' ? -1 : 0;
      behind.remove_prefix(1);
    }
    if ((at == 0 || !isPartOfName(function[at - 1])) && behind.starts_with("::"))
      return true;
  }
  return false;
}

static bool isMemberOf(std::string_view function, const std::type_info &type) {
  if (std::string_view(type.name()).starts_with("N3dlc")) // the library's, whose functions do not ask
    return false;
  if (isMemberOf(function, nameOf(type)))
    return true;
  for (const std::type_info *base : basesOf(type))
    if (isMemberOf(function, *base))
      return true;
  return false;
}

bool isCalledByOwnClass(const Module &module, const Where &where) {
  return isMemberOf(where.function_name(), typeid(module));
}

void refuseLost(const Module &module, const Where &where) {
  if (module.lost())
    failOfLost("the module that is called", module, where);
}

void refuseRegisteringLost(const Module &module, const Where &where) {
  if (module.lost() && computes(typeid(module)))
    failOfLost("register_module: the module", module, where);
}

/// The first of the copies that have lost their forward and that `isWanted` says yes to; null for none.
template <typename Function> static const Module *findLost(Function isWanted) {
  std::lock_guard lock(copies().mutex);
  for (const Module *copy : copies().all)
    if (computes(typeid(*copy)) && copy->lost() && isWanted(copy->state()))
      return copy;
  return nullptr;
}

void refuseLostAbove(const ModuleState &module, const std::function<bool(const ModuleState &)> &isOpen,
                     const Where &where) {
  for (const ModuleState *above = module.parent; above && !isOpen(*above); above = above->parent)
    if (const Module *copy = findLost([&](const ModuleState &state) { return &state == above; }))
      failOfLost("the module whose forward is computed", *copy, where);
}

void refuseLostBelow(const Module &model, const Where &where) {
  auto isPart = [&](const ModuleState &state) {
    const ModuleState *above = &state;
    while (above && above != &model.state())
      above = above->parent;
    return above && !state.isCalled;
  };
  if (const Module *copy = findLost(isPart))
    failOfLost("a part of the model", *copy, where);
}

} // namespace dlc::nn
