//===- PointsTest.cpp - ONNX operators where their derivative is difficult
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// points.json (make_points.py says what it holds) as one ONNX model, imported, derived and compiled: results
// and gradients are PyTorch's, in the interpreter, rounding as float32 does, and in compiled code. The input
// of a point is x + p, x passed by the caller and p a parameter, all zeros, whose gradient is that of the
// input.
//===----------------------------------------------------------------------===//
#include "compiler/backward/Passes.h"
#include "compiler/forward/Passes.h"
#include "frontends/onnx/Import.h"
#include "frontends/onnx/Messages.h"
#include "tests/numerics/CompiledModel.h"
#include "llvm/Support/FileSystem.h"

namespace dlc::numerics {
namespace {

using interpret::DType;

struct Point {
  struct Input {
    std::string name; ///< of the graph's input; the parameter's is this and "_p"
    Tensor value, gradient;
  };
  std::string name, output;
  std::vector<Input> inputs; ///< those that are differentiated
  Tensor y;
};

//===-- The model ----------------------------------------------------------------===//

class Model {
public:
  Model() {
    proto.set_ir_version(8);
    proto.add_opset_import()->set_version(24);
    const llvm::json::Value file = readJson("points.json");
    for (const llvm::json::Value &entry : *file.getAsArray())
      add(*entry.getAsObject());
    ::onnx::NodeProto &sum = node("Sum", "total");
    for (const Point &point : points)
      sum.add_input(point.output + "_sum");
    graph().add_output()->set_name("total");
  }
  /// Imported; null after errors.
  Program import() const {
    llvm::SmallString<128> path;
    if (llvm::sys::fs::createTemporaryFile("points", "onnx", path))
      return Program(mlir::OwningOpRef<mlir::ModuleOp>());
    std::error_code failed;
    llvm::raw_fd_ostream(path, failed) << proto.SerializeAsString();
    onnx::ImportOptions options;
    options.name = "points";
    Program program(onnx::importOnnx(path, options, context()));
    llvm::sys::fs::remove(path);
    return program;
  }
  std::vector<Point> points;

private:
  ::onnx::GraphProto &graph() { return *proto.mutable_graph(); }
  ::onnx::NodeProto &node(const std::string &op, const std::string &output) {
    ::onnx::NodeProto &node = *graph().add_node();
    node.set_op_type(op);
    node.set_name(output);
    node.add_output(output);
    return node;
  }
  void fill(::onnx::TensorProto &tensor, const llvm::json::Object &from, ::onnx::TensorProto::DataType type) {
    tensor.set_data_type(type);
    for (const llvm::json::Value &size : *from.getArray("shape"))
      tensor.add_dims(*size.getAsInteger());
    for (const llvm::json::Value &value : *from.getArray("data")) {
      if (type == ::onnx::TensorProto::INT64)
        tensor.add_int64_data(*value.getAsInteger());
      else if (type == ::onnx::TensorProto::BOOL)
        tensor.add_int32_data(int32_t(*value.getAsInteger()));
      else
        tensor.add_float_data(float(tensorFrom(llvm::json::Array{value}, {}, DType::F64).floats[0]));
    }
  }
  void addConstant(const std::string &name, const llvm::json::Object &from,
                   ::onnx::TensorProto::DataType type) {
    ::onnx::AttributeProto &attribute = *node("Constant", name).add_attribute();
    attribute.set_name("value");
    attribute.set_type(::onnx::AttributeProto::TENSOR);
    fill(*attribute.mutable_t(), from, type);
  }
  Point::Input addInput(const std::string &name, const llvm::json::Object &from) {
    std::vector<int64_t> shape;
    auto *type = graph().add_input();
    type->set_name(name);
    auto *tensor = type->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(::onnx::TensorProto::FLOAT);
    tensor->mutable_shape();
    for (const llvm::json::Value &size : *from.getArray("shape")) {
      shape.push_back(*size.getAsInteger());
      tensor->mutable_shape()->add_dim()->set_dim_value(shape.back());
    }
    ::onnx::TensorProto &parameter = *graph().add_initializer();
    fill(parameter, from, ::onnx::TensorProto::FLOAT);
    parameter.set_name(name + "_p");
    for (float &number : *parameter.mutable_float_data())
      number = 0;
    ::onnx::NodeProto &sum = node("Add", name + "_x");
    sum.add_input(name);
    sum.add_input(name + "_p");
    return {name, tensorFrom(*from.get("data"), shape, DType::F32),
            tensorFrom(*from.get("dx"), shape, DType::F32)};
  }
  void addAttribute(::onnx::NodeProto &node, llvm::StringRef name, const llvm::json::Object &value) {
    ::onnx::AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(name.str());
    if (std::optional<llvm::StringRef> text = value.getString("s")) {
      attribute.set_type(::onnx::AttributeProto::STRING);
      attribute.set_s(text->str());
    } else if (const llvm::json::Array *list = value.getArray("ints")) {
      attribute.set_type(::onnx::AttributeProto::INTS);
      for (const llvm::json::Value &number : *list)
        attribute.add_ints(*number.getAsInteger());
    } else if (std::optional<int64_t> number = value.getInteger("i")) {
      attribute.set_type(::onnx::AttributeProto::INT);
      attribute.set_i(*number);
    } else {
      attribute.set_type(::onnx::AttributeProto::FLOAT);
      attribute.set_f(float(*value.getNumber("f")));
    }
  }
  void add(const llvm::json::Object &entry) {
    // Names within a point get this before them.
    std::string prefix = "p" + std::to_string(points.size()) + "_";
    Point point{entry.getString("name")->str(), prefix + "y", {}, {}};
    std::map<std::string, std::string> names;
    for (const auto &[i, value] : llvm::enumerate(*entry.getArray("inputs"))) {
      const llvm::json::Object &input = *value.getAsObject();
      std::string own = "in" + std::to_string(i), kind = input.getString("kind")->str();
      names[own] = prefix + own + (kind == "float" ? "_x" : "");
      if (kind == "float")
        point.inputs.push_back(addInput(prefix + own, input));
      else
        addConstant(prefix + own, input,
                    kind == "int"    ? ::onnx::TensorProto::INT64
                    : kind == "bool" ? ::onnx::TensorProto::BOOL
                                     : ::onnx::TensorProto::FLOAT);
    }
    for (const llvm::json::Value &value : *entry.getArray("nodes")) {
      const llvm::json::Object &described = *value.getAsObject();
      std::string output = described.getString("output")->str();
      names[output] = prefix + output;
      ::onnx::NodeProto &made = node(described.getString("op")->str(), prefix + output);
      for (const llvm::json::Value &input : *described.getArray("inputs"))
        made.add_input(names.at(input.getAsString()->str()));
      for (const auto &[name, attribute] : *described.getObject("attributes"))
        addAttribute(made, name, *attribute.getAsObject());
    }
    graph().add_output()->set_name(point.output);
    std::vector<int64_t> shape;
    for (const llvm::json::Value &size : *entry.getArray("shape"))
      shape.push_back(*size.getAsInteger());
    point.y = tensorFrom(*entry.get("y"), shape, DType::F32);
    // What goes into the loss: sum of y * dy.
    llvm::json::Object dy{{"shape", *entry.get("shape")}, {"data", *entry.get("dy")}};
    addConstant(prefix + "dy", dy, ::onnx::TensorProto::FLOAT);
    ::onnx::NodeProto &product = node("Mul", point.output + "_times_dy");
    product.add_input(point.output);
    product.add_input(prefix + "dy");
    ::onnx::NodeProto &sum = node("ReduceSum", point.output + "_sum");
    sum.add_input(product.output(0));
    addAttribute(sum, "keepdims", llvm::json::Object{{"i", 0}});
    points.push_back(std::move(point));
  }

