//===- InProcess.cpp - a program compiled into this process, which runs ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/verify/InProcess.h"
#include "compiler/interpret/Raw.h"
#include "compiler/session/LoadedModel.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;

namespace dlc::verify {
namespace {

/// Memory of its own for each tensor, as a caller has it.
class Arguments {
public:
  explicit Arguments(ArrayRef<Tensor> tensors) {
    for (const Tensor &tensor : tensors)
      bytes.push_back(interpret::toBytes(tensor));
    for (std::vector<char> &each : bytes) {
      each.reserve(1); // a tensor of no elements has an address, too
      pointers.push_back(each.data());
    }
  }
  const void *const *inputs() const { return pointers.data(); }
  void *const *outputs() const { return pointers.data(); }
  ArrayRef<char> operator[](size_t i) const { return bytes[i]; }

private:
  std::vector<std::vector<char>> bytes;
  std::vector<void *> pointers;
};

class InProcess : public ProgramInstance {
public:
  /// `module` has the initial values of large parameters, which the instance reads when it is made.
  InProcess(OwningOpRef<ModuleOp> module, std::unique_ptr<session::LoadedModel> loaded)
      : module(std::move(module)), loaded(std::move(loaded)) {}
  ~InProcess() override { dlc_instance_destroy(instance); }

  std::string create(const DeviceChoice &where) {
    place = where;
    return restart();
  }

  std::string restart() override {
    dlc_instance_destroy(instance);
    instance = nullptr;
    char error[512] = "";
    dlc_create_options options = {};
    options.struct_size = sizeof options;
    options.threads = place.threads;
    options.device = place.device.empty() ? nullptr : place.device.c_str();
    options.error = error;
    options.error_bytes = sizeof error;
    const dlc_model *model = loaded->model();
    const auto status = dlc_instance_create(model, DLC_ABI_VERSION, model->fingerprint, &options, &instance);
    return status == DLC_OK ? "" : error;
  }

  std::string predict(int64_t rows, ArrayRef<int64_t> sizes, ArrayRef<Tensor> inputs,
                      MutableArrayRef<Tensor> outputs) override {
    return call(dlc_instance_predict, DLC_OUTPUT_PREDICTION, rows, sizes, inputs, outputs);
  }
  std::string differentiate(train::Derivative derivative, int64_t rows, ArrayRef<int64_t> sizes,
                            ArrayRef<Tensor> inputs, MutableArrayRef<Tensor> outputs) override {
    if (derivative == train::Derivative::Hvp)
      return call(dlc_instance_hvp, DLC_OUTPUT_PRODUCT, rows, sizes, inputs, outputs);
    return derivative == train::Derivative::Vjp
               ? call(dlc_instance_vjp, DLC_OUTPUT_GRADIENT, rows, sizes, inputs, outputs)
               : call(dlc_instance_jvp, DLC_OUTPUT_TANGENT, rows, sizes, inputs, outputs);
  }
  std::string gradStep(ArrayRef<Tensor> inputs, double &loss) override {
    return withLoss(loss, [&](float *result) {
      return dlc_instance_grad_step(instance, Arguments(inputs).inputs(), result);
    });
  }
  std::string trainStep(ArrayRef<Tensor> inputs, double &loss) override {
    return withLoss(loss, [&](float *result) {
      return dlc_instance_train_step(instance, Arguments(inputs).inputs(), result);
    });
  }
  std::string gradStepOf(int64_t rows, ArrayRef<int64_t> sizes, ArrayRef<Tensor> inputs,
                         double &loss) override {
    return withLoss(loss, [&](float *result) {
      return dlc_instance_grad_step_n(instance, rows, sizes.data(), Arguments(inputs).inputs(), result);
    });
  }
  std::string accumulate(ArrayRef<Tensor> inputs, double &loss) override {
    return withLoss(loss, [&](float *result) {
      return dlc_instance_accumulate(instance, Arguments(inputs).inputs(), result);
    });
  }
  std::string apply() override { return sentence(dlc_instance_apply(instance)); }
  std::string evalStep(int64_t rows, ArrayRef<Tensor> inputs, Metrics &metrics) override {
    dlc_metrics found = {};
    auto status = dlc_instance_eval_step(instance, rows, Arguments(inputs).inputs(), &found);
    metrics = {found.loss_sum, found.loss_weight, found.correct};
    return sentence(status);
  }
  std::string read(StringRef name, Tensor &value) override {
    return readWith(dlc_instance_parameter_read, name, value);
  }
  std::string readGradient(StringRef name, Tensor &value) override {
    return readWith(dlc_instance_gradient_read, name, value);
  }

private:
  /// The runtime takes pointers to all inputs and outputs, of which it uses those that the function has.
  std::string call(decltype(&dlc_instance_predict) function, uint32_t role, int64_t rows,
                   ArrayRef<int64_t> sizes, ArrayRef<Tensor> inputs, MutableArrayRef<Tensor> outputs) {
    Arguments all(inputs), results(outputs);
    std::vector<void *> places(loaded->model()->output_count);
    size_t next = 0;
    for (size_t i = 0; i < places.size() && next < outputs.size(); ++i)
      if (loaded->model()->outputs[i].role == role)
        places[i] = results.outputs()[next++];
    auto status = function(instance, rows, sizes.data(), all.inputs(), places.data());
    if (status == DLC_OK)
      for (auto [i, output] : llvm::enumerate(outputs))
        interpret::fromBytes(results[i], output);
    return sentence(status);
  }
  std::string sentence(dlc_status status) const {
    return status == DLC_OK ? "" : dlc_instance_last_error(instance);
  }
  std::string withLoss(double &loss, llvm::function_ref<dlc_status(float *)> call) {
    float result = 0;
    const dlc_status status = call(&result);
    loss = result;
    return sentence(status);
  }
  std::string readWith(decltype(&dlc_instance_parameter_read) read, StringRef name, Tensor &value) {
    std::vector<char> bytes(value.size() * interpret::bytesOf(value.dtype));
    const dlc_status status = read(instance, name.str().c_str(), bytes.data(), bytes.size());
    if (status == DLC_OK)
      interpret::fromBytes(bytes, value);
    return sentence(status);
  }

  OwningOpRef<ModuleOp> module;
  std::unique_ptr<session::LoadedModel> loaded;
  DeviceChoice place;
  dlc_instance *instance = nullptr;
};

} // namespace

std::unique_ptr<ProgramInstance> compileInProcess(ModuleOp module, const pipeline::Options &options,
                                                  const DeviceChoice &place) {
  OwningOpRef<ModuleOp> copy = module.clone();
  std::unique_ptr<session::LoadedModel> loaded = session::load(*copy, options);
  if (!loaded)
    return nullptr;
  auto instance = std::make_unique<InProcess>(std::move(copy), std::move(loaded));
  if (std::string problem = instance->create(place); !problem.empty()) {
    emitError(UnknownLoc::get(module.getContext()), problem);
    return nullptr;
  }
  return instance;
}

} // namespace dlc::verify
