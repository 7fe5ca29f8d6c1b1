//===- NodeWalk.h - what an exported program computes ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the nodes, which stand in the order in which they are computed, and asks the tables of operators for
// each. An error poisons what depends on it and the walk goes on, so that all reasons are found in one go.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_PT2_NODEWALK_H
#define DLC_FRONTENDS_PT2_NODEWALK_H

#include "frontends/pt2/Services.h"

namespace dlc::pt2 {

struct Operator;

class NodeWalk {
public:
  explicit NodeWalk(Services &services)
      : services(services), model(services.model), values(services.values), program(services.program),
        diagnostics(services.diagnostics) {}

  void importNodes();

private:
  void importNode(const NodeInfo &info);
  bool isReady(const NodeInfo &info);
  bool checkArguments(const NodeInfo &info, const Operator &op);
  void replaceFirst(const NodeInfo &info, const std::string &result);
  void checkDeclared(const std::string &name);
  std::optional<nn::Shape> declaredShape(const TensorMeta &meta) const;
  void addUnsupported(const NodeInfo &info);

  Services &services;
  const Model &model;
  GraphValues &values;
  frontend::ProgramBuilder &program;
  frontend::Diagnostics &diagnostics;
  size_t currentIndex = 0;
};

} // namespace dlc::pt2

#endif // DLC_FRONTENDS_PT2_NODEWALK_H