  ::onnx::ModelProto proto;
};

//===-- The tests ------------------------------------------------------------------===//

class Points : public testing::Test {
protected:
  void SetUp() override {
    CompiledModel::loadDialects();
    program.emplace(model.import());
    ASSERT_TRUE(*program) << takeErrors();
    program->addToRecipe({{"loss", "output"}, {"prediction", "total"}});
    program->run(forward::createAttachLoss());
  }
  Model model;
  std::optional<Program> program;
};

constexpr double tolerance = 2e-5;

TEST_F(Points, InterpretedAsPyTorchHasThem) {
  program->run(forward::createResolveModes());
  program->runBackward();
  interpret::Options options;
  options.roundResults = true;
  auto interpreter = interpret::Interpreter::create(program->get(), options);
  ASSERT_TRUE(mlir::succeeded(interpreter)) << takeErrors();
  Tensors inputs;
  for (const Point &point : model.points)
    for (const Point::Input &input : point.inputs)
      inputs[input.name] = input.value;
  ASSERT_TRUE(mlir::succeeded(interpreter->run("predict", inputs))) << takeErrors();
  for (const Point &point : model.points)
    EXPECT_TRUE(agree(*interpreter->output(point.output), point.y, tolerance)) << point.name;
  ASSERT_TRUE(mlir::succeeded(interpreter->run("grad_step", inputs))) << takeErrors();
  for (const Point &point : model.points)
    for (const Point::Input &input : point.inputs)
      EXPECT_TRUE(agree(*interpreter->state(input.name + "_p.grad"), input.gradient, tolerance))
          << point.name << ", gradient of " << input.name;
}

TEST_F(Points, CompiledAsPyTorchHasThem) {
  auto compiled = CompiledModel::compile(*program);
  ASSERT_TRUE(compiled) << takeErrors();
  std::vector<Tensor> inputs, outputs;
  for (const Point &point : model.points) {
    for (const Point::Input &input : point.inputs)
      inputs.push_back(input.value);
    outputs.push_back(Tensor::zeros(DType::F32, point.y.shape));
  }
  outputs.push_back(Tensor::zeros(DType::F32, {}));
  ASSERT_TRUE(compiled->predict(1, inputs, outputs));
  for (auto [point, output] : llvm::zip(model.points, outputs))
    EXPECT_TRUE(agree(output, point.y, tolerance)) << point.name;
  float loss = 0;
  ASSERT_TRUE(compiled->gradStep(inputs, loss));
  for (const Point &point : model.points)
    for (const Point::Input &input : point.inputs) {
      Tensor gradient = Tensor::zeros(DType::F32, input.value.shape);
      ASSERT_TRUE(compiled->readGradient(input.name + "_p", gradient));
      EXPECT_TRUE(agree(gradient, input.gradient, tolerance)) << point.name << ", gradient of " << input.name;
    }
}

} // namespace
} // namespace dlc::numerics
