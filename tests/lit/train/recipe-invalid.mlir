// A recipe that makes no sense is an error where it stands, whatever is to be done with it.
// RUN: dlc-opt %s --split-input-file --verify-diagnostics

train.program @p {
  // expected-error@+1 {{unknown optimizer 'lbfgs'; expected sgd, adam, adamw}}
  train.recipe optimizer <lbfgs>
}

// -----

train.program @p {
  // expected-error@+1 {{optimizer 'adam' has no hyperparameter 'momentum'; it has beta1, beta2, epsilon, learning_rate, weight_decay}}
  train.recipe optimizer <adam, momentum = 0.9>
}

// -----

train.program @p {
  // expected-error@+1 {{hyperparameter 'beta1': expected a number of at least 0 and less than 1, got '1'}}
  train.recipe optimizer <adam, beta1 = 1.0>
}

// -----

train.program @p {
  // expected-error@+1 {{nesterov needs a momentum above 0 and a dampening of 0}}
  train.recipe optimizer <sgd, nesterov>
}

// -----

train.program @p {
  // expected-error@+1 {{'momentum' is set twice}}
  train.recipe optimizer <sgd, momentum = 0.9, momentum = 0.5>
}

// -----

train.program @p {
  // expected-error@+1 {{label smoothing is for loss 'softmax-cross-entropy', not for 'mse'}}
  train.recipe loss <mse, label_smoothing = 0.1>
}

// -----

train.program @p {
  // expected-error@+1 {{loss 'ctc' needs the most labels that a sequence has, --max-labels=N from 1 to 65536, got 0}}
  train.recipe loss <ctc>
}

// -----

train.program @p {
  // expected-error@+1 {{group '*.b': expected GLOB|GLOB...:NAME=NUMBER,...}}
  train.recipe groups [#train.group<"*.b">]
}

// -----

train.program @p {
  // expected-error@+1 {{clipping of gradients by value: expected a finite number above 0, got -1}}
  train.recipe clip <value -1.0>
}

// -----

train.program @p {
  // expected-error@+1 {{loss scale: expected a number from 2^-100 to 2^100, got 0}}
  train.recipe loss_scale <0.0>
}

// -----

train.program @p {
  // expected-error@+1 {{expects ema_decay to be above 0 and below 1, got 1}}
  train.recipe ema_decay 1.0
}

// -----

train.program @p {
  train.recipe
  // expected-error@+1 {{is the program's second one, expected one at most}}
  train.recipe seed 1
}
