//===- MoreOptimizerOps.td - train: updates by signs, means and rows -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TRAIN_MORE_OPTIMIZER_OPS
#define DLC_TRAIN_MORE_OPTIMIZER_OPS

include "dialects/train/UpdateBase.td"

def Train_RpropOp : Train_Update<"rprop", "Rprop: steps by the gradients' signs (Riedmiller and Braun 1993)", [{
    s = sign(g) * sign(p);  f = s > 0 ? eta_plus : s < 0 ? eta_minus : 1;
    t' = min(max((t == 0 ? lr : t) * f, step_size_min), step_size_max);
    p' = s < 0 ? 0 : g;  w' = w - sign(p') * t'.
    (A step size of 0 is one that no step has made yet: the learning rate is where they begin.)
  }], (ins AnyRankedTensor:$prev, AnyRankedTensor:$step_size),
  (ins AnyRankedTensor:$learning_rate, AnyRankedTensor:$eta_minus, AnyRankedTensor:$eta_plus,
       AnyRankedTensor:$step_size_min, AnyRankedTensor:$step_size_max)>;

def Train_AsgdOp : Train_Update<"asgd", "averaged stochastic gradient descent (Polyak and Juditsky 1992)", [{
    g = g + weight_decay * w;  e = step == 1 ? lr : eta;
    w' = w * (1 - lambd * e) - e * g;
    mu = 1 / max(1, step - 1 - t0);  a' = mu == 1 ? w' : a + mu * (w' - a);
    eta' = lr / (1 + lambd * lr * step)^alpha, which is that of the next step.
  }], (ins AnyRankedTensor:$ax, AnyRankedTensor:$eta),
  (ins AnyRankedTensor:$learning_rate, AnyRankedTensor:$lambd, AnyRankedTensor:$alpha, AnyRankedTensor:$t0,
       AnyRankedTensor:$weight_decay)>;

// Adafactor: the second moment is kept as it is, or by its rows and columns.
class Train_AdafactorUpdate<string mnemonic, string sentence, string formula, dag slots>
    : Train_Update<mnemonic, sentence, formula, slots,
                   (ins AnyRankedTensor:$learning_rate, AnyRankedTensor:$beta2_decay, AnyRankedTensor:$epsilon,
                        AnyRankedTensor:$epsilon2, AnyRankedTensor:$clip_threshold, AnyRankedTensor:$weight_decay)>;

def Train_AdafactorOp : Train_AdafactorUpdate<"adafactor",
  "Adafactor with second moments of rows and columns, of matrices (Shazeer and Stern 2018)", [{
    b = step^beta2_decay;  a = max(epsilon2, rms(w)) * min(lr, 1 / sqrt(step));
    r' = r + b * (mean of g^2 along the last axis - r);  c' = c + b * (mean of g^2 along the one before - c);
    v = r' * c' / max(mean of r' along the last axis but one, epsilon);
    u = g / sqrt(max(v, epsilon^2));
    w' = w * (1 - lr * weight_decay) - a / max(1, rms(u) / clip_threshold) * u,
    where rms is the root of the mean of the squares. The parameter has at least two axes.
  }], (ins AnyRankedTensor:$row_var, AnyRankedTensor:$col_var)>;

def Train_AdafactorVectorOp : Train_AdafactorUpdate<"adafactor_vector", "Adafactor of what has no rows and columns", [{
    As `train.adafactor`, with v' = v + b * (g^2 - v).
  }], (ins AnyRankedTensor:$variance)>;

def Train_SparseAdamOp : Train_Update<"sparse_adam", "Adam of the rows of a table that a step has looked up", [{
    Of each row (along the first axis) whose gradient is not all 0:
    m' = beta1 * m + (1 - beta1) * g;  v' = beta2 * v + (1 - beta2) * g^2;
    w' = w - lr * sqrt(1 - beta2^step) / (1 - beta1^step) * m' / (sqrt(v') + epsilon).
    Other rows, and what is kept for them, stay as they are.
  }], (ins AnyRankedTensor:$exp_avg, AnyRankedTensor:$exp_avg_sq),
  (ins AnyRankedTensor:$learning_rate, AnyRankedTensor:$beta1, AnyRankedTensor:$beta2,
       AnyRankedTensor:$epsilon)>;

#endif
