// Gradient rules of elementwise functions.
// Each program's loss is sum(y * d), so that the gradient of y is %d.
// RUN: dlc-opt %s --split-input-file --dlc-resolve-modes --dlc-backward | FileCheck %s

// CHECK-LABEL: train.program @neg
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[NEG:[a-z0-9_]+]] = nn.neg %[[D]]
// CHECK: train.gradient %[[NEG]], @x
train.program @neg {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.neg %x : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @abs
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[SIGN:[a-z0-9_]+]] = nn.sign %[[X]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[D]], %[[SIGN]]
// CHECK: train.gradient %[[MUL]], @x
train.program @abs {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.abs %x : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @sign
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK: train.gradient %[[C]], @x
train.program @sign {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.sign %x : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @exp
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[EXP:[a-z0-9_]+]] = nn.exp %[[X]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[D]], %[[EXP]]
// CHECK: train.gradient %[[MUL]], @x
train.program @exp {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.exp %x : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @log
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[DIV:[a-z0-9_]+]] = nn.div %[[D]], %[[X]]
// CHECK: train.gradient %[[DIV]], @x
train.program @log {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.log %x : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @sqrt
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[SQRT:[a-z0-9_]+]] = nn.sqrt %[[X]]
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<5.000000e-01> : tensor<f32>
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[D]], %[[C]]
// CHECK-DAG: %[[DIV:[a-z0-9_]+]] = nn.div %[[MUL]], %[[SQRT]]
// CHECK: train.gradient %[[DIV]], @x
train.program @sqrt {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.sqrt %x : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @rsqrt
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[RSQRT:[a-z0-9_]+]] = nn.rsqrt %[[X]]
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<-5.000000e-01> : tensor<f32>
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[D]], %[[C]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[RSQRT]], %[[RSQRT]]
// CHECK-DAG: %[[MUL3:[a-z0-9_]+]] = nn.mul %[[MUL2]], %[[RSQRT]]
// CHECK-DAG: %[[MUL4:[a-z0-9_]+]] = nn.mul %[[MUL]], %[[MUL3]]
// CHECK: train.gradient %[[MUL4]], @x
train.program @rsqrt {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.rsqrt %x : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @reciprocal
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[RECIPROCAL:[a-z0-9_]+]] = nn.reciprocal %[[X]]
// CHECK-DAG: %[[NEG:[a-z0-9_]+]] = nn.neg %[[D]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[RECIPROCAL]], %[[RECIPROCAL]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[NEG]], %[[MUL]]
// CHECK: train.gradient %[[MUL2]], @x
train.program @reciprocal {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.reciprocal %x : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @erf
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[X]], %[[X]]
// CHECK-DAG: %[[NEG:[a-z0-9_]+]] = nn.neg %[[MUL]]
// CHECK-DAG: %[[EXP:[a-z0-9_]+]] = nn.exp %[[NEG]]
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<1.12837923> : tensor<f32>
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[C]], %[[EXP]]
// CHECK-DAG: %[[MUL3:[a-z0-9_]+]] = nn.mul %[[D]], %[[MUL2]]
// CHECK: train.gradient %[[MUL3]], @x
train.program @erf {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.erf %x : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @tanh
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[TANH:[a-z0-9_]+]] = nn.tanh %[[X]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[TANH]], %[[TANH]]
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG: %[[SUB:[a-z0-9_]+]] = nn.sub %[[C]], %[[MUL]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[D]], %[[SUB]]
// CHECK: train.gradient %[[MUL2]], @x
train.program @tanh {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.tanh %x : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @sigmoid
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[SIGMOID:[a-z0-9_]+]] = nn.sigmoid %[[X]]
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG: %[[SUB:[a-z0-9_]+]] = nn.sub %[[C]], %[[SIGMOID]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[SIGMOID]], %[[SUB]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[D]], %[[MUL]]
// CHECK: train.gradient %[[MUL2]], @x
train.program @sigmoid {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.sigmoid %x : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
