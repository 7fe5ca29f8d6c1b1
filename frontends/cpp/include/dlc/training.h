//===- dlc/training.h - what is minimised, and how -------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses and optimizers of a program are choices for the compiler, the same ones that `dlc compile` has as
// options; its help and docs/losses.md say what they mean. What is not set has the compiler's default, which
// is PyTorch's. Options on the command line go before.
//===----------------------------------------------------------------------===//
#ifndef DLC_TRAINING_H
#define DLC_TRAINING_H

#include "dlc/tensor.h"
#include <optional>

namespace dlc {

/// Settings by the compiler's names for them.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// What is minimised. The compiled training step takes targets beside the inputs.
class DLC_API Loss {
public:
  /// The loss that `dlc compile --loss` calls so.
  explicit Loss(std::string_view name);
  /// Copies.
  ///@{
  Loss(const Loss &);
  Loss(Loss &&) noexcept;
  Loss &operator=(const Loss &);
  Loss &operator=(Loss &&) noexcept;
  ~Loss();
  ///@}
  /// A loss for program() is not called with tensors: those of dlc/nn/loss.h are.
  void operator()(...) const = delete; // write nn::CrossEntropyLoss()(x, y): this is a choice for program()
  Settings settings;                   ///< what the compiler is told

protected:
  void set(std::string_view name, std::string_view value);
};

/// Losses that the compiler adds to a model.
namespace loss {

/// The cross entropy of scores [rows, classes] or [rows, classes, ...], of which a softmax makes
/// probabilities, and labels, which are numbers of classes.
struct DLC_API CrossEntropy : Loss {
  /// Its numbers.
  struct Options {
    double label_smoothing = 0;     ///< this part of the probability goes to all classes evenly
    int64_t ignore_index = -100;    ///< rows with this label count nothing
    const char *reduction = "mean"; ///< or "sum"
    bool probabilities = false;     ///< labels have a probability for each class, and the shape of the scores
  };
  explicit CrossEntropy(Options options);
  CrossEntropy();
};
/// The negative log-likelihood: the cross entropy of scores that are logarithms of probabilities already. The
/// reduction of this and of others is "mean" or "sum".
struct DLC_API NLL : Loss {
  explicit NLL(const char *reduction = "mean");
};
/// The binary cross entropy of scores, of which a sigmoid makes probabilities of yes, and targets from 0 to
/// 1.
struct DLC_API BCEWithLogits : Loss {
  explicit BCEWithLogits(const char *reduction = "mean");
};
/// The binary cross entropy of probabilities of yes and targets, both from 0 to 1.
struct DLC_API BCE : Loss {
  explicit BCE(const char *reduction = "mean");
};
/// The mean of squared distances of values and target values.
struct DLC_API MSE : Loss {
  explicit MSE(const char *reduction = "mean");
};
/// The mean of distances |output - target|.
struct DLC_API L1 : Loss {
  explicit L1(const char *reduction = "mean");
};
/// Half the square of distances below `delta`, and delta (distance - delta / 2) of larger ones.
struct DLC_API Huber : Loss {
  explicit Huber(double delta = 1, const char *reduction = "mean");
};
/// The program's one output is the loss: a number that the description computes itself.
struct DLC_API Output : Loss {
  Output();
};
/// Nothing is trained: the library predicts.
struct DLC_API None : Loss {
  None();
};

} // namespace loss

/// How it is minimised.
class DLC_API Optimizer {
public:
  /// The optimizer that `dlc compile --optimizer` calls so.
  explicit Optimizer(std::string_view name);
  /// Copies.
  ///@{
  Optimizer(const Optimizer &);
  Optimizer(Optimizer &&) noexcept;
  Optimizer &operator=(const Optimizer &);
  Optimizer &operator=(Optimizer &&) noexcept;
  ~Optimizer();
  ///@}
  /// The parts of a loop: a session's.
  ///@{
  void step(...) const = delete;      // write session.train_step(x, y), the gradients and the update
  void zero_grad(...) const = delete; // write session.train_step(x, y), whose gradients begin at zero
  ///@}
  /// A hyperparameter by the compiler's name for it, such as "learning_rate".
  Optimizer &set(std::string_view name, std::optional<double> value);

  /// Clips the gradients' common norm to at most this; not together with clip_grad_value().
  Optimizer &clip_grad_norm(double largest);
  /// Clips each element of the gradients to at most this size.
  Optimizer &clip_grad_value(double largest);
  /// Keeps a moving average of each parameter, which a program evaluates and saves in place of the parameter.
  Optimizer &ema(double decay);
  /// Hyperparameters of their own for parameters of such names, as shell patterns with | between them:
  /// group("*.bias|norm*", {{"weight_decay", 0}}). "lr_scale" is a factor of the learning rate.
  Optimizer &group(std::string_view pattern, const std::vector<std::pair<std::string, double>> &numbers);
  /// Short for group(pattern, {{"weight_decay", 0}}).
  Optimizer &no_decay(std::string_view pattern);
  /// What several batches' gradients become that a program accumulates: their "sum" (the default), or with
  /// "mean" the gradients of one batch that has all of their samples.
  Optimizer &accumulate(std::string_view how);
  Settings settings; ///< what the compiler is told
};

} // namespace dlc

#endif // DLC_TRAINING_H
