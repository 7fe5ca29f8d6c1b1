//===- Models.h - small ONNX models made in tests --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_UNIT_ONNX_MODELS_H
#define DLC_TESTS_UNIT_ONNX_MODELS_H

#include "frontends/onnx/Import.h"
#include "frontends/onnx/Messages.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace models {

/// A folder that is gone at the end of the test.
class Folder {
public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "dlc-onnx-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string &name, const std::string &bytes) const {
    std::ofstream(path / name, std::ios::binary) << bytes;
    return (path / name).string();
  }
  std::filesystem::path path;
};

/// A model that grows by calls.
class Model {
public:
  explicit Model(int64_t opset = 17) {
    proto.set_ir_version(8);
    proto.add_opset_import()->set_version(opset);
    proto.mutable_graph()->set_name("g");
  }
  /// A dim of -1 is symbolic, named `N` in dim 0, else without a name.
  Model &input(const std::string &name, const std::vector<int64_t> &shape,
               int type = onnx::TensorProto::FLOAT) {
    describe(*proto.mutable_graph()->add_input(), name, shape, type);
    return *this;
  }
  Model &output(const std::string &name) {
    proto.mutable_graph()->add_output()->set_name(name);
    return *this;
  }
  /// An initializer of floats, all 0.5.
  Model &weight(const std::string &name, const std::vector<int64_t> &shape) {
    onnx::TensorProto &tensor = *proto.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    int64_t count = 1;
    for (int64_t dim : shape) {
      tensor.add_dims(dim);
      count *= dim;
    }
    for (int64_t i = 0; i < count && i < 100000; ++i)
      tensor.add_float_data(0.5f);
    return *this;
  }
  /// An initializer of these floats; with one number and no dims a scalar.
  Model &floats(const std::string &name, const std::vector<int64_t> &shape,
                const std::vector<float> &values) {
    onnx::TensorProto &tensor = *proto.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (int64_t dim : shape)
      tensor.add_dims(dim);
    for (float value : values)
      tensor.add_float_data(value);
    return *this;
  }
  Model &integers(const std::string &name, const std::vector<int64_t> &values) {
    onnx::TensorProto &tensor = *proto.mutable_graph()->add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(int64_t(values.size()));
    for (int64_t value : values)
      tensor.add_int64_data(value);
    return *this;
  }
  Model &scalar(const std::string &name, int64_t value) {
    integers(name, {value});
    proto.mutable_graph()->mutable_initializer(proto.graph().initializer_size() - 1)->clear_dims();
    return *this;
  }
  onnx::NodeProto &node(const std::string &op, const std::vector<std::string> &inputs,
                        const std::vector<std::string> &outputs) {
    onnx::NodeProto &node = *proto.mutable_graph()->add_node();
    node.set_op_type(op);
    node.set_name(op + "_" + std::to_string(proto.graph().node_size() - 1));
    for (const std::string &name : inputs)
      node.add_input(name);
    for (const std::string &name : outputs)
      node.add_output(name);
    return node;
  }
  std::string bytes() const { return proto.SerializeAsString(); }

  onnx::ModelProto proto;

private:
  static void describe(onnx::ValueInfoProto &info, const std::string &name, const std::vector<int64_t> &shape,
                       int type) {
    info.set_name(name);
    auto *tensor = info.mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    tensor->mutable_shape();
    for (int64_t dim : shape) {
      auto *added = tensor->mutable_shape()->add_dim();
      if (dim >= 0)
        added->set_dim_value(dim);
      else if (tensor->shape().dim_size() == 1)
        added->set_dim_param("N");
    }
  }
};

inline void addInt(onnx::NodeProto &node, const std::string &name, int64_t value) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
}

/// Metadata as younger versions of the messages have them: field 9 of nodes, 16 of graphs.
template <typename Message>
void addMetadata(Message &message, int field, const std::string &key, const std::string &value) {
  onnx::StringStringEntryProto entry;
  entry.set_key(key);
  entry.set_value(value);
  message.mutable_unknown_fields()->AddLengthDelimited(field, entry.SerializeAsString());
}
/// What PyTorch's exporter says of the node: "aten.linear.default", "(%x, %p_w)".
inline onnx::NodeProto &madeOf(onnx::NodeProto &node, const std::string &callee,
                               const std::string &arguments) {
  addMetadata(node, 9, "pkg.torch.onnx.fx_node",
              "%y : [num_users=1] = call_function[target=torch.ops." + callee + "](args = " + arguments +
                  ", kwargs = {})");
  return node;
}

/// Whether a text, or one of several, has this part.
inline testing::AssertionResult has(const std::string &text, const std::string &part) {
  if (text.find(part) != std::string::npos)
    return testing::AssertionSuccess() << "'" << part << "' is there";
  return testing::AssertionFailure() << "'" << part << "' is not in:\n" << text;
}
inline testing::AssertionResult has(const std::vector<std::string> &texts, const std::string &part) {
  std::string all;
  for (const std::string &text : texts)
    all += text + "\n";
  return has(all, part);
}

/// x [N, 4] -> Gemm with w [3, 4] and b [3] -> Relu -> y
inline Model mlp() {
  Model model;
  model.input("x", {-1, 4}).weight("w", {3, 4}).weight("b", {3}).output("y");
  addInt(model.node("Gemm", {"x", "w", "b"}, {"h"}), "transB", 1);
  model.node("Relu", {"h"}, {"y"});
  return model;
}

} // namespace models

#endif // DLC_TESTS_UNIT_ONNX_MODELS_H
