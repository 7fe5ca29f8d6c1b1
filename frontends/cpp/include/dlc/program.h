//===- dlc/program.h - a whole model, ready to be compiled ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_PROGRAM_H
#define DLC_PROGRAM_H

#include "dlc/nn/loss.h"
#include "dlc/optim.h"
#include <tuple>

namespace dlc {

namespace record {
struct Program;
}

/// A model, its loss and its optimizer.
class DLC_API Program {
public:
  /// None; program() makes one.
  Program();
  /// Copies.
  ///@{
  Program(const Program &);
  Program(Program &&) noexcept;
  Program &operator=(const Program &);
  Program &operator=(Program &&) noexcept;
  ~Program();
  ///@}
  /// The program as MLIR text, without long constants.
  std::string str() const;
  /// Writes it for `dlc compile`.
  void write(const std::string &path) const;

  std::shared_ptr<record::Program> contents; ///< for the library itself
};

/// The model of this name in what is described at the moment: DLC_MODEL's.
DLC_API std::string model_name();

/// What program() is made of, where forward has more than one result, or inputs of several modules.
[[nodiscard]] DLC_API Program make_program(const nn::Module &model,
                                           const std::vector<std::pair<std::string, Tensor>> &outputs,
                                           const Loss &loss, const Optimizer &optimizer,
                                           Where where = Where::current());

/// The same for a loss that the description computes: a floating-point number. Inputs that it alone reads are
/// targets, which predictions do not need.
[[nodiscard]] DLC_API Program make_program(const nn::Module &model,
                                           const std::vector<std::pair<std::string, Tensor>> &outputs,
                                           const Tensor &loss, const Optimizer &optimizer,
                                           Where where = Where::current());

/// The same with one output, which is called "output".
///@{
[[nodiscard]] DLC_API Program make_program(const nn::Module &model, const Tensor &output, const Loss &loss,
                                           const Optimizer &optimizer, Where where = Where::current());
[[nodiscard]] DLC_API Program make_program(const nn::Module &model, const Tensor &output, const Tensor &loss,
                                           const Optimizer &optimizer, Where where = Where::current());
///@}

/// The program of a model whose one output is given, with the loss that was computed of it.
template <typename M>
  requires(std::derived_from<M, nn::Module>)
[[nodiscard]] Program program(const M &model, const Tensor &output, const Tensor &loss,
                              const Optimizer &optimizer, Where where = Where::current()) {
  return make_program(model, output, loss, optimizer, where);
}
/// The program of a model with one input and a loss that is a module: its target is an input, called
/// "target", or "labels" where it holds classes. The program needs neither of them any more: both may be made
/// in the call.
template <typename M>
  requires(std::derived_from<std::remove_cvref_t<M>, nn::Module>)
[[nodiscard]] Program program(M &&model, nn::LossModule &loss, const Optimizer &optimizer,
                              const Tensor &input, Where where = Where::current()) {
  Tensor output = model(input, where);
  return make_program(model, output, loss(output, loss.targetOf(output, where), where),
                      optimizer, where);
}
/// The same with a loss that is made in the call.
template <typename M, typename L>
  requires(std::derived_from<std::remove_cvref_t<M>, nn::Module> && std::derived_from<L, nn::LossModule>)
[[nodiscard]] Program program(M &&model, L &&loss, const Optimizer &optimizer, const Tensor &input,
                              Where where = Where::current()) {
  nn::LossModule &module = loss;
  return program(model, module, optimizer, input, where);
}

/// The program of a model with one input and one output, which is called "output".
template <typename M>
[[nodiscard]] Program program(M &&model, const Loss &loss, const Optimizer &optimizer, const Tensor &input,
                              Where where = Where::current()) {
  return make_program(model, model(input, where), loss, optimizer, where);
}
/// The same with several inputs.
template <typename M, typename... Inputs>
  requires(std::same_as<Inputs, Tensor> && ...)
[[nodiscard]] Program program(M &&model, const Loss &loss, const Optimizer &optimizer,
                              std::tuple<Inputs...> inputs, Where where = Where::current()) {
  Tensor output =
      std::apply([&](const auto &...each) { return detail::called(model, where, each...); }, inputs);
  return make_program(model, output, loss, optimizer, where);
}

/// The same with a pointer to the model.
template <typename M, typename... More>
  requires requires(M model) { *model; }
Program program(M &&, const More &...) = delete; // write program(*net, loss, optimizer, input): models are handles

/// Other arguments, or another order.
Program
program(...) = delete; // write program(net, loss, optimizer, input) or program(net, output, loss, optimizer)

namespace detail {
/// A model that `dlc compile` finds.
struct DLC_API Model {
  Model(const char *name, Program (*describe)());
};
} // namespace detail
} // namespace dlc

/// DLC_MODEL(mlp) { ...; return dlc::program(...); } describes a model for `dlc compile`. The name is the
/// prefix of the library's C functions.
#define DLC_MODEL(name)                                                                                      \
  static dlc::Program dlc_model_##name();                                                                    \
  static const dlc::detail::Model dlc_registered_##name(#name, dlc_model_##name);                            \
  static dlc::Program dlc_model_##name()

#endif // DLC_PROGRAM_H
