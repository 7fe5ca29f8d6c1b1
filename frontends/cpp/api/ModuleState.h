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
  bool isTied = false; ///< the parameter belongs to another module
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
  std::vector<ForwardHook> hooks; ///< in the order of registration

  std::string path() const;
  /// Calls `visit` with the full name of each entry of this module and those below it, names below `this`.
  void forEachEntry(const std::string &prefix,
                    const std::function<void(const std::string &, Entry &)> &visit);
};

} // namespace dlc::nn

#endif // DLC_FRONTENDS_CPP_API_MODULESTATE_H
