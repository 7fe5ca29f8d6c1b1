//===- ModelApi.h - the C functions of a compiled model --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one list of the functions `<model>_*`: emit writes their declarations into the header, codegen
// their bodies, which only pass their arguments on to dlc_instance_* (dlc/abi.h).
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SUPPORT_MODELAPI_H
#define DLC_COMPILER_SUPPORT_MODELAPI_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <cstdint>
#include <string>

namespace dlc {

/// What a C function does to its arguments before it passes them on.
enum class ApiForm {
  /// Nothing: same arguments, same result.
  Forward,
  /// `(abi, fingerprint, options, out)`, to which &dlc_model is prepended.
  Create,
  /// `(handle, [rows,] input..., target..., last)`: one pointer per train.input in order of
  /// declaration, gathered into an array: `(handle, [rows,] array, last)`.
  Inputs,
  /// `(handle, rows, input..., output...)`: the inputs that are no targets, then one pointer per
  /// prediction, gathered into two arrays indexed like all inputs (targets NULL) and all outputs
  /// (others NULL): `(handle, rows, inputs, outputs)`.
  Predict,
  /// `(handle, value)`, one function per hyperparameter, named suffix + its name:
  /// `(handle, "name", value)`.
  Hyperparameter
};

struct ApiFunction {
  llvm::StringLiteral suffix;     ///< of the C name: "<model>_" + suffix
  llvm::StringLiteral forwardsTo; ///< the function of dlc/abi.h
  ApiForm form;
  /// Types of the result and of the arguments of `forwardsTo` (Create: of the C function; Hyperparameter:
  /// without the name): v void, s dlc_status (i32), p pointer, l 64-bit integer, i 32-bit integer, d double.
  llvm::StringLiteral signature;
  bool needsLoss; ///< exists only in models with a loss
};

inline constexpr ApiFunction modelApi[] = {
    {"create_checked", "dlc_instance_create", ApiForm::Create, "silpp", false},
    {"destroy", "dlc_instance_destroy", ApiForm::Forward, "vp", false},
    {"train_step", "dlc_instance_train_step", ApiForm::Inputs, "sppp", true},
    {"grad_step", "dlc_instance_grad_step", ApiForm::Inputs, "sppp", true},
    {"accumulate", "dlc_instance_accumulate", ApiForm::Inputs, "sppp", true},
    {"apply", "dlc_instance_apply", ApiForm::Forward, "sp", true},
    {"sync", "dlc_instance_sync", ApiForm::Forward, "spp", true},
    {"eval_step", "dlc_instance_eval_step", ApiForm::Inputs, "splpp", true},
    {"predict", "dlc_instance_predict", ApiForm::Predict, "splpp", false},
    {"save", "dlc_instance_save", ApiForm::Forward, "spp", false},
    {"load", "dlc_instance_load", ApiForm::Forward, "spp", false},
    {"set_seed", "dlc_instance_set_seed", ApiForm::Forward, "spl", true},
    {"set_", "dlc_instance_set_hyperparameter", ApiForm::Hyperparameter, "spd", true},
    {"get_", "dlc_instance_get_hyperparameter", ApiForm::Hyperparameter, "spp", true},
    {"step_count", "dlc_instance_step_count", ApiForm::Forward, "lp", true},
    {"parameter_count", "dlc_instance_parameter_count", ApiForm::Forward, "lp", false},
    {"parameter_info", "dlc_instance_parameter_info", ApiForm::Forward, "splp", false},
    {"parameter_read", "dlc_instance_parameter_read", ApiForm::Forward, "spppl", false},
    {"parameter_write", "dlc_instance_parameter_write", ApiForm::Forward, "spppl", false},
    {"parameter_view", "dlc_instance_parameter_view", ApiForm::Forward, "sppp", false},
    {"gradient_read", "dlc_instance_gradient_read", ApiForm::Forward, "spppl", true},
    {"last_error", "dlc_instance_last_error", ApiForm::Forward, "pp", false}};

/// `name` as a C identifier: other characters become '_'; a keyword of C or C++ gets one at its end, a
/// leading digit one before it.
std::string cIdentifier(llvm::StringRef name);

/// Hands out different C identifiers for different names, in order of asking.
class CNames {
public:
  /// Identifiers that are taken already.
  explicit CNames(llvm::ArrayRef<llvm::StringRef> reserved = {});
  std::string unique(llvm::StringRef name);

private:
  llvm::StringSet<> used;
};

} // namespace dlc

#endif // DLC_COMPILER_SUPPORT_MODELAPI_H
