// The gradient of dropout(relu) takes both masks from the dropout's result; a dropout of another stream
// keeps other elements and stays.
// RUN: dlc-opt %s --dlc-decompose | FileCheck %s

// CHECK-LABEL: train.function train_step
// CHECK: %[[H:.*]] = nn.dropout
// CHECK-NOT: nn.dropout
// CHECK: %[[NOTHING:.*]] = nn.compare le %[[H]]
// CHECK: %[[FACTOR:.*]] = nn.select %[[NOTHING]], {{.*}} : tensor<8x4xi1>, tensor<f32>, tensor<f32>
// CHECK: nn.mul %{{.*}}, %[[FACTOR]] : tensor<8x4xf32>, tensor<8x4xf32>
// CHECK-LABEL: train.function grad_step
// CHECK-COUNT-2: nn.dropout
train.program @p {
  train.input @x : tensor<8x4xf32>
  train.input @dy : tensor<8x4xf32>
  train.state rng @rng : tensor<2xi64>
  train.output prediction @h : tensor<8x4xf32>
  train.output prediction @dx : tensor<8x4xf32>
  train.function train_step @train_step {
    %zero = nn.constant dense<0.0> : tensor<f32>
    %x = train.read @x : tensor<8x4xf32>
    %dy = train.read @dy : tensor<8x4xf32>
    %rng = train.read @rng : tensor<2xi64>
    %y = nn.relu %x : tensor<8x4xf32>
    %h = nn.dropout %y, %rng ratio 0.2 stream 0 : tensor<8x4xf32>, tensor<2xi64>
    %d = nn.dropout %dy, %rng ratio 0.2 stream 0 : tensor<8x4xf32>, tensor<2xi64>
    %mask = nn.compare le %y, %zero : tensor<8x4xf32>, tensor<f32>
    %dx = nn.select %mask, %zero, %d : tensor<8x4xi1>, tensor<f32>, tensor<8x4xf32>
    train.write %h, @h : tensor<8x4xf32>
    train.write %dx, @dx : tensor<8x4xf32>
  }
  train.function grad_step @grad_step {
    %zero = nn.constant dense<0.0> : tensor<f32>
    %x = train.read @x : tensor<8x4xf32>
    %dy = train.read @dy : tensor<8x4xf32>
    %rng = train.read @rng : tensor<2xi64>
    %y = nn.relu %x : tensor<8x4xf32>
    %h = nn.dropout %y, %rng ratio 0.2 stream 0 : tensor<8x4xf32>, tensor<2xi64>
    %d = nn.dropout %dy, %rng ratio 0.2 stream 1 : tensor<8x4xf32>, tensor<2xi64>
    %mask = nn.compare le %y, %zero : tensor<8x4xf32>, tensor<f32>
    %dx = nn.select %mask, %zero, %d : tensor<8x4xi1>, tensor<f32>, tensor<8x4xf32>
    train.write %h, @h : tensor<8x4xf32>
    train.write %dx, @dx : tensor<8x4xf32>
  }
}
