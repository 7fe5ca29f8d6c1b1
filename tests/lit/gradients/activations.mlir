// Gradient rules of activations.
// Each program's loss is sum(y * d), so that the gradient of y is %d.
// RUN: dlc-opt %s --split-input-file --dlc-resolve-modes --dlc-backward | FileCheck %s

// CHECK-LABEL: train.program @relu
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[RELU:[a-z0-9_]+]] = nn.relu %[[X]]
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG: %[[COMPARE:[a-z0-9_]+]] = nn.compare{{ +}}le %[[RELU]], %[[C]]
// CHECK-DAG: %[[SELECT:[a-z0-9_]+]] = nn.select %[[COMPARE]], %[[C]], %[[D]]
// CHECK: train.gradient %[[SELECT]], @x
train.program @relu {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.relu %x : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @silu
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[SIGMOID:[a-z0-9_]+]] = nn.sigmoid %[[X]]
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG: %[[SUB:[a-z0-9_]+]] = nn.sub %[[C]], %[[SIGMOID]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[X]], %[[SUB]]
// CHECK-DAG: %[[ADD:[a-z0-9_]+]] = nn.add %[[C]], %[[MUL]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[SIGMOID]], %[[ADD]]
// CHECK-DAG: %[[MUL3:[a-z0-9_]+]] = nn.mul %[[D]], %[[MUL2]]
// CHECK: train.gradient %[[MUL3]], @x
train.program @silu {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.silu %x : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @softplus
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[SIGMOID:[a-z0-9_]+]] = nn.sigmoid %[[X]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[D]], %[[SIGMOID]]
// CHECK: train.gradient %[[MUL]], @x
train.program @softplus {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.softplus %x : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @softsign
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[ABS:[a-z0-9_]+]] = nn.abs %[[X]]
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG: %[[ADD:[a-z0-9_]+]] = nn.add %[[C]], %[[ABS]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[ADD]], %[[ADD]]
// CHECK-DAG: %[[DIV:[a-z0-9_]+]] = nn.div %[[D]], %[[MUL]]
// CHECK: train.gradient %[[DIV]], @x
train.program @softsign {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.softsign %x : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @gelu
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<-0.707106769> : tensor<f32>
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[X]], %[[C]]
// CHECK-DAG: %[[ERFC:[a-z0-9_]+]] = nn.erfc %[[MUL]]
// CHECK-DAG: %[[C3:[a-z0-9_]+]] = nn.constant dense<5.000000e-01> : tensor<f32>
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[C3]], %[[ERFC]]
// CHECK-DAG: %[[MUL3:[a-z0-9_]+]] = nn.mul %[[X]], %[[X]]
// CHECK-DAG: %[[C4:[a-z0-9_]+]] = nn.constant dense<-5.000000e-01> : tensor<f32>
// CHECK-DAG: %[[MUL4:[a-z0-9_]+]] = nn.mul %[[C4]], %[[MUL3]]
// CHECK-DAG: %[[EXP:[a-z0-9_]+]] = nn.exp %[[MUL4]]
// CHECK-DAG: %[[C5:[a-z0-9_]+]] = nn.constant dense<0.398942292> : tensor<f32>
// CHECK-DAG: %[[MUL5:[a-z0-9_]+]] = nn.mul %[[C5]], %[[EXP]]
// CHECK-DAG: %[[MUL6:[a-z0-9_]+]] = nn.mul %[[X]], %[[MUL5]]
// CHECK-DAG: %[[ADD2:[a-z0-9_]+]] = nn.add %[[MUL2]], %[[MUL6]]
// CHECK-DAG: %[[MUL7:[a-z0-9_]+]] = nn.mul %[[D]], %[[ADD2]]
// CHECK: train.gradient %[[MUL7]], @x
train.program @gelu {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.gelu %x : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @gelu_tanh
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[X]], %[[X]]
// CHECK-DAG: %[[MUL2:[a-z0-9_]+]] = nn.mul %[[MUL]], %[[X]]
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<4.471500e-02> : tensor<f32>
// CHECK-DAG: %[[MUL3:[a-z0-9_]+]] = nn.mul %[[C]], %[[MUL2]]
// CHECK-DAG: %[[ADD:[a-z0-9_]+]] = nn.add %[[X]], %[[MUL3]]
// CHECK-DAG: %[[C2:[a-z0-9_]+]] = nn.constant dense<1.59576917> : tensor<f32>
// CHECK-DAG: %[[MUL4:[a-z0-9_]+]] = nn.mul %[[C2]], %[[ADD]]
// CHECK-DAG: %[[SIGMOID:[a-z0-9_]+]] = nn.sigmoid %[[MUL4]]
// CHECK-DAG: %[[C3:[a-z0-9_]+]] = nn.constant dense<1.341450e-01> : tensor<f32>
// CHECK-DAG: %[[MUL5:[a-z0-9_]+]] = nn.mul %[[C3]], %[[MUL]]
// CHECK-DAG: %[[C4:[a-z0-9_]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG: %[[ADD2:[a-z0-9_]+]] = nn.add %[[C4]], %[[MUL5]]
// CHECK-DAG: %[[MUL6:[a-z0-9_]+]] = nn.mul %[[C2]], %[[ADD2]]
// CHECK-DAG: %[[SUB:[a-z0-9_]+]] = nn.sub %[[C4]], %[[SIGMOID]]
// CHECK-DAG: %[[MUL7:[a-z0-9_]+]] = nn.mul %[[SIGMOID]], %[[SUB]]
// CHECK-DAG: %[[MUL8:[a-z0-9_]+]] = nn.mul %[[MUL7]], %[[MUL6]]
// CHECK-DAG: %[[MUL9:[a-z0-9_]+]] = nn.mul %[[X]], %[[MUL8]]
// CHECK-DAG: %[[ADD3:[a-z0-9_]+]] = nn.add %[[SIGMOID]], %[[MUL9]]
// CHECK-DAG: %[[MUL12:[a-z0-9_]+]] = nn.mul %[[D]], %[[ADD3]]
// CHECK: train.gradient %[[MUL12]], @x
train.program @gelu_tanh {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.gelu %x {tanh} : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @leaky_relu
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[LEAKY_RELU:[a-z0-9_]+]] = nn.leaky_relu %[[X]] {alpha = 1.000000e-01 : f64}
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG: %[[COMPARE:[a-z0-9_]+]] = nn.compare{{ +}}gt %[[LEAKY_RELU]], %[[C]]
// CHECK-DAG: %[[C2:[a-z0-9_]+]] = nn.constant dense<1.000000e-01> : tensor<f32>
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[D]], %[[C2]]
// CHECK-DAG: %[[SELECT:[a-z0-9_]+]] = nn.select %[[COMPARE]], %[[D]], %[[MUL]]
// CHECK: train.gradient %[[SELECT]], @x
train.program @leaky_relu {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.leaky_relu %x {alpha = 0.1 : f64} : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @elu
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[ELU:[a-z0-9_]+]] = nn.elu %[[X]] {alpha = 1.000000e+00 : f64}
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG: %[[COMPARE:[a-z0-9_]+]] = nn.compare{{ +}}gt %[[ELU]], %[[C]]
// CHECK-DAG: %[[C2:[a-z0-9_]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG: %[[ADD:[a-z0-9_]+]] = nn.add %[[ELU]], %[[C2]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[D]], %[[ADD]]
// CHECK-DAG: %[[SELECT:[a-z0-9_]+]] = nn.select %[[COMPARE]], %[[D]], %[[MUL]]
// CHECK: train.gradient %[[SELECT]], @x
train.program @elu {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.elu %x {alpha = 1.0 : f64} : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @hard_sigmoid
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[HARD_SIGMOID:[a-z0-9_]+]] = nn.hard_sigmoid %[[X]] {alpha = 2.000000e-01 : f64, beta = 5.000000e-01 : f64}
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG: %[[COMPARE:[a-z0-9_]+]] = nn.compare{{ +}}gt %[[HARD_SIGMOID]], %[[C]]
// CHECK-DAG: %[[C2:[a-z0-9_]+]] = nn.constant dense<1.000000e+00> : tensor<f32>
// CHECK-DAG: %[[COMPARE2:[a-z0-9_]+]] = nn.compare{{ +}}lt %[[HARD_SIGMOID]], %[[C2]]
// CHECK-DAG: %[[LOGICAL_AND:[a-z0-9_]+]] = nn.logical_and %[[COMPARE]], %[[COMPARE2]]
// CHECK-DAG: %[[C3:[a-z0-9_]+]] = nn.constant dense<2.000000e-01> : tensor<f32>
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[D]], %[[C3]]
// CHECK-DAG: %[[SELECT:[a-z0-9_]+]] = nn.select %[[LOGICAL_AND]], %[[MUL]], %[[C]]
// CHECK: train.gradient %[[SELECT]], @x
train.program @hard_sigmoid {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.hard_sigmoid %x {alpha = 0.2 : f64, beta = 0.5 : f64} : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @hard_swish
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<-3.000000e+00> : tensor<f32>
// CHECK-DAG: %[[COMPARE:[a-z0-9_]+]] = nn.compare{{ +}}le %[[X]], %[[C]]
// CHECK-DAG: %[[C2:[a-z0-9_]+]] = nn.constant dense<3.000000e+00> : tensor<f32>
// CHECK-DAG: %[[COMPARE2:[a-z0-9_]+]] = nn.compare{{ +}}ge %[[X]], %[[C2]]
// CHECK-DAG: %[[DIV:[a-z0-9_]+]] = nn.div %[[X]], %[[C2]]
// CHECK-DAG: %[[C3:[a-z0-9_]+]] = nn.constant dense<5.000000e-01> : tensor<f32>
// CHECK-DAG: %[[ADD:[a-z0-9_]+]] = nn.add %[[DIV]], %[[C3]]
// CHECK-DAG: %[[MUL:[a-z0-9_]+]] = nn.mul %[[D]], %[[ADD]]
// CHECK-DAG: %[[SELECT:[a-z0-9_]+]] = nn.select %[[COMPARE2]], %[[D]], %[[MUL]]
// CHECK-DAG: %[[C4:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG: %[[SELECT2:[a-z0-9_]+]] = nn.select %[[COMPARE]], %[[C4]], %[[SELECT]]
// CHECK: train.gradient %[[SELECT2]], @x
train.program @hard_swish {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.hard_swish %x : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @clip
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[X:[a-z0-9_]+]] = train.read @x
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG: %[[COMPARE:[a-z0-9_]+]] = nn.compare{{ +}}ge %[[X]], %[[C]]
// CHECK-DAG: %[[SELECT:[a-z0-9_]+]] = nn.select %[[COMPARE]], %[[D]], %[[C]]
// CHECK-DAG: %[[C2:[a-z0-9_]+]] = nn.constant dense<6.000000e+00> : tensor<f32>
// CHECK-DAG: %[[COMPARE2:[a-z0-9_]+]] = nn.compare{{ +}}le %[[X]], %[[C2]]
// CHECK-DAG: %[[SELECT2:[a-z0-9_]+]] = nn.select %[[COMPARE2]], %[[SELECT]], %[[C]]
// CHECK: train.gradient %[[SELECT2]], @x
train.program @clip {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf32>
    %y = nn.clip %x {low = 0.0 : f64, high = 6.0 : f64} : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf32>, tensor<4xf32>
    %loss = nn.sum %p axes [0] : tensor<4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @cast
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[CAST:[a-z0-9_]+]] = nn.cast %[[D]] to f32 : tensor<4xf64>
// CHECK: train.gradient %[[CAST]], @x
train.program @cast {
  train.state parameter @x : tensor<4xf32>
  train.input @d : tensor<4xf64>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    %d = train.read @d : tensor<4xf64>
    %y = nn.cast %x to f64 : tensor<4xf32>
    %p = nn.mul %y, %d : tensor<4xf64>, tensor<4xf64>
    %loss = nn.sum %p axes [0] : tensor<4xf64>
    %weight = nn.constant dense<1.0> : tensor<f64>
    train.loss %loss, %weight : tensor<f64>, tensor<f64>
  }
}
