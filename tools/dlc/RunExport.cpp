//===- RunExport.cpp - dlc export ---------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/RunExport.h"
#include "compiler/emit/OutputFiles.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/support/Messages.h"
#include "dlc/abi.h"
#include "dlc/preprocessing.h"
#include "frontends/common/DenseElements.h"
#include "frontends/onnx/export/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include <filesystem>

using namespace mlir;

namespace dlc::tool {

namespace {

Type elementOf(int32_t dtype, MLIRContext &context) {
  Builder b(&context);
  const Type types[] = {
      b.getF32Type(), b.getF64Type(),
      b.getI32Type(), b.getI64Type(),
      b.getI1Type(),  b.getBF16Type(),
      b.getF16Type(), b.getIntegerType(8, /*isSigned=*/false)}; // as dlc_dtype, from DLC_F32 on
  return types[dtype - DLC_F32];
}

/// Puts the tensors of a file into the program's parameters and buffers.
class Weights {
public:
  Weights(train::ProgramOp program, const std::string &path) : program(program), path(path) {}
  LogicalResult apply();

private:
  InFlightDiagnostic error() { return emitError(UnknownLoc::get(program.getContext())) << path << ": "; }
  dlc_status take(StringRef name, const dlc_array &tensor);
  LogicalResult checkNames();

  train::ProgramOp program;
  const std::string &path;
  llvm::StringSet<> found;
};

bool isWeight(train::StateOp state) {
  return state.getKind() == train::StateKind::Parameter || state.getKind() == train::StateKind::Buffer;
}

dlc_status Weights::take(StringRef name, const dlc_array &tensor) {
  auto state = dyn_cast_or_null<train::StateOp>(SymbolTable::lookupSymbolIn(program, name));
  auto type = RankedTensorType::get(ArrayRef<int64_t>(tensor.shape, size_t(tensor.rank)),
                                    elementOf(tensor.dtype, *program.getContext()));
  if (!state || !isWeight(state)) // of a checkpoint's optimizer, say
    return DLC_OK;
  if (type != state.getType()) {
    error() << "tensor '" << name << "' is " << typeForUsers(type) << ", expected "
            << typeForUsers(state.getType());
    return DLC_BAD_FILE;
  }
  found.insert(name);
  const ArrayRef<char> bytes(static_cast<const char *>(tensor.data), tensor.bytes);
  state.setInitialAttr(
      frontend::storedElements(type, frontend::TensorBytes::copy(bytes), /*splat=*/false, name));
  return DLC_OK;
}

LogicalResult Weights::checkNames() {
  for (auto state : program.getBody().getOps<train::StateOp>())
    if (isWeight(state) && !found.contains(state.getSymName()))
      return error() << "lacks the tensor '" << state.getSymName() << "' of the model";
  return success();
}

LogicalResult Weights::apply() {
  auto visit = [](void *context, const char *name, const dlc_array *tensor) {
    return static_cast<Weights *>(context)->take(name, *tensor);
  };
  char message[1024] = "";
  if (dlc_visit_tensors(path.c_str(), visit, this, message, sizeof message) == DLC_OK)
    return checkNames();
  if (*message)
    emitError(UnknownLoc::get(program.getContext())) << message;
  return failure();
}

} // namespace

/// The file of weights says nothing of what was done to the data of the training; what lies beside it does.
static void remarkOnPreprocessing(const Invocation &invocation, MLIRContext &context) {
  const std::filesystem::path path =
      std::filesystem::path(invocation.weights).parent_path() / "preprocessing.json";
  std::error_code failed;
  char error[512];
  dlc_preprocessing *file = nullptr;
  if (invocation.weights.empty() || !std::filesystem::exists(path, failed) ||
      dlc_preprocessing_read(path.c_str(), &file, error, sizeof error) != DLC_OK)
    return;
  for (int32_t i = 0; i < dlc_preprocessing_input_count(file); ++i)
    if (const char *input = dlc_preprocessing_input(file, i); dlc_preprocessing_means(file, input) > 0)
      emitRemark(UnknownLoc::get(&context))
          << invocation.exportedFile << ": its input '" << input
          << "' takes normalized values, as in the training: " << path.string()
          << " has the means and deviations";
  dlc_preprocessing_free(file);
}

LogicalResult exportModel(ModuleOp module, Invocation &invocation) {
  for (const std::string &input : {invocation.file, invocation.weights})
    if (!input.empty() && llvm::sys::fs::equivalent(input, invocation.exportedFile))
      return emitError(UnknownLoc::get(module.getContext()))
             << "the file to write, '" << invocation.exportedFile
             << "', is the one that is read: give another name with -o";
  auto program = *module.getOps<train::ProgramOp>().begin();
  if (!invocation.weights.empty() && failed(Weights(program, invocation.weights).apply()))
    return failure();
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  pipeline::buildPipeline(passes, invocation.options, pipeline::KernelTarget::of(CpuTarget()),
                          pipeline::Stage::Backward);
  if (failed(passes.run(module)))
    return failure();
  FailureOr<std::string> bytes = onnx::exportOnnx(program, pipeline::version());
  if (failed(bytes))
    return failure();
  if (llvm::Error error = emit::writeFile(invocation.exportedFile, *bytes))
    return emitError(UnknownLoc::get(module.getContext()), llvm::toString(std::move(error)));
  remarkOnPreprocessing(invocation, *module.getContext());
  return success();
}

} // namespace dlc::tool
