//===- Ties.cpp - initializers that several layers share
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Ties.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/NodeProtos.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace dlc::onnx {

/// Longer chains of views are none that an exporter writes; each layer gets its own copy of a chain.
constexpr int maxViews = 8;
/// The key of literals and buffers.
static constexpr StringLiteral constantKey = "constant";

Ties::Ties(::onnx::GraphProto &graph, const ExportRecord &record, bool keep)
    : graph(graph), record(record), owners(graph, record), keep(keep), index(graph) {
  for (const ::onnx::TensorProto &tensor : graph.initializer()) {
    taken.insert(tensor.name());
    initializers.insert(tensor.name());
  }
  for (const auto *infos : {&graph.input(), &graph.output()})
    for (const ::onnx::ValueInfoProto &info : *infos)
      taken.insert(info.name());
  int count = 0;
  for (const ::onnx::NodeProto &node : graph.node()) {
    taken.insert(node.output().begin(), node.output().end());
    order[&node] = ++count;
  }
  StringSet<> mentioned;
  for (const ::onnx::NodeProto &node : graph.node())
    for (const std::string &name : record.mentionedBy(node))
      mentioned.insert(name);
  hasFolded =
      !record.lostSymbols(graph).empty() && llvm::any_of(record.parameters(), [&](const std::string &name) {
        return !initializers.contains(name) && !mentioned.contains(name);
      });
}

std::string Ties::unique(const std::string &name) {
  std::string result = name;
  while (!taken.insert(result).second)
    result = name + "_" + std::to_string(++lastSuffixes[name]);
  return result;
}

//===-- Who reads it ---------------------------------------------------------------===//

/// Finds the uses of an initializer, through views, in the order of the graph.
Ties::Uses Ties::usesOf(const std::string &name) const {
  struct Reader {
    std::string name, alias;
    Owner owner;
    int views;
  };
  Uses uses;
  StringSet<> seen;
  std::vector<Reader> open = {{name, "", {}, 0}};
  while (!open.empty()) {
    Reader reader = std::move(open.back());
    open.pop_back();
    if (!seen.insert(reader.name).second)
      continue;
    if (index.isOutput(reader.name) || reader.views == maxViews)
      uses.push_back({nullptr, 0, Role::Other, ""});
    if (reader.views == maxViews)
      continue;
    for (auto [node, input] : reverse(index.readers(reader.name))) {
      StringRef op = node->op_type();
      if (op == "Shape" || op == "Size" || (op == "CastLike" && input == 1))
        continue; // no element is read
      // Whose it is shows where the initializer itself is read: what is behind its views is nobody else's.
      Owner owner = reader.views == 0 ? owners.of(*node, input) : reader.owner;
      if (!isView(op) || input != 0 || node->output_size() == 0) {
        uses.push_back({node, input, index.roleOf(*node, input), reader.alias, owner});
        continue;
      }
      bool isFirst = op == "Identity" && reader.alias.empty() && owner.kind == Owner::Unknown;
      open.push_back({node->output(0), isFirst ? node->output(0) : reader.alias, owner, reader.views + 1});
    }
  }
  // Messages and the first use, which keeps the name, follow the order of the file.
  llvm::sort(uses, [&](const Use &a, const Use &b) {
    return std::make_pair(order.lookup(a.node), a.input) < std::make_pair(order.lookup(b.node), b.input);
  });
  return uses;
}

//===-- Which layer a use is of ----------------------------------------------------===//

/// "/encoder/norm" of "/encoder/norm/LayerNormalization". PyTorch's older exporter numbers a module's later
/// calls: "/encoder_1/norm"; what the initializer is called tells such a number from one in the name.
static std::string scopeOf(StringRef node, StringRef initializer) {
  SmallVector<StringRef> parts;
  node.rsplit('/').first.split(parts, '/');
  if (node.count('/') < 2)
    return {};
  std::string module = ("." + initializer.rsplit('.').first + ".").str(), scope;
  auto isKnown = [&](StringRef part) { return StringRef(module).contains(("." + part + ".").str()); };
  for (StringRef part : parts) {
    auto [base, number] = part.rsplit('_');
    bool isCall = !number.empty() && llvm::all_of(number, isDigit) && !isKnown(part) && isKnown(base);
    scope += ("/" + (isCall ? base : part)).str();
  }
  return scope;
}

std::string Ties::layerOf(const std::string &name, const Use &use) const {
  if (!use.alias.empty())
    return "alias " + use.alias;
  if (use.role == Role::Bias) {
    // A layer that is applied twice has the same matrix in both nodes, too.
    const ::onnx::NodeProto *product = use.node;
    if (product->op_type() == "Add")
      product = index.producer(index.beforeViews(product->input(1 - use.input)));
    for (int i : {1, 0}) // operand 0 may be a constant, too, such as a first state
      if (product && i < product->input_size())
        if (StringRef matrix = index.beforeViews(product->input(i));
            matrix != name && initializers.contains(matrix))
          return ("matrix " + matrix).str();
  }
  StringRef node = nameOf(*use.node);
  std::string scope = scopeOf(node, name), place = (" " + nameOf(use.role)).str();
  return scope.empty() ? ("node " + node).str() + place : "scope " + scope + place;
}

static bool isUniform(const HostTensor &tensor) {
  size_t element = tensor.data.size() / std::max<int64_t>(tensor.splat ? 1 : tensor.count(), 1);
  return tensor.splat || element == 0 ||
         std::equal(tensor.data.begin() + element, tensor.data.end(), tensor.data.begin());
}

static bool isStatistic(Role role) { return role == Role::Mean || role == Role::Variance; }
/// What authors tie, if it is no mere coincidence of equal numbers.
static bool isOftenTied(Role role) { return role == Role::Matrix || role == Role::Table; }

/// What the record calls an initializer is its owner, but where a call tells another.
void Ties::findOwners(const std::string &name, Uses &uses) const {
  bool isReadElsewhere = llvm::any_of(uses, [&](const Use &use) { return use.isOf(name); });
  for (Use &use : uses) {
    // The older exporter merges by Identity, and no parameter is a running mean.
    bool isOther = !use.alias.empty() || (isStatistic(use.role) && record.isParameter(name));
    // A layer that a rule made of several calls has the note of one, and may be another than the first.
    isOther |= uses.size() > 1 && use.role != Role::Other && !isOftenTied(use.role) && use.node &&
               !rewritingRule(*use.node).empty();
    bool isUnknown = use.owner.kind == Owner::Unknown && (!isOther || record.isBuffer(name));
    // Such as p * 1, which is p.
    bool isSame = use.owner.kind == Owner::Computed && !isReadElsewhere;
    if (isUnknown || isSame)
      use.owner = {Owner::State, name};
  }
}

/// The key of a use that the exporter's call record does not name, by the position of its node in the graph.
std::string Ties::keyByPosition(const std::string &name, const HostTensor &tensor, const Use &use,
                                bool hasOwn) const {
  StringRef op = use.node->op_type();
  if (isOftenTied(use.role))
    return use.alias.empty() || !isUniform(tensor) ? "" : "alias " + use.alias;
  if (use.role != Role::Other)
    return layerOf(name, use);
  if (!use.alias.empty() && tensor.type.getRank() < 2 && !isMadeByExporter(use.alias))
    return "alias " + use.alias; // PyTorch's older exporter merges what is equal so
  if (use.owner.kind == Owner::Computed || (tensor.count() == 1 && hasOwn))
    return constantKey.str();
  return hasOwn && (op == "Mul" || op == "Add") ? layerOf(name, use) // a normalization may be a formula
                                                : "";
}

void Ties::findKeys(const std::string &name, const HostTensor &tensor, Uses &uses) const {
  bool isState = record.isParameter(name) || record.isBuffer(name);
  if (isState)
    findOwners(name, uses);
  bool hasOwn =
      llvm::any_of(uses, [](const Use &use) { return use.role != Role::Other && !isOftenTied(use.role); });
  for (Use &use : uses) {
    bool isConstant = use.owner.kind == Owner::Number || (use.owner.kind == Owner::Computed && !hasFolded);
    if (keep && !isConstant && !isStatistic(use.role)) {
      if (isState) // of whoever keeps the name
        use.owner = {Owner::State, name};
      continue;
    }
    if (isConstant && !isStatistic(use.role))
      use.key = constantKey.str();
    else if (use.owner.kind == Owner::State)
      use.key = "state " + use.owner.name;
    else if (use.node)
      use.key = keyByPosition(name, tensor, use, hasOwn);
  }
}

//===-- Names ----------------------------------------------------------------------===//

/// "" where none is known.
static StringRef stateOf(const Owner &owner) {
  return owner.kind == Owner::State ? StringRef(owner.name) : StringRef();
}

bool Ties::LayerUses::isConstant(const ExportRecord &record) const {
  return key == constantKey || (record.isBuffer(stateOf(first().owner)) && !isStatistic(first().role));
}

std::string Ties::newName(const LayerUses &group, const Uses &all) {
  const Use &first = group.first();
  if (first.owner.kind == Owner::State && taken.insert(first.owner.name).second)
    return first.owner.name;
  // An Identity's result keeps its name if nobody else reads it.
  bool isOwn = !first.alias.empty() && !index.isOutput(first.alias) && llvm::all_of(all, [&](const Use &use) {
    return use.alias != first.alias || use.key == group.key;
  });
  if (isOwn)
    return first.alias;
  Role role = first.role;
  StringRef suffix = nameOf(role == Role::Other && first.node->op_type() == "Mul"   ? Role::Scale
                            : role == Role::Other && first.node->op_type() == "Add" ? Role::Bias
                                                                                    : role);
  return unique((nameOf(*first.node) + "." + (group.key == constantKey ? "constant" : suffix)).str());
}

//===-- The graph ------------------------------------------------------------------===//

/// The group's nodes read `to` instead, behind views of their own.
void Ties::redirect(const std::string &from, const std::string &to, const LayerUses &group) {
  StringMap<std::string> names;
  names[from] = to;
  for (const Use *use : group.uses) {
    SmallVector<const ::onnx::NodeProto *> views;
    std::string name = use->node->input(use->input);
    while (!names.contains(name)) {
      const ::onnx::NodeProto *view = index.producer(name);
      views.push_back(view);
      name = view->input(0);
    }
    for (const ::onnx::NodeProto *view : llvm::reverse(views)) {
      std::string before = names[view->input(0)], result = view->output(0);
      names[result] = before;
      if (view->op_type() == "Identity") {
        if (result == to) // which is now the name of a parameter
          const_cast<::onnx::NodeProto *>(view)->set_output(0, "");
        continue;
      }
      ::onnx::NodeProto &copy = *graph.add_node();
      copy = *view;
      copy.set_input(0, before);
      copy.set_output(0, names[result] = unique(result));
    }
    use->node->set_input(use->input, names[use->node->input(use->input)]);
  }
}

Untied Ties::untie(const std::string &name, const HostTensor &tensor) {
  Uses uses = usesOf(name);
  findKeys(name, tensor, uses);
  for (const Use &use : uses)
    if (use.node && use.owner.kind == Owner::State)
      usesOfParameters[use.owner.name].push_back({name, nameOf(*use.node).str()});
  MapVector<std::string, LayerUses, std::map<std::string, unsigned>> groups;
  for (const Use &use : uses) {
    LayerUses &group = groups[use.key];
    group.key = use.key;
    group.uses.push_back(&use);
  }
  // Who keeps the name: whose it is, who has no other, who reads it directly, who trains it.
  auto rank = [&](const LayerUses &group) {
    return group.first().isOf(name)      ? 0
           : group.key.empty()           ? 1
           : group.isConstant(record)    ? 4
           : group.first().alias.empty() ? 2
                                         : 3;
  };
  auto keeper = std::min_element(groups.begin(), groups.end(), [&](const auto &a, const auto &b) {
    return rank(a.second) < rank(b.second);
  });
  // One that the file has under another's name, or under a number.
  if (keeper != groups.end() && !keeper->second.key.empty() &&
      keeper->second.first().owner.kind == Owner::State && !taken.contains(keeper->second.first().owner.name))
    keeper = groups.end();
  hasUnknown |= llvm::any_of(uses, [&](const Use &use) {
    return use.owner.kind == Owner::Computed || (use.owner.kind == Owner::Unknown && tensor.count() > 1);
  });
  Untied result{name, {}};
  auto isComputed = [](const Use *use) { return use->owner.kind == Owner::Computed; };
  auto add = [&](const LayerUses &group, std::string newName) {
    bool isConstant = group.isConstant(record);
    Untied::Alias alias{std::move(newName),
                        !isConstant && group.first().owner.kind == Owner::State,
                        isConstant,
                        isStatistic(group.first().role),
                        isConstant && llvm::any_of(group.uses, isComputed),
                        {}};
    for (const Use *use : group.uses)
      if (use->node)
        alias.users.push_back(nameOf(*use->node).str());
    result.aliases.push_back(std::move(alias));
  };
  if (keeper != groups.end())
    add(keeper->second, name);
  for (auto it = groups.begin(); it != groups.end(); ++it)
    if (it != keeper) {
      std::string own = newName(it->second, uses);
      redirect(name, own, it->second);
      add(it->second, own);
    }
  return result;
}

} // namespace dlc::onnx
