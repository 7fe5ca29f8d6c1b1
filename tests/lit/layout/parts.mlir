// Slices and joins are parts of places where that is possible and worth it.
// RUN: dlc-opt %s --dlc-layout="cpu=x86-64-v3" --dlc-verify-layout --split-input-file | FileCheck %s

// The gradient of a split is joined where its parts are made; those of a product's three parts are read there.
// CHECK-LABEL: train.program @split
// CHECK: %[[X:.*]] = train.read @x
// CHECK: %[[A:.*]] = tensor.extract_slice %[[X]][0, 0] [8, 32] [1, 1]
// CHECK: %[[B:.*]] = tensor.extract_slice %[[X]][0, 32] [8, 32] [1, 1]
// CHECK: %[[C:.*]] = linalg.generic {{.*}} ins(%[[B]], %[[A]] :
// CHECK: %[[D:.*]] = linalg.generic {{.*}} ins(%[[B]] :
// CHECK-NOT: linalg.generic
// CHECK: %[[J:.*]] = train.join %[[C]], %[[D]] axis 1
// CHECK: train.write %[[J]], @y
#id = affine_map<(i, j) -> (i, j)>
train.program @split {
  train.input @x : tensor<8x64xf32>
  train.output prediction @y : tensor<8x64xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8x64xf32>
    %a = tensor.extract_slice %x[0, 0] [8, 32] [1, 1] : tensor<8x64xf32> to tensor<8x32xf32>
    %b = tensor.extract_slice %x[0, 32] [8, 32] [1, 1] : tensor<8x64xf32> to tensor<8x32xf32>
    %e = tensor.empty() : tensor<8x32xf32>
    %c = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%b, %a : tensor<8x32xf32>, tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) {
    ^bb0(%0: f32, %1: f32, %2: f32):
      %3 = arith.addf %0, %1 : f32
      linalg.yield %3 : f32
    } -> tensor<8x32xf32>
    %d = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%b : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.negf %0 : f32
      linalg.yield %2 : f32
    } -> tensor<8x32xf32>
    %y = train.join %c, %d axis 1 : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x64xf32>
    train.write %y, @y : tensor<8x64xf32>
  }
}

// -----

// What is given is no part that somebody makes: the whole is computed from it. A slice whose neighbours lie
// apart is copied, and so is one that is written.
// CHECK-LABEL: train.program @copies
// CHECK: %[[X:.*]] = train.read @x
// CHECK: %[[APART:.*]] = tensor.extract_slice %[[X]][0, 1] [8, 21] [1, 3]
// CHECK: linalg.generic {doc = "copy"{{.*}}} ins(%[[APART]] :
// CHECK: linalg.generic {doc = "concat"
// CHECK-NOT: train.join
// CHECK: %[[HALF:.*]] = tensor.extract_slice %[[X]][4, 0] [4, 64] [1, 1]
// CHECK: %[[COPY:.*]] = linalg.generic {doc = "copy"{{.*}}} ins(%[[HALF]] :
// CHECK: train.write %[[COPY]], @z
train.program @copies {
  train.input @x : tensor<8x64xf32>
  train.output prediction @y : tensor<8x85xf32>
  train.output prediction @z : tensor<4x64xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8x64xf32>
    %a = tensor.extract_slice %x[0, 1] [8, 21] [1, 3] : tensor<8x64xf32> to tensor<8x21xf32>
    %y = train.join %x, %a axis 1 : (tensor<8x64xf32>, tensor<8x21xf32>) -> tensor<8x85xf32>
    train.write %y, @y : tensor<8x85xf32>
    %z = tensor.extract_slice %x[4, 0] [4, 64] [1, 1] : tensor<8x64xf32> to tensor<4x64xf32>
    train.write %z, @z : tensor<4x64xf32>
  }
}

// -----

// What is an output, too, has a place of its own, and is copied into the whole.
// CHECK-LABEL: train.program @written
// CHECK: %[[A:.*]] = linalg.generic
// CHECK: %[[B:.*]] = linalg.generic
// CHECK: %[[COPY:.*]] = linalg.generic {doc = "copy"{{.*}}} ins(%[[A]] :
// CHECK: train.join %[[COPY]], %[[B]] axis 1
#id = affine_map<(i, j) -> (i, j)>
train.program @written {
  train.input @x : tensor<8x32xf32>
  train.output prediction @a : tensor<8x32xf32>
  train.output prediction @y : tensor<8x64xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<8x32xf32>
    %e = tensor.empty() : tensor<8x32xf32>
    %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.negf %0 : f32
      linalg.yield %2 : f32
    } -> tensor<8x32xf32>
    %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<8x32xf32>) outs(%e : tensor<8x32xf32>) {
    ^bb0(%0: f32, %1: f32):
      %2 = math.exp %0 : f32
      linalg.yield %2 : f32
    } -> tensor<8x32xf32>
    %y = train.join %a, %b axis 1 : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x64xf32>
    train.write %a, @a : tensor<8x32xf32>
    train.write %y, @y : tensor<8x64xf32>
  }
}

// -----

// More parts than a few are copied to their places, where nothing makes them: to look for each element in all of them
// would take longer.
// CHECK-LABEL: train.program @many
// CHECK-COUNT-9: linalg.generic {doc = "copy"
// CHECK: train.join
train.program @many {
  train.input @x : tensor<2x32xf32>
  train.output prediction @y : tensor<18x32xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<2x32xf32>
    %y = train.join %x, %x, %x, %x, %x, %x, %x, %x, %x axis 0
        : (tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>,
           tensor<2x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>) -> tensor<18x32xf32>
    train.write %y, @y : tensor<18x32xf32>
  }
}
