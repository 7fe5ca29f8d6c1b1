//===- Description.cpp - a model's functions, for writers of any language --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/bindings/Description.h"
#include "compiler/emit/HeaderArguments.h"
#include "compiler/emit/bindings/Functions.h"
#include "dlc/abi.h"
#include "llvm/ADT/STLExtras.h"

namespace dlc::emit::bindings {

llvm::ArrayRef<Status> Description::statuses() {
  static const Status all[] = {
      {"invalid_argument", DLC_INVALID_ARGUMENT, "an array of another size, a size or a value out of range"},
      {"out_of_memory", DLC_OUT_OF_MEMORY, "there is not enough memory"},
      {"io_error", DLC_IO_ERROR, "a file cannot be opened, read or written"},
      {"bad_file", DLC_BAD_FILE, "a file's content is not what it should be"},
      {"index_out_of_range", DLC_INDEX_OUT_OF_RANGE, "a label or an index is outside its valid range"},
      {"not_finite", DLC_NOT_FINITE, "checking is on, and a number is NaN or infinite"},
      {"unsupported_cpu", DLC_UNSUPPORTED_CPU, "the library has instructions that this CPU lacks"},
      {"abi_mismatch", DLC_ABI_MISMATCH, "this file, the library and the runtime were not made together"},
      {"not_found", DLC_NOT_FOUND, "no parameter or tensor has that name"},
      {"busy", DLC_BUSY, "another thread is inside a call on the same model"},
      {"unavailable", DLC_UNAVAILABLE,
       "the model was compiled without what the call needs, or it is not there yet"},
      {"unsupported_device", DLC_UNSUPPORTED_DEVICE,
       "no driver, no GPU, or one that the library has no code for"},
      {"device_failed", DLC_DEVICE_FAILED,
       "the GPU or its driver has failed: the model can only be destroyed"},
  };
  return all;
}

namespace {

std::vector<Argument> inputs(const Interface &interface, bool withTargets,
                             train::Derivative derivative = train::Derivative::None) {
  std::vector<Argument> arguments;
  for (const InputInterface &input : interface.inputs)
    if (input.derivative == train::Derivative::None ? withTargets || !input.target
                                                    : input.derivative == derivative)
      arguments.push_back({&input, noteOf(input), false});
  return arguments;
}

/// What a full batch trains, and, where sizes are open, the same at any size.
void addSteps(Description &description) {
  const Interface &interface = description.interface;
  const std::pair<const char *, const char *> names[] = {
      {"train_step", "One training step: forward, loss, backward, and the update of all trained parameters. "
                     "Gives the loss of the batch before the update."},
      {"grad_step",
       "The first half of a training step: the loss and the gradients of a batch, which take the "
       "place of those that the model keeps."},
      {"accumulate", "As grad_step, but the gradients are added to those that the model keeps."}};
  for (auto [name, about] : names)
    description.steps.push_back({name, std::string(about) + " Takes a full batch.", Rows::Full, false,
                                 inputs(interface, true), Result::Loss});
  if (interface.takesSizes)
    for (auto [name, about] : names)
      description.steps.push_back({std::string(name) + "_n",
                                   std::string(about) + " Takes any size up to the largest.",
                                   interface.openBatch && interface.batch ? Rows::Given : Rows::Only,
                                   !interface.openDims.empty(), inputs(interface, true), Result::Loss});
  description.steps.push_back(
      {"eval_step",
       "Evaluates without training: without dropout, and with running statistics. The "
       "sums and counts may be added up over batches.",
       interface.batch ? Rows::Given : Rows::Only, interface.takesSizes && !interface.openDims.empty(),
       inputs(interface, true), Result::Metrics});
}

/// A training step in slices: what its beginning takes.
void addSlices(Description &description) {
  const std::string about =
      "Begins a training step in slices: the inputs are copied, and nothing is computed. Until the "
      "step is done, other calls get the status busy.";
  for (const Step &step : std::vector<Step>(description.steps))
    if (step.name == "train_step" || step.name == "train_step_n") {
      Step begin = step;
      begin.name = step.name == "train_step" ? "train_step_begin" : "train_step_begin_n";
      begin.about =
          about + (begin.rows == Rows::Full && !begin.takesSizes ? " Takes a full batch."
                                                                 : " Takes any size up to the largest.");
      begin.result = Result::Nothing;
      begin.keepsInputs = true;
      description.steps.push_back(begin);
    }
}

/// predict, or a derivative of it.
void addPredicting(Description &description, const std::string &name, const std::string &about,
                   train::Derivative derivative) {
  const Interface &interface = description.interface;
  Step step{name,
            about,
            interface.batch ? Rows::Given : Rows::Only,
            !interface.openDims.empty(),
            inputs(interface, isOfLoss(derivative), derivative),
            Result::Nothing};
  for (const OutputInterface &output : interface.outputs)
    if (output.isResultOf(derivative))
      step.arguments.push_back({&output, "; written", true});
  description.steps.push_back(std::move(step));
}

void addPrediction(Description &description) {
  addPredicting(description, "predict",
                "The model's outputs, without training. They must not overlap the inputs.",
                train::Derivative::None);
  for (train::Derivative derivative : description.interface.derivatives)
    addPredicting(
        description, derivativeName(derivative).str(),
        derivative == train::Derivative::Vjp
            ? "Gradients of the outputs by the inputs: vectors times the Jacobian of predict."
        : derivative == train::Derivative::Jvp
            ? "How the outputs change along directions of the inputs: the Jacobian of predict times vectors."
            : "The Hessian of the loss by the trained parameters, times a vector: how the gradients that "
              "training computes for these rows change along it. Vector and product have the order of "
              "parameters_read_all.",
        derivative);
}

void addJacobian(Description &description) {
  const Interface &interface = description.interface;
  if (interface.jacobians.empty())
    return;
  Step step{"jacobian",
            "How each element of an output changes with each element of an input, other rows included.",
            interface.batch ? Rows::Given : Rows::Only,
            !interface.openDims.empty(),
            inputs(interface, false),
            Result::Nothing};
  for (const JacobianInterface &pair : interface.jacobians)
    step.arguments.push_back({&pair, "; written", true});
  description.steps.push_back(std::move(step));
}

} // namespace

Description::Description(const Interface &interface, const HeaderOptions &options) : interface(interface) {
  training =
      interface.hasLoss ? "Training: " + options.training + "." : "Compiled without a loss: prediction only.";
  weights = options.weightsFile.empty() ? "inside the library"
                                        : "in the file that the options name, or in '" + options.weightsFile +
                                              "' in the working directory";
  all = interface.allValues();
  if (interface.hasLoss) {
    addSteps(*this);
    addSlices(*this);
  }
  addPrediction(*this);
  addJacobian(*this);
  for (const StateInterface &state : interface.states) {
    if (state.kind == train::StateKind::Parameter || state.kind == train::StateKind::Buffer)
      parameters.push_back(&state);
    if (state.kind == train::StateKind::Hyperparameter)
      hyperparameters.push_back(&state);
    if (state.isWeight)
      gradientWeight = &state;
    hasAverages |= state.isAverage;
  }
  hasStepMetrics = llvm::any_of(interface.outputs, [](auto &output) { return output.ofStep; });
  auto add = [&](const StateInterface &state) {
    if (!llvm::is_contained(dtypes, state.dtype))
      dtypes.push_back(state.dtype);
  };
  for (const StateInterface *parameter : parameters)
    add(*parameter);
  if (gradientWeight)
    add(*gradientWeight);
  addFunctions(*this);
}

} // namespace dlc::emit::bindings
