// Indices that the program computes are reported; those of an input, looked at before each call, and constants
// are not.
// RUN: dlc-opt %s --split-input-file --dlc-check-indices | FileCheck %s
// RUN: dlc-opt %s --split-input-file --dlc-check-indices --dlc-resolve-modes --dlc-backward | FileCheck %s --check-prefix=BACKWARD

// CHECK-LABEL: train.program @computed
// CHECK: train.output correct @shifted.indices {index_range} : tensor<4xi64>
// CHECK-NOT: index_range
// CHECK: %[[IDS:.*]] = nn.add
// CHECK: %[[SMALLEST:.*]] = nn.reduce_min %[[IDS]] axes [0]
// CHECK: %[[LARGEST:.*]] = nn.reduce_max %[[IDS]] axes [0]
// CHECK: %[[LIMIT:.*]] = nn.constant dense<10> : tensor<i64>
// CHECK: %[[LOW:.*]] = nn.neg %[[LIMIT]]
// CHECK: %[[RANGE:.*]] = nn.concat
// CHECK: train.write %[[RANGE]], @shifted.indices
// BACKWARD-LABEL: train.program @computed
// BACKWARD: train.function predict
// BACKWARD: train.write %{{.*}}, @shifted.indices
train.program @computed {
  train.dim @batch = 4
  train.input @ids range [-10, 10) : tensor<?xi64, #nn.dims<batch>>
  train.state parameter @table : tensor<10x3xf32>
  train.output prediction @y : tensor<?x3xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %ids = train.read @ids : tensor<?xi64, #nn.dims<batch>>
    %table = train.read @table : tensor<10x3xf32>
    %one = nn.constant dense<1> : tensor<i64>
    %next = nn.add %ids, %one : tensor<?xi64, #nn.dims<batch>>, tensor<i64>
    %a = nn.gather %table, %ids axis 0 : tensor<10x3xf32>, tensor<?xi64, #nn.dims<batch>>
    %b = nn.gather %table, %next axis 0 : tensor<10x3xf32>, tensor<?xi64, #nn.dims<batch>> loc("shifted")
    %y = nn.add %a, %b : tensor<?x3xf32, #nn.dims<batch, _>>, tensor<?x3xf32, #nn.dims<batch, _>>
    train.write %y, @y : tensor<?x3xf32, #nn.dims<batch, _>>
  }
}

// -----

// What a prediction does not have, it cannot check: computed labels.
// CHECK-LABEL: train.program @labels
// CHECK: train.output correct @loss.indices {index_range}
// CHECK: %[[LABELS:.*]] = nn.sub
// CHECK: %[[IGNORED:.*]] = nn.compare{{ +}}eq %[[LABELS]]
// CHECK: %[[CHECKED:.*]] = nn.select %[[IGNORED]], %{{.*}}, %[[LABELS]]
// CHECK: nn.reduce_min %[[CHECKED]]
// BACKWARD-LABEL: train.program @labels
// BACKWARD: train.function grad_step
// BACKWARD: train.write %{{.*}}, @loss.indices
// BACKWARD: train.function eval_step
// BACKWARD: train.write %{{.*}}, @loss.indices
// BACKWARD: train.function predict
// BACKWARD-NOT: @loss.indices
train.program @labels {
  train.state parameter @w : tensor<4x5xf32>
  train.input target @t : tensor<4xi64>
  train.output loss @loss : tensor<f32>
  train.output prediction @y : tensor<4x5xf32>
  train.function forward @forward {
    %w = train.read @w : tensor<4x5xf32>
    train.write %w, @y : tensor<4x5xf32>
    %t = train.read @t : tensor<4xi64>
    %one = nn.constant dense<1> : tensor<i64>
    %labels = nn.sub %t, %one : tensor<4xi64>, tensor<i64>
    %loss, %weight = nn.softmax_cross_entropy mean %w, %labels ignore_index -100 : tensor<4x5xf32>, tensor<4xi64> loc("loss")
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
