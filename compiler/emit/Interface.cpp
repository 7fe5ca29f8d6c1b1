//===- Interface.cpp - what users see of a compiled program ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/Interface.h"
#include "compiler/support/CNames.h"
#include "dialects/train/BatchParts.h"
#include "dialects/train/DimNames.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace dlc::emit {

std::string dtypeName(Type elementType) {
  if (elementType.isInteger(1) || elementType.isUnsignedInteger(8))
    return elementType.isInteger(1) ? "bool" : "u8";
  std::string text;
  llvm::raw_string_ostream(text) << elementType;
  return text;
}

StringRef cTypeName(StringRef dtype) {
  return llvm::StringSwitch<StringRef>(dtype)
      .Case("f32", "float")
      .Case("f64", "double")
      .Case("i32", "int32_t")
      .Case("i64", "int64_t")
      .Cases({"bf16", "f16"}, "uint16_t")
      .Default("uint8_t");
}

int64_t TensorInterface::count() const {
  int64_t count = 1;
  for (int64_t bound : bounds)
    count *= bound;
  return count;
}

static void describe(TensorInterface &tensor, StringRef name, Type type, train::ProgramOp program) {
  tensor.name = name.str();
  tensor.dtype = dtypeName(cast<RankedTensorType>(type).getElementType());
  for (const nn::Dim &dim : nn::shapeOf(type)) {
    tensor.shape.push_back(dim.str());
    tensor.dims.push_back(dim);
    tensor.bounds.push_back(train::sizeAtBound(dim, program));
  }
}

/// A pair for each prediction and each input, which are those of the first derivative that is marked.
static void addJacobians(Interface &interface, train::ProgramOp program, CNames &names) {
  auto functions = program.getBody().getOps<train::FunctionOp>();
  auto marked = llvm::find_if(functions, [](train::FunctionOp op) { return op.getJacobian(); });
  if (marked == functions.end())
    return;
  const train::Derivative derivative = derivativeOf(*marked);
  std::vector<std::string> taken, given;
  for (const InputInterface &input : interface.inputs)
    if (input.derivative == derivative)
      taken.push_back(input.of);
  for (const OutputInterface &output : interface.outputs)
    if (output.derivative == derivative)
      given.push_back(output.of);
  auto named = [](const auto &tensors, StringRef name) -> const TensorInterface & {
    return *llvm::find_if(tensors, [&](const auto &tensor) { return tensor.name == name; });
  };
  const bool byRows = derivative == train::Derivative::Vjp;
  for (StringRef of : byRows ? taken : given)
    for (StringRef by : byRows ? given : taken) {
      const TensorInterface &prediction = named(interface.outputs, of), &input = named(interface.inputs, by);
      JacobianInterface pair;
      static_cast<TensorInterface &>(pair) = prediction;
      pair.of = of.str();
      pair.by = by.str();
      pair.name = (of + "_by_" + by).str();
      pair.cName = names.unique(prediction.cName + "_by_" + input.cName);
      pair.shape.insert(pair.shape.end(), input.shape.begin(), input.shape.end());
      pair.dims.insert(pair.dims.end(), input.dims.begin(), input.dims.end());
      pair.bounds.insert(pair.bounds.end(), input.bounds.begin(), input.bounds.end());
      interface.jacobians.push_back(std::move(pair));
    }
}

