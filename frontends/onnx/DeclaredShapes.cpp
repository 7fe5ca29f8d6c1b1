//===- DeclaredShapes.cpp - what the file says of results, compared ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/DeclaredShapes.h"
#include "frontends/onnx/Messages.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace dlc::onnx {

void DeclaredShapes::read(const ::onnx::GraphProto &graph) {
  for (const auto *infos : {&graph.value_info(), &graph.output()})
    for (const ::onnx::ValueInfoProto &info : *infos)
      if (info.type().has_tensor_type() && info.type().tensor_type().has_shape())
        shapes[info.name()].push_back(&info.type().tensor_type().shape());
}

static std::string textOf(const ::onnx::TensorShapeProto &shape) {
  std::vector<std::string> dims;
  for (const auto &dim : shape.dim())
    dims.push_back(dim.has_dim_value()       ? std::to_string(dim.dim_value())
                   : dim.dim_param().empty() ? "?"
                                             : dim.dim_param());
  return "[" + llvm::join(dims, ", ") + "]";
}

/// Whether a tensor of both shapes can be; sizes that one of them does not know fit all. A shape without dims
/// is a scalar's, but there are programs that mean an unknown shape by it.
static bool mayBe(ArrayRef<nn::Dim> found, const ::onnx::TensorShapeProto &declared) {
  if (declared.dim_size() == 0)
    return true;
  if (int64_t(found.size()) != declared.dim_size())
    return false;
  for (auto [dim, size] : llvm::zip_equal(found, declared.dim()))
    if (dim.isStatic() && size.has_dim_value() && size.dim_value() >= 0 && size.dim_value() != dim.factor)
      return false;
  return true;
}

void DeclaredShapes::check(StringRef name, const GraphNames &names,
                           frontend::Diagnostics &diagnostics) const {
  auto declared = shapes.find(name);
  const GraphValue *value = declared == shapes.end() ? nullptr : names.find(name);
  if (!value || value->failed || !value->reason.empty())
    return;
  nn::Shape found;
  if (value->value)
    found = nn::shapeOf(value->value);
  else if (value->constant || value->dims)
    llvm::append_range(found,
                       value->constant ? value->constant->type.getShape() : ArrayRef(value->dims->shape));
  else
    return;
  for (const ::onnx::TensorShapeProto *shape : declared->second)
    if (!mayBe(found, *shape))
      return diagnostics.addNodeReason(
          "its result '" + name + "' has the shape " + nn::str(found) + ", but the file declares " +
          textOf(*shape) +
          ": either the node does not mean what it is read as, or the declaration is out of date; "
          "export the model anew, or remove its value_info if a tool has changed the graph");
}

} // namespace dlc::onnx
