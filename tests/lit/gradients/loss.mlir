// Gradient rules of losses.
// Each program's loss is sum(y * d), so that the gradient of y is %d.
// RUN: dlc-opt %s --split-input-file --dlc-resolve-modes --dlc-backward | FileCheck %s

// CHECK-LABEL: train.program @mse_loss
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[T:[a-z0-9_]+]] = train.read @t
// CHECK-DAG: %[[SUB:[a-z0-9_]+]] = nn.sub %[[X]], %[[T]]
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<0.166666672> : tensor<f32>
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[SUB]], %[[C]]
// CHECK-DAG: %[[SUB2:[a-z0-9_]+]] = nn.sub %[[T]], %[[X]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[SUB2]], %[[C]]
// CHECK: train.gradient %[[MUL]], @x
// CHECK: train.gradient %[[MUL2]], @t
train.program @mse_loss {
  train.state parameter @x : tensor<3x4xf32>
  train.state parameter @t : tensor<3x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %t = train.read @t : tensor<3x4xf32>
    %loss, %weight = nn.mse_loss mean %x, %t : tensor<3x4xf32>, tensor<3x4xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @mse_loss_sum
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[T:[a-z0-9_]+]] = train.read @t
// CHECK-DAG: %[[SUB:[a-z0-9_]+]] = nn.sub %[[X]], %[[T]]
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<2.000000e+00> : tensor<f32>
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[SUB]], %[[C]]
// CHECK-DAG: %[[SUB2:[a-z0-9_]+]] = nn.sub %[[T]], %[[X]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[SUB2]], %[[C]]
// CHECK: train.gradient %[[MUL]], @x
// CHECK: train.gradient %[[MUL2]], @t
train.program @mse_loss_sum {
  train.state parameter @x : tensor<3x4xf32>
  train.state parameter @t : tensor<3x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %t = train.read @t : tensor<3x4xf32>
    %loss, %weight = nn.mse_loss sum %x, %t : tensor<3x4xf32>, tensor<3x4xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @l1_loss
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[T:[a-z0-9_]+]] = train.read @t
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<0.0833333358> : tensor<f32>
// CHECK-DAG: %[[SUB:[a-z0-9_]+]] = nn.sub %[[X]], %[[T]]
// CHECK-DAG: %[[SIGN:[a-z0-9_]+]] = nn.sign %[[SUB]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[SIGN]], %[[C]]
// CHECK-DAG: %[[SUB2:[a-z0-9_]+]] = nn.sub %[[T]], %[[X]]
// CHECK-DAG: %[[SIGN2:[a-z0-9_]+]] = nn.sign %[[SUB2]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[SIGN2]], %[[C]]
// CHECK: train.gradient %[[MUL]], @x
// CHECK: train.gradient %[[MUL2]], @t
train.program @l1_loss {
  train.state parameter @x : tensor<3x4xf32>
  train.state parameter @t : tensor<3x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %t = train.read @t : tensor<3x4xf32>
    %loss, %weight = nn.l1_loss mean %x, %t : tensor<3x4xf32>, tensor<3x4xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @huber_loss
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[T:[a-z0-9_]+]] = train.read @t
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<0.0833333358> : tensor<f32>
// CHECK-DAG: %[[SUB:[a-z0-9_]+]] = nn.sub %[[X]], %[[T]]
// CHECK-DAG: %[[CLIP:[a-z0-9_]+]] = nn.clip %[[SUB]] {high = 1.500000e+00 : f64, low = -1.500000e+00 : f64}
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[CLIP]], %[[C]]
// CHECK-DAG: %[[SUB2:[a-z0-9_]+]] = nn.sub %[[T]], %[[X]]
// CHECK-DAG: %[[CLIP2:[a-z0-9_]+]] = nn.clip %[[SUB2]] {high = 1.500000e+00 : f64, low = -1.500000e+00 : f64}
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[CLIP2]], %[[C]]
// CHECK: train.gradient %[[MUL]], @x
// CHECK: train.gradient %[[MUL2]], @t
train.program @huber_loss {
  train.state parameter @x : tensor<3x4xf32>
  train.state parameter @t : tensor<3x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %t = train.read @t : tensor<3x4xf32>
    %loss, %weight = nn.huber_loss mean %x, %t {delta = 1.5 : f64} : tensor<3x4xf32>, tensor<3x4xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @bce_loss
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[T:[a-z0-9_]+]] = train.read @t
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<0.0833333358> : tensor<f32>
// CHECK-DAG: %[[SUB:[a-z0-9_]+]] = nn.sub %[[X]], %[[T]]
// CHECK-DAG: %[[C2:[a-z0-9_]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG: %[[SUB2:[a-z0-9_]+]] = nn.sub %[[C2]], %[[X]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[SUB2]], %[[X]]
// CHECK-DAG: %[[C3:[a-z0-9_]+]] = nn.constant dense<9.99999996E-13> : tensor<f32>
// CHECK-DAG: %[[MAX:[a-z0-9_]+]] = nn.max %[[MUL]], %[[C3]]
// CHECK-DAG: %[[DIV:[a-z0-9_]+]] = nn.div %[[SUB]], %[[MAX]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[DIV]], %[[C]]
// CHECK-DAG: %[[LOG:[a-z0-9_]+]] = nn.log %[[SUB2]]
// CHECK-DAG: %[[C4:[a-z0-9_]+]] = nn.constant dense<-1.000000e+02> : tensor<f32>
// CHECK-DAG: %[[MAX2:[a-z0-9_]+]] = nn.max %[[LOG]], %[[C4]]
// CHECK-DAG: %[[LOG2:[a-z0-9_]+]] = nn.log %[[X]]
// CHECK-DAG: %[[MAX3:[a-z0-9_]+]] = nn.max %[[LOG2]], %[[C4]]
// CHECK-DAG: %[[SUB3:[a-z0-9_]+]] = nn.sub %[[MAX2]], %[[MAX3]]
// CHECK-DAG: %[[MUL3:[a-z0-9_]+]] = nn.mul %[[SUB3]], %[[C]]
// CHECK: train.gradient %[[MUL2]], @x
// CHECK: train.gradient %[[MUL3]], @t
train.program @bce_loss {
  train.state parameter @x : tensor<3x4xf32>
  train.state parameter @t : tensor<3x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %t = train.read @t : tensor<3x4xf32>
    %loss, %weight = nn.bce_loss mean %x, %t : tensor<3x4xf32>, tensor<3x4xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @bce_with_logits_loss
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[T:[a-z0-9_]+]] = train.read @t
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<0.0833333358> : tensor<f32>
// CHECK-DAG: %[[SIGMOID:[a-z0-9_]+]] = nn.sigmoid %[[X]]
// CHECK-DAG: %[[SUB:[a-z0-9_]+]] = nn.sub %[[SIGMOID]], %[[T]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[SUB]], %[[C]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[X]], %[[C]]
// CHECK-DAG: %[[NEG:[a-z0-9_]+]] = nn.neg %[[MUL2]]
// CHECK: train.gradient %[[MUL]], @x
// CHECK: train.gradient %[[NEG]], @t
train.program @bce_with_logits_loss {
  train.state parameter @x : tensor<3x4xf32>
  train.state parameter @t : tensor<3x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %t = train.read @t : tensor<3x4xf32>
    %loss, %weight = nn.bce_with_logits_loss mean %x, %t : tensor<3x4xf32>, tensor<3x4xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @softmax_cross_entropy
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[LABELS:[a-z0-9_]+]] = train.read @labels
// CHECK-DAG: %[[SOFTMAX_CROSS_ENTROPY:[a-z0-9_]+]], %[[SOFTMAX_CROSS_ENTROPY2:[a-z0-9_]+]] = nn.softmax_cross_entropy{{ +}}mean %[[X]], %[[LABELS]] ignore_index -100
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG: %[[RESHAPE:[a-z0-9_]+]] = nn.reshape %[[LABELS]] : tensor<3xi64> -> tensor<3x1xi64>
// CHECK-DAG: %[[IOTA:[a-z0-9_]+]] = nn.iota axis 0 : tensor<4xi64>
// CHECK-DAG: %[[COMPARE:[a-z0-9_]+]] = nn.compare{{ +}}eq %[[RESHAPE]], %[[IOTA]]
// CHECK-DAG: %[[SOFTMAX:[a-z0-9_]+]] = nn.softmax %[[X]] axis 1
// CHECK-DAG: %[[DIV:[a-z0-9_]+]] = nn.div %[[C]], %[[SOFTMAX_CROSS_ENTROPY2]]
// CHECK-DAG: %[[C2:[a-z0-9_]+]] = nn.constant dense<-100> : tensor<i64>
// CHECK-DAG: %[[COMPARE2:[a-z0-9_]+]] = nn.compare{{ +}}eq %[[RESHAPE]], %[[C2]]
// CHECK-DAG: %[[C3:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG: %[[SELECT:[a-z0-9_]+]] = nn.select %[[COMPARE2]], %[[C3]], %[[DIV]]
// CHECK-DAG: %[[SELECT2:[a-z0-9_]+]] = nn.select %[[COMPARE]], %[[C]], %[[C3]]
// CHECK-DAG: %[[SUB:[a-z0-9_]+]] = nn.sub %[[SOFTMAX]], %[[SELECT2]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[SUB]], %[[SELECT]]
// CHECK: train.gradient %[[MUL]], @x
train.program @softmax_cross_entropy {
  train.state parameter @x : tensor<3x4xf32>
  train.input @labels : tensor<3xi64>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %labels = train.read @labels : tensor<3xi64>
    %loss, %weight = nn.softmax_cross_entropy mean %x, %labels ignore_index -100 : tensor<3x4xf32>, tensor<3xi64>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @softmax_cross_entropy_smooth_weights
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[LABELS:[a-z0-9_]+]] = train.read @labels
// CHECK-DAG: %[[C:[a-z0-9_]+]] = train.read @w : tensor<4xf32>
// CHECK-DAG: %[[C2:[a-z0-9_]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG: %[[RESHAPE:[a-z0-9_]+]] = nn.reshape %[[LABELS]] : tensor<3xi64> -> tensor<3x1xi64>
// CHECK-DAG: %[[IOTA:[a-z0-9_]+]] = nn.iota axis 0 : tensor<4xi64>
// CHECK-DAG: %[[COMPARE:[a-z0-9_]+]] = nn.compare{{ +}}eq %[[RESHAPE]], %[[IOTA]]
// CHECK-DAG: %[[SOFTMAX:[a-z0-9_]+]] = nn.softmax %[[X]] axis 1
// CHECK-DAG: %[[C3:[a-z0-9_]+]] = nn.constant dense<-100> : tensor<i64>
// CHECK-DAG: %[[COMPARE2:[a-z0-9_]+]] = nn.compare{{ +}}eq %[[RESHAPE]], %[[C3]]
// CHECK-DAG: %[[C4:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG: %[[SELECT:[a-z0-9_]+]] = nn.select %[[COMPARE2]], %[[C4]], %[[C2]]
// CHECK-DAG: %[[C5:[a-z0-9_]+]] = nn.constant dense<0.899999976> : tensor<f32>
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[C]], %[[C5]]
// CHECK-DAG: %[[SELECT2:[a-z0-9_]+]] = nn.select %[[COMPARE]], %[[MUL]], %[[C4]]
// CHECK-DAG: %[[C6:[a-z0-9_]+]] = nn.constant dense<2.500000e-02> : tensor<f32>
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[C]], %[[C6]]
// CHECK-DAG: %[[ADD:[a-z0-9_]+]] = nn.add %[[SELECT2]], %[[MUL2]]
// CHECK-DAG: %[[SUM:[a-z0-9_]+]] = nn.sum %[[ADD]] axes [1] keepdims
// CHECK-DAG: %[[MUL3:[a-z0-9_]+]] = nn.mul %[[SOFTMAX]], %[[SUM]]
// CHECK-DAG: %[[SUB:[a-z0-9_]+]] = nn.sub %[[MUL3]], %[[ADD]]
// CHECK-DAG: %[[MUL4:[a-z0-9_]+]] = nn.mul %[[SUB]], %[[SELECT]]
// CHECK: train.gradient %[[MUL4]], @x
train.program @softmax_cross_entropy_smooth_weights {
  train.state parameter @x : tensor<3x4xf32>
  train.state constant @w : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
  train.input @labels : tensor<3xi64>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %labels = train.read @labels : tensor<3xi64>
    %w = train.read @w : tensor<4xf32>
    %loss, %weight = nn.softmax_cross_entropy sum %x, %labels weights %w ignore_index -100 {label_smoothing = 0.1 : f64} : tensor<3x4xf32>, tensor<3xi64>, tensor<4xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @nll_loss
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[LABELS:[a-z0-9_]+]] = train.read @labels
// CHECK-DAG: %[[NLL_LOSS:[a-z0-9_]+]], %[[NLL_LOSS2:[a-z0-9_]+]] = nn.nll_loss{{ +}}mean %[[X]], %[[LABELS]] ignore_index -100
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG: %[[RESHAPE:[a-z0-9_]+]] = nn.reshape %[[LABELS]] : tensor<3xi64> -> tensor<3x1xi64>
// CHECK-DAG: %[[IOTA:[a-z0-9_]+]] = nn.iota axis 0 : tensor<4xi64>
// CHECK-DAG: %[[COMPARE:[a-z0-9_]+]] = nn.compare{{ +}}eq %[[RESHAPE]], %[[IOTA]]
// CHECK-DAG: %[[DIV:[a-z0-9_]+]] = nn.div %[[C]], %[[NLL_LOSS2]]
// CHECK-DAG: %[[C2:[a-z0-9_]+]] = nn.constant dense<-100> : tensor<i64>
// CHECK-DAG: %[[COMPARE2:[a-z0-9_]+]] = nn.compare{{ +}}eq %[[RESHAPE]], %[[C2]]
// CHECK-DAG: %[[C3:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG: %[[SELECT:[a-z0-9_]+]] = nn.select %[[COMPARE2]], %[[C3]], %[[DIV]]
// CHECK-DAG: %[[NEG:[a-z0-9_]+]] = nn.neg %[[SELECT]]
// CHECK-DAG: %[[SELECT2:[a-z0-9_]+]] = nn.select %[[COMPARE]], %[[NEG]], %[[C3]]
// CHECK: train.gradient %[[SELECT2]], @x
train.program @nll_loss {
  train.state parameter @x : tensor<3x4xf32>
  train.input @labels : tensor<3xi64>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %labels = train.read @labels : tensor<3xi64>
    %loss, %weight = nn.nll_loss mean %x, %labels ignore_index -100 : tensor<3x4xf32>, tensor<3xi64>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
