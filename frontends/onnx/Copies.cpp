//===- Copies.cpp - views of parameters that a file has as other tensors
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant folding of PyTorch's newer exporter leaves views of parameters behind, under numbers for names:
// the transposed weight of a linear layer, the scale of a group normalization with dims of one. With the
// parameter's name and layout, globs find it, and so do files of weights.
//
// Where a module reads a parameter both as it is and through a view, such as an embedding that is tied to the
// last layer, the file has the parameter and the view, which would be trained apart. The exporter's record
// tells that the view is no parameter, and its elements of what it is one: then it is computed again.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Copies.h"
#include "frontends/onnx/GraphNames.h"
#include "frontends/onnx/InitializerViews.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/Owners.h"
#include "frontends/onnx/Roles.h"

using namespace mlir;

namespace dlc::onnx {

namespace {

/// The graph while its copies are joined.
class Copies {
public:
  Copies(::onnx::GraphProto &graph, const ExportRecord &record, GraphNames &names)
      : graph(graph), record(record), names(names), owners(graph, record) {}

  void restoreParameters();
  void join();

private:
  std::optional<View> viewOfParameter(StringRef name, const HostTensor &copy, const GraphIndex &index,
                                      int64_t &budget) const;
  bool isOfModule(StringRef name) const { return record.isParameter(name) || record.isBuffer(name); }

  ::onnx::GraphProto &graph;
  const ExportRecord &record;
  GraphNames &names;
  const Owners owners;
};

} // namespace

/// Equal numbers, such as zeros, say nothing of where they come from.
static bool hasDifferentElements(const HostTensor &tensor) {
  size_t size = tensor.type.getElementTypeBitWidth() / 8;
  return !tensor.splat && tensor.data.size() > size &&
         !std::equal(tensor.data.begin() + size, tensor.data.end(), tensor.data.begin());
}

/// Whose the tensor is by what all its readers say: "" where they say different things, or nothing.
static std::string onlyOwner(StringRef name, const GraphIndex &index, const Owners &owners) {
  std::string only;
  for (auto [node, input] : index.readers(name)) {
    Owner owner = owners.of(*node, input);
    if (owner.kind != Owner::State || (!only.empty() && only != owner.name))
      return {};
    only = owner.name;
  }
  return only;
}

/// How the file has a parameter that is not in it as it is: its view of what has the parameter's shape.
static std::optional<View> foldedView(const HostTensor &folded, StringRef name, const GraphIndex &index) {
  View view;
  ArrayRef<int64_t> shape = folded.type.getShape();
  view.shape.assign(shape.begin(), shape.end());
  bool isLinear = false, isNorm = false;
  for (auto [node, input] : index.readers(name)) {
    Call call = callOf(*node);
    isLinear |= node->op_type() == "MatMul" && input == 1 && call.calls("linear");
    isNorm |= call.calls("group_norm") || call.calls("prelu");
  }
  if (isLinear && shape.size() == 2)
    view.permutation = {1, 0};
  else if (!isNorm || shape.size() < 2)
    return std::nullopt;
  return view;
}

/// Gives parameters that only views are left of their names and layouts back.
void Copies::restoreParameters() {
  std::vector<std::pair<std::string, View>> found; // names of views, and of whom
  GraphIndex index(graph);
  for (::onnx::TensorProto &tensor : *graph.mutable_initializer()) {
    const HostTensor *folded = names.floatsOf(tensor.name());
    if (!folded || isOfModule(tensor.name()))
      continue;
    // What two layers share may be two parameters that have equal elements now.
    std::string name = onlyOwner(tensor.name(), index, owners);
    if (name.empty() || !record.isParameter(name) || names.find(name) || index.producer(name))
      continue;
    std::optional<View> view = foldedView(*folded, tensor.name(), index);
    if (!view)
      continue;
    view->of = name;
    found.push_back({tensor.name(), *view});
    names.replace(tensor.name(), name, view->undo(*folded));
    tensor.set_name(name);
  }
  for (const auto &[name, view] : found)
    view.write(graph, name);
}

/// Elements that are compared to find copies of parameters. What is not found is said to be missing in the
/// file.
static constexpr int64_t maxComparedElements = int64_t(1) << 30;

/// The parameter of which a tensor that is none is a view, and which one.
std::optional<View> Copies::viewOfParameter(StringRef name, const HostTensor &copy, const GraphIndex &index,
                                            int64_t &budget) const {
  for (const std::string &parameter : record.parameters()) {
    const HostTensor *whole = names.floatsOf(parameter);
    // Another parameter may have started with the same elements, and numbers of the code are nobody's.
    auto isAnother = [&](const GraphIndex::Reader &reader) {
      Owner owner = owners.of(*reader.first, reader.second);
      return owner.kind == Owner::Number || (owner.kind == Owner::State && owner.name != parameter);
    };
    if (!whole || llvm::any_of(index.readers(name), isAnother))
      continue;
    if (std::optional<View> view = findView(copy, *whole, budget)) {
      view->of = parameter;
      return view;
    }
  }
  return std::nullopt;
}

void Copies::join() {
  GraphIndex index(graph);
  std::vector<std::pair<std::string, View>> found;
  int64_t budget = maxComparedElements;
  for (const ::onnx::TensorProto &tensor : graph.initializer()) {
    const HostTensor *copy = names.floatsOf(tensor.name());
    if (!copy || isOfModule(tensor.name()) || !hasDifferentElements(*copy))
      continue;
    if (std::optional<View> view = viewOfParameter(tensor.name(), *copy, index, budget))
      found.push_back({tensor.name(), std::move(*view)});
  }
  llvm::StringSet<> added;
  for (const auto &[copy, view] : found) {
    std::string name = view.of + ".view";
    while (names.find(name) || index.producer(name) || !added.insert(name).second)
      name += "_";
    for (auto [node, input] : index.readers(copy))
      node->set_input(input, name);
    view.write(graph, name);
  }
}

void joinCopies(::onnx::GraphProto &graph, const ExportRecord &record, GraphNames &names) {
  if (!record.isKnown())
    return;
  Copies copies(graph, record, names);
  copies.restoreParameters();
  copies.join();
}

} // namespace dlc::onnx
