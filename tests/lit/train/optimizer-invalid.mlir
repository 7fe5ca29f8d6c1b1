// RUN: dlc-opt %s -split-input-file -verify-diagnostics

func.func @gradient(%w: tensor<4xf32>, %g: tensor<5xf32>, %h: tensor<f64>, %s: tensor<i64>) {
  // expected-error@+1 {{'train.plain_sgd' op expects the gradient of type 'tensor<4xf32>', got 'tensor<5xf32>'}}
  %0 = train.plain_sgd %w, %g, %h, %h, %s : tensor<4xf32>, tensor<5xf32>, tensor<f64>, tensor<f64>, tensor<i64>
  return
}

// -----

func.func @slot(%w: tensor<4xf32>, %m: tensor<4xf64>, %h: tensor<f64>, %s: tensor<i64>) {
  // expected-error@+1 {{'train.adagrad' op expects sum of type 'tensor<4xf32>', got 'tensor<4xf64>'}}
  %0:2 = train.adagrad %w, %w, %m, %h, %h, %h, %h, %s
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<i64>
  return
}

// -----

func.func @hyperparameter(%w: tensor<4xf32>, %h: tensor<f64>, %f: tensor<f32>, %s: tensor<i64>) {
  // expected-error@+1 {{'train.plain_sgd' op expects weight_decay of type 'tensor<f64>', got 'tensor<f32>'}}
  %0 = train.plain_sgd %w, %w, %h, %f, %s : tensor<4xf32>, tensor<4xf32>, tensor<f64>, tensor<f32>, tensor<i64>
  return
}

// -----

func.func @step(%w: tensor<4xf32>, %h: tensor<f64>) {
  // expected-error@+1 {{'train.plain_sgd' op expects step of type 'tensor<i64>', got 'tensor<f64>'}}
  %0 = train.plain_sgd %w, %w, %h, %h, %h : tensor<4xf32>, tensor<4xf32>, tensor<f64>, tensor<f64>, tensor<f64>
  return
}

// -----

func.func @count(%w: tensor<4xf32>) {
  // expected-error@+1 {{'train.adam' op expects 10 operands, got 1}}
  %0:3 = train.adam %w : tensor<4xf32>
  return
}

// -----

func.func @product(%w: tensor<4xf32>, %h: tensor<f64>, %s: tensor<i64>) {
  // expected-error@+1 {{'train.nadam' op expects mu_product of type 'tensor<f64>', got 'tensor<4xf32>'}}
  %0:4 = train.nadam %w, %w, %w, %w, %w, %h, %h, %h, %h, %h, %h, %s : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<i64>
  return
}

// -----

func.func @matrix(%w: tensor<4xf32>, %h: tensor<f64>, %s: tensor<i64>) {
  // expected-error@+1 {{'train.muon' op expects a matrix, got 'tensor<4xf32>'}}
  %0:2 = train.muon %w, %w, %w, %h, %h, %h, %s : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f64>, tensor<f64>, tensor<f64>, tensor<i64>
  return
}
