//===- Services.h - what an import is made of ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the import of a program's nodes works with. Nodes are given this, and nothing else of the importer.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_PT2_SERVICES_H
#define DLC_FRONTENDS_PT2_SERVICES_H

#include "frontends/pt2/States.h"

namespace dlc::pt2 {

/// How many operators there are by the mode in which they were recorded.
struct Modes {
  unsigned evaluatedDropouts = 0, evaluatedNorms = 0, trained = 0;
};

struct Services {
  const Model &model;
  frontend::ProgramBuilder &program;
  frontend::Diagnostics &diagnostics;
  GraphValues &values;
  const Accesses &accesses;
  States &states;
  Modes &modes;
};

} // namespace dlc::pt2

#endif // DLC_FRONTENDS_PT2_SERVICES_H
