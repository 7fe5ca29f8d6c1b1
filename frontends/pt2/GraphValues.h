//===- GraphValues.h - the names of a graph, and what each stands for ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns what is known of every name. Values of one storage may share their numbers.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_PT2_GRAPHVALUES_H
#define DLC_FRONTENDS_PT2_GRAPHVALUES_H

#include "frontends/pt2/Model.h"
#include "mlir/IR/Value.h"

namespace dlc::pt2 {

/// A name of the graph. A tensor has a value; a size that is computed has a dim.
struct GraphValue {
  mlir::Value value;
  std::optional<nn::Dim> dim;
  const InputSpec *state = nullptr; ///< a buffer or a constant, which may not be read yet
  unsigned storage = 0;             ///< values of one storage may share their numbers; 0: none yet
  bool failed = false;
  std::string reason; ///< why there is no value: told where it is read
};

class GraphValues {
public:
  /// Null where nothing is known of the name.
  GraphValue *find(llvm::StringRef name) {
    auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  }
  GraphValue &operator[](llvm::StringRef name) { return values[name]; }
  GraphValue lookup(llvm::StringRef name) const { return values.lookup(name); }
  const llvm::StringMap<GraphValue> &all() const { return values; }
  /// A storage that no other value has.
  unsigned newStorage() { return ++lastStorage; }

private:
  llvm::StringMap<GraphValue> values;
  unsigned lastStorage = 0;
};

} // namespace dlc::pt2

#endif // DLC_FRONTENDS_PT2_GRAPHVALUES_H
