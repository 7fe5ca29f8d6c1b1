//===- dlc/optim.h - optimizers -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is not set has the compiler's default, which is PyTorch's.
// Each optimizer lists all of its numbers itself: C++ initialises by name, as in {.lr = 1e-3}, the fields that a
// struct has, and not those that it inherits.
//===----------------------------------------------------------------------===//
#ifndef DLC_OPTIM_H
#define DLC_OPTIM_H

#include "dlc/training.h"

namespace dlc {

/// Optimizers with PyTorch's numbers and defaults; docs/optimizers.md has their formulas.
namespace optim {

/// PyTorch's pair of numbers, which have a name each.
struct Betas {
  /// None.
  Betas() = default;
  template <typename... Numbers>
    requires(sizeof...(Numbers) > 0)
  Betas(const Numbers &...) {
    static_assert(sizeof...(Numbers) == 0, "write optim::Adam({.lr = 1e-3, .beta1 = 0.9, .beta2 = 0.999})");
  }
};

/// Gradient descent, with a momentum (Sutskever et al. 2013).
struct DLC_API SGD : Optimizer {
  /// Its numbers.
  struct Options {
    std::optional<double> lr{};           ///< the learning rate
    std::optional<double> momentum{};     ///< the part of the last step that stays
    std::optional<double> dampening{};    ///< the part of a gradient that a momentum leaves out
    std::optional<double> weight_decay{}; ///< pulls parameters towards 0
    bool nesterov = false;                ///< the gradient of the place where the momentum leads
  };
  explicit SGD(Options options);
  template <typename T, typename... More>
  explicit SGD(const T &, const More &...) = delete; // write optim::SGD({.lr = 1e-3}): program() knows the parameters
};
/// Kingma and Ba 2014.
struct DLC_API Adam : Optimizer {
  /// Its numbers.
  struct Options {
    std::optional<double> lr{};           ///< the learning rate
    Betas betas{};                        ///< nothing: set beta1 and beta2
    std::optional<double> beta1{};        ///< of the mean of gradients
    std::optional<double> beta2{};        ///< of the mean of squares
    std::optional<double> eps{};          ///< is added to the divisor
    std::optional<double> weight_decay{}; ///< pulls parameters towards 0
    bool amsgrad = false;                 ///< divides by the largest second moment so far
  };
  explicit Adam(Options options);
  template <typename T, typename... More>
  explicit Adam(const T &, const More &...) = delete; // write optim::Adam({.lr = 1e-3}): program() knows the parameters
};
/// Adam whose weight decay goes past the means: it shrinks the parameter itself. Loshchilov and Hutter 2017.
struct DLC_API AdamW : Optimizer {
  explicit AdamW(Adam::Options options);
  template <typename T, typename... More>
  explicit AdamW(const T &, const More &...) = delete; // write optim::AdamW({.lr = 1e-3}): program() knows the parameters
};
/// Hinton 2012.
struct DLC_API RMSprop : Optimizer {
  /// Its numbers.
  struct Options {
    std::optional<double> lr{};           ///< the learning rate
    std::optional<double> alpha{};        ///< of the mean of squares
    std::optional<double> eps{};          ///< is added to the divisor
    std::optional<double> weight_decay{}; ///< pulls parameters towards 0
    std::optional<double> momentum{};     ///< the part of the last step that stays
    bool centered = false; ///< divides by the deviation in place of the root of the mean square
  };
  explicit RMSprop(Options options);
  template <typename T, typename... More>
  explicit RMSprop(const T &, const More &...) = delete; // write optim::RMSprop({.lr = 1e-3}): program() knows the parameters
};
/// Duchi et al. 2011.
struct DLC_API Adagrad : Optimizer {
  /// Its numbers.
  struct Options {
    std::optional<double> lr{};           ///< the learning rate
    std::optional<double> lr_decay{};     ///< the rate falls as 1 / (1 + steps * this)
    std::optional<double> eps{};          ///< is added to the divisor
    std::optional<double> weight_decay{}; ///< pulls parameters towards 0
  };
  explicit Adagrad(Options options);
  template <typename T, typename... More>
  explicit Adagrad(const T &, const More &...) = delete; // write optim::Adagrad({.lr = 1e-3}): program() knows the parameters
};

/// Zeiler 2012.
struct DLC_API Adadelta : Optimizer {
  /// Its numbers.
  struct Options {
    std::optional<double> lr{};           ///< the learning rate
    std::optional<double> rho{};          ///< of the means of squares
    std::optional<double> eps{};          ///< is added to the divisor
    std::optional<double> weight_decay{}; ///< pulls parameters towards 0
  };
  explicit Adadelta(Options options);
  template <typename T, typename... More>
  explicit Adadelta(const T &, const More &...) = delete; // write optim::Adadelta({.lr = 1e-3}): program() knows the parameters
};
/// The numbers of Adam and its relatives.
struct AdamLike {
  std::optional<double> lr{};           ///< the learning rate
  Betas betas{};                        ///< nothing: set beta1 and beta2
  std::optional<double> beta1{};        ///< of the mean of gradients
  std::optional<double> beta2{};        ///< of the mean of squares
  std::optional<double> eps{};          ///< is added to the divisor
  std::optional<double> weight_decay{}; ///< pulls parameters towards 0
};
/// Adam with the largest gradient in place of the mean square. Kingma and Ba 2014.
struct DLC_API Adamax : Optimizer {
  explicit Adamax(AdamLike options);
  template <typename T, typename... More>
  explicit Adamax(const T &, const More &...) = delete; // write optim::Adamax({.lr = 1e-3}): program() knows the parameters
};
/// Adam that waits until its mean square is reliable. Liu et al. 2019.
struct DLC_API RAdam : Optimizer {
  explicit RAdam(AdamLike options);
  template <typename T, typename... More>
  explicit RAdam(const T &, const More &...) = delete; // write optim::RAdam({.lr = 1e-3}): program() knows the parameters
};
/// Adam with steps in proportion to the parameter; its weight decay is added to the step. You et al. 2020.
struct DLC_API Lamb : Optimizer {
  explicit Lamb(AdamLike options);
  template <typename T, typename... More>
  explicit Lamb(const T &, const More &...) = delete; // write optim::Lamb({.lr = 1e-3}): program() knows the parameters
};
/// Adam with Nesterov's momentum. Dozat 2016.
struct DLC_API NAdam : Optimizer {
  /// Its numbers.
  struct Options {
    std::optional<double> lr{};             ///< the learning rate
    Betas betas{};                          ///< nothing: set beta1 and beta2
    std::optional<double> beta1{};          ///< of the mean of gradients
    std::optional<double> beta2{};          ///< of the mean of squares
    std::optional<double> eps{};            ///< is added to the divisor
    std::optional<double> weight_decay{};   ///< pulls parameters towards 0
    std::optional<double> momentum_decay{}; ///< of Nesterov's momentum
  };
  explicit NAdam(Options options);
  template <typename T, typename... More>
  explicit NAdam(const T &, const More &...) = delete; // write optim::NAdam({.lr = 1e-3}): program() knows the parameters
};
/// The sign of a momentum; the weight decay shrinks the parameter itself. Chen et al. 2023.
struct DLC_API Lion : Optimizer {
  /// Its numbers.
  struct Options {
    std::optional<double> lr{};           ///< the learning rate
    Betas betas{};                        ///< nothing: set beta1 and beta2
    std::optional<double> beta1{};        ///< of the mean of gradients
    std::optional<double> beta2{};        ///< of the mean of squares
    std::optional<double> weight_decay{}; ///< pulls parameters towards 0
  };
  explicit Lion(Options options);
  template <typename T, typename... More>
  explicit Lion(const T &, const More &...) = delete; // write optim::Lion({.lr = 1e-3}): program() knows the parameters
};
/// Orthogonal updates of matrices; the betas and eps are those of AdamW, which updates all else. The weight
/// decay shrinks the parameter itself. Jordan et al. 2024.
struct DLC_API Muon : Optimizer {
  /// Its numbers.
  struct Options {
    std::optional<double> lr{};           ///< the learning rate
    std::optional<double> momentum{};     ///< the part of the last step that stays
    std::optional<double> weight_decay{}; ///< pulls parameters towards 0
    std::optional<double> beta1{};        ///< of the mean of gradients
    std::optional<double> beta2{};        ///< of the mean of squares
    std::optional<double> eps{};          ///< is added to the divisor
  };
  explicit Muon(Options options);
  template <typename T, typename... More>
  explicit Muon(const T &, const More &...) = delete; // write optim::Muon({.lr = 1e-3}): program() knows the parameters
};
/// Steps by the signs of gradients, for all the data in one batch. Its rate is that of the first step only.
/// Riedmiller and Braun 1993.
struct DLC_API Rprop : Optimizer {
  /// Its numbers.
  struct Options {
    std::optional<double> lr{};            ///< the first step size
    std::optional<double> eta_minus{};     ///< its factor where the sign of the gradient turns
    std::optional<double> eta_plus{};      ///< its factor where the sign stays
    std::optional<double> step_size_min{}; ///< step sizes are not below
    std::optional<double> step_size_max{}; ///< step sizes are not above
  };
  explicit Rprop(Options options);
  template <typename T, typename... More>
  explicit Rprop(const T &, const More &...) = delete; // write optim::Rprop({.lr = 1e-3}): program() knows the parameters
};
/// Gradient descent that averages parameters, in a slot beside them. Polyak and Juditsky 1992.
struct DLC_API ASGD : Optimizer {
  /// Its numbers.
  struct Options {
    std::optional<double> lr{};           ///< the learning rate
    std::optional<double> lambd{};        ///< decay of parameters, and how fast the rate falls
    std::optional<double> alpha{};        ///< the power of the falling rate
    std::optional<double> t0{};           ///< the step after which parameters are averaged
    std::optional<double> weight_decay{}; ///< pulls parameters towards 0
  };
  explicit ASGD(Options options);
  template <typename T, typename... More>
  explicit ASGD(const T &, const More &...) = delete; // write optim::ASGD({.lr = 1e-3}): program() knows the parameters
};
/// Second moments kept by rows and columns, where there are any. Shazeer and Stern 2018.
struct DLC_API Adafactor : Optimizer {
  /// Its numbers.
  struct Options {
    std::optional<double> lr{};           ///< the largest learning rate
    std::optional<double> beta2_decay{};  ///< below 0: how fast the second moment slows down
    std::optional<double> eps1{};         ///< the least divisor
    std::optional<double> eps2{};         ///< the least scale of a parameter
    std::optional<double> d{};            ///< the largest root of the mean square of an update
    std::optional<double> weight_decay{}; ///< pulls parameters towards 0
  };
  explicit Adafactor(Options options);
  template <typename T, typename... More>
  explicit Adafactor(const T &, const More &...) = delete; // write optim::Adafactor({.lr = 1e-3}): program() knows the parameters
};
/// Adam of tables, such as those of embeddings: rows that were not looked up keep what they have. Other
/// parameters have the updates of Adam.
struct DLC_API SparseAdam : Optimizer {
  /// Its numbers.
  struct Options {
    std::optional<double> lr{};    ///< the learning rate
    Betas betas{};                 ///< nothing: set beta1 and beta2
    std::optional<double> beta1{}; ///< of the mean of gradients
    std::optional<double> beta2{}; ///< of the mean of squares
    std::optional<double> eps{};   ///< is added to the divisor
  };
  explicit SparseAdam(Options options);
  template <typename T, typename... More>
  explicit SparseAdam(const T &, const More &...) = delete; // write optim::SparseAdam({.lr = 1e-3}): program() knows the parameters
};

} // namespace optim

} // namespace dlc

#endif // DLC_OPTIM_H
