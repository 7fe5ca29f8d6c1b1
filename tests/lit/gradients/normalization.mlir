// Gradient rules of softmax and the normalizations.
// Each program's loss is sum(y * d), so that the gradient of y is %d.
// RUN: dlc-opt %s --split-input-file --dlc-resolve-modes --dlc-backward | FileCheck %s

// CHECK-LABEL: train.program @softmax
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[SOFTMAX:[a-z0-9_]+]] = nn.softmax %[[X]] axis 1
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[D]], %[[SOFTMAX]]
// CHECK-DAG: %[[SUM:[a-z0-9_]+]] = nn.sum %[[MUL]] axes [1] keepdims
// CHECK-DAG: %[[SUB:[a-z0-9_]+]] = nn.sub %[[D]], %[[SUM]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[SOFTMAX]], %[[SUB]]
// CHECK: train.gradient %[[MUL2]], @x
train.program @softmax {
  train.state parameter @x : tensor<3x4xf32>
  train.input @d : tensor<3x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %d = train.read @d : tensor<3x4xf32>
    %y = nn.softmax %x axis 1 : tensor<3x4xf32>
    %p = nn.mul %y, %d : tensor<3x4xf32>, tensor<3x4xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @log_softmax
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[LOG_SOFTMAX:[a-z0-9_]+]] = nn.log_softmax %[[X]] axis 1
// CHECK-DAG: %[[EXP:[a-z0-9_]+]] = nn.exp %[[LOG_SOFTMAX]]
// CHECK-DAG: %[[SUM:[a-z0-9_]+]] = nn.sum %[[D]] axes [1] keepdims
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[EXP]], %[[SUM]]
// CHECK-DAG: %[[SUB:[a-z0-9_]+]] = nn.sub %[[D]], %[[MUL]]
// CHECK: train.gradient %[[SUB]], @x
train.program @log_softmax {
  train.state parameter @x : tensor<3x4xf32>
  train.input @d : tensor<3x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %d = train.read @d : tensor<3x4xf32>
    %y = nn.log_softmax %x axis 1 : tensor<3x4xf32>
    %p = nn.mul %y, %d : tensor<3x4xf32>, tensor<3x4xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @layer_norm
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[SCALE:[a-z0-9_]+]] = train.read @scale
// CHECK-DAG: %[[BIAS:[a-z0-9_]+]] = train.read @bias
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[LAYER_NORM:[a-z0-9_]+]], %[[LAYER_NORM2:[a-z0-9_]+]], %[[LAYER_NORM3:[a-z0-9_]+]] = nn.layer_norm %[[X]], %[[SCALE]], %[[BIAS]] axis 1 epsilon 1.000000e-05
// CHECK-DAG: %[[SUB:[a-z0-9_]+]] = nn.sub %[[X]], %[[LAYER_NORM2]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[SUB]], %[[LAYER_NORM3]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[D]], %[[SCALE]]
// CHECK-DAG: %[[MEAN:[a-z0-9_]+]] = nn.mean %[[MUL2]] axes [1] keepdims
// CHECK-DAG: %[[SUB2:[a-z0-9_]+]] = nn.sub %[[MUL2]], %[[MEAN]]
// CHECK-DAG: %[[MUL3:[a-z0-9_]+]] = nn.mul %[[MUL2]], %[[MUL]]
// CHECK-DAG: %[[MEAN2:[a-z0-9_]+]] = nn.mean %[[MUL3]] axes [1] keepdims
// CHECK-DAG: %[[MUL4:[a-z0-9_]+]] = nn.mul %[[MUL]], %[[MEAN2]]
// CHECK-DAG: %[[SUB3:[a-z0-9_]+]] = nn.sub %[[SUB2]], %[[MUL4]]
// CHECK-DAG: %[[MUL5:[a-z0-9_]+]] = nn.mul %[[LAYER_NORM3]], %[[SUB3]]
// CHECK-DAG: %[[MUL6:[a-z0-9_]+]] = nn.mul %[[D]], %[[MUL]]
// CHECK-DAG: %[[SUM:[a-z0-9_]+]] = nn.sum %[[MUL6]] axes [0]
// CHECK-DAG: %[[SUM2:[a-z0-9_]+]] = nn.sum %[[D]] axes [0]
// CHECK: train.gradient %[[MUL5]], @x
// CHECK: train.gradient %[[SUM]], @scale
// CHECK: train.gradient %[[SUM2]], @bias
train.program @layer_norm {
  train.state parameter @x : tensor<3x4xf32>
  train.state parameter @scale : tensor<4xf32>
  train.state parameter @bias : tensor<4xf32>
  train.input @d : tensor<3x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %scale = train.read @scale : tensor<4xf32>
    %bias = train.read @bias : tensor<4xf32>
    %d = train.read @d : tensor<3x4xf32>
    %y, %mean, %rstd = nn.layer_norm %x, %scale, %bias axis 1 epsilon 1.0e-5 : tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>
    %p = nn.mul %y, %d : tensor<3x4xf32>, tensor<3x4xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @batch_norm
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[SCALE:[a-z0-9_]+]] = train.read @scale
// CHECK-DAG: %[[BIAS:[a-z0-9_]+]] = train.read @bias
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[BATCH_NORM:[a-z0-9_]+]], %[[BATCH_NORM2:[a-z0-9_]+]], %[[BATCH_NORM3:[a-z0-9_]+]] = nn.batch_norm %[[X]], %[[SCALE]], %[[BIAS]] epsilon 1.000000e-05
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<9.99999974E-6> : tensor<f32>
// CHECK-DAG: %[[ADD:[a-z0-9_]+]] = nn.add %[[BATCH_NORM3]], %[[C]]
// CHECK-DAG: %[[RSQRT:[a-z0-9_]+]] = nn.rsqrt %[[ADD]]
// CHECK-DAG: %[[SUB:[a-z0-9_]+]] = nn.sub %[[X]], %[[BATCH_NORM2]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[SUB]], %[[RSQRT]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[D]], %[[MUL]]
// CHECK-DAG: %[[SUM:[a-z0-9_]+]] = nn.sum %[[MUL2]] axes [0]
// CHECK-DAG: %[[SUM2:[a-z0-9_]+]] = nn.sum %[[D]] axes [0]
// CHECK-DAG: %[[C2:[a-z0-9_]+]] = nn.constant dense<3.000000e+00> : tensor<f32>
// CHECK-DAG: %[[DIV:[a-z0-9_]+]] = nn.div %[[SUM2]], %[[C2]]
// CHECK-DAG: %[[DIV2:[a-z0-9_]+]] = nn.div %[[SUM]], %[[C2]]
// CHECK-DAG: %[[MUL3:[a-z0-9_]+]] = nn.mul %[[SCALE]], %[[RSQRT]]
// CHECK-DAG: %[[SUB2:[a-z0-9_]+]] = nn.sub %[[D]], %[[DIV]]
// CHECK-DAG: %[[MUL4:[a-z0-9_]+]] = nn.mul %[[MUL]], %[[DIV2]]
// CHECK-DAG: %[[SUB3:[a-z0-9_]+]] = nn.sub %[[SUB2]], %[[MUL4]]
// CHECK-DAG: %[[MUL5:[a-z0-9_]+]] = nn.mul %[[MUL3]], %[[SUB3]]
// CHECK: train.gradient %[[MUL5]], @x
// CHECK: train.gradient %[[SUM]], @scale
// CHECK: train.gradient %[[SUM2]], @bias
train.program @batch_norm {
  train.state parameter @x : tensor<3x4xf32>
  train.state parameter @scale : tensor<4xf32>
  train.state parameter @bias : tensor<4xf32>
  train.input @d : tensor<3x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %scale = train.read @scale : tensor<4xf32>
    %bias = train.read @bias : tensor<4xf32>
    %d = train.read @d : tensor<3x4xf32>
    %y, %mean, %variance = nn.batch_norm %x, %scale, %bias epsilon 1.0e-5 : tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>
    %p = nn.mul %y, %d : tensor<3x4xf32>, tensor<3x4xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @batch_norm_planes
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[SCALE:[a-z0-9_]+]] = train.read @scale
// CHECK-DAG: %[[BIAS:[a-z0-9_]+]] = train.read @bias
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[BATCH_NORM:[a-z0-9_]+]], %[[BATCH_NORM2:[a-z0-9_]+]], %[[BATCH_NORM3:[a-z0-9_]+]] = nn.batch_norm %[[X]], %[[SCALE]], %[[BIAS]] epsilon 1.000000e-05
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<9.99999974E-6> : tensor<f32>
// CHECK-DAG: %[[ADD:[a-z0-9_]+]] = nn.add %[[BATCH_NORM3]], %[[C]]
// CHECK-DAG: %[[RSQRT:[a-z0-9_]+]] = nn.rsqrt %[[ADD]]
// CHECK-DAG: %[[RESHAPE:[a-z0-9_]+]] = nn.reshape %[[BATCH_NORM2]] : tensor<4xf32> -> tensor<4x1xf32>
// CHECK-DAG: %[[SUB:[a-z0-9_]+]] = nn.sub %[[X]], %[[RESHAPE]]
// CHECK-DAG: %[[RESHAPE2:[a-z0-9_]+]] = nn.reshape %[[RSQRT]] : tensor<4xf32> -> tensor<4x1xf32>
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[SUB]], %[[RESHAPE2]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[D]], %[[MUL]]
// CHECK-DAG: %[[SUM:[a-z0-9_]+]] = nn.sum %[[MUL2]] axes [0, 2]
// CHECK-DAG: %[[SUM2:[a-z0-9_]+]] = nn.sum %[[D]] axes [0, 2]
// CHECK-DAG: %[[C2:[a-z0-9_]+]] = nn.constant dense<1.500000e+01> : tensor<f32>
// CHECK-DAG: %[[DIV:[a-z0-9_]+]] = nn.div %[[SUM2]], %[[C2]]
// CHECK-DAG: %[[RESHAPE3:[a-z0-9_]+]] = nn.reshape %[[DIV]] : tensor<4xf32> -> tensor<4x1xf32>
// CHECK-DAG: %[[DIV2:[a-z0-9_]+]] = nn.div %[[SUM]], %[[C2]]
// CHECK-DAG: %[[RESHAPE4:[a-z0-9_]+]] = nn.reshape %[[DIV2]] : tensor<4xf32> -> tensor<4x1xf32>
// CHECK-DAG: %[[MUL3:[a-z0-9_]+]] = nn.mul %[[SCALE]], %[[RSQRT]]
// CHECK-DAG: %[[RESHAPE5:[a-z0-9_]+]] = nn.reshape %[[MUL3]] : tensor<4xf32> -> tensor<4x1xf32>
// CHECK-DAG: %[[SUB2:[a-z0-9_]+]] = nn.sub %[[D]], %[[RESHAPE3]]
// CHECK-DAG: %[[MUL4:[a-z0-9_]+]] = nn.mul %[[MUL]], %[[RESHAPE4]]
// CHECK-DAG: %[[SUB3:[a-z0-9_]+]] = nn.sub %[[SUB2]], %[[MUL4]]
// CHECK-DAG: %[[MUL5:[a-z0-9_]+]] = nn.mul %[[RESHAPE5]], %[[SUB3]]
// CHECK: train.gradient %[[MUL5]], @x
// CHECK: train.gradient %[[SUM]], @scale
// CHECK: train.gradient %[[SUM2]], @bias
train.program @batch_norm_planes {
  train.state parameter @x : tensor<3x4x5xf32>
  train.state parameter @scale : tensor<4xf32>
  train.state parameter @bias : tensor<4xf32>
  train.input @d : tensor<3x4x5xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4x5xf32>
    %scale = train.read @scale : tensor<4xf32>
    %bias = train.read @bias : tensor<4xf32>
    %d = train.read @d : tensor<3x4x5xf32>
    %y, %mean, %variance = nn.batch_norm %x, %scale, %bias epsilon 1.0e-5 : tensor<3x4x5xf32>, tensor<4xf32>, tensor<4xf32>
    %p = nn.mul %y, %d : tensor<3x4x5xf32>, tensor<3x4x5xf32>
    %loss = nn.sum %p axes [0, 1, 2] : tensor<3x4x5xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @batch_norm_inference
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[SCALE:[a-z0-9_]+]] = train.read @scale
// CHECK-DAG: %[[MEAN:[a-z0-9_]+]] = train.read @mean
// CHECK-DAG: %[[VARIANCE:[a-z0-9_]+]] = train.read @variance
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<9.99999974E-6> : tensor<f32>
// CHECK-DAG: %[[ADD:[a-z0-9_]+]] = nn.add %[[VARIANCE]], %[[C]]
// CHECK-DAG: %[[RSQRT:[a-z0-9_]+]] = nn.rsqrt %[[ADD]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[SCALE]], %[[RSQRT]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[D]], %[[MUL]]
// CHECK-DAG: %[[SUB:[a-z0-9_]+]] = nn.sub %[[X]], %[[MEAN]]
// CHECK-DAG: %[[MUL3:[a-z0-9_]+]] = nn.mul %[[D]], %[[SUB]]
// CHECK-DAG: %[[MUL4:[a-z0-9_]+]] = nn.mul %[[MUL3]], %[[RSQRT]]
// CHECK-DAG: %[[SUM:[a-z0-9_]+]] = nn.sum %[[MUL4]] axes [0]
// CHECK-DAG: %[[SUM2:[a-z0-9_]+]] = nn.sum %[[D]] axes [0]
// CHECK: train.gradient %[[MUL2]], @x
// CHECK: train.gradient %[[SUM]], @scale
// CHECK: train.gradient %[[SUM2]], @bias
train.program @batch_norm_inference {
  train.state parameter @x : tensor<3x4xf32>
  train.state parameter @scale : tensor<4xf32>
  train.state parameter @bias : tensor<4xf32>
  train.input @mean : tensor<4xf32>
  train.input @variance : tensor<4xf32>
  train.input @d : tensor<3x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %scale = train.read @scale : tensor<4xf32>
    %bias = train.read @bias : tensor<4xf32>
    %mean = train.read @mean : tensor<4xf32>
    %variance = train.read @variance : tensor<4xf32>
    %d = train.read @d : tensor<3x4xf32>
    %y = nn.batch_norm_inference %x, %scale, %bias, %mean, %variance epsilon 1.0e-5 : tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    %p = nn.mul %y, %d : tensor<3x4xf32>, tensor<3x4xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
