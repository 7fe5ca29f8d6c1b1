// Every declaration of a program and every use of its symbols parses and prints.
// RUN: dlc-opt %s | dlc-opt | FileCheck %s

// CHECK: train.program @model
train.program @model {
  // CHECK: train.dim @batch = 64
  train.dim @batch = 64
  // CHECK: train.state parameter @fc.weight : tensor<8x4xf32> = dense<5.000000e-01>
  train.state parameter @"fc.weight" : tensor<8x4xf32> = dense<0.5>
  // CHECK: train.state parameter @"layer/0:bias" frozen : tensor<8xf32>
  train.state parameter @"layer/0:bias" frozen : tensor<8xf32>
  // CHECK: train.state optimizer_state @fc.weight.exp_avg of @fc.weight : tensor<8x4xf32>
  train.state optimizer_state @"fc.weight.exp_avg" of @"fc.weight" : tensor<8x4xf32>
  // CHECK: train.state parameter @panels layout <[0, 2, 1], shape = [4, 2, 4]> : tensor<8x4xf32>
  train.state parameter @panels layout <[0, 2, 1], shape = [4, 2, 4]> : tensor<8x4xf32>
  // CHECK: train.state gradient @fc.weight.grad of @fc.weight layout <[1, 0]> at 4096 : tensor<8x4xf32>
  train.state gradient @"fc.weight.grad" of @"fc.weight" layout <[1, 0]> at 4096 : tensor<8x4xf32>
  // CHECK: train.state buffer @bn.mean : tensor<8xf32>
  train.state buffer @"bn.mean" : tensor<8xf32>
  train.state buffer @"bn.var" : tensor<8xf32> = dense<1.0>
  // CHECK: train.state hyperparameter @learning_rate : tensor<f64> = dense<1.000000e-03>
  train.state hyperparameter @learning_rate : tensor<f64> = dense<0.001>
  // CHECK: train.state rng @rng : tensor<2xi64>
  train.state rng @rng : tensor<2xi64>
  // CHECK: train.state step_count @step : tensor<i64>
  train.state step_count @step : tensor<i64>
  // CHECK: train.state constant @table : tensor<2xi32> = dense<[1, 2]>
  train.state constant @table : tensor<2xi32> = dense<[1, 2]>
  // CHECK: train.input @x : tensor<?x4xf32, #nn.dims<batch, _>>
  train.input @x : tensor<?x4xf32, #nn.dims<batch, _>>
  // CHECK: train.input target @labels range{{ ?}}[0, 8) ignore -100 : tensor<?xi64, #nn.dims<batch>>
  train.input target @labels range [0, 8) ignore -100 : tensor<?xi64, #nn.dims<batch>>
  // CHECK: train.output prediction @scores : tensor<?x8xf32, #nn.dims<batch, _>>
  train.output prediction @scores : tensor<?x8xf32, #nn.dims<batch, _>>
  // CHECK: train.output loss @loss : tensor<f32>
  train.output loss @loss : tensor<f32>
  train.output loss_sum @loss_sum : tensor<f64>
  train.output loss_weight @loss_weight : tensor<f64>
  train.output correct @correct : tensor<i64>

  // CHECK: train.function forward @forward
  train.function forward @forward {
    // CHECK: train.read @x : tensor<?x4xf32, #nn.dims<batch, _>>
    %x = train.read @x : tensor<?x4xf32, #nn.dims<batch, _>>
    %w = train.read @"fc.weight" : tensor<8x4xf32>
    %b = train.read @"layer/0:bias" : tensor<8xf32>
    %0 = nn.matmul %x, %w transpose_b : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<8x4xf32>
    // CHECK: train.batch_norm %{{.*}}, %{{.*}}, %{{.*}} running @bn.mean, @bn.var momentum 9.000000e-01 epsilon 1.000000e-05 :
    %1 = train.batch_norm %0, %b, %b running @"bn.mean", @"bn.var" momentum 0.9 epsilon 1.0e-5
        : tensor<?x8xf32, #nn.dims<batch, _>>, tensor<8xf32>, tensor<8xf32>
    // CHECK: train.write %{{.*}}, @scores : tensor<?x8xf32, #nn.dims<batch, _>>
    train.write %1, @scores : tensor<?x8xf32, #nn.dims<batch, _>>
    %labels = train.read @labels : tensor<?xi64, #nn.dims<batch>>
    %loss, %weight = nn.softmax_cross_entropy mean %1, %labels ignore_index -100
        : tensor<?x8xf32, #nn.dims<batch, _>>, tensor<?xi64, #nn.dims<batch>>
    // CHECK: train.loss %{{.*}}, %{{.*}} : tensor<f32>, tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
  // Training functions see the bound in place of the name, and the physical form of state.
  // CHECK: train.function grad_step @grad_step
  train.function grad_step @grad_step {
    %x = train.read @x : tensor<64x4xf32>
    %g = nn.constant dense<0.0> : tensor<4x8xf32>
    // CHECK: train.write %{{.*}}, @fc.weight.grad : tensor<4x8xf32>
    train.write %g, @"fc.weight.grad" : tensor<4x8xf32>
    %dw = nn.constant dense<0.0> : tensor<8x4xf32>
    // CHECK: train.gradient %{{.*}}, @fc.weight : tensor<8x4xf32>
    %0 = train.gradient %dw, @"fc.weight" : tensor<8x4xf32>
  }
  // Below nn there are no names.
  train.function predict @predict {
    // CHECK: train.read @x : tensor<?x4xf32>
    %x = train.read @x : tensor<?x4xf32>
    // CHECK: train.dim_size "32*batch" : index
    %n = train.dim_size "32*batch" : index
  }
}
