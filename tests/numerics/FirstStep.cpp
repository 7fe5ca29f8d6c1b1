//===- FirstStep.cpp - a model's first step, compiled and interpreted -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/numerics/FirstStep.h"

#include "compiler/backward/Passes.h"
#include "compiler/forward/Passes.h"
#include "compiler/interpret/RandomInput.h"
#include "compiler/pipeline/Pipeline.h"
#include "mlir/Pass/PassManager.h"
#include "tests/numerics/CompiledModel.h"
#include "tests/numerics/Reference.h"
#include "llvm/Support/SaveAndRestore.h"

#include <cmath>

namespace dlc::numerics {
namespace {

mlir::LogicalResult runBackward(const Program &program, const pipeline::Options &options) {
  mlir::PassManager manager(&context());
  manager.addPass(forward::createResolveModes());
  if (options.precision != "fp32")
    manager.addPass(forward::createSetPrecision({options.precision}));
  backward::addBackwardPasses(manager, pipeline::backwardOptions(options));
  return manager.run(program.getModule());
}

std::string number(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// A program both ways, and the inputs for both.
class BothWays {
public:
  /// With `difference` set where one of the two does not work.
  BothWays(const Program &imported, const pipeline::Options &options)
      : interpreted(imported.clone()), compiled(imported.clone()) {
    takeErrors();
    if (succeeded(runBackward(interpreted, options)))
      reference = Reference::create(interpreted.get());
    if (failed(reference))
      difference = "not interpreted: " + takeErrors();
    else if (!(model = CompiledModel::compile(compiled, options)))
      difference = "not compiled: " + takeErrors();
  }

  /// Floats from `low` to 1.
  void fillInputs(double low) {
    std::mt19937_64 engine;
    interpret::DimSizes dims;
    for (auto dim : interpreted.get().getBody().getOps<train::DimOp>())
      dims[dim.getSymName()] = dim.getBound();
    inputs.clear();
    for (auto input : interpreted.get().getBody().getOps<train::InputOp>()) {
      auto shape = interpret::concreteShape(mlir::cast<mlir::RankedTensorType>(input.getType()), dims);
      inputs.push_back(interpret::randomInput(input, *shape, engine, low));
      named[input.getSymName()] = inputs.back();
    }
  }

  bool interpret(llvm::StringRef function) {
    if (succeeded(reference->run(function, named)))
      return true;
    difference = function.str() + " is not interpreted: " + takeErrors();
    return false;
  }
  /// Of one function after the other: the first difference stays.
  void compare(llvm::StringRef what, llvm::StringRef name, const Tensor &found) {
    if (difference.empty())
      if (std::string text = reference->compare(name, found, floor); !text.empty())
        difference = what.str() + ": " + text;
  }
  std::vector<train::StateOp> states() {
    std::vector<train::StateOp> found;
    for (auto state : interpreted.get().getBody().getOps<train::StateOp>())
      if (llvm::is_contained({train::StateKind::Parameter, train::StateKind::Buffer}, state.getKind()))
        found.push_back(state);
    return found;
  }

  Program interpreted, compiled;
  mlir::FailureOr<Reference> reference = mlir::failure();
  std::unique_ptr<CompiledModel> model;
  std::vector<Tensor> inputs;
  Tensors named;
  std::string difference;
  double floor = 0;      ///< of tolerances
  bool hasSlopes = true; ///< a rounded operand makes steps, which have none
};

/// A cross entropy is the logarithm of a sum of exponentials that is at least 1: the rounding of that sum
/// stays where the loss is almost 0. The interpreter rounds results of operations, not what is inside of one.
void compareLoss(BothWays &both, llvm::StringRef function, float loss) {
  llvm::SaveAndRestore<double> restore(both.floor, std::fmax(both.floor, 1e-7));
  both.compare(function, "loss", Tensor::scalar(loss, interpret::DType::F32));
}

/// A gradient that cancels to nothing is as large as roundings of the others: the bias of an attention's
/// keys.
void setFloor(BothWays &both) {
  for (train::StateOp state : both.states())
    if (const Tensor *gradient = both.reference->exact().state((state.getSymName() + ".grad").str()))
      for (double number : gradient->floats)
        if (std::isfinite(number))
          both.floor = std::fmax(both.floor, 1e-7 * std::fabs(number));
}

void compareGradients(BothWays &both, size_t &count) {
  for (train::StateOp state : both.states()) {
    std::string name = state.getSymName().str();
    const Tensor *expected = both.reference->exact().state(name + ".grad");
    if (!expected || !both.difference.empty())
      continue;
    ++count;
    Tensor found = *expected;
    if (!both.model->readGradient(name, found))
      both.difference = "the gradient of '" + name + "' cannot be read";
    // One that is 0 everywhere is a sum that cancels: roundings stay, in proportion to the loss.
    bool isZero = llvm::all_of(expected->floats, [](double number) { return number == 0; });
    const Tensor *loss = isZero ? both.reference->exact().output("loss") : nullptr;
    double zero = loss ? 1e-7 * std::fabs(loss->floats.front()) : 0;
    llvm::SaveAndRestore<double> restore(both.floor, std::fmax(both.floor, zero));
    both.compare("grad_step", name + ".grad", found);
    if (both.difference.empty() && both.hasSlopes)
      both.difference = both.reference->compareSlope(name, both.named);
  }
}

void compareStates(BothWays &both) {
  for (train::StateOp state : both.states()) {
    std::string name = state.getSymName().str();
    Tensor found = *both.reference->exact().state(name);
    if (!both.model->read(name, found))
      both.difference = "'" + name + "' cannot be read";
    both.compare("train_step", name, found);
  }
}

} // namespace

bool derives(const Program &program, const pipeline::Options &options, std::string &reasons) {
  takeErrors();
  Program copy = program.clone();
  mlir::PassManager manager(&context());
  pipeline::buildPipeline(manager, options, llvm::cantFail(CpuTarget::get("", "")),
                          pipeline::Stage::Backward);
  bool accepted = succeeded(manager.run(copy.getModule()));
  reasons = takeErrors();
  return accepted;
}

Comparison compareFirstStep(const Program &program, pipeline::Options options) {
  options.hyperparameters = {"learning_rate=1"}; // updates as large as the gradients
  BothWays both(program, options);
  both.hasSlopes = options.precision == "fp32";
  if (!both.difference.empty())
    return {both.difference, ""};
  // Logarithms and roots want positive numbers.
  for (double low : {-1.0, 0.1}) {
    both.fillInputs(low);
    auto trial = both.reference->exact();
    if (succeeded(trial.run("grad_step", both.named)) && std::isfinite(trial.output("loss")->number(0)))
      break;
  }
  size_t gradients = 0;
  float loss = 0, first = 0;
  if (!both.interpret("grad_step") || !both.model->gradStep(both.inputs, first))
    return {both.difference.empty() ? "grad_step fails" : both.difference, ""};
  compareLoss(both, "grad_step", first);
  setFloor(both);
  compareGradients(both, gradients);
  if (!both.difference.empty())
    return {both.difference, ""};
  // Running statistics and the random state have moved on in both.
  if (!both.interpret("train_step") || !both.model->trainStep(both.inputs, loss))
    return {both.difference.empty() ? "train_step fails" : both.difference, ""};
  compareLoss(both, "train_step", loss);
  compareStates(both);
  return {both.difference, std::to_string(gradients) + " parameters, loss " + number(first)};
}

Comparison comparePrediction(const Program &program, pipeline::Options options) {
  BothWays both(program, options);
  if (!both.difference.empty())
    return {both.difference, ""};
  both.fillInputs(-1);
  if (!both.interpret("predict"))
    return {both.difference, ""};
  std::vector<Tensor> outputs;
  std::vector<std::string> names;
  for (auto output : both.interpreted.get().getBody().getOps<train::OutputOp>()) {
    names.push_back(output.getSymName().str());
    outputs.push_back(*both.reference->exact().output(names.back()));
  }
  int64_t rows = 1;
  for (auto dim : both.interpreted.get().getBody().getOps<train::DimOp>()) {
    rows = dim.getBound(); // the batch is declared first
    break;
  }
  if (!both.model->predict(rows, both.inputs, outputs))
    return {"predict fails", ""};
  for (auto [name, found] : llvm::zip_equal(names, outputs))
    both.compare("predict", name, found);
  return {both.difference, std::to_string(outputs.size()) + " outputs"};
}

} // namespace dlc::numerics
