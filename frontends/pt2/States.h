//===- States.h - parameters, buffers and constants of an exported program
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns what these inputs of the graph became in the program: states, each under one symbol.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_PT2_STATES_H
#define DLC_FRONTENDS_PT2_STATES_H

#include "frontends/common/ProgramBuilder.h"
#include "frontends/pt2/Accesses.h"
#include "frontends/pt2/Archive.h"
#include "frontends/pt2/GraphValues.h"

namespace dlc::pt2 {

class States {
public:
  States(const Archive &archive, const Accesses &accesses, GraphValues &values,
         frontend::ProgramBuilder &program, frontend::Diagnostics &diagnostics)
      : archive(archive), model(archive.model), accesses(accesses), values(values), program(program),
        diagnostics(diagnostics) {}

  /// Parameters of one storage are one, under the name that the module lists first.
  void declareParameter(const InputSpec &spec);
  /// The symbol of the buffer as a state; "" after an error.
  std::string declareBuffer(const InputSpec &spec);
  /// The value of a name, which a buffer or a constant gets where it is read; null after an error.
  mlir::Value materialize(GraphValue &value);
  /// The symbol of the parameter that this input of the graph is; "" of others.
  std::string parameterOf(llvm::StringRef input) const { return parameters.lookup(input); }
  /// What buffers became in place, or are given at the graph's end.
  void writeBuffers();

private:
  std::optional<Tensor> readTensor(const InputSpec &spec);

  const Archive &archive;
  const Model &model;
  const Accesses &accesses;
  GraphValues &values;
  frontend::ProgramBuilder &program;
  frontend::Diagnostics &diagnostics;
  llvm::StringMap<std::string> parameters; ///< symbols by the names of the graph's inputs
  llvm::StringMap<std::string> buffers;    ///< the same of buffers that are states
  std::vector<std::pair<std::string, Storage>> parameterStorages; ///< by the names of the inputs
};

} // namespace dlc::pt2

#endif // DLC_FRONTENDS_PT2_STATES_H
