// Each optimizer: its update, slots and hyperparameters with PyTorch's defaults.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-backward | FileCheck %s --check-prefix=SGD
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=momentum=0.9,learning_rate=0.1,nesterov --dlc-backward | FileCheck %s --check-prefix=NESTEROV
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=adam --dlc-backward | FileCheck %s --check-prefix=ADAM
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=rmsprop,centered --dlc-backward | FileCheck %s --check-prefix=RMSPROP
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=adagrad --dlc-backward | FileCheck %s --check-prefix=ADAGRAD
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=adamw,amsgrad --dlc-backward | FileCheck %s --check-prefix=AMSGRAD
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=nadam --dlc-backward | FileCheck %s --check-prefix=NADAM
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=radam --dlc-backward | FileCheck %s --check-prefix=RADAM
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=adamax --dlc-backward | FileCheck %s --check-prefix=MAX
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=adadelta --dlc-backward | FileCheck %s --check-prefix=DELTA
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=lamb --dlc-backward | FileCheck %s --check-prefix=LAMB
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=lion --dlc-backward | FileCheck %s --check-prefix=LION
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=rprop --dlc-backward | FileCheck %s --check-prefix=RPROP
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=asgd --dlc-backward | FileCheck %s --check-prefix=ASGD
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=adafactor --dlc-backward | FileCheck %s --check-prefix=FACTOR
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=sparseadam --dlc-backward | FileCheck %s --check-prefix=SPARSE
// RUN: not dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=adafactor,beta2_decay=0 --dlc-backward 2>&1 | FileCheck %s --check-prefix=SLOWER
// RUN: not dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=adafactor,clip_threshold=0.5 --dlc-backward 2>&1 | FileCheck %s --check-prefix=THRESHOLD
// RUN: not dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=rprop,eta_plus=0.5 --dlc-backward 2>&1 | FileCheck %s --check-prefix=PLUS
// RUN: not dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=lbfgs --dlc-backward 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=adam,momentum=1 --dlc-backward 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=learning_rate=fast --dlc-backward 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=adam,beta2=1 --dlc-backward 2>&1 | FileCheck %s --check-prefix=BETA
// RUN: not dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=learning_rate=1e300 --dlc-backward 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=rmsprop,alpha=2 --dlc-backward 2>&1 | FileCheck %s --check-prefix=ALPHA
// RUN: not dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=adam,epsilon=-1 --dlc-backward 2>&1 | FileCheck %s --check-prefix=EPSILON
// RUN: not dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=weight_decay=nan --dlc-backward 2>&1 | FileCheck %s --check-prefix=DECAY
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=momentum=0.9,dampening=-0.5 --dlc-backward | FileCheck %s --check-prefix=DAMPENING
// RUN: not dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=nesterov --dlc-backward 2>&1 | FileCheck %s --check-prefix=MOMENTUM
// RUN: not dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=adam,centered --dlc-backward 2>&1 | FileCheck %s --check-prefix=FLAG
// RUN: not dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=nadam,amsgrad --dlc-backward 2>&1 | FileCheck %s --check-prefix=NO-AMSGRAD
// RUN: not dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=adadelta,rho=1 --dlc-backward 2>&1 | FileCheck %s --check-prefix=RHO

