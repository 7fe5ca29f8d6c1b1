//===- Ties.h - initializers that several layers share ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exporters and optimizers write one initializer for all that are equal when the file is made: the scales of
// all normalizations (ones), all slopes of PReLU, all biases that are zero. Trained as one they are another
// network. Here each layer gets its own again; matrices and embeddings, which authors do tie, stay tied.
//
// An example: the nodes
//     a = LayerNormalization(x, ones, zeros)
//     b = LayerNormalization(y, ones, zeros)
//     c = MatMul(a, w)
//     d = MatMul(b, w)
// read three initializers. Each use gets a key: those of `ones`, whose role is a scale, get keys that name
// their layers, so that there are two groups of uses. The first keeps the name `ones`; the second reads a new
// initializer of equal content, which is called after the node b. `zeros` is treated likewise. Both uses of
// `w` have the role of a matrix and the key "": they are one group and stay tied. Where the exporter has
// recorded which parameter of the author's module a call got (Owners.h), that decides instead of the role.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_TIES_H
#define DLC_FRONTENDS_ONNX_TIES_H

#include "frontends/onnx/ExportRecord.h"
#include "frontends/onnx/HostTensor.h"
#include "frontends/onnx/Owners.h"
#include "frontends/onnx/Roles.h"
#include "llvm/ADT/DenseMap.h"
#include <map>

namespace dlc::onnx {

/// An initializer and the names under which its content is there now, its own first.
struct Untied {
  struct Alias {
    std::string name;
    bool isParameter = false;       ///< of the author's module, by the exporter's record
    bool isConstant = false;        ///< a literal or a buffer
    bool isStatistic = false;       ///< a running mean or variance, which no gradient trains
    bool isComputed = false;        ///< a constant that the exporter may have computed of anything
    std::vector<std::string> users; ///< nodes
  };
  std::string name;
  std::vector<Alias> aliases;
};

class Ties {
public:
  /// `keep`: only running statistics are untied, since no two batch norms may update the same.
  Ties(::onnx::GraphProto &graph, const ExportRecord &record, bool keep);

  /// Gives each layer that reads the initializer its own name for it, in the graph. One alias if all stays.
  Untied untie(const std::string &name, const HostTensor &tensor);

  /// Where a parameter of the author's module was found: the initializer, and the node that reads it as that.
  struct ParameterUse {
    std::string initializer, node;
  };
  const std::map<std::string, std::vector<ParameterUse>> &parameterUses() const { return usesOfParameters; }

  /// Whether a tensor is read that is none of them as it is: it may be computed from some.
  bool readsOthers() const { return hasUnknown; }

private:
  struct Use {
    ::onnx::NodeProto *node; ///< null: one that stays as it is
    int input;
    Role role;
    std::string alias;    ///< the result of the first Identity on the way
    Owner owner = {};     ///< by the exporter's record
    std::string key = {}; ///< uses with the same one are of one layer; "" is whoever has the name
    bool isOf(llvm::StringRef state) const { return owner.kind == Owner::State && owner.name == state; }
  };
  using Uses = std::vector<Use>;
  struct LayerUses {
    std::string key;
    std::vector<const Use *> uses;
    const Use &first() const { return *uses.front(); }
    bool isConstant(const ExportRecord &record) const;
  };

  Uses usesOf(const std::string &name) const;
  void findOwners(const std::string &name, Uses &uses) const;
  void findKeys(const std::string &name, const HostTensor &tensor, Uses &uses) const;
  std::string keyByPosition(const std::string &name, const HostTensor &tensor, const Use &use,
                            bool hasOwn) const;
  std::string layerOf(const std::string &name, const Use &use) const;
  std::string newName(const LayerUses &layer, const Uses &all);
  void redirect(const std::string &from, const std::string &to, const LayerUses &layer);
  std::string unique(const std::string &name);

  ::onnx::GraphProto &graph;
  const ExportRecord &record;
  const Owners owners;
  bool keep, hasUnknown = false;
  bool hasFolded = false; ///< some parameters are neither in the file nor mentioned: others were made of them
  GraphIndex index;
  llvm::StringSet<> taken, initializers;
  llvm::StringMap<unsigned> lastSuffixes;
  llvm::DenseMap<const ::onnx::NodeProto *, int> order;
  std::map<std::string, std::vector<ParameterUse>> usesOfParameters;
};

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_TIES_H
