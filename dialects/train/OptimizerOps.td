//===- OptimizerOps.td - train: optimizer updates --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TRAIN_OPTIMIZER_OPS
#define DLC_TRAIN_OPTIMIZER_OPS

include "dialects/train/UpdateBase.td"

def Train_SgdOp : Train_Update<"sgd", "stochastic gradient descent with momentum", [{
    d = g + weight_decay * w;
    m' = step == 1 ? d : momentum * m + (1 - dampening) * d;
    w' = w - lr * (nesterov ? d + momentum * m' : m').
    With momentum 0: w' = w - lr * d.
  }], (ins AnyRankedTensor:$momentum_buffer),
  (ins AnyRankedTensor:$learning_rate, AnyRankedTensor:$momentum, AnyRankedTensor:$dampening,
       AnyRankedTensor:$weight_decay),
  (ins UnitAttr:$nesterov)>;

def Train_PlainSgdOp : Train_Update<"plain_sgd", "stochastic gradient descent without momentum",
  "w' = w - lr * (g + weight_decay * w).", (ins),
  (ins AnyRankedTensor:$learning_rate, AnyRankedTensor:$weight_decay)>;

def Train_AdamOp : Train_Update<"adam",
  "Adam (Kingma and Ba 2015), AdamW with `decoupled` (Loshchilov and Hutter 2019)", [{
    Adam: g = g + weight_decay * w. AdamW: w = w * (1 - lr * weight_decay).
    m' = beta1 * m + (1 - beta1) * g;  v' = beta2 * v + (1 - beta2) * g^2;
    w' = w - lr / (1 - beta1^step) * m' / (sqrt(v') / sqrt(1 - beta2^step) + epsilon).
  }], (ins AnyRankedTensor:$exp_avg, AnyRankedTensor:$exp_avg_sq),
  (ins AnyRankedTensor:$learning_rate, AnyRankedTensor:$beta1, AnyRankedTensor:$beta2,
       AnyRankedTensor:$epsilon, AnyRankedTensor:$weight_decay), (ins UnitAttr:$decoupled)>;

def Train_RmspropOp : Train_Update<"rmsprop", "RMSprop (Hinton 2012)", [{
    g = g + weight_decay * w;  v' = alpha * v + (1 - alpha) * g^2;
    centered: a' = alpha * a + (1 - alpha) * g and s = v' - a'^2, else a' = a and s = v';
    b' = momentum * b + g / (sqrt(s) + epsilon);  w' = w - lr * b'.
  }], (ins AnyRankedTensor:$square_avg, AnyRankedTensor:$momentum_buffer, AnyRankedTensor:$grad_avg),
  (ins AnyRankedTensor:$learning_rate, AnyRankedTensor:$alpha, AnyRankedTensor:$epsilon,
       AnyRankedTensor:$weight_decay, AnyRankedTensor:$momentum), (ins UnitAttr:$centered)>;

def Train_AdagradOp : Train_Update<"adagrad", "Adagrad (Duchi et al. 2011)", [{
    g = g + weight_decay * w;  s' = s + g^2;
    w' = w - lr / (1 + (step - 1) * lr_decay) * g / (sqrt(s') + epsilon).
  }], (ins AnyRankedTensor:$sum),
  (ins AnyRankedTensor:$learning_rate, AnyRankedTensor:$lr_decay, AnyRankedTensor:$epsilon,
       AnyRankedTensor:$weight_decay)>;

// Of Adam and what is derived from it.
class Train_AdamUpdate<string mnemonic, string sentence, string formula, dag moreSlots = (ins),
                       dag moreHyperparameters = (ins), dag flags = (ins)>
    : Train_Update<mnemonic, sentence, formula,
                   !con((ins AnyRankedTensor:$exp_avg, AnyRankedTensor:$exp_avg_sq), moreSlots),
                   !con((ins AnyRankedTensor:$learning_rate, AnyRankedTensor:$beta1, AnyRankedTensor:$beta2,
                             AnyRankedTensor:$epsilon, AnyRankedTensor:$weight_decay), moreHyperparameters),
                   flags>;

def Train_AmsgradOp : Train_AdamUpdate<"amsgrad", "Adam or AdamW with the largest second moment (Reddi et al. 2018)", [{
    As `train.adam`, with s' = max(s, v') in place of v' in the denominator.
  }], (ins AnyRankedTensor:$max_exp_avg_sq), (ins), (ins UnitAttr:$decoupled)>;