// SGD-NOT: optimizer_state
// SGD: hyperparameter @learning_rate range[{{.+}}) : tensor<f64> = dense<1.000000e-03>
// SGD-NEXT: hyperparameter @weight_decay range[{{.+}}) : tensor<f64> = dense<0.000000e+00>
// SGD: train.plain_sgd
// NESTEROV: optimizer_state @w.momentum_buffer of @w : tensor<4xf32>
// NESTEROV: hyperparameter @learning_rate range[{{.+}}) : tensor<f64> = dense<1.000000e-01>
// NESTEROV-NEXT: hyperparameter @momentum range[{{.+}}) : tensor<f64> = dense<9.000000e-01>
// NESTEROV-NEXT: hyperparameter @dampening
// NESTEROV-NEXT: hyperparameter @weight_decay
// NESTEROV: train.sgd {{.+}} {nesterov}
// ADAM: hyperparameter @epsilon range[{{.+}}) : tensor<f64> = dense<1.000000e-08>
// ADAM-NEXT: hyperparameter @weight_decay range[{{.+}}) : tensor<f64> = dense<0.000000e+00>
// ADAM: train.adam
// ADAM-NOT: {decoupled}
// RMSPROP: optimizer_state @w.square_avg of @w
// RMSPROP: optimizer_state @w.momentum_buffer of @w
// RMSPROP: optimizer_state @w.grad_avg of @w
// RMSPROP: hyperparameter @learning_rate range[{{.+}}) : tensor<f64> = dense<1.000000e-02>
// RMSPROP-NEXT: hyperparameter @alpha range[0.000000e+00, 1.000000e+00) : tensor<f64> = dense<0.98999999999999999>
// RMSPROP: train.rmsprop {{.+}} {centered}
// ADAGRAD: optimizer_state @w.sum of @w
// ADAGRAD: hyperparameter @epsilon range[{{.+}}) : tensor<f64> = dense<1.000000e-10>
// ADAGRAD: train.adagrad
// AMSGRAD: optimizer_state @w.max_exp_avg_sq of @w : tensor<4xf32>
// AMSGRAD: train.amsgrad {{.+}} {decoupled}
// NADAM: optimizer_state @w.mu_product : tensor<f64>
// NADAM: hyperparameter @learning_rate range[{{.+}}) : tensor<f64> = dense<2.000000e-03>
// NADAM: hyperparameter @momentum_decay range[{{.+}}) : tensor<f64> = dense<4.000000e-03>
// NADAM: train.nadam
// RADAM: train.radam
// MAX: optimizer_state @w.exp_inf of @w
// MAX: train.adamax
// DELTA: optimizer_state @w.square_avg of @w
// DELTA: optimizer_state @w.acc_delta of @w
// DELTA: hyperparameter @learning_rate range[{{.+}}) : tensor<f64> = dense<1.000000e+00>
// DELTA: train.adadelta
// LAMB: hyperparameter @epsilon range[{{.+}}) : tensor<f64> = dense<9.9999999999999995E-7>
// LAMB: train.lamb
// LION-NOT: exp_avg_sq
// LION: hyperparameter @beta2 range[{{.+}}) : tensor<f64> = dense<0.98999999999999999>
// LION-NOT: epsilon
// LION: train.lion
// RPROP: optimizer_state @w.prev of @w
// RPROP: optimizer_state @w.step_size of @w
// RPROP: hyperparameter @step_size_max range[{{.+}}) : tensor<f64> = dense<5.000000e+01>
// RPROP: train.rprop
// ASGD: optimizer_state @w.ax of @w
// ASGD: optimizer_state @w.eta : tensor<f64>
// ASGD: hyperparameter @t0 range[{{.+}}) : tensor<f64> = dense<1.000000e+06>
// ASGD: train.asgd
// FACTOR-NOT: row_var
// FACTOR: optimizer_state @w.variance of @w
// FACTOR: hyperparameter @beta2_decay range[{{.+}}) : tensor<f64> = dense<-8.000000e-01>
// FACTOR: hyperparameter @epsilon range[{{.+}}) : tensor<f64> = dense<1.1920928955078125E-7>
// FACTOR: train.adafactor_vector
// SPARSE: hyperparameter @beta2 range[{{.+}}) : tensor<f64> = dense<0.99899999999999999>
// SPARSE: train.adam
// SLOWER: error: hyperparameter 'beta2_decay': expected a number of at least -3.40282e+38 and less than 0, got '0'
// THRESHOLD: error: hyperparameter 'clip_threshold': expected a number of at least 1 and less than 3.40282e+38, got '0.5'
// PLUS: error: hyperparameter 'eta_plus': expected a number of at least 1 and less than 3.40282e+38, got '0.5'
// UNKNOWN: error: unknown optimizer 'lbfgs'; expected sgd, adam, adamw, nadam, radam, adamax, lamb, lion, muon, rmsprop, adagrad, adadelta, rprop, asgd, adafactor, sparseadam
// NAME: error: optimizer 'adam' has no hyperparameter 'momentum'; it has beta1, beta2, epsilon, learning_rate, weight_decay
// NUMBER: error: hyperparameter 'learning_rate': expected a number of at least 0 and less than 3.40282e+38, got 'fast'
// BETA: error: hyperparameter 'beta2': expected a number of at least 0 and less than 1, got '1'
// LARGE: error: hyperparameter 'learning_rate': expected a number of at least 0 and less than 3.40282e+38, got '1e300'
// ALPHA: error: hyperparameter 'alpha': expected a number of at least 0 and less than 1, got '2'
// EPSILON: error: hyperparameter 'epsilon': expected a number of at least 0 and less than 3.40282e+38, got '-1'
// DECAY: error: hyperparameter 'weight_decay': expected a number of at least 0 and less than 3.40282e+38, got 'nan'
// DAMPENING: hyperparameter @dampening range[-3.40{{.+}}, 3.40{{.+}}) : tensor<f64> = dense<-5.000000e-01>
// MOMENTUM: error: nesterov needs a momentum above 0 and a dampening of 0
// FLAG: error: centered is a setting of optimizer 'rmsprop', not of 'adam'
// NO-AMSGRAD: error: amsgrad is a setting of optimizer 'adam' or 'adamw', not of 'nadam'
// RHO: error: hyperparameter 'rho': expected a number of at least 0 and less than 1, got '1'
train.program @one {
  train.state parameter @w : tensor<4xf32>
  train.input target @target : tensor<4xf32>
  train.function forward @forward {
    %w = train.read @w : tensor<4xf32>
    %target = train.read @target : tensor<4xf32>
    %loss, %weight = nn.mse_loss mean %w, %target : tensor<4xf32>, tensor<4xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
