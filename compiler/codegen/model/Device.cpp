//===- Device.cpp - kernels and images of a GPU, as constants --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/codegen/gpu/simt/Image.h"
#include "compiler/codegen/model/Constants.h"
#include "compiler/codegen/model/Model.h"
#include "compiler/support/Elements.h"

using namespace mlir;

namespace dlc::codegen {

static_assert(sizeof(dlc_operand) == 16 && sizeof(dlc_device_kernel) == 40 && sizeof(dlc_image) == 24 &&
                  sizeof(dlc_simt_kernel) == 40 && sizeof(dlc_simt_image) == 24,
              "dlc/abi.h changed: change the emission below with it");

/// The bytes from the first to the last one of an argument or a result, with every named dim at its bound.
static int64_t extentOf(Constants &c, train::KernelOp kernel, Value tensor, unsigned index) {
  std::optional<nn::Shape> strides = kernel.stridesOf(index);
  int64_t elements = 1, last = 0;
  for (int64_t axis = 0; axis < cast<RankedTensorType>(tensor.getType()).getRank(); ++axis) {
    int64_t size = analysis::boundOf(kernel, tensor, axis);
    elements *= size;
    if (strides)
      last += (size - 1) * c.bound((*strides)[axis]);
  }
  return (strides && elements > 0 ? last + 1 : elements) * elementBytes(tensor);
}

/// A table of dlc_operand, and how many there are.
static std::pair<llvm::Constant *, uint32_t> operandsOf(Constants &c, train::KernelOp kernel) {
  SmallVector<llvm::Constant *> operands;
  auto add = [&](int64_t bytes, uint32_t access) {
    operands.push_back(c.record({c.i64(bytes), c.i32(access), c.i32(0)}));
  };
  Block &body = kernel.getBody().front();
  for (BlockArgument argument : body.getArguments())
    add(extentOf(c, kernel, argument, operands.size()), DLC_ACCESS_READ);
  for (Value result : body.getTerminator()->getOperands())
    add(extentOf(c, kernel, result, operands.size()), DLC_ACCESS_WRITE);
  train::ScheduleInterface schedule = kernel.getScheduleAttr();
  if (schedule.scratchBytes() > 0)
    add(schedule.scratchBytes() * schedule.chunks(), DLC_ACCESS_READ | DLC_ACCESS_WRITE);
  return {c.table(operands), operands.size()};
}

llvm::Constant *deviceKernels(Constants &c, const DeviceCode &code) {
  SmallVector<llvm::Constant *> kernels;
  for (auto [op, kernel] : llvm::zip_equal(c.program.getBody().getOps<train::KernelOp>(), code.kernels)) {
    auto [operands, count] = operandsOf(c, op);
    kernels.push_back(
        c.record({c.string(op.getSymName()), c.string(kernel.entry), operands, c.i32(count),
                  c.i32(op.getSchedule()->chunks()), c.i32(kernel.threads), c.i32(kernel.askedBytes)}));
  }
  return c.table(kernels);
}

static llvm::Constant *bytes(Constants &c, StringRef content) {
  return llvm::ConstantDataArray::getString(c.module.getContext(), content, /*AddNull=*/false);
}

/// An image of code of this machine: the functions are in other modules.
static llvm::Constant *simtImage(Constants &c, const DeviceCode &code) {
  auto &context = c.module.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer}, false);
  uint32_t dims = llvm::range_size(c.program.getBody().getOps<train::DimOp>());
  SmallVector<llvm::Constant *> kernels;
  for (auto [op, kernel] : llvm::zip_equal(c.program.getBody().getOps<train::KernelOp>(), code.kernels)) {
    auto *function =
        llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, deviceSymbol(op), c.module);
    function->setVisibility(llvm::GlobalValue::HiddenVisibility);
    auto [operands, count] = operandsOf(c, op);
    kernels.push_back(c.record({c.string(kernel.entry), function, operands, c.i32(count),
                                c.i32(kernel.sharedBytes), c.i32(dims), c.i32(0)}));
  }
  llvm::Constant *image =
      c.global(c.record({bytes(c, DLC_SIMT_MAGIC), c.i64(kernels.size()), c.table(kernels)}));
  return c.record({c.i32(DLC_IMAGE_SIMT), c.i32(0), c.i64(sizeof(dlc_simt_image)), image});
}

std::pair<llvm::Constant *, uint32_t> deviceImages(Constants &c, const DeviceCode &code) {
  SmallVector<llvm::Constant *> images;
  for (const DeviceCode::Image &image : code.images)
    images.push_back(image.isText ? c.record({c.i32(DLC_IMAGE_PTX), c.i32(image.capability),
                                              c.i64(image.code.size() + 1), c.string(image.code)})
                                  : c.record({c.i32(DLC_IMAGE_CUBIN), c.i32(image.capability),
                                              c.i64(image.code.size()), c.global(bytes(c, image.code))}));
  if (code.simt)
    images.push_back(simtImage(c, code));
  return {c.table(images), images.size()};
}

} // namespace dlc::codegen
