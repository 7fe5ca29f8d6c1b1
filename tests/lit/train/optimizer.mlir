// Updates give the new parameter, then the new slots.
// RUN: dlc-opt %s | dlc-opt | FileCheck %s

!t = tensor<4x3xf32>
!h = tensor<f64>
!s = tensor<i64>

// CHECK-LABEL: @updates
func.func @updates(%w: !t, %g: !t, %a: !t, %b: !t, %c: !t, %lr: !h, %h: !h, %step: !s,
                   %rows: tensor<4x1xf32>, %columns: tensor<1x3xf32>) -> (!t, !t, !t, !t) {
  // CHECK: train.plain_sgd %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x3xf32>, tensor<4x3xf32>, tensor<f64>, tensor<f64>, tensor<i64>
  %0 = train.plain_sgd %w, %g, %lr, %h, %step : !t, !t, !h, !h, !s
  // CHECK: %{{.*}}:2 = train.sgd {{.*}} {nesterov} :
  %1:2 = train.sgd %0, %g, %a, %lr, %h, %h, %h, %step {nesterov} : !t, !t, !t, !h, !h, !h, !h, !s
  // CHECK: %{{.*}}:3 = train.adam {{.*}} {decoupled} :
  %2:3 = train.adam %1#0, %g, %a, %b, %lr, %h, %h, %h, %h, %step {decoupled}
      : !t, !t, !t, !t, !h, !h, !h, !h, !h, !s
  // CHECK: %{{.*}}:4 = train.rmsprop {{.*}} {centered} :
  %3:4 = train.rmsprop %2#0, %g, %a, %b, %c, %lr, %h, %h, %h, %h, %step {centered}
      : !t, !t, !t, !t, !t, !h, !h, !h, !h, !h, !s
  // CHECK: %{{.*}}:2 = train.adagrad {{.*}} :
  %4:2 = train.adagrad %3#0, %g, %a, %lr, %h, %h, %h, %step : !t, !t, !t, !h, !h, !h, !h, !s
  // CHECK: %{{.*}}:4 = train.amsgrad {{.*}} {decoupled} :
  %5:4 = train.amsgrad %4#0, %g, %a, %b, %c, %lr, %h, %h, %h, %h, %step {decoupled}
      : !t, !t, !t, !t, !t, !h, !h, !h, !h, !h, !s
  // CHECK: %{{.*}}:4 = train.nadam
  %6:4 = train.nadam %5#0, %g, %a, %b, %lr, %lr, %h, %h, %h, %h, %h, %step
      : !t, !t, !t, !t, !h, !h, !h, !h, !h, !h, !h, !s
  // CHECK: %{{.*}}:3 = train.radam
  %7:3 = train.radam %6#0, %g, %a, %b, %lr, %h, %h, %h, %h, %step : !t, !t, !t, !t, !h, !h, !h, !h, !h, !s
  // CHECK: %{{.*}}:3 = train.lamb
  %8:3 = train.lamb %7#0, %g, %a, %b, %lr, %h, %h, %h, %h, %step : !t, !t, !t, !t, !h, !h, !h, !h, !h, !s
  // CHECK: %{{.*}}:3 = train.adamax
  %9:3 = train.adamax %8#0, %g, %a, %b, %lr, %h, %h, %h, %h, %step : !t, !t, !t, !t, !h, !h, !h, !h, !h, !s
  // CHECK: %{{.*}}:3 = train.adadelta
  %10:3 = train.adadelta %9#0, %g, %a, %b, %lr, %h, %h, %h, %step : !t, !t, !t, !t, !h, !h, !h, !h, !s
  // CHECK: %{{.*}}:2 = train.lion
  %11:2 = train.lion %10#0, %g, %a, %lr, %h, %h, %h, %step : !t, !t, !t, !h, !h, !h, !h, !s
  // CHECK: %{{.*}}:2 = train.muon
  %12:2 = train.muon %11#0, %g, %a, %lr, %h, %h, %step : !t, !t, !t, !h, !h, !h, !s
  // CHECK: %{{.*}}:3 = train.rprop
  %13:3 = train.rprop %12#0, %g, %a, %b, %lr, %h, %h, %h, %h, %step : !t, !t, !t, !t, !h, !h, !h, !h, !h, !s
  // CHECK: %{{.*}}:3 = train.asgd
  %14:3 = train.asgd %13#0, %g, %a, %lr, %lr, %h, %h, %h, %h, %step : !t, !t, !t, !h, !h, !h, !h, !h, !h, !s
  // CHECK: %{{.*}}:2 = train.adafactor_vector
  %15:2 = train.adafactor_vector %14#0, %g, %a, %lr, %h, %h, %h, %h, %h, %step : !t, !t, !t, !h, !h, !h, !h, !h, !h, !s
  // CHECK: %{{.*}}:3 = train.adafactor {{.*}} tensor<4x1xf32>, tensor<1x3xf32>,
  %16:3 = train.adafactor %15#0, %g, %rows, %columns, %lr, %h, %h, %h, %h, %h, %step
      : !t, !t, tensor<4x1xf32>, tensor<1x3xf32>, !h, !h, !h, !h, !h, !h, !s
  // CHECK: %{{.*}}:3 = train.sparse_adam
  %17:3 = train.sparse_adam %16#0, %g, %a, %b, %lr, %h, %h, %h, %step : !t, !t, !t, !t, !h, !h, !h, !h, !s
  return %17#0, %4#1, %3#2, %2#2 : !t, !t, !t, !t
}
