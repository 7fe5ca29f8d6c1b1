//===- Interface.h - what users see of a compiled program ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names, shapes and dtypes, taken from the program once; the header, the manifest and the fingerprint are
// written from it.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_INTERFACE_H
#define DLC_COMPILER_EMIT_INTERFACE_H

#include "dialects/nn/Dims.h"
#include "dialects/train/Derivative.h"
#include <optional>
#include <string>
#include <vector>

namespace dlc::emit {

struct TensorInterface {
  std::string name;
  std::string cName;              ///< as a C parameter, where it is one
  std::string dtype;              ///< "f32"
  std::vector<std::string> shape; ///< "784", or a product of dims: "batch"
  std::vector<nn::Dim> dims;      ///< the same, as factors
  std::vector<int64_t> bounds;    ///< the same with every dim at its bound
  int64_t count() const;          ///< elements at the bounds
};

/// A named dim beside the batch, whose size the caller of `predict` gives, and of training at any size.
struct DimInterface {
  std::string name, cName;
  std::string maxName; ///< the header's constant for the bound
  int64_t bound = 0;
};

struct InputInterface : TensorInterface {
  bool target = false;
  std::optional<int64_t> low, limit, ignore;
  std::optional<int64_t> classAxis;                       ///< of the prediction, for labels
  train::Derivative derivative = train::Derivative::None; ///< the one that it is taken by
  std::string of;                                         ///< of what it is the cotangent or tangent
};

struct OutputInterface : TensorInterface {
  train::OutputRole role;
  bool ofStep = false;                                    ///< what steps that train tell of their batch
  bool indexRange = false;                                ///< what the runtime checks computed indices with
  train::Derivative derivative = train::Derivative::None; ///< the one that gives it
  std::string of;                                         ///< of what it is the gradient or tangent

  /// Whether predict, or this derivative, gives it.
  bool isResultOf(train::Derivative other) const {
    return role == train::OutputRole::Prediction && derivative == other;
  }
};

/// The derivative of a prediction by an input: the dims of the former, then those of the latter.
struct JacobianInterface : TensorInterface {
  std::string of, by;
};

struct StateInterface : TensorInterface {
  train::StateKind kind;
  bool trainable = false;
  bool isAverage = false;           ///< the moving average of a parameter
  bool isWeight = false;            ///< of the labels that gradients are the mean over
  std::optional<double> initial;    ///< of a hyperparameter
  std::optional<double> low, limit; ///< low <= value < limit, of a hyperparameter
};

/// All parameters and buffers as one array of numbers, as dlc_instance_parameters_read_all gives them.
struct AllValues {
  std::string dtype; ///< "f64" where one of them is, else "f32"
  int64_t count = 0, trainable = 0;
  bool isMixed = false;   ///< there are f32 among f64
  bool hasOthers = false; ///< there are parameters or buffers that are neither
};

struct Interface {
  std::string name;      ///< prefix of the C functions
  std::string upperName; ///< of the C constants
  int64_t batch = 0;     ///< 0: no named dim
  std::string batchName;
  std::vector<DimInterface> openDims;
  int64_t arenaBytes = 0;
  bool hasLoss = false;
  bool takesSizes = false;                    ///< there are train_step_n and the like
  bool isOfRank = false;                      ///< there are rank_step and the like
  bool openBatch = false;                     ///< ... which take fewer rows than a full batch
  std::vector<train::Derivative> derivatives; ///< which there are
  std::vector<JacobianInterface> jacobians;   ///< in the order of the C function's parameters
  std::vector<InputInterface> inputs;
  std::vector<OutputInterface> outputs;
  std::vector<StateInterface> states;

  static Interface of(train::ProgramOp program);
  /// Equal for programs with equal C interfaces and equal checkpoints: a hash of all names, shapes and
  /// dtypes.
  uint64_t fingerprint() const;
  AllValues allValues() const;
};

/// "f32", "i64", "bool" ...
std::string dtypeName(mlir::Type elementType);
/// "float", "int64_t" ... of a dtype name.
llvm::StringRef cTypeName(llvm::StringRef dtype);

} // namespace dlc::emit

#endif // DLC_COMPILER_EMIT_INTERFACE_H
