// Gradient rules of reductions.
// Each program's loss is sum(y * d), so that the gradient of y is %d.
// RUN: dlc-opt %s --split-input-file --dlc-resolve-modes --dlc-backward | FileCheck %s

// CHECK-LABEL: train.program @sum
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[RESHAPE:[a-z0-9_]+]] = nn.reshape %[[D]] : tensor<3xf32> -> tensor<3x1xf32>
// CHECK-DAG: %[[EXPAND:[a-z0-9_]+]] = nn.expand %[[RESHAPE]] : tensor<3x1xf32> -> tensor<3x4xf32>
// CHECK: train.gradient %[[EXPAND]], @x
train.program @sum {
  train.state parameter @x : tensor<3x4xf32>
  train.input @d : tensor<3xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %d = train.read @d : tensor<3xf32>
    %y = nn.sum %x axes [1] : tensor<3x4xf32>
    %p = nn.mul %y, %d : tensor<3xf32>, tensor<3xf32>
    %loss = nn.sum %p axes [0] : tensor<3xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @sum_keepdims
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[EXPAND:[a-z0-9_]+]] = nn.expand %[[D]] : tensor<3x1xf32> -> tensor<3x4xf32>
// CHECK: train.gradient %[[EXPAND]], @x
train.program @sum_keepdims {
  train.state parameter @x : tensor<3x4xf32>
  train.input @d : tensor<3x1xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %d = train.read @d : tensor<3x1xf32>
    %y = nn.sum %x axes [1] keepdims : tensor<3x4xf32>
    %p = nn.mul %y, %d : tensor<3x1xf32>, tensor<3x1xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x1xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @mean
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<4.000000e+00> : tensor<f32>
// CHECK-DAG: %[[DIV:[a-z0-9_]+]] = nn.div %[[D]], %[[C]]
// CHECK-DAG: %[[RESHAPE:[a-z0-9_]+]] = nn.reshape %[[DIV]] : tensor<3xf32> -> tensor<3x1xf32>
// CHECK-DAG: %[[EXPAND:[a-z0-9_]+]] = nn.expand %[[RESHAPE]] : tensor<3x1xf32> -> tensor<3x4xf32>
// CHECK: train.gradient %[[EXPAND]], @x
train.program @mean {
  train.state parameter @x : tensor<3x4xf32>
  train.input @d : tensor<3xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %d = train.read @d : tensor<3xf32>
    %y = nn.mean %x axes [1] : tensor<3x4xf32>
    %p = nn.mul %y, %d : tensor<3xf32>, tensor<3xf32>
    %loss = nn.sum %p axes [0] : tensor<3xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @reduce_max
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[REDUCE_MAX:[a-z0-9_]+]] = nn.reduce_max %[[X]] axes [1]
// CHECK-DAG: %[[RESHAPE:[a-z0-9_]+]] = nn.reshape %[[REDUCE_MAX]] : tensor<3xf32> -> tensor<3x1xf32>
// CHECK-DAG: %[[COMPARE:[a-z0-9_]+]] = nn.compare{{ +}}eq %[[X]], %[[RESHAPE]]
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<3x4xf32>
// CHECK-DAG: %[[C2:[a-z0-9_]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG: %[[SELECT:[a-z0-9_]+]] = nn.select %[[COMPARE]], %[[C2]], %[[C]]
// CHECK-DAG: %[[SUM:[a-z0-9_]+]] = nn.sum %[[SELECT]] axes [1] keepdims
// CHECK-DAG: %[[RESHAPE2:[a-z0-9_]+]] = nn.reshape %[[D]] : tensor<3xf32> -> tensor<3x1xf32>
// CHECK-DAG: %[[DIV:[a-z0-9_]+]] = nn.div %[[RESHAPE2]], %[[SUM]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[SELECT]], %[[DIV]]
// CHECK: train.gradient %[[MUL]], @x
train.program @reduce_max {
  train.state parameter @x : tensor<3x4xf32>
  train.input @d : tensor<3xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %d = train.read @d : tensor<3xf32>
    %y = nn.reduce_max %x axes [1] : tensor<3x4xf32>
    %p = nn.mul %y, %d : tensor<3xf32>, tensor<3xf32>
    %loss = nn.sum %p axes [0] : tensor<3xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @reduce_min
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[REDUCE_MIN:[a-z0-9_]+]] = nn.reduce_min %[[X]] axes [1]
// CHECK-DAG: %[[RESHAPE:[a-z0-9_]+]] = nn.reshape %[[REDUCE_MIN]] : tensor<3xf32> -> tensor<3x1xf32>
// CHECK-DAG: %[[COMPARE:[a-z0-9_]+]] = nn.compare{{ +}}eq %[[X]], %[[RESHAPE]]
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<3x4xf32>
// CHECK-DAG: %[[C2:[a-z0-9_]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG: %[[SELECT:[a-z0-9_]+]] = nn.select %[[COMPARE]], %[[C2]], %[[C]]
// CHECK-DAG: %[[SUM:[a-z0-9_]+]] = nn.sum %[[SELECT]] axes [1] keepdims
// CHECK-DAG: %[[RESHAPE2:[a-z0-9_]+]] = nn.reshape %[[D]] : tensor<3xf32> -> tensor<3x1xf32>
// CHECK-DAG: %[[DIV:[a-z0-9_]+]] = nn.div %[[RESHAPE2]], %[[SUM]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[SELECT]], %[[DIV]]
// CHECK: train.gradient %[[MUL]], @x
train.program @reduce_min {
  train.state parameter @x : tensor<3x4xf32>
  train.input @d : tensor<3xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %d = train.read @d : tensor<3xf32>
    %y = nn.reduce_min %x axes [1] : tensor<3x4xf32>
    %p = nn.mul %y, %d : tensor<3xf32>, tensor<3xf32>
    %loss = nn.sum %p axes [0] : tensor<3xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @prod
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG: %[[COMPARE:[a-z0-9_]+]] = nn.compare{{ +}}eq %[[X]], %[[C]]
// CHECK-DAG: %[[C2:[a-z0-9_]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG: %[[SELECT:[a-z0-9_]+]] = nn.select %[[COMPARE]], %[[C2]], %[[X]]
// CHECK-DAG: %[[PROD:[a-z0-9_]+]] = nn.prod %[[SELECT]] axes [1] keepdims
// CHECK-DAG: %[[C3:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<3x4xf32>
// CHECK-DAG: %[[SELECT2:[a-z0-9_]+]] = nn.select %[[COMPARE]], %[[C2]], %[[C3]]
// CHECK-DAG: %[[SUM:[a-z0-9_]+]] = nn.sum %[[SELECT2]] axes [1] keepdims
// CHECK-DAG: %[[COMPARE2:[a-z0-9_]+]] = nn.compare{{ +}}eq %[[SUM]], %[[C2]]
// CHECK-DAG: %[[C4:[a-z0-9_]+]] = nn.constant dense<2.000000e+00> : tensor<f32>
// CHECK-DAG: %[[COMPARE4:[a-z0-9_]+]] = nn.compare{{ +}}eq %[[SUM]], %[[C4]]
// CHECK-DAG: %[[ZEROS:[a-z0-9_]+]] = nn.select %[[COMPARE]], %[[X]], %[[C]]
// CHECK-DAG: %[[OTHERS:[a-z0-9_]+]] = nn.sum %[[ZEROS]] axes [1] keepdims
// CHECK-DAG: %[[SUB:[a-z0-9_]+]] = nn.sub %[[OTHERS]], %[[X]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[SUB]], %[[PROD]]
// CHECK-DAG: %[[SELECT6:[a-z0-9_]+]] = nn.select %[[COMPARE4]], %[[MUL2]], %[[C]]
// CHECK-DAG: %[[SELECT3:[a-z0-9_]+]] = nn.select %[[COMPARE2]], %[[PROD]], %[[SELECT6]]
// CHECK-DAG: %[[COMPARE3:[a-z0-9_]+]] = nn.compare{{ +}}eq %[[SUM]], %[[C]]
// CHECK-DAG: %[[DIV:[a-z0-9_]+]] = nn.div %[[PROD]], %[[SELECT]]
// CHECK-DAG: %[[MUL3:[a-z0-9_]+]] = nn.mul %[[OTHERS]], %[[DIV]]
// CHECK-DAG: %[[SELECT7:[a-z0-9_]+]] = nn.select %[[COMPARE2]], %[[MUL3]], %[[C]]
// CHECK-DAG: %[[SELECT4:[a-z0-9_]+]] = nn.select %[[COMPARE3]], %[[DIV]], %[[SELECT7]]
// CHECK-DAG: %[[RESHAPE:[a-z0-9_]+]] = nn.reshape %[[D]] : tensor<3xf32> -> tensor<3x1xf32>
// CHECK-DAG: %[[SELECT5:[a-z0-9_]+]] = nn.select %[[COMPARE]], %[[SELECT3]], %[[SELECT4]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[RESHAPE]], %[[SELECT5]]
// CHECK: train.gradient %[[MUL]], @x
train.program @prod {
  train.state parameter @x : tensor<3x4xf32>
  train.input @d : tensor<3xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %d = train.read @d : tensor<3xf32>
    %y = nn.prod %x axes [1] : tensor<3x4xf32>
    %p = nn.mul %y, %d : tensor<3xf32>, tensor<3xf32>
    %loss = nn.sum %p axes [0] : tensor<3xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
