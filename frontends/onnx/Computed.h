//===- Computed.h - constants that an exporter computed of parameters ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants that are functions of parameters in the same file, told by their elements.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_COMPUTED_H
#define DLC_FRONTENDS_ONNX_COMPUTED_H

#include "frontends/onnx/ExportRecord.h"

namespace dlc::onnx {

class GraphNames;
struct HostTensor;

/// Which function of which parameter a constant is, in words; "" if none is found.
std::string formulaOf(const HostTensor &tensor, const ExportRecord &record, const GraphNames &names);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_COMPUTED_H
