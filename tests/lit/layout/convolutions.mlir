// Forward and backward of two convolutions with a ReLU between them, as loop nests. Activations have their channels last,
// for all three products of a layer; the first layer reads the caller's image as it lies. The weights' last dim is that of
// the output channels; before it are the dims in the order in which the image is read. No copy is made: the gradient of the
// second image, whose channels are the second weight's input channels, transposes that weight itself.
// RUN: dlc-opt %s --dlc-layout=cpu=x86-64-v4 --dlc-verify-layout | FileCheck %s

// CHECK-DAG: [[IMAGE:#map[0-9]*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d1 + d5, d2 + d6)>
// CHECK-DAG: [[ICKHKW:#map[0-9]*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
// CHECK-DAG: [[ACROSS:#map[0-9]*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d3, d6)>
// CHECK-DAG: [[LAST:#map[0-9]*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 + d5, d6)>
// CHECK-DAG: [[RESULT:#map[0-9]*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK-DAG: [[FLIPPED:#map[0-9]*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 - d4 + 2, d2 - d5 + 2, d6)>
// CHECK: train.state parameter @w1 layout <[1, 2, 3, 0]> : tensor<32x3x3x3xf32>
// CHECK: train.state parameter @w2 layout <[2, 3, 1, 0]> : tensor<64x32x3x3xf32>
// CHECK: train.state gradient @dw1 of @w1 layout <[1, 2, 3, 0]>
// CHECK: train.state gradient @dw2 of @w2 layout <[2, 3, 1, 0]>

