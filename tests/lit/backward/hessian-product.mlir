// The Hessian-vector product is a function that predicts. Its vector is cut into one part for each trained parameter, in the
// order of their declarations; the product is joined again, with zeros for a parameter that no other one meets. No state is
// written, and what is frozen has no part.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=function=hvp,freeze=fixed,loss_scale=8 --dlc-backward --cse --dlc-verify-backward | FileCheck %s
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=freeze=fixed --dlc-backward --dlc-verify-backward | FileCheck %s --check-prefix=WITHOUT
// WITHOUT-NOT: hvp

// CHECK: train.input target @vector_1 derivative <hvp> : tensor<5xf64>
// CHECK: train.output prediction @product derivative <hvp> : tensor<5xf64>
// CHECK: train.function predict @hvp derivative hvp
// CHECK-DAG: %[[W:.+]] = train.read @w : tensor<2xf64>
// CHECK-DAG: %[[SCALE:.+]] = train.read @loss_scale
// CHECK: train.read @vector_1
// CHECK-DAG: nn.slice %{{.+}} starts [0] limits [2] steps [1]
// CHECK-DAG: nn.slice %{{.+}} starts [2] limits [4] steps [1]
// CHECK: %[[ALL:.+]] = nn.concat %{{.+}}, %{{.+}}, %{{.+}} axis 0 : tensor<2xf64>, tensor<2xf64>, tensor<1xf64>
// CHECK-NOT: train.write {{.+}}, @kept
// CHECK: train.write %[[ALL]], @product
// CHECK: train.function eval_step
train.program @products {
  train.state parameter @w : tensor<2xf64> = dense<0.5>
  train.state parameter @fixed : tensor<2xf64> = dense<0.5>
  train.state buffer @kept : tensor<2xf64>
  train.state parameter @narrow : tensor<2xf32> = dense<0.5>
  train.state parameter @alone : tensor<f64> = dense<0.5>
  train.input @vector : tensor<2xf64>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @vector : tensor<2xf64>
    %w = train.read @w : tensor<2xf64>
    %fixed = train.read @fixed : tensor<2xf64>
    %narrow = train.read @narrow : tensor<2xf32>
    %alone = train.read @alone : tensor<f64>
    %0 = nn.mul %x, %w : tensor<2xf64>, tensor<2xf64>
    %1 = nn.mul %0, %fixed : tensor<2xf64>, tensor<2xf64>
    %2 = nn.cast %narrow to f64 : tensor<2xf32>
    %3 = nn.mul %1, %2 : tensor<2xf64>, tensor<2xf64>
    train.write %3, @kept : tensor<2xf64>
    %4 = nn.tanh %3 : tensor<2xf64>
    %5 = nn.sum %4 axes [0] : tensor<2xf64>
    %6 = nn.add %5, %alone : tensor<f64>, tensor<f64>
    %one = nn.constant dense<1.0> : tensor<f64>
    train.loss %6, %one : tensor<f64>, tensor<f64>
  }
}
