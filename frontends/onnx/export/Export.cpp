//===- Export.cpp - programs as ONNX models ------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/export/Export.h"
#include "compiler/support/Elements.h"
#include "dialects/train/Derivative.h"
#include "frontends/onnx/OperatorTables.h"
#include "frontends/onnx/export/Writer.h"
#include <set>

using namespace mlir;

namespace dlc::onnx {

namespace {

/// A file of protobuf's has less than 2 GiB; what is not a weight needs little of it.
constexpr int64_t mostBytes = (int64_t(1) << 31) - (int64_t(1) << 24);

const ExportRules &allRules() {
  static const ExportRules *rules = [] {
    auto *made = new ExportRules();
    for (ArrayRef<Operator> table : operatorTables())
      for (const Operator &entry : table)
        if (entry.operation)
          made->addNode(entry.operation, entry.op);
#define FAMILY(Name) add##Name##Rules(*made);
#include "frontends/onnx/ExportRules.inc"
    return made;
  }();
  return *rules;
}

void describe(::onnx::ValueInfoProto &info, StringRef name, Type type) {
  info.set_name(name.str());
  auto &tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(exportedType(getElementTypeOrSelf(type)));
  auto &shape = *tensor.mutable_shape();
  for (const nn::Dim &dim : nn::shapeOf(type))
    if (dim.isStatic())
      shape.add_dim()->set_dim_value(dim.factor);
    else
      shape.add_dim()->set_dim_param(dim.str());
}

class Export {
public:
  Export(train::ProgramOp program, ::onnx::GraphProto &graph)
      : program(program), graph(graph), writer(graph, program) {}
  LogicalResult run();

private:
  LogicalResult checkSize();
  LogicalResult read(train::ReadOp read);
  LogicalResult write(train::WriteOp write);
  LogicalResult compute(Operation *op);

  train::ProgramOp program;
  ::onnx::GraphProto &graph;
  Writer writer;
  llvm::StringSet<> initializers;
};

LogicalResult Export::checkSize() {
  int64_t bytes = 0;
  for (auto state : program.getBody().getOps<train::StateOp>())
    if (state.getInitialAttr())
      bytes += cast<RankedTensorType>(state.getType()).getNumElements() * elementBytes(state.getType());
  if (bytes <= mostBytes)
    return success();
  return program.emitError("the weights have ")
         << bytes << " bytes; an .onnx file holds at most " << mostBytes;
}

LogicalResult Export::read(train::ReadOp read) {
  writer.alias(read.getValue(), read.getSymbol().str());
  auto state = dyn_cast<train::StateOp>(SymbolTable::lookupSymbolIn(program, read.getSymbol()));
  if (!state || !initializers.insert(read.getSymbol()).second)
    return success();
  auto values = dyn_cast_or_null<ElementsAttr>(state.getInitialAttr());
  if (!values)
    values = DenseElementsAttr::get(
        cast<RankedTensorType>(state.getType()),
        Builder(program.getContext()).getZeroAttr(getElementTypeOrSelf(state.getType())));
  ::onnx::TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(read.getSymbol().str());
  exportElements(values, tensor);
  return success();
}

/// The output has the program's name, whatever computes it is called.
LogicalResult Export::write(train::WriteOp write) {
  writer.begin(write);
  ::onnx::NodeProto &node = *graph.add_node();
  node.set_op_type("Identity");
  node.set_name(write.getSymbol().str());
  node.add_input(writer[write.getValue()]);
  node.add_output(write.getSymbol().str());
  describe(*graph.add_output(), write.getSymbol(), write.getValue().getType());
  return success();
}

LogicalResult Export::compute(Operation *op) {
  const ExportRule *rule = allRules().find(op->getName().getStringRef());
  if (!rule)
    return op->emitError() << "'" << op->getName().stripDialect()
                           << "' cannot be exported: ONNX has no operator that is written for it";
  writer.begin(op);
  return (*rule)(writer, op);
}

LogicalResult Export::run() {
  if (failed(checkSize()))
    return failure();
  train::FunctionOp predict;
  for (auto function : program.getBody().getOps<train::FunctionOp>())
    if (function.getKind() == train::FunctionKind::Predict &&
        derivativeOf(function) == train::Derivative::None)
      predict = function;
  if (!predict)
    return program.emitError("the program has no predictions to export");
  graph.set_name(program.getSymName().str());
  for (auto input : program.getBody().getOps<train::InputOp>())
    if (!input.getTarget())
      describe(*graph.add_input(), input.getSymName(), input.getType());
  bool isWhole = true; // all errors, not only the first
  for (Operation &op : predict.getBody().front()) {
    LogicalResult result = success();
    if (auto readOp = dyn_cast<train::ReadOp>(op))
      result = read(readOp);
    else if (auto writeOp = dyn_cast<train::WriteOp>(op))
      result = write(writeOp);
    else
      result = compute(&op);
    isWhole &= succeeded(result);
  }
  return success(isWhole);
}

} // namespace

bool canExport(StringRef operation) { return allRules().find(operation) != nullptr; }

FailureOr<std::string> exportOnnx(train::ProgramOp program, StringRef producerVersion) {
  ::onnx::ModelProto model;
  model.set_ir_version(10); // of opset 21
  model.set_producer_name("dlc");
  model.set_producer_version(producerVersion.str());
  model.add_opset_import()->set_version(exportOpset);
  if (failed(Export(program, *model.mutable_graph()).run()))
    return failure();
  std::set<std::string> domains; // of users' operations
  for (const ::onnx::NodeProto &node : model.graph().node())
    if (!node.domain().empty() && domains.insert(node.domain()).second) {
      auto &import = *model.add_opset_import();
      import.set_domain(node.domain());
      import.set_version(1);
    }
  std::string bytes;
  if (!model.SerializeToString(&bytes))
    return program.emitError("the model is too large for an .onnx file");
  return bytes;
}

} // namespace dlc::onnx
