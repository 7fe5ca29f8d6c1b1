//===- Linked.cpp - object files linked in memory ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JITLink does what a linker does. What is compiled is position-independent, uses no thread-local variables,
// and nothing is thrown through it, so that neither start code nor tables for unwinding are needed.
//===----------------------------------------------------------------------===//
#include "compiler/session/Linked.h"
#include "dlc/abi.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/TaskDispatch.h"

using namespace llvm;

namespace dlc::session {

struct Linked::Engine {
  explicit Engine(std::unique_ptr<orc::ExecutorProcessControl> process)
      : session(std::move(process)), layer(session) {}
  ~Engine() { cantFail(session.endSession()); } // frees memory of this process, which does not fail

  orc::ExecutionSession session;
  orc::ObjectLinkingLayer layer;
  orc::JITDylib *library = nullptr;
};

Linked::Linked(std::unique_ptr<Engine> engine) : engine(std::move(engine)) {}
Linked::~Linked() = default;

/// Where functions are found that the code does not have: memcpy; those of the mathematical library; and of
/// libgcc the conversions that a CPU has no instructions for. A program that has loaded dlc as a plugin may
/// not see the latter two by itself.
static Error addSystem(orc::JITDylib &library) {
  auto process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(/*GlobalPrefix=*/0);
  if (!process)
    return process.takeError();
  library.addGenerator(std::move(*process));
  for (const char *name : {"libm.so.6", "libgcc_s.so.1"}) {
    auto system = orc::DynamicLibrarySearchGenerator::Load(name, /*GlobalPrefix=*/0);
    if (system)
      library.addGenerator(std::move(*system));
    else // another C library has no such files; what is missing then, the lookup says
      consumeError(system.takeError());
  }
  return Error::success();
}

/// What the code names of the runtime, which is in this process but not for others to see. Its C functions
/// call those of instances.
static Error addRuntime(orc::JITDylib &library) {
  const std::pair<const char *, orc::ExecutorAddr> known[] = {
#define DLC_KNOWN(name) {#name, orc::ExecutorAddr::fromPtr(&name)}
      DLC_KNOWN(dlc_cuda_backend),
      DLC_KNOWN(dlc_instance_create),
      DLC_KNOWN(dlc_instance_destroy),
      DLC_KNOWN(dlc_instance_train_step),
      DLC_KNOWN(dlc_instance_train_step_begin),
      DLC_KNOWN(dlc_instance_train_step_begin_n),
      DLC_KNOWN(dlc_instance_train_step_continue),
      DLC_KNOWN(dlc_instance_grad_step),
      DLC_KNOWN(dlc_instance_accumulate),
      DLC_KNOWN(dlc_instance_apply),
      DLC_KNOWN(dlc_instance_sync),
      DLC_KNOWN(dlc_instance_eval_step),
      DLC_KNOWN(dlc_instance_train_step_n),
      DLC_KNOWN(dlc_instance_grad_step_n),
      DLC_KNOWN(dlc_instance_accumulate_n),
      DLC_KNOWN(dlc_instance_eval_step_n),
      DLC_KNOWN(dlc_instance_predict),
      DLC_KNOWN(dlc_instance_vjp),
      DLC_KNOWN(dlc_instance_jvp),
      DLC_KNOWN(dlc_instance_hvp),
      DLC_KNOWN(dlc_instance_jacobian),
      DLC_KNOWN(dlc_instance_save),
      DLC_KNOWN(dlc_instance_save_weights),
      DLC_KNOWN(dlc_instance_load),
      DLC_KNOWN(dlc_instance_save_to_memory),
      DLC_KNOWN(dlc_instance_save_weights_to_memory),
      DLC_KNOWN(dlc_instance_load_from_memory),
      DLC_KNOWN(dlc_instance_copy_state),
      DLC_KNOWN(dlc_instance_set_hyperparameter),
      DLC_KNOWN(dlc_instance_get_hyperparameter),
      DLC_KNOWN(dlc_instance_set_seed),
      DLC_KNOWN(dlc_instance_step_count),
      DLC_KNOWN(dlc_instance_parameter_count),
      DLC_KNOWN(dlc_instance_parameter_info),
      DLC_KNOWN(dlc_instance_parameter_read),
      DLC_KNOWN(dlc_instance_parameter_write),
      DLC_KNOWN(dlc_instance_parameter_view),
      DLC_KNOWN(dlc_instance_gradient_read),
      DLC_KNOWN(dlc_instance_gradient_write),
      DLC_KNOWN(dlc_instance_parameters_count),
      DLC_KNOWN(dlc_instance_parameters_read_all),
      DLC_KNOWN(dlc_instance_parameters_write_all),
      DLC_KNOWN(dlc_instance_gradients_read_all),
      DLC_KNOWN(dlc_instance_gradients_write_all),
      DLC_KNOWN(dlc_instance_grad_norm),
      DLC_KNOWN(dlc_instance_step_metrics),
      DLC_KNOWN(dlc_instance_extra_write_number),
      DLC_KNOWN(dlc_instance_extra_write_text),
      DLC_KNOWN(dlc_instance_extra_read_number),
      DLC_KNOWN(dlc_instance_extra_read_text),
      DLC_KNOWN(dlc_instance_extra_count),
      DLC_KNOWN(dlc_instance_extra_name),
      DLC_KNOWN(dlc_instance_use_average),
      DLC_KNOWN(dlc_instance_last_error),
      DLC_KNOWN(dlc_instance_last_remark),
#undef DLC_KNOWN
  };
  orc::SymbolMap symbols;
  for (const auto &[name, address] : known)
    symbols[library.getExecutionSession().intern(name)] = {address, JITSymbolFlags::Exported};
  return library.define(orc::absoluteSymbols(std::move(symbols)));
}

Expected<std::unique_ptr<Linked>> Linked::create(ArrayRef<std::pair<std::string, std::string>> objects) {
  auto process = orc::SelfExecutorProcessControl::Create(
      /*SSP=*/nullptr, std::make_unique<orc::InPlaceTaskDispatcher>()); // no threads of its own
  if (!process)
    return process.takeError();
  auto engine = std::make_unique<Engine>(std::move(*process));
  auto &session = engine->session;
  session.setErrorReporter([](Error error) { consumeError(std::move(error)); }); // the lookup returns it
  engine->library = &session.createBareJITDylib("model");
  for (auto add : {addRuntime, addSystem})
    if (Error error = add(*engine->library))
      return std::move(error);
  for (const auto &[name, bytes] : objects)
    if (Error error = engine->layer.add(*engine->library, MemoryBuffer::getMemBufferCopy(bytes, name)))
      return std::move(error);
  return std::unique_ptr<Linked>(new Linked(std::move(engine)));
}

Expected<const void *> Linked::lookup(StringRef symbol) {
  auto &session = engine->session;
  auto found = session.lookup({engine->library}, symbol);
  if (!found)
    return found.takeError();
  return found->getAddress().toPtr<const void *>();
}

} // namespace dlc::session
