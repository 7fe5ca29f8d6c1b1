//===- ParameterPlan.h - whose parameter each initializer is ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan of a model's parameters: which initializers are parameters of the author's module and which are
// constants of it, by the exporter's record. Layers that share an initializer get their own (Ties.h), so that
// each name of the plan is one layer's, or one that the author has tied.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_PARAMETERPLAN_H
#define DLC_FRONTENDS_ONNX_PARAMETERPLAN_H

#include "frontends/onnx/Proto.h"
#include "llvm/ADT/StringMap.h"

namespace dlc::frontend {
class Diagnostics;
struct ImportOptions;
} // namespace dlc::frontend

namespace dlc::onnx {

class ExportRecord;
class GraphNames;
class Ties;

/// What is known of an initializer; neither where the record does not know it.
struct Ownership {
  bool isParameter = false; ///< of the author's module
  bool isConstant = false;  ///< a literal of its code, or a buffer
};

/// By the initializers' names.
using ParameterPlan = llvm::StringMap<Ownership>;

/// The plan, after all that `ties` does to the graph; what it names anew is known in `names`. Says what was
/// untied, and what the exporter has computed of parameters.
ParameterPlan planParameters(const ::onnx::GraphProto &graph, Ties &ties, const ExportRecord &record,
                             GraphNames &names, const frontend::ImportOptions &options,
                             frontend::Diagnostics &diagnostics);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_PARAMETERPLAN_H
