//===- Description.h - a model's functions, for writers of any language ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names, shapes and dtypes are those of emit::Interface, which the C header is written from, too. What is
// added here is how they make the arguments of each function, in the order of C, and what each function is
// for: one table, from which the writers make what their languages have.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_BINDINGS_DESCRIPTION_H
#define DLC_COMPILER_EMIT_BINDINGS_DESCRIPTION_H

#include "compiler/emit/Header.h"

namespace dlc::emit::bindings {

/// An array of the caller's.
struct Argument {
  const TensorInterface *tensor;
  std::string note; ///< what is to be known of an input: ", values 0 to 9 ...", "; the target"
  bool isOutput;
};

/// The rows of a call: those of full batches, as many as the caller says, or a number that C is told all the
/// same, as there is no other.
enum class Rows { Full, Given, Only };

enum class Result { Nothing, Loss, Metrics };

/// A function with tensors: (model, rows, sizes of dims ..., arguments ..., where the result goes).
struct Step {
  std::string name;  ///< behind the model's
  std::string about; ///< sentences
  Rows rows = Rows::Full;
  bool takesSizes = false;
  std::vector<Argument> arguments;
  Result result = Result::Loss;
  bool keepsInputs = false; ///< C reads them after the call, until the step is done
};

/// What a function without tensors takes behind the model.
enum class Taken {
  Path,   ///< of a file: a text
  Text,   ///< UTF-8 without a NUL
  Real,   ///< double
  Number, ///< uint64_t
  Truth,  ///< int32_t, 0 or 1
  Values, ///< an array of the type of all parameters, and int64_t: its length; read
  Place,  ///< the same, written
};

struct Value {
  Taken kind;
  std::string name;
};

/// A function without tensors: (model, values ..., where the result goes).
struct Function {
  std::string name;  ///< behind the model's
  std::string about; ///< sentences, each of which ends a line
  bool changes;      ///< the model's state
  std::vector<Value> values;
  std::string result;   ///< "f32", "f64", "metrics", "text", whose address C gives; "": nothing
  std::string ofResult; ///< what it is called
};

/// A status of the runtime.
struct Status {
  const char *name; ///< "invalid_argument"
  int number;
  const char *about;
};

struct Description {
  Description(const Interface &interface, const HeaderOptions &options);

  const Interface &interface;
  std::string training; ///< "loss ..., optimizer ...", or that there is none
  std::string weights;  ///< where the initial parameters are
  std::vector<Step> steps;
  std::vector<Function> functions;                ///< but for those that each language has in its own way
  std::vector<const StateInterface *> parameters; ///< and buffers
  std::vector<const StateInterface *> hyperparameters;
  const StateInterface *gradientWeight = nullptr;
  bool hasAverages = false;
  bool hasStepMetrics = false;
  std::vector<std::string> dtypes; ///< of parameters, buffers and gradients: each once
  AllValues all;                   ///< what is in the array of all parameters

  /// All but DLC_OK.
  static llvm::ArrayRef<Status> statuses();
};

} // namespace dlc::emit::bindings

#endif // DLC_COMPILER_EMIT_BINDINGS_DESCRIPTION_H
