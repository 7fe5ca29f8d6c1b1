//===- Writer.cpp - nodes of an ONNX graph from operations -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/export/Writer.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using ::onnx::AttributeProto;

namespace dlc::onnx {

int32_t exportedType(Type elementType) {
  using ::onnx::TensorProto;
  if (elementType.isInteger(1))
    return TensorProto::BOOL;
  if (elementType.isUnsignedInteger(8))
    return TensorProto::UINT8;
  if (elementType.isInteger(32))
    return TensorProto::INT32;
  if (elementType.isInteger(64))
    return TensorProto::INT64;
  return elementType.isF64()    ? TensorProto::DOUBLE
         : elementType.isBF16() ? TensorProto::BFLOAT16
         : elementType.isF16()  ? TensorProto::FLOAT16
                                : TensorProto::FLOAT;
}

void exportElements(ElementsAttr values, ::onnx::TensorProto &tensor) {
  auto type = cast<RankedTensorType>(values.getType());
  tensor.set_data_type(exportedType(type.getElementType()));
  for (int64_t size : type.getShape())
    tensor.add_dims(size);
  std::string &bytes = *tensor.mutable_raw_data();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(values)) {
    ArrayRef<char> data = resource.getRawHandle().getBlob()->getData();
    bytes.assign(data.begin(), data.end());
    return;
  }
  auto dense = cast<DenseElementsAttr>(values);
  if (type.getElementType().isInteger(1)) // bits there, bytes in a file
    bytes.assign(dense.value_begin<bool>(), dense.value_end<bool>());
  else
    for (int64_t i = 0; i < (dense.isSplat() ? dense.getNumElements() : 1); ++i)
      bytes.append(dense.getRawData().begin(), dense.getRawData().end());
}

