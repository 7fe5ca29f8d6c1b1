//===- Api.cpp - the C functions of the model's header ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function collects its tensors in arrays and forwards to the runtime's function on instances.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/model/Constants.h"
#include "dialects/train/BatchParts.h"
#include "dialects/train/Derivative.h"
#include "dlc/abi.h"
#include "llvm/IR/IRBuilder.h"

using namespace mlir;
using train::Derivative;

namespace dlc::codegen {
namespace {

class Api {
public:
  Api(train::ProgramOp program, llvm::Module &module, llvm::GlobalVariable *model, uint64_t fingerprint)
      : program(program), module(module), b(module.getContext()), model(model), fingerprint(fingerprint),
        pointer(b.getPtrTy()), status(b.getInt32Ty()) {}
  void emit();

private:
  /// Makes `<model>_<suffix>` with these arguments and begins its body.
  llvm::Function *begin(const llvm::Twine &suffix, llvm::Type *result, ArrayRef<llvm::Type *> arguments);
  /// Calls the runtime's `name` and returns what it returns.
  void forward(StringRef name, llvm::Type *result, ArrayRef<llvm::Value *> arguments);
  /// A function with the same arguments as the runtime's.
  void alias(StringRef suffix, llvm::Type *result, ArrayRef<llvm::Type *> arguments);
  /// An array on the stack of pointers or numbers; null entries where `values` has none.
  llvm::Value *array(ArrayRef<llvm::Value *> values);
  void emitCreate();
  void emitStep(StringRef name);
  void emitSizedStep(StringRef suffix, StringRef name);
  /// Emits `begin` of a training step in slices.
  void emitBegin(bool isSized);
  void emitEvalStep();
  /// The functions of one of several ranks, beside those of one process.
  void emitRankSteps();
  /// Emits predict or a derivative.
  void emitPredict(Derivative derivative);
  /// Made of the calls of `derivative`.
  void emitJacobian(Derivative derivative);
  /// What every function takes but those that predict leave out targets of, and what `derivative` alone
  /// takes.
  bool takes(Derivative derivative, train::InputOp input) {
    return derivativeOf(input) == Derivative::None ? isOfLoss(derivative) || !input.getTarget()
                                                   : derivativeOf(input) == derivative;
  }
  /// An array of the tensors that training functions are given, from the argument `next` on.
  SmallVector<llvm::Value *> trainingInputs(llvm::Function *function, unsigned &next);
  size_t countTrainingInputs();
  /// Named dims beside the batch: how many sizes a call gives after the rows.
  unsigned sizeCount();
  void emitHyperparameter(StringRef name);

