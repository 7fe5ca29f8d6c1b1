// The step: forward, loss, backward, gradients, updates, writes at the end; an update follows the last
// reader of its weight. Named dims have their bound.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=adamw,learning_rate=0.01 --dlc-backward --dlc-verify-backward | FileCheck %s

// CHECK: train.state {{ ?}}gradient @w1.grad of @w1 : tensor<5x3xf32>
// CHECK: train.state {{ ?}}optimizer_state @w1.exp_avg of @w1 : tensor<5x3xf32>
// CHECK: train.state {{ ?}}optimizer_state @w1.exp_avg_sq of @w1 : tensor<5x3xf32>
// CHECK: train.state {{ ?}}hyperparameter @learning_rate range[{{.+}}) : tensor<f64> = dense<1.000000e-02>
// CHECK: train.state {{ ?}}hyperparameter @beta1 range[{{.+}}) : tensor<f64> = dense<9.000000e-01>
// CHECK: train.state {{ ?}}hyperparameter @weight_decay range[{{.+}}) : tensor<f64> = dense<1.000000e-02>
// CHECK: train.state {{ ?}}step_count @step : tensor<i64>

// CHECK-LABEL: train_step @train_step
// CHECK: %[[X:.+]] = train.read @x : tensor<8x3xf32>
// CHECK: %[[W1:.+]] = train.read @w1
// CHECK: %[[W2:.+]] = train.read @w2
// CHECK: %[[Z:.+]] = nn.matmul %[[X]], %[[W1]] transpose_b
// CHECK: %[[H:.+]] = nn.tanh %[[Z]]
// CHECK: %[[Y:.+]] = nn.matmul %[[H]], %[[W2]] transpose_b
// CHECK: %[[LOSS:.+]], %{{.+}} = nn.mse_loss {{ ?}}mean %[[Y]],
// CHECK: %[[DY:.+]] = nn.mul
// CHECK: %[[DH:.+]] = nn.matmul %[[DY]], %[[W2]]
// CHECK: %[[DW2:.+]] = nn.matmul %[[DY]], %[[H]] transpose_a
// CHECK: %[[LR:.+]] = train.read @learning_rate
// CHECK: %[[T:.+]] = train.read @step
// CHECK: %[[T1:.+]] = nn.add %[[T]],
// CHECK: %[[G2:.+]] = train.gradient %[[DW2]], @w2
// CHECK: %[[NEW2:.+]]:3 = train.adam %[[W2]], %[[G2]], %{{.+}}, %{{.+}}, %[[LR]], {{.+}}, %[[T1]] {decoupled}
// CHECK: %[[DZ:.+]] = nn.mul %[[DH]],
// CHECK: %[[DW1:.+]] = nn.matmul %[[DZ]], %[[X]] transpose_a
// CHECK: %[[G1:.+]] = train.gradient %[[DW1]], @w1
// CHECK: %[[NEW1:.+]]:3 = train.adam %[[W1]], %[[G1]]
// CHECK-NOT: nn.
// CHECK: train.write %[[LOSS]], @loss
// CHECK: train.write %[[NEW2]]#0, @w2
// CHECK: train.write %[[NEW2]]#1, @w2.exp_avg
// CHECK: train.write %[[NEW2]]#2, @w2.exp_avg_sq
// CHECK: train.write %[[NEW1]]#0, @w1
// CHECK: train.write %[[T1]], @step

// CHECK-LABEL: grad_step @grad_step
// CHECK: %[[G2:.+]] = train.gradient %{{.+}}, @w2
// CHECK: %[[G1:.+]] = train.gradient %{{.+}}, @w1
// CHECK: train.write %{{.+}}, @loss
// CHECK: train.write %[[G2]], @w2.grad
// CHECK: train.write %[[G1]], @w1.grad
// CHECK-NOT: train.write

// CHECK-LABEL: accumulate @accumulate
// CHECK: %[[G2:.+]] = train.gradient %{{.+}}, @w2
// CHECK: %[[BEFORE:.+]] = train.read @w2.grad
// CHECK: %[[SUM:.+]] = nn.add %[[BEFORE]], %[[G2]]
// CHECK: train.write %[[SUM]], @w2.grad

// CHECK-LABEL: apply @apply
// CHECK: %[[READ1:.+]] = train.read @w1.grad
// CHECK: %[[G1:.+]] = train.gradient %[[READ1]], @w1
// CHECK: %[[NEW1:.+]]:3 = train.adam %{{.+}}, %[[G1]]
// CHECK: %[[READ2:.+]] = train.read @w2.grad
// CHECK: %[[G2:.+]] = train.gradient %[[READ2]], @w2
// CHECK: %[[NEW2:.+]]:3 = train.adam %{{.+}}, %[[G2]]
// CHECK: train.write %[[NEW1]]#0, @w1
// CHECK: train.write %[[NEW2]]#0, @w2
// CHECK: train.write %{{.+}}, @step

// CHECK-LABEL: eval_step @eval_step
// CHECK: nn.mse_loss {{ ?}}sum %{{.+}}, %{{.+}} : tensor<?x2xf32, #nn.dims<batch, _>>
// CHECK-LABEL: predict @predict
// CHECK-NOT: loss
// CHECK: train.write %{{.+}}, @y : tensor<?x2xf32, #nn.dims<batch, _>>
// CHECK-NOT: train.function
train.program @mlp {
  train.dim @batch = 8
  train.state parameter @w1 : tensor<5x3xf32>
  train.state parameter @w2 : tensor<2x5xf32>
  train.input @x : tensor<?x3xf32, #nn.dims<batch, _>>
  train.output prediction @y : tensor<?x2xf32, #nn.dims<batch, _>>
  train.input target @target : tensor<?x2xf32, #nn.dims<batch, _>>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<?x3xf32, #nn.dims<batch, _>>
    %w1 = train.read @w1 : tensor<5x3xf32>
    %w2 = train.read @w2 : tensor<2x5xf32>
    %z = nn.matmul %x, %w1 transpose_b : tensor<?x3xf32, #nn.dims<batch, _>>, tensor<5x3xf32>
    %h = nn.tanh %z : tensor<?x5xf32, #nn.dims<batch, _>>
    %y = nn.matmul %h, %w2 transpose_b : tensor<?x5xf32, #nn.dims<batch, _>>, tensor<2x5xf32>
    train.write %y, @y : tensor<?x2xf32, #nn.dims<batch, _>>
    %target = train.read @target : tensor<?x2xf32, #nn.dims<batch, _>>
    %loss, %weight = nn.mse_loss mean %y, %target : tensor<?x2xf32, #nn.dims<batch, _>>, tensor<?x2xf32, #nn.dims<batch, _>>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
