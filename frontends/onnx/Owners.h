//===- Owners.h - whose is what a node reads --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exporter's optimizations may give two parameters, or a parameter and the number of a formula, that are
// equal now, one initializer. Each node keeps the note of its call, and what the call reads in the same place
// is whose the value is. Only what is read nowhere under its own name needs the place: what an initializer is
// called is its owner wherever the call mentions it.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_OWNERS_H
#define DLC_FRONTENDS_ONNX_OWNERS_H

#include "frontends/onnx/Calls.h"
#include "frontends/onnx/ExportRecord.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace dlc::onnx {

struct Owner {
  enum Kind {
    Unknown,  ///< the file does not say
    Number,   ///< a number of the formula
    Computed, ///< calls that the exporter has computed: there is only their result
    State     ///< a parameter or buffer of the author's module
  } kind = Unknown;
  std::string name = {}; ///< of the state
};

class Owners {
public:
  Owners(const ::onnx::GraphProto &graph, const ExportRecord &record);

  /// The owner of an initializer that the node reads directly.
  Owner of(const ::onnx::NodeProto &node, int input) const;

private:
  /// An initializer, or a value that the call mentions, that one of the call's nodes reads.
  struct Slot {
    const ::onnx::NodeProto *node;
    int input;
    std::string symbol;
    bool isInitializer;
    Owner owner = {};
    bool isFound = false;
  };
  struct Group {
    Call call;
    std::vector<Slot> slots;
    std::vector<bool> taken = {}; ///< which arguments have a slot
    bool isRewritten = false;     ///< nodes may stand for more than the call
    bool isOneNode() const;
  };

  void addSlots(Group &group, const ::onnx::NodeProto &node) const;
  void solve(Group &group) const;
  void find(Slot &slot, const Argument &argument) const;
  void findByElimination(Group &group) const;
  bool isSingle(const Slot &slot) const;
  bool mayBe(const Group &group, const Slot &slot, const Argument &argument) const;
  std::string symbolOf(llvm::StringRef name) const;
  bool isLost(const Argument &argument) const;

  const ExportRecord &record;
  llvm::StringMap<std::string> symbols; ///< of states by name: "p_w" of "w"
  llvm::StringMap<bool> initializers; ///< of floats: whether they have one element
  llvm::StringSet<> lost;             ///< results of calls that have no node
  llvm::StringMap<unsigned> numbers; ///< of groups, by the texts of their calls
  std::vector<Group> groups;
  llvm::DenseMap<const ::onnx::NodeProto *, unsigned> groupOf;
};

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_OWNERS_H
