// Gradient rules of operations that move elements.
// Each program's loss is sum(y * d), so that the gradient of y is %d.
// RUN: dlc-opt %s --split-input-file --dlc-resolve-modes --dlc-backward | FileCheck %s

// CHECK-LABEL: train.program @reshape
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[RESHAPE:[a-z0-9_]+]] = nn.reshape %[[D]] : tensor<12xf32> -> tensor<3x4xf32>
// CHECK: train.gradient %[[RESHAPE]], @x
train.program @reshape {
  train.state parameter @x : tensor<3x4xf32>
  train.input @d : tensor<12xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %d = train.read @d : tensor<12xf32>
    %y = nn.reshape %x : tensor<3x4xf32> -> tensor<12xf32>
    %p = nn.mul %y, %d : tensor<12xf32>, tensor<12xf32>
    %loss = nn.sum %p axes [0] : tensor<12xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @transpose
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[TRANSPOSE:[a-z0-9_]+]] = nn.transpose %[[D]] [2, 0, 1]
// CHECK: train.gradient %[[TRANSPOSE]], @x
train.program @transpose {
  train.state parameter @x : tensor<2x3x4xf32>
  train.input @d : tensor<3x4x2xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<2x3x4xf32>
    %d = train.read @d : tensor<3x4x2xf32>
    %y = nn.transpose %x [1, 2, 0] : tensor<2x3x4xf32>
    %p = nn.mul %y, %d : tensor<3x4x2xf32>, tensor<3x4x2xf32>
    %loss = nn.sum %p axes [0, 1, 2] : tensor<3x4x2xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @expand
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[SUM:[a-z0-9_]+]] = nn.sum %[[D]] axes [0, 2]
// CHECK-DAG: %[[RESHAPE:[a-z0-9_]+]] = nn.reshape %[[SUM]] : tensor<3xf32> -> tensor<3x1xf32>
// CHECK: train.gradient %[[RESHAPE]], @x
train.program @expand {
  train.state parameter @x : tensor<3x1xf32>
  train.input @d : tensor<2x3x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x1xf32>
    %d = train.read @d : tensor<2x3x4xf32>
    %y = nn.expand %x : tensor<3x1xf32> -> tensor<2x3x4xf32>
    %p = nn.mul %y, %d : tensor<2x3x4xf32>, tensor<2x3x4xf32>
    %loss = nn.sum %p axes [0, 1, 2] : tensor<2x3x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @reverse
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[REVERSE:[a-z0-9_]+]] = nn.reverse %[[D]] axes [1]
// CHECK: train.gradient %[[REVERSE]], @x
train.program @reverse {
  train.state parameter @x : tensor<3x4xf32>
  train.input @d : tensor<3x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %d = train.read @d : tensor<3x4xf32>
    %y = nn.reverse %x axes [1] : tensor<3x4xf32>
    %p = nn.mul %y, %d : tensor<3x4xf32>, tensor<3x4xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @concat
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[SLICE:[a-z0-9_]+]] = nn.slice %[[D]] starts [0, 0] limits [3, 2] steps [1, 1]
// CHECK-DAG: %[[SLICE2:[a-z0-9_]+]] = nn.slice %[[D]] starts [0, 2] limits [3, 6] steps [1, 1]
// CHECK: train.gradient %[[SLICE]], @a
// CHECK: train.gradient %[[SLICE2]], @b
train.program @concat {
  train.state parameter @a : tensor<3x2xf32>
  train.state parameter @b : tensor<3x4xf32>
  train.input @d : tensor<3x6xf32>
  train.function forward @forward {
    %a = train.read @a : tensor<3x2xf32>
    %b = train.read @b : tensor<3x4xf32>
    %d = train.read @d : tensor<3x6xf32>
    %y = nn.concat %a, %b axis 1 : tensor<3x2xf32>, tensor<3x4xf32>
    %p = nn.mul %y, %d : tensor<3x6xf32>, tensor<3x6xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x6xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// Elements 1, 4 and 7 of 10: gaps of 2 between them, 1 before, 2 after.
// CHECK-LABEL: train.program @slice
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[PAD:[a-z0-9_]+]] = nn.pad{{ +}}constant %[[D]] low [0, 1] high [0, 2] interior [0, 2] value 0.000000e+00 : tensor<3x3xf32>
// CHECK: train.gradient %[[PAD]], @x
train.program @slice {
  train.state parameter @x : tensor<3x10xf32>
  train.input @d : tensor<3x3xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x10xf32>
    %d = train.read @d : tensor<3x3xf32>
    %y = nn.slice %x starts [0, 1] limits [3, 8] steps [1, 3] : tensor<3x10xf32>
    %p = nn.mul %y, %d : tensor<3x3xf32>, tensor<3x3xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x3xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @pad
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[SLICE:[a-z0-9_]+]] = nn.slice %[[D]] starts [0, 1] limits [3, 8] steps [1, 2]
// CHECK: train.gradient %[[SLICE]], @x
train.program @pad {
  train.state parameter @x : tensor<3x4xf32>
  train.input @d : tensor<3x10xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %d = train.read @d : tensor<3x10xf32>
    %y = nn.pad constant %x low [0, 1] high [0, 2] interior [0, 1] value 0.0 : tensor<3x4xf32>
    %p = nn.mul %y, %d : tensor<3x10xf32>, tensor<3x10xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x10xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// Copies are added to the elements they are copies of.
// CHECK-LABEL: train.program @pad_edge
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<[0, 0, 0, 1, 2, 3, 3]> : tensor<7xi64>
// CHECK-DAG: %[[SCATTER_ADD:[a-z0-9_]+]] = nn.scatter_add %[[C]], %[[D]] axis 1 : tensor<7xi64>, tensor<3x7xf32> -> tensor<3x4xf32>
// CHECK: train.gradient %[[SCATTER_ADD]], @x
train.program @pad_edge {
  train.state parameter @x : tensor<3x4xf32>
  train.input @d : tensor<3x7xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %d = train.read @d : tensor<3x7xf32>
    %y = nn.pad edge %x low [0, 2] high [0, 1] interior [0, 0] value 0.0 : tensor<3x4xf32>
    %p = nn.mul %y, %d : tensor<3x7xf32>, tensor<3x7xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x7xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @pad_reflect
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<[2, 1, 0, 1, 2, 3, 2]> : tensor<7xi64>
// CHECK-DAG: %[[SCATTER_ADD:[a-z0-9_]+]] = nn.scatter_add %[[C]], %[[D]] axis 1 : tensor<7xi64>, tensor<3x7xf32> -> tensor<3x4xf32>
// CHECK: train.gradient %[[SCATTER_ADD]], @x
train.program @pad_reflect {
  train.state parameter @x : tensor<3x4xf32>
  train.input @d : tensor<3x7xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %d = train.read @d : tensor<3x7xf32>
    %y = nn.pad reflect %x low [0, 2] high [0, 1] interior [0, 0] value 0.0 : tensor<3x4xf32>
    %p = nn.mul %y, %d : tensor<3x7xf32>, tensor<3x7xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x7xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @pad_wrap
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[C:[a-z0-9_]+]] = nn.constant dense<[2, 3, 0, 1, 2, 3, 0]> : tensor<7xi64>
// CHECK-DAG: %[[SCATTER_ADD:[a-z0-9_]+]] = nn.scatter_add %[[C]], %[[D]] axis 1 : tensor<7xi64>, tensor<3x7xf32> -> tensor<3x4xf32>
// CHECK: train.gradient %[[SCATTER_ADD]], @x
train.program @pad_wrap {
  train.state parameter @x : tensor<3x4xf32>
  train.input @d : tensor<3x7xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %d = train.read @d : tensor<3x7xf32>
    %y = nn.pad wrap %x low [0, 2] high [0, 1] interior [0, 0] value 0.0 : tensor<3x4xf32>
    %p = nn.mul %y, %d : tensor<3x7xf32>, tensor<3x7xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<3x7xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @gather
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[I:[a-z0-9_]+]] = train.read @i
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[SCATTER_ADD:[a-z0-9_]+]] = nn.scatter_add %[[I]], %[[D]] axis 0 : tensor<5xi64>, tensor<5x4xf32> -> tensor<3x4xf32>
// CHECK: train.gradient %[[SCATTER_ADD]], @x
train.program @gather {
  train.state parameter @x : tensor<3x4xf32>
  train.input @i : tensor<5xi64>
  train.input @d : tensor<5x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %i = train.read @i : tensor<5xi64>
    %d = train.read @d : tensor<5x4xf32>
    %y = nn.gather %x, %i axis 0 : tensor<3x4xf32>, tensor<5xi64>
    %p = nn.mul %y, %d : tensor<5x4xf32>, tensor<5x4xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<5x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// The row of the padding index gets nothing.
// CHECK-LABEL: train.program @gather_padding
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[I:[a-z0-9_]+]] = train.read @i
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[ROWS:[a-z0-9_]+]] = nn.reshape %[[I]] : tensor<5xi64> -> tensor<5x1xi64>
// CHECK-DAG: %[[PADDING:[a-z0-9_]+]] = nn.constant dense<2> : tensor<i64>
// CHECK-DAG: %[[IS:[a-z0-9_]+]] = nn.compare{{ +}}eq %[[ROWS]], %[[PADDING]]
// CHECK-DAG: %[[ZERO:[a-z0-9_]+]] = nn.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG: %[[DY:[a-z0-9_]+]] = nn.select %[[IS]], %[[ZERO]], %[[D]]
// CHECK-DAG: %[[SCATTER_ADD:[a-z0-9_]+]] = nn.scatter_add %[[I]], %[[DY]] axis 0
// CHECK: train.gradient %[[SCATTER_ADD]], @x
train.program @gather_padding {
  train.state parameter @x : tensor<3x4xf32>
  train.input @i : tensor<5xi64>
  train.input @d : tensor<5x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %i = train.read @i : tensor<5xi64>
    %d = train.read @d : tensor<5x4xf32>
    %y = nn.gather %x, %i axis 0 padding 2 : tensor<3x4xf32>, tensor<5xi64>
    %p = nn.mul %y, %d : tensor<5x4xf32>, tensor<5x4xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<5x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}

// -----

// CHECK-LABEL: train.program @scatter_add
// CHECK: grad_step @grad_step
// CHECK-DAG: %[[I:[a-z0-9_]+]] = train.read @i
// CHECK-DAG: %[[D:[a-z0-9_]+]] = train.read @d
// CHECK-DAG: %[[GATHER:[a-z0-9_]+]] = nn.gather %[[D]], %[[I]] axis 0
// CHECK: train.gradient %[[GATHER]], @x
train.program @scatter_add {
  train.state parameter @x : tensor<3x4xf32>
  train.input @i : tensor<3xi64>
  train.input @d : tensor<7x4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3x4xf32>
    %i = train.read @i : tensor<3xi64>
    %d = train.read @d : tensor<7x4xf32>
    %y = nn.scatter_add %i, %x axis 0 : tensor<3xi64>, tensor<3x4xf32> -> tensor<7x4xf32>
    %p = nn.mul %y, %d : tensor<7x4xf32>, tensor<7x4xf32>
    %loss = nn.sum %p axes [0, 1] : tensor<7x4xf32>
    %weight = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
