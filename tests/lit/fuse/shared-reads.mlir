// What a batch norm and its gradient read of the image: as little as their formulas allow.
// RUN: dlc-opt %s --split-input-file --dlc-decompose --dlc-nn-to-linalg --dlc-fuse --dlc-verify-fuse | FileCheck %s

// The image less its mean is as cheap to compute as to read, so it is never stored: both readers compute it.
// CHECK-LABEL: train.function predict @less_mean
// CHECK: %[[X:.*]] = train.launch @matmul(
// CHECK: %[[SUMS:.*]]:2 = train.launch @sum_sub_mul(%[[X]])
// CHECK: train.launch @sub_tanh(%[[X]], %[[SUMS]]#0)
// CHECK-NOT: train.launch
train.program @stored_once {
  train.input @a : tensor<64x32xf32>
  train.input @w : tensor<32x16xf32>
  train.output prediction @m : tensor<16xf32>
  train.output prediction @s : tensor<16xf32>
  train.output prediction @t : tensor<64x16xf32>
  train.function predict @less_mean {
    %a = train.read @a : tensor<64x32xf32>
    %w = train.read @w : tensor<32x16xf32>
    %x = nn.matmul %a, %w : tensor<64x32xf32>, tensor<32x16xf32>
    %m = nn.sum %x axes [0] : tensor<64x16xf32>
    %c = nn.sub %x, %m : tensor<64x16xf32>, tensor<16xf32>
    %q = nn.mul %c, %c : tensor<64x16xf32>, tensor<64x16xf32>
    %s = nn.sum %q axes [0] : tensor<64x16xf32>
    %t = nn.tanh %c : tensor<64x16xf32>
    train.write %m, @m : tensor<16xf32>
    train.write %s, @s : tensor<16xf32>
    train.write %t, @t : tensor<64x16xf32>
  }
}

// -----

// A product needs its operand as a tensor, so that it is stored anyway.
// CHECK-LABEL: train.function predict @to_product
// CHECK: %[[STORED:.*]]:2 = train.launch @sub_tanh(
// CHECK: train.launch @matmul{{.*}}(%[[STORED]]#0
train.program @stored_for_a_product {
  train.input @a : tensor<64x32xf32>
  train.input @w : tensor<32x16xf32>
  train.input @v : tensor<16x4xf32>
  train.output prediction @y : tensor<64x4xf32>
  train.output prediction @t : tensor<64x16xf32>
  train.function predict @to_product {
    %a = train.read @a : tensor<64x32xf32>
    %w = train.read @w : tensor<32x16xf32>
    %v = train.read @v : tensor<16x4xf32>
    %x = nn.matmul %a, %w : tensor<64x32xf32>, tensor<32x16xf32>
    %m = nn.sum %x axes [0] : tensor<64x16xf32>
    %c = nn.sub %x, %m : tensor<64x16xf32>, tensor<16xf32>
    %y = nn.matmul %c, %v : tensor<64x16xf32>, tensor<16x4xf32>
    %t = nn.tanh %c : tensor<64x16xf32>
    train.write %y, @y : tensor<64x4xf32>
    train.write %t, @t : tensor<64x16xf32>
  }
}

// -----

// The sum of a tensor and that of its products with another one are computed in one pass over it.
// CHECK: train.kernel @sum_mul attributes {shared = 1 : i64}
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins(%{{.*}}, %{{.*}} : tensor<64x16xf32>, tensor<64x16xf32>)
// CHECK: -> (tensor<16xf32>, tensor<16xf32>)
// CHECK-LABEL: train.function predict @two_sums
// CHECK: train.launch @sum_mul(
// CHECK-NOT: train.launch
train.program @read_once {
  train.input @dy : tensor<64x16xf32>
  train.input @x : tensor<64x16xf32>
  train.output prediction @a : tensor<16xf32>
  train.output prediction @b : tensor<16xf32>
  train.function predict @two_sums {
    %dy = train.read @dy : tensor<64x16xf32>
    %x = train.read @x : tensor<64x16xf32>
    %a = nn.sum %dy axes [0] : tensor<64x16xf32>
    %p = nn.mul %dy, %x : tensor<64x16xf32>, tensor<64x16xf32>
    %b = nn.sum %p axes [0] : tensor<64x16xf32>
    train.write %a, @a : tensor<16xf32>
    train.write %b, @b : tensor<16xf32>
  }
}

// -----

// A sum that needs the other one first reads the tensor again: the kernel has two generics with a result each.
// CHECK: train.kernel @sum_sub_mul attributes {shared = 1 : i64}
// CHECK: %[[FIRST:.*]] = linalg.generic {doc = "sum"
// CHECK: -> tensor<16xf32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[FIRST]] : tensor<64x16xf32>, tensor<16xf32>)
// CHECK: -> tensor<16xf32>
train.program @read_twice {
  train.input @x : tensor<64x16xf32>
  train.output prediction @a : tensor<16xf32>
  train.output prediction @b : tensor<16xf32>
  train.function predict @one_after_the_other {
    %x = train.read @x : tensor<64x16xf32>
    %a = nn.sum %x axes [0] : tensor<64x16xf32>
    %c = nn.sub %x, %a : tensor<64x16xf32>, tensor<16xf32>
    %q = nn.mul %c, %c : tensor<64x16xf32>, tensor<64x16xf32>
    %b = nn.sum %q axes [0] : tensor<64x16xf32>
    train.write %a, @a : tensor<16xf32>
    train.write %b, @b : tensor<16xf32>
  }
}
