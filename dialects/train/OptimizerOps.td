//===- OptimizerOps.td - train: optimizer updates --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TRAIN_OPTIMIZER_OPS
#define DLC_TRAIN_OPTIMIZER_OPS

include "dialects/train/TrainBase.td"
include "dialects/train/UpdateInterface.td"

// All updates follow PyTorch's formulas. `w` is the parameter, `g` its gradient, slots are shaped like
// them; hyperparameters are rank-0 f64 tensors, read anew each step; `step` is the number of this update,
// from 1 (rank-0 i64). Results: the new parameter, then the new slots in order.
class Train_Update<string mnemonic, string sentence, string formula, dag slots, dag hyperparameters,
                   dag flags = (ins)>
    : Train_Op<mnemonic, [Pure, InferTypeOpAdaptor, DeclareOpInterfaceMethods<UpdateOpInterface>]> {
  let summary = sentence;
  let description = formula;
  let arguments = !con((ins AnyRankedTensor:$w, AnyRankedTensor:$g), slots, hyperparameters,
                       (ins AnyRankedTensor:$step), flags);
  let results = (outs Variadic<AnyRankedTensor>:$updated);
  let assemblyFormat = "operands attr-dict `:` type(operands)";
}

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

#endif
