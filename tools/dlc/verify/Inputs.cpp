//===- Inputs.cpp - values of inputs from files -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/verify/Inputs.h"
#include "compiler/interpret/Evaluation.h"
#include "compiler/interpret/Raw.h"
#include "dialects/train/Train.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace dlc::tool {

static LogicalResult readInput(train::InputOp input, const interpret::DimSizes &dims, StringRef path,
                               llvm::StringMap<interpret::Tensor> &inputs) {
  auto type = cast<RankedTensorType>(input.getType());
  auto shape = interpret::concreteShape(type, dims);
  auto dtype = interpret::dtypeOf(type.getElementType());
  if (failed(shape) || !dtype)
    return input.emitOpError("has no values that a file could give");
  interpret::Tensor tensor = interpret::Tensor::zeros(*dtype, *shape);
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return input.emitError("--input: cannot read '") << path << "': " << file.getError().message();
  const size_t expected = tensor.size() * interpret::bytesOf(*dtype);
  if ((*file)->getBufferSize() != expected)
    return input.emitError("--input: '") << path << "' has " << (*file)->getBufferSize() << " bytes, but '"
                                         << input.getSymName() << "' of type " << type << " has "
                                         << expected;
  interpret::fromBytes({(*file)->getBufferStart(), expected}, tensor);
  inputs[input.getSymName()] = std::move(tensor);
  return success();
}

LogicalResult readInputs(ModuleOp module, ArrayRef<std::string> files,
                         llvm::StringMap<interpret::Tensor> &inputs) {
  auto programs = module.getOps<train::ProgramOp>();
  if (files.empty() || programs.empty())
    return success();
  train::ProgramOp program = *programs.begin();
  interpret::DimSizes dims;
  for (auto dim : program.getBody().getOps<train::DimOp>())
    dims[dim.getSymName()] = dim.getBound();
  for (StringRef text : files) {
    auto [name, path] = text.split('=');
    auto input = dyn_cast_or_null<train::InputOp>(SymbolTable::lookupSymbolIn(program, name));
    if (!input || path.empty())
      return program.emitError("--input expects NAME=FILE with an input of the model, got '") << text << "'";
    if (failed(readInput(input, dims, path, inputs)))
      return failure();
  }
  return success();
}

} // namespace dlc::tool