// CHECK-LABEL: train.function grad_step
// CHECK-NOT: doc = "layout"
// CHECK: linalg.generic {doc = "y1", indexing_maps = [[[IMAGE]], [[ICKHKW]], [[RESULT]]]{{.*}} ins(%{{.*}}, %{{.*}} : tensor<8x3x10x10xf32>, tensor<3x3x3x32xf32>) outs(%{{.*}} : tensor<8x8x8x32xf32>)
// CHECK: linalg.generic {doc = "a1"{{.*}} outs(%{{.*}} : tensor<8x8x8x32xf32>)
// CHECK: linalg.generic {doc = "y2", indexing_maps = [[[LAST]], [[ICKHKW]], [[RESULT]]]{{.*}} ins(%{{.*}}, %{{.*}} : tensor<8x8x8x32xf32>, tensor<3x3x32x64xf32>) outs(%{{.*}} : tensor<8x6x6x64xf32>)
// CHECK: linalg.generic {doc = "dw2"{{.*}} ins(%{{.*}}, %{{.*}} : tensor<8x6x6x64xf32>, tensor<8x8x8x32xf32>) outs(%{{.*}} : tensor<3x3x32x64xf32>)
// CHECK: linalg.generic {doc = "padded"{{.*}} outs(%{{.*}} : tensor<8x10x10x64xf32>)
// CHECK-NOT: doc = "layout"
// CHECK: linalg.generic {doc = "da1", indexing_maps = [[[FLIPPED]], [[ACROSS]], [[RESULT]]]{{.*}} ins(%{{.*}}, %{{.*}} : tensor<8x10x10x64xf32>, tensor<3x3x32x64xf32>) outs(%{{.*}} : tensor<8x8x8x32xf32>)
// CHECK: linalg.generic {doc = "dy1"{{.*}} outs(%{{.*}} : tensor<8x8x8x32xf32>)
// CHECK: linalg.generic {doc = "dw1"{{.*}} ins(%{{.*}}, %{{.*}} : tensor<8x8x8x32xf32>, tensor<8x3x10x10xf32>) outs(%{{.*}} : tensor<3x3x3x32xf32>)
#id = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#x = affine_map<(n, oc, oh, ow, ic, kh, kw) -> (n, ic, oh + kh, ow + kw)>
#w = affine_map<(n, oc, oh, ow, ic, kh, kw) -> (oc, ic, kh, kw)>
#y = affine_map<(n, oc, oh, ow, ic, kh, kw) -> (n, oc, oh, ow)>
#dy = affine_map<(oc, ic, kh, kw, n, oh, ow) -> (n, oc, oh, ow)>
#xw = affine_map<(oc, ic, kh, kw, n, oh, ow) -> (n, ic, oh + kh, ow + kw)>
#dw = affine_map<(oc, ic, kh, kw, n, oh, ow) -> (oc, ic, kh, kw)>
#dyp = affine_map<(n, ic, i, j, oc, kh, kw) -> (n, oc, i - kh + 2, j - kw + 2)>
#wf = affine_map<(n, ic, i, j, oc, kh, kw) -> (oc, ic, kh, kw)>
#dx = affine_map<(n, ic, i, j, oc, kh, kw) -> (n, ic, i, j)>
#contraction = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
#elementwise = ["parallel", "parallel", "parallel", "parallel"]
train.program @p {
  train.state parameter @w1 : tensor<32x3x3x3xf32>
  train.state parameter @w2 : tensor<64x32x3x3xf32>
  train.state gradient @dw1 of @w1 : tensor<32x3x3x3xf32>
  train.state gradient @dw2 of @w2 : tensor<64x32x3x3xf32>
  train.input @x : tensor<8x3x10x10xf32>
  train.function grad_step @grad_step {
    %zero = arith.constant 0.0 : f32
    %x = train.read @x : tensor<8x3x10x10xf32>
    %w1 = train.read @w1 : tensor<32x3x3x3xf32>
    %w2 = train.read @w2 : tensor<64x32x3x3xf32>
    %e1 = tensor.empty() : tensor<8x32x8x8xf32>
    %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x32x8x8xf32>) -> tensor<8x32x8x8xf32>
    %y1 = linalg.generic {doc = "y1", indexing_maps = [#x, #w, #y], iterator_types = #contraction}
        ins(%x, %w1 : tensor<8x3x10x10xf32>, tensor<32x3x3x3xf32>) outs(%f1 : tensor<8x32x8x8xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    } -> tensor<8x32x8x8xf32>
    %a1 = linalg.generic {doc = "a1", indexing_maps = [#id, #id], iterator_types = #elementwise}
        ins(%y1 : tensor<8x32x8x8xf32>) outs(%e1 : tensor<8x32x8x8xf32>) {
    ^bb0(%a: f32, %c: f32):
      %none = arith.constant 0.0 : f32
      %r = arith.maximumf %a, %none : f32
      linalg.yield %r : f32
    } -> tensor<8x32x8x8xf32>
    %e2 = tensor.empty() : tensor<8x64x6x6xf32>
    %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x64x6x6xf32>) -> tensor<8x64x6x6xf32>
    %y2 = linalg.generic {doc = "y2", indexing_maps = [#x, #w, #y], iterator_types = #contraction}
        ins(%a1, %w2 : tensor<8x32x8x8xf32>, tensor<64x32x3x3xf32>) outs(%f2 : tensor<8x64x6x6xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    } -> tensor<8x64x6x6xf32>
    %e3 = tensor.empty() : tensor<64x32x3x3xf32>
    %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<64x32x3x3xf32>) -> tensor<64x32x3x3xf32>
    %dw2 = linalg.generic {doc = "dw2", indexing_maps = [#dy, #xw, #dw], iterator_types = #contraction}
        ins(%y2, %a1 : tensor<8x64x6x6xf32>, tensor<8x32x8x8xf32>) outs(%f3 : tensor<64x32x3x3xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    } -> tensor<64x32x3x3xf32>
    train.write %dw2, @dw2 : tensor<64x32x3x3xf32>
    %e4 = tensor.empty() : tensor<8x64x10x10xf32>
    %padded = linalg.generic {doc = "padded", indexing_maps = [#id], iterator_types = #elementwise}
        outs(%e4 : tensor<8x64x10x10xf32>) {
    ^bb0(%c: f32):
      %n = linalg.index 0 : index
      %ch = linalg.index 1 : index
      %i = linalg.index 2 : index
      %j = linalg.index 3 : index
      %two = arith.constant 2 : index
      %none = arith.constant 0 : index
      %last = arith.constant 5 : index
      %i0 = arith.subi %i, %two : index
      %j0 = arith.subi %j, %two : index
      %i1 = arith.maxsi %i0, %none : index
      %j1 = arith.maxsi %j0, %none : index
      %i2 = arith.minsi %i1, %last : index
      %j2 = arith.minsi %j1, %last : index
      %v = tensor.extract %y2[%n, %ch, %i2, %j2] : tensor<8x64x6x6xf32>
      %same_i = arith.cmpi eq, %i0, %i2 : index
      %same_j = arith.cmpi eq, %j0, %j2 : index
      %inside = arith.andi %same_i, %same_j : i1
      %zerof = arith.constant 0.0 : f32
      %r = arith.select %inside, %v, %zerof : f32
      linalg.yield %r : f32
    } -> tensor<8x64x10x10xf32>
    %da1 = linalg.generic {doc = "da1", indexing_maps = [#dyp, #wf, #dx], iterator_types = #contraction}
        ins(%padded, %w2 : tensor<8x64x10x10xf32>, tensor<64x32x3x3xf32>) outs(%f1 : tensor<8x32x8x8xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    } -> tensor<8x32x8x8xf32>
    %dy1 = linalg.generic {doc = "dy1", indexing_maps = [#id, #id, #id], iterator_types = #elementwise}
        ins(%da1, %a1 : tensor<8x32x8x8xf32>, tensor<8x32x8x8xf32>) outs(%e1 : tensor<8x32x8x8xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %none = arith.constant 0.0 : f32
      %positive = arith.cmpf ogt, %b, %none : f32
      %r = arith.select %positive, %a, %none : f32
      linalg.yield %r : f32
    } -> tensor<8x32x8x8xf32>
    %e5 = tensor.empty() : tensor<32x3x3x3xf32>
    %f5 = linalg.fill ins(%zero : f32) outs(%e5 : tensor<32x3x3x3xf32>) -> tensor<32x3x3x3xf32>
    %dw1 = linalg.generic {doc = "dw1", indexing_maps = [#dy, #xw, #dw], iterator_types = #contraction}
        ins(%dy1, %x : tensor<8x32x8x8xf32>, tensor<8x3x10x10xf32>) outs(%f5 : tensor<32x3x3x3xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
    } -> tensor<32x3x3x3xf32>
    train.write %dw1, @dw1 : tensor<32x3x3x3xf32>
  }
}
