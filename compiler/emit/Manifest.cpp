//===- Manifest.cpp - what was compiled, as JSON ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/Manifest.h"
#include "compiler/emit/Weights.h"
#include "compiler/emit/Work.h"
#include "compiler/emit/WorkingMemory.h"
#include "compiler/support/Decisions.h"
#include "compiler/support/Elements.h"
#include "compiler/support/NodeNames.h"
#include "dlc/abi.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <nlohmann/json.hpp>

using namespace mlir;
using Json = nlohmann::ordered_json;

namespace dlc::emit {
namespace {

/// Numbers where dims are static, names where they are not.
Json shapeOf(const TensorInterface &tensor) {
  Json shape = Json::array();
  for (auto [text, bound] : llvm::zip_equal(tensor.shape, tensor.bounds))
    shape.push_back(text == std::to_string(bound) ? Json(bound) : Json(text));
  return shape;
}

Json describe(const TensorInterface &tensor) {
  return {{"name", tensor.name}, {"dtype", tensor.dtype}, {"shape", shapeOf(tensor)}};
}

Json describeState(const StateInterface &interface, train::StateOp op) {
  Json state = describe(interface);
  state["kind"] = train::stringifyStateKind(interface.kind).str();
  if (interface.kind == train::StateKind::Parameter)
    state["trainable"] = interface.trainable;
  if (op.getOwner())
    state["of"] = op.getOwner()->str();
  if (interface.initial)
    state["initial"] = *interface.initial;
  if (interface.low)
    state["range"] = {*interface.low, *interface.limit};
  if (isInWeightsFile(op))
    state["has_initial_values"] = true;
  state["offset"] = op.getOffset().value_or(0);
  RankedTensorType physical = op.getPhysicalType();
  state["bytes"] = physical.getNumElements() * elementBytes(physical);
  if (op.getLayout()) {
    state["physical"] = {{"shape", std::vector<int64_t>(physical.getShape())}};
    state["physical"]["permutation"] = std::vector<int64_t>(op.getLayout()->getPermutation());
    if (op.getLayout()->isCut())
      state["physical"]["cut"] = std::vector<int64_t>(op.getLayout()->getShape());
  }
  return state;
}

Json describeKernel(train::KernelOp op) {
  Json kernel = {{"name", op.getSymName().str()}};
  auto schedule = op.getScheduleAttr();
  if (!schedule)
    return kernel;
  for (NamedAttribute entry : schedule.describe()) {
    std::string key = entry.getName().str();
    if (auto text = dyn_cast<StringAttr>(entry.getValue()))
      kernel[key] = text.str();
    else if (auto number = dyn_cast<IntegerAttr>(entry.getValue()))
      kernel[key] = number.getInt();
    else
      kernel[key] = std::vector<int64_t>(cast<DenseI64ArrayAttr>(entry.getValue()).asArrayRef());
  }
  kernel["chunks"] = schedule.chunks();
  Work work = workOf(op);
  kernel["operations"] = work.operations;
  kernel["bytes"] = work.bytes;
  return kernel;
}

/// Where a launch writes floating-point numbers: place `place` of those that the kernel gets.
Json describeResults(train::LaunchOp op) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<train::KernelOp>(op, op.getKernelAttr());
  unsigned count = kernel.getBody().front().getTerminator()->getNumOperands(); // scratch comes behind
  Json results = Json::array();
  for (auto [i, memory] : llvm::enumerate(op.getDestinations().take_front(count))) {
    auto type = cast<MemRefType>(memory.getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    if (!isa<FloatType>(type.getElementType()) || !type.hasStaticShape() ||
        failed(type.getStridesAndOffset(strides, offset)))
      continue;
    results.push_back({{"place", op.getInputs().size() + i},
                       {"dtype", dtypeName(type.getElementType())},
                       {"shape", std::vector<int64_t>(type.getShape())},
                       {"strides", std::vector<int64_t>(strides.begin(), strides.end())}});
  }
  return results;
}

/// Sentences that many launches have, each once; they are named by their numbers.
class Sentences {
public:
  size_t numberOf(const std::string &sentence) {
    auto [place, isNew] = numbers.try_emplace(sentence, list.size());
    if (isNew)
      list.push_back(sentence);
    return place->second;
  }
  const Json &all() const { return list; }

private:
  std::map<std::string, size_t> numbers;
  Json list = Json::array();
};

/// What a launch reads of others through memory, and why these are other launches.
Json describeApart(train::LaunchOp op, Sentences &reasons) {
  Json result = Json::array();
  for (const Apart &apart : decidedOf(op.getLoc()).apart)
    result.push_back({{"from", apart.from},
                      {"to", apart.to},
                      {"bytes", apart.bytes},
                      {"why", reasons.numberOf(apart.why)}});
  return result;
}

/// Which kernel, and for which nodes of the model: `node` is the first one's own name, `parts` are all that
/// the launch does.
Json describeLaunch(train::LaunchOp op, Sentences &reasons) {
  Json parts = Json::array();
  for (StringRef name : nodeNames(op.getLoc()))
    parts.push_back(name.str());
  Json launch = {{"kernel", op.getKernel().str()},
                 {"node", originalNode(op.getLoc()).str()},
                 {"parts", parts},
                 {"results", describeResults(op)}};
  if (Json apart = describeApart(op, reasons); !apart.empty())
    launch["apart"] = std::move(apart);
  return launch;
}

/// Whole functions of the model, and nodes that nearly are part of one.
void describeRecognized(train::ProgramOp program, Json &manifest) {
  if (ArrayAttr recognized = program.getRecognizedAttr())
    for (auto entry : recognized.getAsRange<train::RecognizedAttr>())
      manifest["recognized"][entry.getFunction().str()] = entry.getCount();
  if (ArrayAttr missed = program.getNearlyRecognizedAttr())
    for (auto entry : missed.getAsRange<train::NearMissAttr>())
      manifest["nearly_recognized"].push_back(
          {{"node", entry.getNode().str()}, {"why", entry.getWhy().str()}});
}

Json describeResident(const Resident &resident) {
  Json value = {{"offset", resident.offset},
                {"bytes", resident.bytes},
                {"first", resident.first},
                {"last", resident.last}};
  if (!resident.type)
    return value;
  value["dtype"] = dtypeName(resident.type.getElementType());
  value["shape"] = Json::array();
  for (int64_t size : resident.type.getShape())
    value["shape"].push_back(ShapedType::isDynamic(size) ? Json("?") : Json(size));
  return value;
}

/// What lies in the working memory from which launch to which (their numbers in the function's list), and
/// which of these values do when it is fullest.
void describeMemory(train::FunctionOp function, Json &entry) {
  const WorkingMemory memory = workingMemoryOf(function);
  entry["values"] = Json::array();
  for (const Resident &resident : memory.residents)
    entry["values"].push_back(describeResident(resident));
  entry["fullest"] = {{"launch", memory.fullest},
                      {"values", std::vector<size_t>(memory.whenFullest.begin(), memory.whenFullest.end())}};
}

void describeTarget(const Interface &interface, train::ProgramOp program, Json &target) {
  target["state"] = Json::array();
  for (auto [tensor, op] : llvm::zip(interface.states, program.getBody().getOps<train::StateOp>()))
    target["state"].push_back(describeState(tensor, op));

  target["kernels"] = Json::array();
  for (auto kernel : program.getBody().getOps<train::KernelOp>())
    target["kernels"].push_back(describeKernel(kernel));
  target["functions"] = Json::array();
  Sentences reasons;
  for (auto function : program.getBody().getOps<train::FunctionOp>()) {
    Json launches = Json::array();
    for (auto launch : function.getBody().getOps<train::LaunchOp>())
      launches.push_back(describeLaunch(launch, reasons));
    auto copies = function.getBody().getOps<train::CopyOp>();
    Json &entry =
        target["functions"].emplace_back(Json{{"name", functionName(function).str()},
                                              {"launches", launches},
                                              {"copies", std::distance(copies.begin(), copies.end())},
                                              {"working_bytes", function.getPlan()->getWorking()},
                                              {"lower_bound_bytes", function.getPlan()->getBound()}});
    if (std::optional<int64_t> parts = function.getBatchParts())
      entry["batch_parts"] = *parts;
    if (!launches.empty())
      describeMemory(function, entry);
    if (train::RecomputedAttr recomputed = function.getRecomputedAttr();
        recomputed && !recomputed.getNodes().empty()) {
      Json names = Json::array();
      for (StringAttr node : recomputed.getNodes())
        names.push_back(node.str());
      entry["recomputed"] = {{"nodes", names}, {"permille", recomputed.getPermille()}};
    }
  }
  target["reasons"] = reasons.all();
  train::ProgramPlanAttr plan = program.getPlanAttr();
  target["memory"] = {{"arena_bytes", plan.getArena()},
                      {"state_bytes", plan.getStates()},
                      {"lower_bound_bytes", plan.getBound()}};
  if (train::BudgetAttr budget = program.getBudgetAttr()) {
    target["memory"]["budget_bytes"] = budget.getBytes();
    target["memory"]["arena_bytes_without_budget"] = budget.getWithout();
  }
}

/// What it takes beside the inputs of `predict`, or of `eval_step` if it is of the loss, and gives; in the
/// order of the C function's parameters.
Json describeDerivative(const Interface &interface, train::Derivative derivative) {
  Json result = {
      {"name", derivativeName(derivative).str()}, {"takes", Json::array()}, {"gives", Json::array()}};
  auto add = [&](StringRef list, const TensorInterface &tensor, const std::string &of) {
    Json &entry = result[list.str()].emplace_back(describe(tensor));
    entry["c_name"] = tensor.cName;
    if (!of.empty())
      entry["of"] = of;
  };
  for (const InputInterface &input : interface.inputs)
    if (input.derivative == derivative)
      add("takes", input, input.of);
  for (const OutputInterface &output : interface.outputs)
    if (output.isResultOf(derivative))
      add("gives", output, output.of);
  return result;
}

} // namespace

std::string writeManifest(ArrayRef<NamedProgram> targets, const Interface &interface,
                          const ManifestOptions &options) {
  Json manifest;
  manifest["dlc"] = {{"version", options.dlcVersion}, {"abi_version", DLC_ABI_VERSION}};
  manifest["name"] = interface.name;
  manifest["fingerprint"] = "0x" + llvm::utohexstr(interface.fingerprint(), /*LowerCase=*/true, /*Width=*/16);
  if (interface.hasLoss)
    manifest["training"] = options.training;
  for (auto &[name, value] : options.settings)
    manifest["settings"][name] = value;
  manifest["files"] = options.files;
  for (auto &[file, digest] : options.digests)
    manifest["sha256"][file] = digest;
  if (interface.batch)
    manifest["batch"] = interface.batch;
  for (const DimInterface &dim : interface.openDims)
    manifest["sizes"].push_back({{"name", dim.name}, {"c_name", dim.cName}, {"max", dim.bound}});

  manifest["inputs"] = Json::array();
  for (const InputInterface &tensor : interface.inputs) {
    if (tensor.derivative != train::Derivative::None)
      continue;
    Json input = describe(tensor);
    input["c_name"] = tensor.cName;
    input["target"] = tensor.target;
    if (tensor.low)
      input["range"] = {*tensor.low, *tensor.limit};
    if (tensor.ignore)
      input["ignore"] = *tensor.ignore;
    if (tensor.classAxis)
      input["class_axis"] = *tensor.classAxis;
    manifest["inputs"].push_back(input);
  }
  manifest["outputs"] = Json::array();
  for (const OutputInterface &tensor : interface.outputs) {
    if (tensor.derivative != train::Derivative::None)
      continue;
    Json output = describe(tensor);
    output["role"] = tensor.indexRange
                         ? "index_range"
                         : (tensor.ofStep ? "step_" : "") + train::stringifyOutputRole(tensor.role).str();
    manifest["outputs"].push_back(output);
  }
  for (train::Derivative derivative : interface.derivatives)
    manifest["derivatives"].push_back(describeDerivative(interface, derivative));
  describeRecognized(targets.front().program, manifest);
  for (const JacobianInterface &pair : interface.jacobians) {
    Json &entry = manifest["jacobian"].emplace_back(describe(pair));
    entry["c_name"] = pair.cName;
    entry["of"] = pair.of;
    entry["by"] = pair.by;
  }
  const AllValues all = interface.allValues();
  manifest["parameter_values"] = {{"dtype", all.dtype}, {"all", all.count}, {"trainable", all.trainable}};
  for (const NamedProgram &target : targets)
    if (targets.size() == 1)
      describeTarget(interface, target.program, manifest);
    else
      describeTarget(interface, target.program,
                     manifest["targets"].emplace_back(Json{{"name", target.target}}));
  return manifest.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace dlc::emit