Interface Interface::of(train::ProgramOp program) {
  Interface result;
  result.name = program.getSymName().str();
  result.upperName = StringRef(result.name).upper();
  // Functions are found by their kind: a parameter of the model may have the usual name.
  auto has = [&](train::FunctionKind kind) {
    return llvm::any_of(program.getBody().getOps<train::FunctionOp>(),
                        [&](train::FunctionOp function) { return function.getKind() == kind; });
  };
  result.hasLoss = has(train::FunctionKind::TrainStep);
  result.takesSizes = has(train::FunctionKind::TrainStepN);
  result.isOfRank = train::isOfRank(program);
  for (auto function : program.getBody().getOps<train::FunctionOp>())
    if (train::Derivative derivative = derivativeOf(function); derivative != train::Derivative::None)
      result.derivatives.push_back(derivative);
  llvm::sort(result.derivatives);
  if (train::ProgramPlanAttr plan = program.getPlanAttr())
    result.arenaBytes = plan.getArena();
  auto dims = program.getBody().getOps<train::DimOp>();
  if (!dims.empty()) {
    result.batch = (*dims.begin()).getBound();
    result.batchName = (*dims.begin()).getSymName().str();
    result.openBatch = (*dims.begin()).getOpen();
  }

  // Names of the functions' other parameters, of the types that they have and of the header's macros.
  CNames names({"model", "rows", "loss", "metrics", "dlc_metrics", result.name});
  for (StringRef constant :
       {"BATCH", "ARENA_BYTES", "ABI_VERSION", "FINGERPRINT", "PARAMETERS_COUNT", "TRAINABLE_COUNT"})
    names.unique((result.upperName + "_" + constant).str());
  for (train::DimOp dim : llvm::drop_begin(dims, dims.empty() ? 0 : 1)) {
    DimInterface open;
    open.name = dim.getSymName().str();
    open.bound = dim.getBound();
    open.cName = names.unique(open.name);
    open.maxName = names.unique(result.upperName + "_MAX_" + StringRef(open.cName).upper());
    result.openDims.push_back(std::move(open));
  }
  for (auto op : program.getBody().getOps<train::InputOp>()) {
    InputInterface input;
    describe(input, op.getSymName(), op.getType(), program);
    input.cName = names.unique(input.name);
    input.target = op.getTarget();
    input.low = op.getLow();
    input.limit = op.getLimit();
    input.ignore = op.getIgnore();
    input.classAxis = op.getClassAxis();
    input.derivative = derivativeOf(op);
    input.of = differentiated(op).str();
    result.inputs.push_back(std::move(input));
  }
  for (auto op : program.getBody().getOps<train::OutputOp>()) {
    OutputInterface output;
    describe(output, op.getSymName(), op.getType(), program);
    output.role = op.getRole();
    output.ofStep = op.getOfStep();
    output.indexRange = op.getIndexRange();
    output.derivative = derivativeOf(op);
    output.of = differentiated(op).str();
    if (output.role == train::OutputRole::Prediction)
      output.cName = names.unique(output.name);
    result.outputs.push_back(std::move(output));
  }
  addJacobians(result, program, names);
  for (auto op : program.getBody().getOps<train::StateOp>()) {
    StateInterface state;
    describe(state, op.getSymName(), op.getType(), program);
    state.kind = op.getKind();
    state.trainable = op.isTrainable();
    state.isAverage = op.getAverage();
    state.isWeight = op.getGradientWeight();
    if (auto initial = dyn_cast_or_null<DenseFPElementsAttr>(op.getInitialAttr());
        initial && state.kind == train::StateKind::Hyperparameter)
      state.initial = (*initial.begin()).convertToDouble();
    if (op.getLow()) {
      state.low = op.getLow()->convertToDouble();
      state.limit = op.getLimit()->convertToDouble();
    }
    result.states.push_back(std::move(state));
  }
  return result;
}

AllValues Interface::allValues() const {
  AllValues all;
  bool hasFloat = false, hasDouble = false;
  for (const StateInterface &state : states) {
    if (state.kind != train::StateKind::Parameter && state.kind != train::StateKind::Buffer)
      continue;
    if (state.dtype != "f32" && state.dtype != "f64") {
      all.hasOthers = true;
      continue;
    }
    (state.dtype == "f32" ? hasFloat : hasDouble) = true;
    all.count += state.count();
    all.trainable += state.trainable ? state.count() : 0;
  }
  all.dtype = hasDouble ? "f64" : "f32";
  all.isMixed = hasFloat && hasDouble;
  return all;
}

uint64_t Interface::fingerprint() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  auto add = [&](const TensorInterface &tensor, StringRef what, int64_t kind) {
    out << what << kind << ' ' << tensor.name << '\0' << tensor.dtype;
    for (const std::string &extent : tensor.shape)
      out << ' ' << extent;
    for (int64_t bound : tensor.bounds)
      out << ' ' << bound;
    out << '\n';
  };
  out << name << ' ' << batch << ' ' << hasLoss << '\n';
  for (const DimInterface &dim : openDims)
    out << "dim " << dim.name << ' ' << dim.bound << '\n';
  if (takesSizes)
    out << "any sizes " << openBatch << '\n';
  for (const InputInterface &input : inputs)
    add(input, "input", input.target);
  for (const OutputInterface &output : outputs)
    add(output, "output", int64_t(output.role));
  for (const StateInterface &state : states)
    if (state.kind != train::StateKind::Constant)
      add(state, "state", int64_t(state.kind));
  return llvm::xxh3_64bits(text);
}

} // namespace dlc::emit
