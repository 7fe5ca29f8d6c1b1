//===- Copies.cpp - parameters that a file has transposed, or twice
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant folding of PyTorch's newer exporter leaves the transposed weight of a linear layer behind, under a
// number for a name. With the parameter's name and layout, globs find it, and so do files of weights.
//
// Where a module reads one matrix both as it is and transposed, such as an embedding that is tied to the last
// layer, constant folding leaves the matrix and a transposed copy, which would be trained apart. The
// exporter's record tells that the copy is no parameter, and its elements whose it is.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Importer.h"
#include "frontends/onnx/Messages.h"

using namespace mlir;

namespace dlc::onnx {

static bool isTransposed(const HostTensor &copy, const HostTensor &matrix) {
  ArrayRef<int64_t> shape = copy.type.getShape(), other = matrix.type.getShape();
  if (shape.size() != 2 || other.size() != 2 || shape[0] != other[1] || shape[1] != other[0] ||
      copy.type.getElementType() != matrix.type.getElementType() || copy.splat || matrix.splat)
    return false;
  size_t size = copy.type.getElementTypeBitWidth() / 8;
  for (int64_t row = 0; row < shape[0]; ++row)
    for (int64_t column = 0; column < shape[1]; ++column)
      if (std::memcmp(&copy.data[(row * shape[1] + column) * size],
                      &matrix.data[(column * shape[0] + row) * size], size))
        return false;
  return true;
}

/// Equal numbers, such as zeros, say nothing of where they come from.
static bool hasDifferentElements(const HostTensor &tensor) {
  size_t size = tensor.type.getElementTypeBitWidth() / 8;
  return !tensor.splat && tensor.data.size() > size &&
         !std::equal(tensor.data.begin() + size, tensor.data.end(), tensor.data.begin());
}

static HostTensor transposed(const HostTensor &matrix) {
  int64_t rows = matrix.type.getDimSize(0), columns = matrix.type.getDimSize(1);
  HostTensor result = matrix;
  result.type = RankedTensorType::get({columns, rows}, matrix.type.getElementType());
  size_t size = matrix.type.getElementTypeBitWidth() / 8;
  for (int64_t row = 0; !matrix.splat && row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      std::memcpy(&result.data[(column * rows + row) * size], &matrix.data[(row * columns + column) * size],
                  size);
  return result;
}

static void addTranspose(::onnx::GraphProto &graph, const std::string &from, const std::string &to) {
  ::onnx::NodeProto &node = *graph.add_node();
  node.set_op_type("Transpose");
  node.set_name(to);
  node.add_input(from);
  node.add_output(to);
  ::onnx::AttributeProto &order = *node.add_attribute();
  order.set_name("perm");
  order.set_type(::onnx::AttributeProto::INTS);
  order.add_ints(1);
  order.add_ints(0);
}

/// Gives weights of linear layers that were transposed their names and layouts back.
void Importer::restoreMatrices() {
  ::onnx::GraphProto &graph = *model.mutable_graph();
  std::vector<std::pair<std::string, std::string>> found; // initializers and whose transposes they are
  GraphIndex index(graph);
  for (::onnx::TensorProto &tensor : *graph.mutable_initializer()) {
    GraphValue &folded = values[tensor.name()];
    if (!folded.constant || !folded.constant->isFloat() || folded.constant->type.getRank() != 2 ||
        record.isParameter(tensor.name()) || record.isBuffer(tensor.name()))
      continue;
    std::vector<std::string> names;
    for (auto [node, input] : index.readers(tensor.name()))
      if (std::string name = input == 1 ? record.linearWeight(*node) : ""; !name.empty())
        names.push_back(name);
    // What two layers share may be two parameters that have equal elements now.
    if (names.empty() || !llvm::all_equal(names) || values.contains(names.front()) ||
        index.producer(names.front()))
      continue;
    found.push_back({tensor.name(), names.front()});
    GraphValue restored = folded;
    restored.constant = std::make_shared<const HostTensor>(transposed(*folded.constant));
    values.erase(tensor.name());
    values[names.front()] = std::move(restored);
    tensor.set_name(names.front());
  }
  for (const auto &[name, parameter] : found)
    addTranspose(graph, parameter, name);
}

void Importer::joinCopies() {
  if (!record.isKnown())
    return;
  restoreMatrices();
  auto floatsOf = [&](const std::string &name) -> const HostTensor * {
    auto found = values.find(name);
    bool isFloat = found != values.end() && found->second.constant && found->second.constant->isFloat();
    return isFloat ? found->second.constant.get() : nullptr;
  };
  GraphIndex index(*model.mutable_graph());
  std::vector<std::pair<std::string, std::string>> copies; // and what they are copies of
  for (const ::onnx::TensorProto &tensor : model.graph().initializer()) {
    const HostTensor *copy = floatsOf(tensor.name());
    if (!copy || copy->type.getRank() != 2 || record.isParameter(tensor.name()) ||
        record.isBuffer(tensor.name()) || !hasDifferentElements(*copy))
      continue;
    for (const std::string &name : record.parameters()) {
      const HostTensor *matrix = floatsOf(name);
      // Another parameter may have started with the same elements.
      auto isAnother = [&](const GraphIndex::Reader &reader) {
        ExportRecord::Answer answer = record.stateOf(*reader.first, Role::Matrix, /*single=*/false);
        return answer.kind == ExportRecord::Answer::State && answer.name != name;
      };
      if (!matrix || !isTransposed(*copy, *matrix) || llvm::any_of(index.readers(tensor.name()), isAnother))
        continue;
      copies.push_back({tensor.name(), name});
      break;
    }
  }
  for (const auto &[copy, name] : copies) {
    std::string transposed = name + ".transposed";
    while (values.contains(transposed) || index.producer(transposed))
      transposed += "_";
    for (auto [node, input] : index.readers(copy))
      node->set_input(input, transposed);
    addTranspose(*model.mutable_graph(), name, transposed);
  }
}

} // namespace dlc::onnx
