//===- Importer.h - from an exported program to a train program ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which a program is imported. What it is made of: names (GraphValues.h, Accesses.h), parameters
// and buffers (States.h), inputs and outputs (Inputs.h, Outputs.h), nodes (NodeWalk.h, Node.h).
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_PT2_IMPORTER_H
#define DLC_FRONTENDS_PT2_IMPORTER_H

#include "frontends/common/ProgramImporter.h"
#include "frontends/pt2/Import.h"
#include "frontends/pt2/NodeWalk.h"

namespace dlc::pt2 {

class Importer : public frontend::ProgramImporter {
public:
  /// `checking`: a symbolic batch needs no size.
  Importer(const Archive &archive, llvm::StringRef path, const ImportOptions &options, bool checking,
           mlir::MLIRContext &context);

private:
  void importGraph() override;

  const Accesses accesses;
  GraphValues values;
  States states;
  Modes modes;
  Services services; ///< all of these
};

} // namespace dlc::pt2

#endif // DLC_FRONTENDS_PT2_IMPORTER_H
