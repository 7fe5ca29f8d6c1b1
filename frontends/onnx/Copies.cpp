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
#include "frontends/onnx/Importer.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/Owners.h"
#include "frontends/onnx/InitializerViews.h"

using namespace mlir;

namespace dlc::onnx {

/// Equal numbers, such as zeros, say nothing of where they come from.
static bool hasDifferentElements(const HostTensor &tensor) {
  size_t size = tensor.type.getElementTypeBitWidth() / 8;
  return !tensor.splat && tensor.data.size() > size &&
         !std::equal(tensor.data.begin() + size, tensor.data.end(), tensor.data.begin());
}

const HostTensor *Importer::floatsOf(StringRef name) const {
  auto found = values.find(name);
  bool isFloat = found != values.end() && found->second.constant && found->second.constant->isFloat();
  return isFloat ? found->second.constant.get() : nullptr;
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
std::optional<View> Importer::foldedView(const HostTensor &folded, StringRef name,
                                         const GraphIndex &index) const {
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
void Importer::restoreParameters(const Owners &owners) {
  ::onnx::GraphProto &graph = *model.mutable_graph();
  std::vector<std::pair<std::string, View>> found; // names of views, and of whom
  GraphIndex index(graph);
  for (::onnx::TensorProto &tensor : *graph.mutable_initializer()) {
    const HostTensor *folded = floatsOf(tensor.name());
    if (!folded || record.isParameter(tensor.name()) || record.isBuffer(tensor.name()))
      continue;
    // What two layers share may be two parameters that have equal elements now.
    std::string name = onlyOwner(tensor.name(), index, owners);
    if (name.empty() || !record.isParameter(name) || values.contains(name) || index.producer(name))
      continue;
    std::optional<View> view = foldedView(*folded, tensor.name(), index);
    if (!view)
      continue;
    view->of = name;
    GraphValue restored = values[tensor.name()];
    restored.constant = std::make_shared<const HostTensor>(view->undo(*folded));
    found.push_back({tensor.name(), *view});
    values.erase(tensor.name());
    values[name] = std::move(restored);
    tensor.set_name(name);
  }
  for (const auto &[name, view] : found)
    view.write(graph, name);
}

/// Elements that are compared to find copies of parameters. What is not found is said to be missing in the
/// file.
static constexpr int64_t maxComparedElements = int64_t(1) << 30;

/// The parameter of which a tensor that is none is a view, and which one.
std::optional<View> Importer::viewOfParameter(StringRef name, const HostTensor &copy, const GraphIndex &index,
                                              const Owners &owners, int64_t &budget) const {
  for (const std::string &parameter : record.parameters()) {
    const HostTensor *whole = floatsOf(parameter);
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

void Importer::joinCopies() {
  if (!record.isKnown())
    return;
  ::onnx::GraphProto &graph = *model.mutable_graph();
  const Owners owners(graph, record);
  restoreParameters(owners);
  GraphIndex index(graph);
  std::vector<std::pair<std::string, View>> found;
  int64_t budget = maxComparedElements;
  for (const ::onnx::TensorProto &tensor : graph.initializer()) {
    const HostTensor *copy = floatsOf(tensor.name());
    if (!copy || record.isParameter(tensor.name()) || record.isBuffer(tensor.name()) ||
        !hasDifferentElements(*copy))
      continue;
    if (std::optional<View> view = viewOfParameter(tensor.name(), *copy, index, owners, budget))
      found.push_back({tensor.name(), std::move(*view)});
  }
  llvm::StringSet<> added;
  for (const auto &[copy, view] : found) {
    std::string name = view.of + ".view";
    while (values.contains(name) || index.producer(name) || !added.insert(name).second)
      name += "_";
    for (auto [node, input] : index.readers(copy))
      node->set_input(input, name);
    view.write(graph, name);
  }
}

} // namespace dlc::onnx
