// RUN: dlc-opt %s --dlc-verify-schedule --verify-diagnostics
train.program @p {
  // expected-error @below {{expected a schedule}}
  train.kernel @k attributes {emitter = #train<emitter columns>, shared = 1 : i64} {
  ^bb0(%x: tensor<4xf32>):
    train.yield %x : tensor<4xf32>
  }
}