def Train_NadamOp : Train_AdamUpdate<"nadam", "NAdam: Adam with Nesterov's momentum (Dozat 2016)", [{
    g = g + weight_decay * w;
    mu(t) = beta1 * (1 - 0.96^(t * momentum_decay) / 2);  p' = p * mu(step), where p before the first step is 1;
    m' = beta1 * m + (1 - beta1) * g;  v' = beta2 * v + (1 - beta2) * g^2;
    d = sqrt(v' / (1 - beta2^step)) + epsilon;
    w' = w - lr * (1 - mu(step)) / (1 - p') * g / d - lr * mu(step + 1) / (1 - p' * mu(step + 1)) * m' / d.
  }], (ins AnyRankedTensor:$mu_product), (ins AnyRankedTensor:$momentum_decay)>;

def Train_RadamOp : Train_AdamUpdate<"radam", "RAdam: Adam with a rectified second moment (Liu et al. 2020)", [{
    g = g + weight_decay * w;  m' = beta1 * m + (1 - beta1) * g;  v' = beta2 * v + (1 - beta2) * g^2;
    n = 2 / (1 - beta2) - 1;  r = n - 2 * step * beta2^step / (1 - beta2^step);  u = m' / (1 - beta1^step);
    r > 5: w' = w - lr * u * sqrt(1 - beta2^step) / (sqrt(v') + epsilon)
                    * sqrt((r - 4) * (r - 2) * n / ((n - 4) * (n - 2) * r));  else w' = w - lr * u.
  }]>;

def Train_LambOp : Train_AdamUpdate<"lamb", "LAMB: Adam with steps as long as the parameter (You et al. 2020)", [{
    m' = beta1 * m + (1 - beta1) * g;  v' = beta2 * v + (1 - beta2) * g^2;
    u = m' / (1 - beta1^step) / (sqrt(v' / (1 - beta2^step)) + epsilon) + weight_decay * w;
    w' = w - lr * |w| / |u| * u with Euclidean norms over the parameter; where one of them is 0, without their quotient.
  }]>;

def Train_AdamaxOp : Train_Update<"adamax", "Adamax: Adam with the largest gradient (Kingma and Ba 2015)", [{
    g = g + weight_decay * w;  m' = beta1 * m + (1 - beta1) * g;  n' = max(beta2 * n, |g| + epsilon);
    w' = w - lr / (1 - beta1^step) * m' / n'.
  }], (ins AnyRankedTensor:$exp_avg, AnyRankedTensor:$exp_inf),
  (ins AnyRankedTensor:$learning_rate, AnyRankedTensor:$beta1, AnyRankedTensor:$beta2,
       AnyRankedTensor:$epsilon, AnyRankedTensor:$weight_decay)>;

def Train_AdadeltaOp : Train_Update<"adadelta", "Adadelta (Zeiler 2012)", [{
    g = g + weight_decay * w;  s' = rho * s + (1 - rho) * g^2;
    d = sqrt(a + epsilon) / sqrt(s' + epsilon) * g;  a' = rho * a + (1 - rho) * d^2;  w' = w - lr * d.
  }], (ins AnyRankedTensor:$square_avg, AnyRankedTensor:$acc_delta),
  (ins AnyRankedTensor:$learning_rate, AnyRankedTensor:$rho, AnyRankedTensor:$epsilon,
       AnyRankedTensor:$weight_decay)>;

def Train_LionOp : Train_Update<"lion", "Lion: the sign of a momentum (Chen et al. 2023)", [{
    w' = w - lr * (sign(beta1 * m + (1 - beta1) * g) + weight_decay * w);  m' = beta2 * m + (1 - beta2) * g.
  }], (ins AnyRankedTensor:$exp_avg),
  (ins AnyRankedTensor:$learning_rate, AnyRankedTensor:$beta1, AnyRankedTensor:$beta2,
       AnyRankedTensor:$weight_decay)>;

def Train_MuonOp : Train_Update<"muon", "Muon: an orthogonalised momentum, of matrices (Jordan et al. 2024)", [{
    b' = momentum * b + (1 - momentum) * g;  x = momentum * b' + (1 - momentum) * g;
    x = x / max(|x|, 1e-7), transposed where it has more rows than columns; then five times
    y = x * x^T;  x = 3.4445 * x + (-4.7750 * y + 2.0315 * y * y) * x;
    w' = w * (1 - lr * weight_decay) - lr * sqrt(max(1, rows / columns)) * x.
    (torch.optim.Muon computes the products in bfloat16; here they have the parameter's dtype.)
  }], (ins AnyRankedTensor:$momentum_buffer),
  (ins AnyRankedTensor:$learning_rate, AnyRankedTensor:$weight_decay, AnyRankedTensor:$momentum)>;

#endif
