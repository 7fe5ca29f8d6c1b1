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
  explicit Loss(const std::string &name) : settings{{"loss", name}} {}
  Settings settings;

protected:
  void set(const std::string &name, const std::string &value) { settings.emplace_back(name, value); }
};

namespace loss {

/// Of scores [rows, classes] or [rows, classes, ...], and labels, which are numbers of classes.
struct DLC_API CrossEntropy : Loss {
  struct Options {
    double label_smoothing = 0;
    int64_t ignore_index = -100;
    const char *reduction = "mean"; ///< or "sum"
  };
  explicit CrossEntropy(Options options);
  CrossEntropy() : CrossEntropy(Options()) {}
};
/// The same for logarithms of probabilities.
struct DLC_API NLL : Loss {
  explicit NLL(const char *reduction = "mean");
};
/// Of scores of yes; targets from 0 to 1.
struct DLC_API BCEWithLogits : Loss {
  explicit BCEWithLogits(const char *reduction = "mean");
};
/// Of probabilities of yes.
struct DLC_API BCE : Loss {
  explicit BCE(const char *reduction = "mean");
};
/// Of values and target values.
struct DLC_API MSE : Loss {
  explicit MSE(const char *reduction = "mean");
};
struct DLC_API L1 : Loss {
  explicit L1(const char *reduction = "mean");
};
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
  explicit Optimizer(const std::string &name) : settings{{"optimizer", name}} {}
  /// A hyperparameter by the compiler's name for it, such as "learning_rate".
  Optimizer &set(const std::string &name, std::optional<double> value);

  /// Clips the gradients' common norm, or each of their elements; not both.
  Optimizer &clip_grad_norm(double largest);
  Optimizer &clip_grad_value(double largest);
  /// Keeps a moving average of each parameter, which a program evaluates and saves in place of the parameter.
  Optimizer &ema(double decay);
  /// Hyperparameters of their own for parameters of such names, as shell patterns with | between them:
  /// group("*.bias|norm*", {{"weight_decay", 0}}). "lr_scale" is a factor of the learning rate.
  Optimizer &group(const std::string &pattern, const std::vector<std::pair<std::string, double>> &numbers);
  /// Short for group(pattern, {{"weight_decay", 0}}).
  Optimizer &no_decay(const std::string &pattern);
  /// What several batches' gradients become that a program accumulates: their "sum" (the default) or "mean".
  Optimizer &accumulate(const std::string &how);
  Settings settings;
};

namespace optim {

struct DLC_API SGD : Optimizer {
  struct Options {
    std::optional<double> lr{}, momentum{}, dampening{}, weight_decay{};
    bool nesterov = false;
  };
  explicit SGD(Options options);
};
struct DLC_API Adam : Optimizer {
  struct Options {
    std::optional<double> lr{}, beta1{}, beta2{}, eps{}, weight_decay{};
    bool amsgrad = false; ///< divides by the largest second moment so far
  };
  explicit Adam(Options options);
};
struct DLC_API AdamW : Optimizer {
  explicit AdamW(Adam::Options options);
};
struct DLC_API RMSprop : Optimizer {
  struct Options {
    std::optional<double> lr{}, alpha{}, eps{}, weight_decay{}, momentum{};
    bool centered = false;
  };
  explicit RMSprop(Options options);
};
struct DLC_API Adagrad : Optimizer {
  struct Options {
    std::optional<double> lr{}, lr_decay{}, eps{}, weight_decay{};
  };
  explicit Adagrad(Options options);
};

struct DLC_API Adadelta : Optimizer {
  struct Options {
    std::optional<double> lr{}, rho{}, eps{}, weight_decay{};
  };
  explicit Adadelta(Options options);
};
/// The numbers of Adam and its relatives.
struct AdamLike {
  std::optional<double> lr{}, beta1{}, beta2{}, eps{}, weight_decay{};
};
struct DLC_API Adamax : Optimizer {
  explicit Adamax(AdamLike options);
};
struct DLC_API RAdam : Optimizer {
  explicit RAdam(AdamLike options);
};
/// You et al. 2020.
struct DLC_API Lamb : Optimizer {
  explicit Lamb(AdamLike options);
};
struct DLC_API NAdam : Optimizer {
  struct Options {
    std::optional<double> lr{}, beta1{}, beta2{}, eps{}, weight_decay{}, momentum_decay{};
  };
  explicit NAdam(Options options);
};
/// Chen et al. 2023.
struct DLC_API Lion : Optimizer {
  struct Options {
    std::optional<double> lr{}, beta1{}, beta2{}, weight_decay{};
  };
  explicit Lion(Options options);
};
/// Orthogonal updates of matrices; the betas and eps are those of AdamW, which updates all else.
struct DLC_API Muon : Optimizer {
  struct Options {
    std::optional<double> lr{}, momentum{}, weight_decay{}, beta1{}, beta2{}, eps{};
  };
  explicit Muon(Options options);
};

} // namespace optim
} // namespace dlc

#endif // DLC_TRAINING_H