Writer::Writer(::onnx::GraphProto &graph, train::ProgramOp program) : graph(graph), program(program) {
  for (Operation &op : program.getBody().front())
    if (auto symbol = op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      taken.insert(symbol.getValue());
}

void Writer::begin(Operation *op) {
  current.clear();
  op->getLoc()->walk([&](Location location) {
    if (auto named = dyn_cast<NameLoc>(location); named && current.empty())
      current = named.getName().str();
    return WalkResult::advance();
  });
  if (current.empty())
    current = op->getName().stripDialect().str();
}

std::string Writer::fresh(StringRef hint) {
  std::string name = hint.str();
  for (int i = 1; !taken.insert(name).second; ++i)
    name = (hint + "_" + Twine(i)).str();
  return name;
}

::onnx::NodeProto &Writer::node(const char *type, const Names &inputs, const ExportedAttributes &attributes) {
  ::onnx::NodeProto &node = *graph.add_node();
  auto [domain, op] = StringRef(type).rsplit('.');
  node.set_op_type(op.empty() ? type : op.str());
  if (!op.empty())
    node.set_domain(domain.str());
  for (const std::string &input : inputs)
    node.add_input(input);
  for (const auto &[name, value] : attributes) {
    AttributeProto &attribute = *node.add_attribute();
    attribute.set_name(name);
    if (auto *number = std::get_if<int64_t>(&value)) {
      attribute.set_type(AttributeProto::INT);
      attribute.set_i(*number);
    } else if (auto *real = std::get_if<float>(&value)) {
      attribute.set_type(AttributeProto::FLOAT);
      attribute.set_f(*real);
    } else if (auto *text = std::get_if<std::string>(&value)) {
      attribute.set_type(AttributeProto::STRING);
      attribute.set_s(*text);
    } else {
      attribute.set_type(AttributeProto::INTS);
      for (int64_t each : std::get<std::vector<int64_t>>(value))
        attribute.add_ints(each);
    }
  }
  return node;
}

std::string Writer::step(const char *type, const Names &inputs, const ExportedAttributes &attributes) {
  std::string name = fresh(current + "/" + type);
  ::onnx::NodeProto &made = node(type, inputs, attributes);
  made.set_name(name);
  made.add_output(name);
  return name;
}

void Writer::result(Value value, const char *type, const Names &inputs,
                    const ExportedAttributes &attributes) {
  names[value] = step(type, inputs, attributes);
}

void Writer::results(ValueRange values, const char *type, const Names &inputs,
                     const ExportedAttributes &attributes) {
  ::onnx::NodeProto &made = node(type, inputs, attributes);
  std::string name = fresh(current + "/" + type);
  made.set_name(name);
  while (!values.empty() && values.back().use_empty())
    values = values.drop_back();
  for (Value value : values)
    made.add_output(value.use_empty() ? "" : names[value] = value == values.front() ? name : fresh(name));
}

std::string Writer::constant(ElementsAttr values) {
  std::string name = fresh(current + "/Constant");
  ::onnx::NodeProto &made = node("Constant", {}, {});
  made.set_name(name);
  made.add_output(name);
  AttributeProto &attribute = *made.add_attribute();
  attribute.set_name("value");
  attribute.set_type(AttributeProto::TENSOR);
  exportElements(values, *attribute.mutable_t());
  return name;
}

std::string Writer::integers(ArrayRef<int64_t> numbers) {
  auto type = RankedTensorType::get({int64_t(numbers.size())}, IntegerType::get(program.getContext(), 64));
  return constant(DenseElementsAttr::get(type, numbers));
}

std::string Writer::scalar(double number, Type elementType) {
  auto type = RankedTensorType::get({}, elementType);
  Builder builder(program.getContext());
  TypedAttr value = isa<FloatType>(elementType) ? TypedAttr(builder.getFloatAttr(elementType, number))
                                                : builder.getIntegerAttr(elementType, int64_t(number));
  return constant(DenseElementsAttr::get(type, ArrayRef<Attribute>(value)));
}

FailureOr<std::string> Writer::sizes(ArrayRef<nn::Dim> shape) {
  if (llvm::all_of(shape, [](const nn::Dim &dim) { return dim.isStatic(); }))
    return integers(llvm::map_to_vector(shape, [](const nn::Dim &dim) { return dim.factor; }));
  // Each named dim is read where an input has it alone, or times a number.
  auto sizeOf = [&](StringRef name) -> std::string {
    std::string &size = dimSizes[name];
    for (auto input : program.getBody().getOps<train::InputOp>()) {
      if (!size.empty() || input.getTarget())
        continue;
      for (auto [axis, dim] : llvm::enumerate(nn::shapeOf(input.getType())))
        if (dim.names.size() == 1 && dim.names[0] == name && size.empty()) {
          std::string all = step("Shape", {input.getSymName().str()});
          size = step("Gather", {all, integers({int64_t(axis)})}, {{"axis", int64_t(0)}});
          if (dim.factor != 1)
            size = step("Div", {size, integers({dim.factor})});
        }
    }
    return size;
  };
  Names parts;
  for (auto [axis, dim] : llvm::enumerate(shape)) {
    std::string part = dim.factor == 1 && !dim.names.empty() ? "" : integers({dim.factor});
    for (const std::string &name : dim.names) {
      std::string size = sizeOf(name);
      if (size.empty())
        return failure();
      part = part.empty() ? size : step("Mul", {part, size});
    }
    parts.push_back(part);
  }
  return step("Concat", parts, {{"axis", int64_t(0)}});
}

void ExportRules::addNode(StringRef operation, const char *type) {
  rules[operation] = [type](Writer &writer, Operation *op) {
    Names inputs;
    for (Value operand : op->getOperands())
      inputs.push_back(writer[operand]);
    writer.result(op->getResult(0), type, inputs);
    return success();
  };
}

const ExportRule *ExportRules::find(StringRef operation) const {
  auto found = rules.find(operation);
  return found == rules.end() ? nullptr : &found->second;
}

} // namespace dlc::onnx
