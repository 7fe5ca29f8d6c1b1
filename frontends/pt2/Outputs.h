//===- Outputs.h - what an exported program gives --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Once the nodes are imported: the outputs, and what the modes of layers tell of the module.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_PT2_OUTPUTS_H
#define DLC_FRONTENDS_PT2_OUTPUTS_H

#include "frontends/pt2/Services.h"

namespace dlc::pt2 {

/// Outputs are called by the keys of the dictionary that the module returns, or "output"; several
/// "output_0", "output_1" and so on.
void writeOutputs(Services &services);
/// A module that was in evaluation mode as a whole was probably exported to predict.
void tellOfModes(Services &services);

} // namespace dlc::pt2

#endif // DLC_FRONTENDS_PT2_OUTPUTS_H
