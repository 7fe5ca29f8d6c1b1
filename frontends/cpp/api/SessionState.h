//===- SessionState.h - what a session holds ------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_SESSIONSTATE_H
#define DLC_FRONTENDS_CPP_API_SESSIONSTATE_H

#include "dlc/abi.h"
#include "dlc/collectives.h"
#include "dlc/session.h"
#include "frontends/cpp/record/Loader.h"
#include "frontends/cpp/record/Trained.h"

namespace dlc::detail {

constexpr uint32_t parameterKinds = 1u << DLC_PARAMETER | 1u << DLC_BUFFER;
constexpr uint32_t learnedKinds = parameterKinds | 1u << DLC_OPTIMIZER_STATE;

/// Code and the instance that it works on.
struct Compiled {
  Compiled(const Program &program, const SessionOptions &options, const Where &where);
  Compiled(const Compiled &) = delete;
  ~Compiled();

  /// What a parameter or a buffer is now; none where the code has none of that name. Throws nothing.
  record::Outcome<std::optional<record::Elements>> elementsOf(const std::string &name) const;

  std::unique_ptr<record::LoadedProgram> code;
  dlc_instance *instance = nullptr;
  std::unique_ptr<record::Training> training; ///< has the modules know of trained values
};

struct SessionState {
  SessionOptions options;
  std::unique_ptr<Compiled> compiled;
  bool usesAverage = false; ///< parameters and their averages have changed places

  dlc_instance *instance() const { return compiled->instance; }
  /// The processes that train together; null where this one is all there is.
  const dlc_collectives *ranks() const {
    return options.collectives && compiled->code->model()->functions >> DLC_TRAIN_STEP & 1 && options.collectives->ranks > 1
               ? options.collectives
               : nullptr;
  }
  const dlc_model &model() const { return *compiled->code->model(); }
  /// Throws the runtime's sentence where a call has failed.
  void check(dlc_status status, const Where &where) const;
  /// Parameters or buffers are other ones than before.
  void changed() const { compiled->training->changed(); }
  /// Throws while averages are in the places of the parameters: what is written would become the averages'.
  void requireParameters(const Where &where) const;

  /// The tensors of these kinds, in the model's order.
  template <typename Visit> void forEach(uint32_t kinds, Visit visit) const {
    for (uint32_t i = 0; i < model().symbol_count; ++i)
      if (kinds >> model().symbols[i].kind & 1)
        visit(model().symbols[i]);
  }
};

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_SESSIONSTATE_H
