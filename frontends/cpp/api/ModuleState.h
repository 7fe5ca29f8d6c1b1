//===- ModuleState.h - what the copies of a module share ----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_MODULESTATE_H
#define DLC_FRONTENDS_CPP_API_MODULESTATE_H

#include "dlc/nn/module.h"
#include <functional>

namespace dlc::nn {

/// A parameter or a buffer of one module.
struct Entry {
  std::string name;
  Tensor tensor;
  bool isBuffer = false;
  bool isTied = false;              ///< the parameter belongs to another module
  std::vector<Tensor> updates = {}; ///< what update_buffer() was told, in order
};

struct ModuleState {
  ModuleState() = default;
  ~ModuleState();
  ModuleState(const ModuleState &) = delete;
  std::string type, description;
  std::string name;              ///< in the parent
  ModuleState *parent = nullptr; ///< owns this one
  std::vector<std::pair<std::string, std::shared_ptr<ModuleState>>> children;
  std::vector<Entry> entries;
  bool isTraining = true;
  std::string registeredAt; ///< "net.cpp:12"
  bool isCalled = false;    ///< by a handle of the module's own class
  std::string madeAs;       ///< the class that registered something: that of the module, or a base of it
  /// In the order of registration; hooks that were taken away are gone.
  ///@{
  std::vector<std::shared_ptr<const ForwardHook>> hooks;
  std::vector<std::shared_ptr<const BackwardHook>> backwardHooks;
  ///@}

  std::string path() const;
  /// Calls `visit` with the full name of each entry of this module and those below it, names below `this`.
  void forEachEntry(const std::string &prefix,
                    const std::function<void(const std::string &, Entry &)> &visit);
};

/// The name of a class without namespaces and template arguments.
std::string nameOf(const std::type_info &type);
/// Throws where a module that is called is a copy that has lost the forward of its class (Module::lost).
void refuseLost(const Module &module, const Where &where);
/// The same of one that is registered; as a plain Module it is a handle, which cannot be called anyway.
void refuseRegisteringLost(const Module &module, const Where &where);
/// Throws where a module that is computed without a Scope of its own, by its forward, has such a copy alone:
/// `isOpen` are those with a Scope.
void refuseLostAbove(const ModuleState &module, const std::function<bool(const ModuleState &)> &isOpen,
                     const Where &where);
/// Whether the call is in a function of the module's class, or of one between that and the library's.
bool isCalledByOwnClass(const Module &module, const Where &where);
/// Throws where a part of a model has been computed by such a copy alone.
void refuseLostBelow(const Module &model, const Where &where);

/// Warns where the module is being computed as a training step has it, while the module that calls it is in
/// eval(): it is no part of that one, so that eval() did not reach it.
void warnOfOtherMode(const ModuleState &module, const std::string &type);
/// Module::caller(), for functions.
Where callerOf();
/// What has registered a state: "'fc.weight' of Net"; "" where nothing has.
std::string ownerOf(uint32_t state);

} // namespace dlc::nn

#endif // DLC_FRONTENDS_CPP_API_MODULESTATE_H
