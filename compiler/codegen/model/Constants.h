//===- Constants.h - the structs of dlc/abi.h as constants -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_MODEL_CONSTANTS_H
#define DLC_COMPILER_CODEGEN_MODEL_CONSTANTS_H

#include "dialects/nn/Dims.h"
#include "dialects/train/Train.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

namespace dlc::codegen {

struct DeviceCode;

/// Makes records, arrays and strings of one module. Fields stand in the order of dlc/abi.h.
class Constants {
public:
  Constants(train::ProgramOp program, llvm::Module &module);

  llvm::Constant *null();
  llvm::Constant *i32(uint64_t number);
  llvm::Constant *i64(int64_t number);
  llvm::Constant *f64(std::optional<llvm::APFloat> number); ///< 0 where there is none
  llvm::Constant *string(llvm::StringRef text);
  llvm::Constant *record(llvm::ArrayRef<llvm::Constant *> fields);
  /// A global array of records; null where there are none.
  llvm::Constant *table(llvm::ArrayRef<llvm::Constant *> records);
  template <typename Number> llvm::Constant *numbers(llvm::ArrayRef<Number> values) {
    return values.empty() ? null() : global(llvm::ConstantDataArray::get(module.getContext(), values));
  }
  llvm::GlobalVariable *global(llvm::Constant *value, uint64_t alignment = 8);

  /// A dlc_axis.
  llvm::Constant *axis(const nn::Dim &dim);
  /// The size of an axis with every named dim at its bound.
  int64_t bound(const nn::Dim &dim);

  train::ProgramOp program;
  llvm::Module &module;

private:
  struct Size {
    uint32_t position; ///< in dlc_model::dims
    int64_t bound;
  };
  llvm::StringMap<Size> sizes;
};

/// The fields of dlc_model from `functions` on, without the targets.
void appendInterface(Constants &constants, llvm::SmallVectorImpl<llvm::Constant *> &fields,
                     bool embedWeights);
/// A dlc_target: placements of state, kernels, and a table of launches for each function.
llvm::Constant *describeCpuTarget(Constants &constants, uint32_t features);
llvm::Constant *describeDevice(Constants &constants, const DeviceCode &code);
/// A table of dlc_device_kernel.
llvm::Constant *deviceKernels(Constants &constants, const DeviceCode &code);
/// A table of dlc_image, and how many there are.
std::pair<llvm::Constant *, uint32_t> deviceImages(Constants &constants, const DeviceCode &code);
/// The C functions of the model's header. `fingerprint` is the library's own.
void emitApi(train::ProgramOp program, llvm::Module &module, llvm::GlobalVariable *model,
             uint64_t fingerprint);

/// The dlc_function_kind of a function of the library.
uint32_t functionKind(train::FunctionOp function);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_MODEL_CONSTANTS_H
