//===- Evaluator.h - who computes values while a model is described ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A frontend knows no interpreter: the library that holds both hands one in.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_RECORD_EVALUATOR_H
#define DLC_FRONTENDS_CPP_RECORD_EVALUATOR_H

#include "frontends/cpp/record/Recorder.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

namespace dlc::record {

class Evaluator {
public:
  virtual ~Evaluator() = default;
  /// Elements of the symbol that a `train.read` names.
  using Source = llvm::function_ref<const Elements *(llvm::StringRef symbol)>;
  /// The elements of a value; failure after an error at an operation.
  virtual mlir::FailureOr<Elements> valueOf(mlir::Value value, Source source,
                                            const llvm::StringMap<int64_t> &dims) = 0;
  /// Forgets what was computed: a symbol has other elements now.
  virtual void forget() = 0;
};

/// Defined where the library is put together.
std::unique_ptr<Evaluator> createEvaluator();

} // namespace dlc::record

#endif // DLC_FRONTENDS_CPP_RECORD_EVALUATOR_H
