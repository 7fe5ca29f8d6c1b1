//===- dlc/autograd.h - gradients as tensors, and gradients of one's own ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradients that train a model need nothing of this: the compiler derives them. Here are those that are a
// part of the model itself, as in PyTorch's torch.autograd.
//===----------------------------------------------------------------------===//
#ifndef DLC_AUTOGRAD_H
#define DLC_AUTOGRAD_H

#include "dlc/ops.h"
#include <map>

namespace dlc {

class Context;

namespace detail {
struct CustomGradient;
DLC_API std::vector<Tensor> listed(const Tensor &tensor);
DLC_API std::vector<Tensor> listed(const std::vector<Tensor> &tensors);
using Backward = std::vector<Tensor> (*)(Context &context, const std::vector<Tensor> &gradients);
/// `outputs` as a function of the tensors among `arguments` with this backward.
DLC_API std::vector<Tensor> withBackward(Context &context, std::initializer_list<const Tensor *> arguments,
                                         const std::vector<Tensor> &outputs, Backward backward);
} // namespace detail

/// How gradients are asked for.
struct GradOptions {
  /// One for each output, of its shape: what the outputs are multiplied by before they are added up. Outputs
  /// of one element need none.
  std::vector<Tensor> grad_outputs{};
  /// The gradients can be differentiated again.
  bool create_graph = false;
  /// An input that no output depends on has no gradient (a tensor without a value), instead of being an
  /// error.
  bool allow_unused = false;
};

/// The gradients of the sum of `outputs` by `inputs`, which must have requires_grad(): parameters do.
DLC_API std::vector<Tensor> grad(const std::vector<Tensor> &outputs, const std::vector<Tensor> &inputs,
                                 const GradOptions &options = {}, Where where = Where::current());
/// The gradients of one output by each of `inputs`, in their order.
DLC_API std::vector<Tensor> grad(const Tensor &output, const std::vector<Tensor> &inputs,
                                 const GradOptions &options = {}, Where where = Where::current());
/// The gradient of one output by one input, of the input's shape.
DLC_API Tensor grad(const Tensor &output, const Tensor &input, const GradOptions &options = {},
                    Where where = Where::current());

/// What Function's forward leaves for its backward.
class DLC_API Context {
public:
  /// Nothing yet.
  Context();
  /// Copies.
  ///@{
  Context(const Context &);
  Context &operator=(const Context &);
  ~Context();
  ///@}
  /// Inputs and outputs of forward, or what it computes on the way.
  void save_for_backward(const std::vector<Tensor> &tensors);
  /// What save_for_backward() kept.
  std::vector<Tensor> saved_tensors() const;
  std::map<std::string, double> saved_data; ///< numbers by name

private:
  friend struct detail::CustomGradient;
  std::vector<Tensor> saved;
};

/// A function with a backward of its own:
///
///     struct Cube : dlc::Function<Cube> {
///       static Tensor forward(Context &context, Tensor x) {
///         context.save_for_backward({x});
///         return x * x * x;
///       }
///       static Tensor backward(Context &context, Tensor grad) {
///         Tensor x = context.saved_tensors()[0];
///         return grad * 3 * x * x;
///       }
///     };
///     Tensor y = Cube::apply(x);
///
/// forward takes tensors, and whatever else; it gives a tensor, or a std::vector of them. backward takes the
/// gradient of each (a std::vector where forward gives one), and gives one for each tensor that forward took,
/// in order: a tensor without a value where there is none. What it computes can be differentiated again.
template <typename Derived> class Function {
public:
  /// What forward gives, with that backward.
  template <typename... Arguments> static auto apply(const Arguments &...arguments) {
    Context context;
    auto result = Derived::forward(context, arguments...);
    constexpr bool isOne = std::same_as<decltype(result), Tensor>;
    auto backward = [](Context &saved, const std::vector<Tensor> &gradients) {
      if constexpr (isOne)
        return detail::listed(Derived::backward(saved, gradients[0]));
      else
        return detail::listed(Derived::backward(saved, gradients));
    };
    std::vector<Tensor> results =
        detail::withBackward(context, {detail::tensorIn(arguments)...}, detail::listed(result), backward);
    if constexpr (isOne)
      return results[0];
    else
      return results;
  }
};

/// While it lives, what is computed is detached: no gradient flows through it.
class DLC_API NoGrad {
public:
  [[nodiscard("write NoGrad off; it ends with the block")]] NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad &) = delete;
};

} // namespace dlc

#endif // DLC_AUTOGRAD_H
