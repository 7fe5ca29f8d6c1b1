// A tensor that is padded with zeros is made where it lies between them, unless somebody would lose by that.
// RUN: dlc-opt %s --dlc-layout="cpu=x86-64-v3" --dlc-verify-layout --split-input-file | FileCheck %s

// Zeros around each row of positions, then around the image. No nest copies the image; another reader finds it there.
// CHECK-LABEL: train.program @image
// CHECK: %[[X:.*]] = linalg.generic {doc = "relu"
// CHECK: %[[LEFT:.*]] = linalg.generic {doc = "pad"{{.*}} outs(%{{.*}} : tensor<2x5x16xf32>)
// CHECK: %[[RIGHT:.*]] = linalg.generic {doc = "pad"{{.*}} outs(%{{.*}} : tensor<2x5x2x16xf32>)
// CHECK: %[[ROWS:.*]] = train.join %[[LEFT]], %[[X]], %[[RIGHT]] axis 2 : {{.*}} -> tensor<2x5x10x16xf32>
// CHECK: %[[TOP:.*]] = linalg.generic {doc = "pad"{{.*}} outs(%{{.*}} : tensor<2x10x16xf32>)
// CHECK: %[[WHOLE:.*]] = train.join %[[TOP]], %[[ROWS]] axis 1 : {{.*}} -> tensor<2x6x10x16xf32>
// CHECK-NOT: zeros_before
// CHECK: linalg.generic {doc = "sum"{{.*}} ins(%[[WHOLE]] :
// CHECK: linalg.generic {doc = "neg"{{.*}} ins(%[[X]] :
#id = affine_map<(n, i, j, c) -> (n, i, j, c)>
#n = affine_map<(n, i, j, c) -> (n)>
#four = ["parallel", "parallel", "parallel", "parallel"]
train.program @image {
  train.input @in : tensor<2x5x7x16xf32>
  train.output prediction @y : tensor<2xf32>
  train.output prediction @z : tensor<2x5x7x16xf32>
  train.function predict @predict {
    %zero = arith.constant 0.0 : f32
    %in = train.read @in : tensor<2x5x7x16xf32>
    %e = tensor.empty() : tensor<2x5x7x16xf32>
    %x = linalg.generic {doc = "relu", indexing_maps = [#id, #id], iterator_types = #four}
        ins(%in : tensor<2x5x7x16xf32>) outs(%e : tensor<2x5x7x16xf32>) {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.maximumf %0, %zero : f32
      linalg.yield %2 : f32
    } -> tensor<2x5x7x16xf32>
    %pe = tensor.empty() : tensor<2x6x10x16xf32>
    %p = linalg.generic {doc = "pad", indexing_maps = [#id], iterator_types = #four}
        outs(%pe : tensor<2x6x10x16xf32>) attrs = {train.zeros_before = array<i64: 0, 1, 1, 0>} {
    ^bb0(%0: f32):
      %n = linalg.index 0 : index
      %i = linalg.index 1 : index
      %j = linalg.index 2 : index
      %c = linalg.index 3 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c6 = arith.constant 6 : index
      %c7 = arith.constant 7 : index
      %fi = arith.subi %i, %c1 : index
      %fj = arith.subi %j, %c1 : index
      %ii = arith.cmpi sge, %fi, %c0 : index
      %ij = arith.cmpi sge, %fj, %c0 : index
      %lj = arith.cmpi slt, %fj, %c7 : index
      %a = arith.andi %ii, %ij : i1
      %inside = arith.andi %a, %lj : i1
      %ci = arith.maxsi %fi, %c0 : index
      %mj = arith.maxsi %fj, %c0 : index
      %cj = arith.minsi %mj, %c6 : index
      %v = tensor.extract %x[%n, %ci, %cj, %c] : tensor<2x5x7x16xf32>
      %s = arith.select %inside, %v, %zero : f32
      linalg.yield %s : f32
    } -> tensor<2x6x10x16xf32>
    %ye = tensor.empty() : tensor<2xf32>
    %yf = linalg.fill ins(%zero : f32) outs(%ye : tensor<2xf32>) -> tensor<2xf32>
    %y = linalg.generic {doc = "sum", indexing_maps = [#id, #n],
        iterator_types = ["parallel", "reduction", "reduction", "reduction"]}
        ins(%p : tensor<2x6x10x16xf32>) outs(%yf : tensor<2xf32>) {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.addf %1, %0 : f32
      linalg.yield %2 : f32
    } -> tensor<2xf32>
    %z = linalg.generic {doc = "neg", indexing_maps = [#id, #id], iterator_types = #four}
        ins(%x : tensor<2x5x7x16xf32>) outs(%e : tensor<2x5x7x16xf32>) {
    ^bb0(%0: f32, %1: f32):
      %2 = arith.negf %0 : f32
      linalg.yield %2 : f32
    } -> tensor<2x5x7x16xf32>
    train.write %y, @y : tensor<2xf32>
    train.write %z, @z : tensor<2x5x7x16xf32>
  }
}