  train::ProgramOp program;
  llvm::Module &module;
  llvm::IRBuilder<> b;
  llvm::GlobalVariable *model;
  uint64_t fingerprint;
  llvm::Type *pointer, *status;
};

llvm::Function *Api::begin(const llvm::Twine &suffix, llvm::Type *result, ArrayRef<llvm::Type *> arguments) {
  auto *function =
      llvm::Function::Create(llvm::FunctionType::get(result, arguments, false),
                             llvm::GlobalValue::ExternalLinkage, program.getSymName() + "_" + suffix, module);
  b.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", function));
  return function;
}

void Api::forward(StringRef name, llvm::Type *result, ArrayRef<llvm::Value *> arguments) {
  SmallVector<llvm::Type *> types;
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());
  llvm::FunctionCallee callee = module.getOrInsertFunction(("dlc_instance_" + name).str(),
                                                           llvm::FunctionType::get(result, types, false));
  llvm::Value *returned = b.CreateCall(callee, arguments);
  if (result->isVoidTy())
    b.CreateRetVoid();
  else
    b.CreateRet(returned);
}

void Api::alias(StringRef suffix, llvm::Type *result, ArrayRef<llvm::Type *> arguments) {
  llvm::Function *function = begin(suffix, result, arguments);
  SmallVector<llvm::Value *> values;
  for (llvm::Argument &argument : function->args())
    values.push_back(&argument);
  forward(suffix, result, values);
}

llvm::Value *Api::array(ArrayRef<llvm::Value *> values) {
  // Both take 8 bytes; null is 0.
  llvm::Value *memory = b.CreateAlloca(pointer, b.getInt64(std::max<size_t>(1, values.size())));
  for (auto [position, value] : llvm::enumerate(values))
    b.CreateStore(value ? value : llvm::ConstantPointerNull::get(b.getPtrTy()),
                  b.CreateConstGEP1_64(pointer, memory, position));
  return memory;
}

/// `create_checked` compares the constants of the caller's header with the library's. `create` has no header
/// to compare with: it is for callers in other languages. C programs get the header's inline function of that
/// name.
void Api::emitCreate() {
  llvm::Function *checked =
      begin("create_checked", status, {b.getInt32Ty(), b.getInt64Ty(), pointer, pointer});
  forward("create", status,
          {model, checked->getArg(0), checked->getArg(1), checked->getArg(2), checked->getArg(3)});
  llvm::Function *create = begin("create", status, {pointer, pointer});
  forward(
      "create", status,
      {model, b.getInt32(DLC_ABI_VERSION), b.getInt64(fingerprint), create->getArg(0), create->getArg(1)});
}

size_t Api::countTrainingInputs() {
  auto isOfAll = [](train::InputOp input) { return derivativeOf(input) == Derivative::None; };
  return llvm::count_if(program.getBody().getOps<train::InputOp>(), isOfAll);
}

SmallVector<llvm::Value *> Api::trainingInputs(llvm::Function *function, unsigned &next) {
  SmallVector<llvm::Value *> tensors;
  for (auto input : program.getBody().getOps<train::InputOp>())
    tensors.push_back(derivativeOf(input) == Derivative::None ? function->getArg(next++) : nullptr);
  return tensors;
}

/// (handle, inputs and targets ..., float *loss)
void Api::emitStep(StringRef name) {
  llvm::Function *function =
      begin(name, status, SmallVector<llvm::Type *>(countTrainingInputs() + 2, pointer));
  unsigned next = 1;
  llvm::Value *read = array(trainingInputs(function, next));
  forward(name, status, {function->getArg(0), read, function->getArg(next)});
}

/// (handle, inputs and targets ...); or (handle, rows, sizes ..., inputs and targets ...)
void Api::emitBegin(bool isSized) {
  const unsigned count = isSized ? sizeCount() : 0;
  SmallVector<llvm::Type *> types{pointer};
  types.append(isSized ? count + 1 : 0, b.getInt64Ty());
  types.append(countTrainingInputs(), pointer);
  StringRef name = isSized ? "train_step_begin_n" : "train_step_begin";
  llvm::Function *function = begin(name, status, types);
  unsigned next = isSized ? 2 : 1;
  SmallVector<llvm::Value *> sizes;
  while (sizes.size() < count)
    sizes.push_back(function->getArg(next++));
  llvm::Value *given = count ? array(sizes) : llvm::ConstantPointerNull::get(b.getPtrTy());
  llvm::Value *read = array(trainingInputs(function, next));
  if (isSized)
    forward(name, status, {function->getArg(0), function->getArg(1), given, read});
  else
    forward(name, status, {function->getArg(0), read});
}

/// (handle, collectives, rows, inputs and targets ..., float *loss, dlc_metrics *metrics)
void Api::emitRankSteps() {
  alias("join_ranks", status, {pointer, pointer});
  alias("rank_apply", status, {pointer, pointer});
  for (StringRef name : {"rank_step", "rank_grad_step", "rank_accumulate"}) {
    SmallVector<llvm::Type *> types{pointer, pointer, b.getInt64Ty()};
    types.append(countTrainingInputs() + 2, pointer);
    llvm::Function *function = begin(name, status, types);
    unsigned next = 3;
    llvm::Value *read = array(trainingInputs(function, next));
    forward(name, status, {function->getArg(0), function->getArg(1), function->getArg(2), read,
                           function->getArg(next), function->getArg(next + 1)});
  }
}

unsigned Api::sizeCount() {
  auto dims = program.getBody().getOps<train::DimOp>();
  return std::max<int64_t>(1, std::distance(dims.begin(), dims.end())) - 1;
}

/// (handle, rows, sizes of other named dims ..., inputs and targets ..., where results go)
void Api::emitSizedStep(StringRef suffix, StringRef name) {
  unsigned count = sizeCount();
  SmallVector<llvm::Type *> types(count + 2, b.getInt64Ty());
  types[0] = pointer;
  types.append(countTrainingInputs() + 1, pointer);
  llvm::Function *function = begin(suffix, status, types);
  SmallVector<llvm::Value *> sizes;
  unsigned next = 2;
  while (sizes.size() < count)
    sizes.push_back(function->getArg(next++));
  llvm::Value *given = count ? array(sizes) : llvm::ConstantPointerNull::get(b.getPtrTy());
  llvm::Value *read = array(trainingInputs(function, next));
  forward(name, status, {function->getArg(0), function->getArg(1), given, read, function->getArg(next)});
}

/// (handle, rows, inputs and targets ..., dlc_metrics *)
void Api::emitEvalStep() {
  SmallVector<llvm::Type *> types(countTrainingInputs() + 3, pointer);
  types[1] = b.getInt64Ty();
  llvm::Function *function = begin("eval_step", status, types);
  unsigned next = 2;
  llvm::Value *read = array(trainingInputs(function, next));
  forward("eval_step", status, {function->getArg(0), function->getArg(1), read, function->getArg(next)});
}

/// (handle, rows, sizes of other named dims ..., inputs ..., targets ... of a derivative of the loss, what is
/// differentiated along ..., results ...); other targets and outputs stay null.
void Api::emitPredict(Derivative derivative) {
  unsigned open = sizeCount();
  auto gives = [&](train::OutputOp output) {
    return output.getRole() == train::OutputRole::Prediction && derivativeOf(output) == derivative;
  };
  SmallVector<llvm::Type *> types(open + 2, b.getInt64Ty());
  types[0] = pointer;
  for (auto input : program.getBody().getOps<train::InputOp>())
    if (takes(derivative, input))
      types.push_back(pointer);
  for (auto output : program.getBody().getOps<train::OutputOp>())
    if (gives(output))
      types.push_back(pointer);
  StringRef name = derivative == Derivative::None ? "predict" : derivativeName(derivative);
  llvm::Function *function = begin(name, status, types);
  unsigned next = 2;
  SmallVector<llvm::Value *> sizes, inputs, outputs;
  while (sizes.size() < open)
    sizes.push_back(function->getArg(next++));
  // Inputs and outputs of derivatives are declared behind all others.
  for (auto input : program.getBody().getOps<train::InputOp>())
    inputs.push_back(takes(derivative, input) ? function->getArg(next++) : nullptr);
  for (auto output : program.getBody().getOps<train::OutputOp>())
    outputs.push_back(gives(output) ? function->getArg(next++) : nullptr);
  llvm::Value *given = open ? array(sizes) : llvm::ConstantPointerNull::get(b.getPtrTy());
  llvm::Value *read = array(inputs), *written = array(outputs);
  forward(name, status, {function->getArg(0), function->getArg(1), given, read, written});
}

/// (handle, rows, sizes of other named dims ..., inputs ..., a matrix for each prediction and each input)
void Api::emitJacobian(Derivative derivative) {
  unsigned open = sizeCount();
  auto belongs = [&](auto op) { return derivativeOf(op) == derivative; };
  auto isTaken = [&](train::InputOp input) { return takes(Derivative::None, input); };
  const size_t matrices = llvm::count_if(program.getBody().getOps<train::InputOp>(), belongs) *
                          llvm::count_if(program.getBody().getOps<train::OutputOp>(), belongs);
  SmallVector<llvm::Type *> types(open + 2, b.getInt64Ty());
  types[0] = pointer;
  types.append(llvm::count_if(program.getBody().getOps<train::InputOp>(), isTaken) + matrices, pointer);
  llvm::Function *function = begin(train::jacobianName, status, types);
  unsigned next = 2;
  SmallVector<llvm::Value *> sizes, inputs, written;
  while (sizes.size() < open)
    sizes.push_back(function->getArg(next++));
  for (auto input : program.getBody().getOps<train::InputOp>())
    inputs.push_back(isTaken(input) ? function->getArg(next++) : nullptr);
  while (written.size() < matrices)
    written.push_back(function->getArg(next++));
  llvm::Value *given = open ? array(sizes) : llvm::ConstantPointerNull::get(b.getPtrTy());
  llvm::Value *read = array(inputs), *places = array(written);
  forward(train::jacobianName, status, {function->getArg(0), function->getArg(1), given, read, places});
}

void Api::emitHyperparameter(StringRef name) {
  llvm::Function *set = begin("set_" + name, status, {pointer, b.getDoubleTy()});
  forward("set_hyperparameter", status, {set->getArg(0), b.CreateGlobalString(name), set->getArg(1)});
  llvm::Function *get = begin("get_" + name, status, {pointer, pointer});
  forward("get_hyperparameter", status, {get->getArg(0), b.CreateGlobalString(name), get->getArg(1)});
}

void Api::emit() {
  llvm::Type *i64 = b.getInt64Ty(), *nothing = b.getVoidTy();
  emitCreate();
  alias("destroy", nothing, {pointer});
  alias("save", status, {pointer, pointer});
  alias("save_weights", status, {pointer, pointer});
  alias("load", status, {pointer, pointer});
  alias("save_to_memory", status, {pointer, pointer, i64, pointer});
  alias("save_weights_to_memory", status, {pointer, pointer, i64, pointer});
  alias("load_from_memory", status, {pointer, pointer, i64});
  alias("copy_state", status, {pointer, pointer});
  alias("parameter_count", i64, {pointer});
  alias("parameter_info", status, {pointer, i64, pointer});
  alias("parameter_read", status, {pointer, pointer, pointer, i64});
  alias("parameter_write", status, {pointer, pointer, pointer, i64});
  alias("parameter_view", status, {pointer, pointer, pointer});
  alias("parameters_count", i64, {pointer, b.getInt32Ty()});
  for (StringRef name : {"parameters_read_all", "parameters_write_all"})
    alias(name, status, {pointer, pointer, i64, b.getInt32Ty()});
  alias("extra_write_number", status, {pointer, pointer, b.getDoubleTy()});
  for (StringRef name : {"extra_write_text", "extra_read_number", "extra_read_text"})
    alias(name, status, {pointer, pointer, pointer});
  alias("extra_count", i64, {pointer});
  alias("extra_name", status, {pointer, i64, pointer, pointer});
  alias("last_error", pointer, {pointer});
  alias("last_remark", pointer, {pointer});
  for (auto function : program.getBody().getOps<train::FunctionOp>())
    if (function.getKind() == train::FunctionKind::Predict)
      emitPredict(derivativeOf(function));
  auto isOfJacobian = [](train::FunctionOp function) { return function.getJacobian(); };
  auto functions = program.getBody().getOps<train::FunctionOp>();
  if (auto found = llvm::find_if(functions, isOfJacobian); found != functions.end())
    emitJacobian(derivativeOf(*found));

  auto has = [&](train::FunctionKind kind) {
    return llvm::any_of(program.getBody().getOps<train::FunctionOp>(),
                        [&](train::FunctionOp function) { return function.getKind() == kind; });
  };
  if (!has(train::FunctionKind::TrainStep))
    return;
  for (StringRef name : {"train_step", "grad_step", "accumulate"})
    emitStep(name);
  emitBegin(/*isSized=*/false);
  alias("train_step_continue", status, {pointer, i64, pointer});
  alias("apply", status, {pointer});
  alias("sync", status, {pointer, pointer});
  alias("set_seed", status, {pointer, i64});
  alias("step_count", i64, {pointer});
  alias("gradient_read", status, {pointer, pointer, pointer, i64});
  alias("gradient_write", status, {pointer, pointer, pointer, i64});
  for (StringRef name : {"gradients_read_all", "gradients_write_all"})
    alias(name, status, {pointer, pointer, i64});
  alias("grad_norm", status, {pointer, pointer});
  auto isOfStep = [](train::OutputOp output) { return output.getOfStep(); };
  if (llvm::any_of(program.getBody().getOps<train::OutputOp>(), isOfStep))
    alias("step_metrics", status, {pointer, pointer});
  auto isAverage = [](train::StateOp state) { return state.getAverage(); };
  if (llvm::any_of(program.getBody().getOps<train::StateOp>(), isAverage))
    alias("use_average", status, {pointer, b.getInt32Ty()});
  if (train::isOfRank(program))
    emitRankSteps();
  bool takesSizes = has(train::FunctionKind::TrainStepN);
  if (takesSizes)
    emitBegin(/*isSized=*/true);
  if (takesSizes)
    for (StringRef name : {"train_step_n", "grad_step_n", "accumulate_n"})
      emitSizedStep(name, name);
  if (takesSizes && sizeCount() > 0)
    emitSizedStep("eval_step", "eval_step_n");
  else
    emitEvalStep();
  for (auto state : program.getBody().getOps<train::StateOp>())
    if (state.getKind() == train::StateKind::Hyperparameter)
      emitHyperparameter(state.getSymName());
}

} // namespace

void emitApi(train::ProgramOp program, llvm::Module &module, llvm::GlobalVariable *model,
             uint64_t fingerprint) {
  Api(program, module, model, fingerprint).emit();
}

} // namespace dlc::codegen
