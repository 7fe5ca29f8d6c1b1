//===- FirstStep.cpp - a model's first step, compiled and interpreted -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/numerics/FirstStep.h"

#include "compiler/verify/Verify.h"
#include "tests/numerics/CompiledModel.h"

namespace dlc::numerics {
namespace {

/// A model of the tests, whose own failures are failures of the test.
class TestedInstance : public verify::ProgramInstance {
public:
  explicit TestedInstance(std::unique_ptr<CompiledModel> model) : model(std::move(model)) {}

  std::string predict(int64_t rows, llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<Tensor> inputs,
                      llvm::MutableArrayRef<Tensor> outputs) override {
    return said(model->predict(rows, inputs, outputs, sizes));
  }
  std::string gradStep(llvm::ArrayRef<Tensor> inputs, double &loss) override {
    return withLoss(loss, [&](float &result) { return model->gradStep(inputs, result); });
  }
  std::string trainStep(llvm::ArrayRef<Tensor> inputs, double &loss) override {
    return withLoss(loss, [&](float &result) { return model->trainStep(inputs, result); });
  }
  std::string evalStep(int64_t rows, llvm::ArrayRef<Tensor> inputs, verify::Metrics &metrics) override {
    dlc_metrics found;
    const bool worked = model->evalStep(rows, inputs, found);
    metrics = {found.loss_sum, found.loss_weight, found.correct};
    return said(worked);
  }
  std::string read(llvm::StringRef name, Tensor &value) override {
    return said(model->read(name.str(), value));
  }
  std::string readGradient(llvm::StringRef name, Tensor &value) override {
    return said(model->readGradient(name.str(), value));
  }
  // Which the settings below leave out.
  std::string differentiate(train::Derivative, int64_t, llvm::ArrayRef<int64_t>, llvm::ArrayRef<Tensor>,
                            llvm::MutableArrayRef<Tensor>) override {
    return "the tests have no such call";
  }
  std::string gradStepOf(int64_t, llvm::ArrayRef<int64_t>, llvm::ArrayRef<Tensor>, double &) override {
    return "the tests have no such call";
  }
  std::string accumulate(llvm::ArrayRef<Tensor>, double &) override { return "the tests have no such call"; }
  std::string apply() override { return "the tests have no such call"; }
  std::string restart() override { return "the tests have no such call"; }

private:
  static std::string said(bool worked) { return worked ? "" : "the call fails"; }
  static std::string withLoss(double &loss, llvm::function_ref<bool(float &)> call) {
    float result = 0;
    const bool worked = call(result);
    loss = result;
    return said(worked);
  }

  std::unique_ptr<CompiledModel> model;
};

} // namespace

Comparison compareFirstStep(const Program &program, pipeline::Options options) {
  takeErrors();
  Program fast = program.clone();
  fast.addToRecipe({{"learning_rate", "1"}}); // updates as large as the gradients
  verify::Settings settings;
  settings.steps = 1;
  settings.evaluates = false;
  const verify::Report report = verify::verify(
      fast.getModule(), options, settings, [&](mlir::ModuleOp module) -> std::unique_ptr<verify::ProgramInstance> {
        Program copy(mlir::OwningOpRef<mlir::ModuleOp>(module.clone()));
        std::unique_ptr<CompiledModel> model = CompiledModel::compile(copy, options);
        return model ? std::make_unique<TestedInstance>(std::move(model)) : nullptr;
      });
  if (report.cannot)
    return {"cannot be compared: " + takeErrors(), ""};
  Comparison result;
  for (const verify::Check &check : report.checks)
    if (check.differs() && result.difference.empty())
      result.difference = check.what + ", " + check.when + ": " + check.detail;
  result.summary = std::to_string(report.parameters) + " parameters, loss " + std::to_string(report.loss);
  return result;
}

} // namespace dlc::numerics
