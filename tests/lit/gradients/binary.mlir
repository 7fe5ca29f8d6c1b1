// Gradient rules of elementwise operations with two operands: the broadcast one gets a sum.
// Each program's loss is sum(y * d), so that the gradient of y is %d.
// RUN: dlc-opt %s --split-input-file --dlc-resolve-modes --dlc-backward | FileCheck %s

// CHECK-LABEL: train.program @add
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[SUM:[a-z0-9_]+]] = nn.sum %[[D]] axes [0]
// CHECK: train.gradient %[[D]], @a
// CHECK: train.gradient %[[SUM]], @b
train.program @add {
  train.state parameter @a : tensor<3x4xf32>
  train.state parameter @b : tensor<4xf32>
  train.input @d : tensor<3x4xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<3x4xf32>
    %b = train.read @b : tensor<4xf32>
    %d = train.read @d : tensor<3x4xf32>
    %y = nn.add %a, %b : tensor<3x4xf32>, tensor<4xf32>
    %p = nn.mul %y, %d : tensor<3x4xf32>, tensor<3x4xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @sub
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[NEG:[a-z0-9_]+]] = nn.neg %[[D]]
// CHECK-DAG: %[[SUM:[a-z0-9_]+]] = nn.sum %[[NEG]] axes [0]
// CHECK: train.gradient %[[D]], @a
// CHECK: train.gradient %[[SUM]], @b
train.program @sub {
  train.state parameter @a : tensor<3x4xf32>
  train.state parameter @b : tensor<4xf32>
  train.input @d : tensor<3x4xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<3x4xf32>
    %b = train.read @b : tensor<4xf32>
    %d = train.read @d : tensor<3x4xf32>
    %y = nn.sub %a, %b : tensor<3x4xf32>, tensor<4xf32>
    %p = nn.mul %y, %d : tensor<3x4xf32>, tensor<3x4xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @mul
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[A:[a-z0-9_]+]] = train.read @a
// CHECK-DAG: %[[B:[a-z0-9_]+]] = train.read @b
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[D]], %[[B]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[D]], %[[A]]
// CHECK-DAG: %[[SUM:[a-z0-9_]+]] = nn.sum %[[MUL2]] axes [0]
// CHECK: train.gradient %[[MUL]], @a
// CHECK: train.gradient %[[SUM]], @b
train.program @mul {
  train.state parameter @a : tensor<3x4xf32>
  train.state parameter @b : tensor<4xf32>
  train.input @d : tensor<3x4xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<3x4xf32>
    %b = train.read @b : tensor<4xf32>
    %d = train.read @d : tensor<3x4xf32>
    %y = nn.mul %a, %b : tensor<3x4xf32>, tensor<4xf32>
    %p = nn.mul %y, %d : tensor<3x4xf32>, tensor<3x4xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @div
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[A:[a-z0-9_]+]] = train.read @a
// CHECK-DAG: %[[B:[a-z0-9_]+]] = train.read @b
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[DIV:[a-z0-9_]+]] = nn.div %[[A]], %[[B]]
// CHECK-DAG: %[[DIV2:[a-z0-9_]+]] = nn.div %[[D]], %[[B]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[DIV2]], %[[DIV]]
// CHECK-DAG: %[[NEG:[a-z0-9_]+]] = nn.neg %[[MUL]]
// CHECK-DAG: %[[SUM:[a-z0-9_]+]] = nn.sum %[[NEG]] axes [0]
// CHECK: train.gradient %[[DIV2]], @a
// CHECK: train.gradient %[[SUM]], @b
train.program @div {
  train.state parameter @a : tensor<3x4xf32>
  train.state parameter @b : tensor<4xf32>
  train.input @d : tensor<3x4xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<3x4xf32>
    %b = train.read @b : tensor<4xf32>
    %d = train.read @d : tensor<3x4xf32>
    %y = nn.div %a, %b : tensor<3x4xf32>, tensor<4xf32>
    %p = nn.mul %y, %d : tensor<3x4xf32>, tensor<3x4xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @max
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[A:[a-z0-9_]+]] = train.read @a
// CHECK-DAG: %[[B:[a-z0-9_]+]] = train.read @b
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[COMPARE:[a-z0-9_]+]] = nn.compare{{ +}}lt %[[A]], %[[B]]
// CHECK-DAG: %[[COMPARE2:[a-z0-9_]+]] = nn.compare{{ +}}eq %[[A]], %[[B]]
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<5.000000e-01> : tensor<f32>
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[D]], %[[C]]
// CHECK-DAG: %[[SELECT:[a-z0-9_]+]] = nn.select %[[COMPARE2]], %[[MUL]], %[[D]]
// CHECK-DAG: %[[C2:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG: %[[SELECT2:[a-z0-9_]+]] = nn.select %[[COMPARE]], %[[C2]], %[[SELECT]]
// CHECK-DAG: %[[COMPARE3:[a-z0-9_]+]] = nn.compare{{ +}}lt %[[B]], %[[A]]
// CHECK-DAG: %[[SELECT3:[a-z0-9_]+]] = nn.select %[[COMPARE3]], %[[C2]], %[[SELECT]]
// CHECK-DAG: %[[SUM:[a-z0-9_]+]] = nn.sum %[[SELECT3]] axes [0]
// CHECK: train.gradient %[[SELECT2]], @a
// CHECK: train.gradient %[[SUM]], @b
train.program @max {
  train.state parameter @a : tensor<3x4xf32>
  train.state parameter @b : tensor<4xf32>
  train.input @d : tensor<3x4xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<3x4xf32>
    %b = train.read @b : tensor<4xf32>
    %d = train.read @d : tensor<3x4xf32>
    %y = nn.max %a, %b : tensor<3x4xf32>, tensor<4xf32>
    %p = nn.mul %y, %d : tensor<3x4xf32>, tensor<3x4xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @min
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[A:[a-z0-9_]+]] = train.read @a
// CHECK-DAG: %[[B:[a-z0-9_]+]] = train.read @b
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[COMPARE:[a-z0-9_]+]] = nn.compare{{ +}}gt %[[A]], %[[B]]
// CHECK-DAG: %[[COMPARE2:[a-z0-9_]+]] = nn.compare{{ +}}eq %[[A]], %[[B]]
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<5.000000e-01> : tensor<f32>
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[D]], %[[C]]
// CHECK-DAG: %[[SELECT:[a-z0-9_]+]] = nn.select %[[COMPARE2]], %[[MUL]], %[[D]]
// CHECK-DAG: %[[C2:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG: %[[SELECT2:[a-z0-9_]+]] = nn.select %[[COMPARE]], %[[C2]], %[[SELECT]]
// CHECK-DAG: %[[COMPARE3:[a-z0-9_]+]] = nn.compare{{ +}}gt %[[B]], %[[A]]
// CHECK-DAG: %[[SELECT3:[a-z0-9_]+]] = nn.select %[[COMPARE3]], %[[C2]], %[[SELECT]]
// CHECK-DAG: %[[SUM:[a-z0-9_]+]] = nn.sum %[[SELECT3]] axes [0]
// CHECK: train.gradient %[[SELECT2]], @a
// CHECK: train.gradient %[[SUM]], @b
train.program @min {
  train.state parameter @a : tensor<3x4xf32>
  train.state parameter @b : tensor<4xf32>
  train.input @d : tensor<3x4xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<3x4xf32>
    %b = train.read @b : tensor<4xf32>
    %d = train.read @d : tensor<3x4xf32>
    %y = nn.min %a, %b : tensor<3x4xf32>, tensor<4xf32>
    %p = nn.mul %y, %d : tensor<3x4xf32>, tensor<3x4xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @pow
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[A:[a-z0-9_]+]] = train.read @a
// CHECK-DAG: %[[B:[a-z0-9_]+]] = train.read @b
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[POW:[a-z0-9_]+]] = nn.pow %[[A]], %[[B]]
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG: %[[COMPARE:[a-z0-9_]+]] = nn.compare{{ +}}eq %[[B]], %[[C]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[D]], %[[B]]
// CHECK-DAG: %[[C2:[a-z0-9_]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG: %[[SUB:[a-z0-9_]+]] = nn.sub %[[B]], %[[C2]]
// CHECK-DAG: %[[POW2:[a-z0-9_]+]] = nn.pow %[[A]], %[[SUB]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[MUL]], %[[POW2]]
// CHECK-DAG: %[[SELECT:[a-z0-9_]+]] = nn.select %[[COMPARE]], %[[C]], %[[MUL2]]
// CHECK-DAG: %[[ZERO:[a-z0-9_]+]] = nn.compare{{ +}}eq %[[A]], %[[C]]
// CHECK-DAG: %[[RISES:[a-z0-9_]+]] = nn.compare{{ +}}ge %[[B]], %[[C]]
// CHECK-DAG: %[[FLAT:[a-z0-9_]+]] = nn.logical_and %[[ZERO]], %[[RISES]]
// CHECK-DAG: %[[MUL3:[a-z0-9_]+]] = nn.mul %[[D]], %[[POW]]
// CHECK-DAG: %[[LOG:[a-z0-9_]+]] = nn.log %[[A]]
// CHECK-DAG: %[[MUL4:[a-z0-9_]+]] = nn.mul %[[MUL3]], %[[LOG]]
// CHECK-DAG: %[[SELECT2:[a-z0-9_]+]] = nn.select %[[FLAT]], %[[C]], %[[MUL4]]
// CHECK-DAG: %[[SUM:[a-z0-9_]+]] = nn.sum %[[SELECT2]] axes [0]
// CHECK: train.gradient %[[SELECT]], @a
// CHECK: train.gradient %[[SUM]], @b
train.program @pow {
  train.state parameter @a : tensor<3x4xf32>
  train.state parameter @b : tensor<4xf32>
  train.input @d : tensor<3x4xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<3x4xf32>
    %b = train.read @b : tensor<4xf32>
    %d = train.read @d : tensor<3x4xf32>
    %y = nn.pow %a, %b : tensor<3x4xf32>, tensor<4xf32>
    %p = nn.mul %y, %d : tensor<3x4xf32>, tensor<3x4xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// A known exponent gives no general power.
// CHECK-LABEL: train.program @square
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[A:[a-z0-9_]+]] = train.read @a
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<2.000000e+00> : tensor<f32>
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[D]], %[[C]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[MUL]], %[[A]]
// CHECK: train.gradient %[[MUL2]], @a
train.program @square {
  train.state parameter @a : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %two = nn.constant dense<2.0> : tensor<f32>
    %y = nn.pow %a, %two : tensor<4xf32>, tensor<f32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @cube
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[A:[a-z0-9_]+]] = train.read @a
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[THREE:[a-z0-9_]+]] = nn.constant dense<3.000000e+00> : tensor<f32>
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[D]], %[[THREE]]
// CHECK-DAG: %[[TWO:[a-z0-9_]+]] = nn.constant dense<2.000000e+00> : tensor<f32>
// CHECK-DAG: %[[POW:[a-z0-9_]+]] = nn.pow %[[A]], %[[TWO]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[MUL]], %[[POW]]
// CHECK: train.gradient %[[MUL2]], @a
train.program @cube {
  train.state parameter @a : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %three = nn.constant dense<3.0> : tensor<f32>
    %y = nn.pow %a, %three : tensor<4xf32>, tensor<f32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @select
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[C:[a-z0-9_]+]] = train.read @c
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[C2:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG: %[[SELECT:[a-z0-9_]+]] = nn.select %[[C]], %[[D]], %[[C2]]
// CHECK-DAG: %[[SELECT2:[a-z0-9_]+]] = nn.select %[[C]], %[[C2]], %[[D]]
// CHECK-DAG: %[[SUM:[a-z0-9_]+]] = nn.sum %[[SELECT2]] axes [0]
// CHECK: train.gradient %[[SELECT]], @a
// CHECK: train.gradient %[[SUM]], @b
train.program @select {
  train.state parameter @a : tensor<3x4xf32>
  train.state parameter @b : tensor<4xf32>
  train.input @c : tensor<3x1xi1>
  train.input @d : tensor<3x4xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<3x4xf32>
    %b = train.read @b : tensor<4xf32>
    %c = train.read @c : tensor<3x1xi1>
    %d = train.read @d : tensor<3x4xf32>
    %y = nn.select %c, %a, %b : tensor<3x1xi1>, tensor<3x4xf32>, tensor<4xf32>
    %p = nn.mul %y, %d : tensor<3x4xf32>, tensor<3x4xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
