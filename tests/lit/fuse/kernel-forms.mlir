// The kinds of kernels that the stage may produce, as a training step of a perceptron with dropout and
// Adam has them: the verifier accepts each.
// RUN: dlc-opt %s --dlc-verify-fuse | FileCheck %s

#v = affine_map<(d0) -> (d0)>
#v0 = affine_map<(d0) -> ()>
#m = affine_map<(d0, d1) -> (d0, d1)>
#mt = affine_map<(d0, d1) -> (d1, d0)>
#m0 = affine_map<(d0, d1) -> (d0)>
#m1 = affine_map<(d0, d1) -> (d1)>
#ms = affine_map<(d0, d1) -> ()>
#mk = affine_map<(d0, d1, d2) -> (d0, d2)>
#km = affine_map<(d0, d1, d2) -> (d2, d0)>
#nk = affine_map<(d0, d1, d2) -> (d1, d2)>
#kn = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
#s = affine_map<() -> ()>

// CHECK-LABEL: train.program @mlp
train.program @mlp {
  // y = dropout(relu(x w^T + b)): a contraction and one elementwise epilogue on its space.
  // CHECK: train.kernel @matmul_add_relu_dropout
  train.kernel @matmul_add_relu_dropout attributes {shared = 2 : i64} {
  ^bb0(%x: tensor<64x784xf32>, %w: tensor<256x784xf32>, %b: tensor<256xf32>, %rng: tensor<2xi64>):
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<64x256xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x256xf32>) -> tensor<64x256xf32>
    %c = linalg.generic {doc = "matmul", indexing_maps = [#mk, #nk, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<64x784xf32>, tensor<256x784xf32>) outs(%init : tensor<64x256xf32>) {
    ^bb0(%a: f32, %bb: f32, %acc: f32):
      %0 = arith.mulf %a, %bb : f32
      %1 = arith.addf %acc, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<64x256xf32>
    %empty1 = tensor.empty() : tensor<64x256xf32>
    %y = linalg.generic {doc = "add relu dropout", indexing_maps = [#m, #m1, #m], iterator_types = ["parallel", "parallel"]}
        ins(%c, %b : tensor<64x256xf32>, tensor<256xf32>) outs(%empty1 : tensor<64x256xf32>) {
    ^bb0(%a: f32, %bias: f32, %out: f32):
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %columns = arith.constant 256 : index
      %threshold = arith.constant 13107 : i32
      %scale = arith.constant 1.25 : f32
      %z = arith.constant 0.0 : f32
      %0 = arith.addf %a, %bias : f32
      %1 = arith.maximumf %0, %z : f32
      %seed = tensor.extract %rng[%c0] : tensor<2xi64>
      %draws = tensor.extract %rng[%c1] : tensor<2xi64>
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %bits = train.random_bits %seed, %draws, %row, %column, %columns stream 0 : i32
      %keep = arith.cmpi uge, %bits, %threshold : i32
      %2 = arith.mulf %1, %scale : f32
      %3 = arith.select %keep, %2, %z : f32
      linalg.yield %3 : f32
    } -> tensor<64x256xf32>
    train.yield %y : tensor<64x256xf32>
  }

  // dx = (dy w) where h > 0: the data gradient with both masks.
  // CHECK: train.kernel @matmul_compare_mul_select
  train.kernel @matmul_compare_mul_select attributes {shared = 2 : i64} {
  ^bb0(%dy: tensor<64x10xf32>, %w: tensor<10x256xf32>, %h: tensor<64x256xf32>):
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<64x256xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x256xf32>) -> tensor<64x256xf32>
    %c = linalg.generic {doc = "matmul", indexing_maps = [#mk, #kn, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%dy, %w : tensor<64x10xf32>, tensor<10x256xf32>) outs(%init : tensor<64x256xf32>) {
    ^bb0(%a: f32, %bb: f32, %acc: f32):
      %0 = arith.mulf %a, %bb : f32
      %1 = arith.addf %acc, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<64x256xf32>
    %empty1 = tensor.empty() : tensor<64x256xf32>
    %dx = linalg.generic {doc = "compare mul select", indexing_maps = [#m, #m, #m], iterator_types = ["parallel", "parallel"]}
        ins(%h, %c : tensor<64x256xf32>, tensor<64x256xf32>) outs(%empty1 : tensor<64x256xf32>) {
    ^bb0(%hh: f32, %a: f32, %out: f32):
      %z = arith.constant 0.0 : f32
      %scale = arith.constant 1.25 : f32
      %0 = arith.cmpf ogt, %hh, %z : f32
      %1 = arith.mulf %a, %scale : f32
      %2 = arith.select %0, %1, %z : f32
      linalg.yield %2 : f32
    } -> tensor<64x256xf32>
    train.yield %dx : tensor<64x256xf32>
  }

  // A weight's gradient and its whole update; step scalars are rank-0 arguments.
  // CHECK: train.kernel @matmul_adam
  train.kernel @matmul_adam attributes {shared = 2 : i64} {
  ^bb0(%dy: tensor<64x10xf32>, %x: tensor<64x256xf32>, %m: tensor<10x256xf32>, %beta1: tensor<f32>,
       %one_beta1: tensor<f32>, %v: tensor<10x256xf32>, %beta2: tensor<f32>, %one_beta2: tensor<f32>,
       %correction: tensor<f32>, %epsilon: tensor<f32>, %size: tensor<f32>, %decay: tensor<f32>, %w: tensor<10x256xf32>):
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<10x256xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<10x256xf32>) -> tensor<10x256xf32>
    %c = linalg.generic {doc = "matmul", indexing_maps = [#km, #kn, #c], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%dy, %x : tensor<64x10xf32>, tensor<64x256xf32>) outs(%init : tensor<10x256xf32>) {
    ^bb0(%a: f32, %bb: f32, %acc: f32):
      %0 = arith.mulf %a, %bb : f32
      %1 = arith.addf %acc, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<10x256xf32>
    %empty1 = tensor.empty() : tensor<10x256xf32>
    %empty2 = tensor.empty() : tensor<10x256xf32>
    %empty3 = tensor.empty() : tensor<10x256xf32>
    %new:3 = linalg.generic {doc = "adam",
        indexing_maps = [#m, #m, #m, #m, #ms, #ms, #ms, #ms, #ms, #ms, #ms, #ms, #m, #m, #m],
        iterator_types = ["parallel", "parallel"]}
        ins(%c, %w, %m, %v, %beta1, %one_beta1, %beta2, %one_beta2, %correction, %epsilon, %size, %decay
            : tensor<10x256xf32>, tensor<10x256xf32>, tensor<10x256xf32>, tensor<10x256xf32>, tensor<f32>, tensor<f32>,
              tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
        outs(%empty1, %empty2, %empty3 : tensor<10x256xf32>, tensor<10x256xf32>, tensor<10x256xf32>) {
    ^bb0(%g: f32, %ww: f32, %mm: f32, %vv: f32, %b1: f32, %ob1: f32, %b2: f32, %ob2: f32, %cor: f32, %eps: f32,
         %sz: f32, %wd: f32, %o1: f32, %o2: f32, %o3: f32):
      %0 = arith.mulf %wd, %ww : f32
      %1 = arith.addf %g, %0 : f32
      %2 = arith.mulf %b1, %mm : f32
      %3 = arith.mulf %ob1, %1 : f32
      %4 = arith.addf %2, %3 : f32
      %5 = arith.mulf %b2, %vv : f32
      %6 = arith.mulf %1, %1 : f32
      %7 = arith.mulf %ob2, %6 : f32
      %8 = arith.addf %5, %7 : f32
      %9 = math.sqrt %8 : f32
      %10 = arith.mulf %9, %cor : f32
      %11 = arith.addf %10, %eps : f32
      %12 = arith.mulf %sz, %4 : f32
      %13 = arith.divf %12, %11 : f32
      %14 = arith.subf %ww, %13 : f32
      linalg.yield %14, %4, %8 : f32, f32, f32
    } -> (tensor<10x256xf32>, tensor<10x256xf32>, tensor<10x256xf32>)
    train.yield %new#0, %new#1, %new#2 : tensor<10x256xf32>, tensor<10x256xf32>, tensor<10x256xf32>
  }

  // A bias' gradient, the sum over the rows, and its update: the shared loop is the columns'.
  // CHECK: train.kernel @sum_plain_sgd
  train.kernel @sum_plain_sgd attributes {shared = 1 : i64} {
  ^bb0(%dy: tensor<64x256xf32>, %b: tensor<256xf32>, %lr: tensor<f32>):
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<256xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<256xf32>) -> tensor<256xf32>
    %g = linalg.generic {doc = "sum", indexing_maps = [#mt, #m0], iterator_types = ["parallel", "reduction"]}
        ins(%dy : tensor<64x256xf32>) outs(%init : tensor<256xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %0 = arith.addf %acc, %a : f32
      linalg.yield %0 : f32
    } -> tensor<256xf32>
    %empty1 = tensor.empty() : tensor<256xf32>
    %new = linalg.generic {doc = "plain_sgd", indexing_maps = [#v, #v, #v0, #v], iterator_types = ["parallel"]}
        ins(%b, %g, %lr : tensor<256xf32>, tensor<256xf32>, tensor<f32>) outs(%empty1 : tensor<256xf32>) {
    ^bb0(%w: f32, %a: f32, %l: f32, %out: f32):
      %0 = arith.mulf %l, %a : f32
      %1 = arith.subf %w, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<256xf32>
    train.yield %new : tensor<256xf32>
  }

  // Softmax cross entropy, both ways: each row's work is inside the shared loop; values between the
  // generics (maxima, exponentials) are a row's, no results. An i64 label meets f32 lanes by a select.
  // CHECK: train.kernel @softmax_cross_entropy
  train.kernel @softmax_cross_entropy attributes {shared = 1 : i64} {
  ^bb0(%x: tensor<64x10xf32>, %labels: tensor<64xi64>, %scale: tensor<f32>):
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<64xf32>
    %lows = linalg.fill ins(%low : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
    %max = linalg.generic {doc = "reduce_max", indexing_maps = [#m, #m0], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x10xf32>) outs(%lows : tensor<64xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %0 = arith.maximumf %acc, %a : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    %empty1 = tensor.empty() : tensor<64x10xf32>
    %e = linalg.generic {doc = "sub exp", indexing_maps = [#m, #m0, #m], iterator_types = ["parallel", "parallel"]}
        ins(%x, %max : tensor<64x10xf32>, tensor<64xf32>) outs(%empty1 : tensor<64x10xf32>) {
    ^bb0(%a: f32, %mx: f32, %out: f32):
      %0 = arith.subf %a, %mx : f32
      %1 = math.exp %0 : f32
      linalg.yield %1 : f32
    } -> tensor<64x10xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>) -> tensor<64xf32>
    %sum = linalg.generic {doc = "sum", indexing_maps = [#m, #m0], iterator_types = ["parallel", "reduction"]}
        ins(%e : tensor<64x10xf32>) outs(%zeros : tensor<64xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %0 = arith.addf %acc, %a : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    %picked = linalg.generic {doc = "select sum", indexing_maps = [#m0, #m, #m0, #m0], iterator_types = ["parallel", "reduction"]}
        ins(%labels, %x, %max : tensor<64xi64>, tensor<64x10xf32>, tensor<64xf32>) outs(%zeros : tensor<64xf32>) {
    ^bb0(%label: i64, %a: f32, %mx: f32, %acc: f32):
      %z = arith.constant 0.0 : f32
      %i = linalg.index 1 : index
      %class = arith.index_cast %i : index to i64
      %0 = arith.cmpi eq, %class, %label : i64
      %1 = arith.subf %a, %mx : f32
      %2 = arith.select %0, %1, %z : f32
      %3 = arith.addf %acc, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<64xf32>
    %empty2 = tensor.empty() : tensor<64xf32>
    %loss = linalg.generic {doc = "log sub", indexing_maps = [#v, #v, #v], iterator_types = ["parallel"]}
        ins(%sum, %picked : tensor<64xf32>, tensor<64xf32>) outs(%empty2 : tensor<64xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %0 = math.log %a : f32
      %1 = arith.subf %0, %b : f32
      linalg.yield %1 : f32
    } -> tensor<64xf32>
    %empty3 = tensor.empty() : tensor<64x10xf32>
    %dx = linalg.generic {doc = "div select sub mul", indexing_maps = [#m, #m0, #m0, #ms, #m], iterator_types = ["parallel", "parallel"]}
        ins(%e, %sum, %labels, %scale : tensor<64x10xf32>, tensor<64xf32>, tensor<64xi64>, tensor<f32>)
        outs(%empty3 : tensor<64x10xf32>) {
    ^bb0(%a: f32, %s: f32, %label: i64, %k: f32, %out: f32):
      %one = arith.constant 1.0 : f32
      %z = arith.constant 0.0 : f32
      %i = linalg.index 1 : index
      %class = arith.index_cast %i : index to i64
      %0 = arith.cmpi eq, %class, %label : i64
      %1 = arith.select %0, %one, %z : f32
      %2 = arith.divf %a, %s : f32
      %3 = arith.subf %2, %1 : f32
      %4 = arith.mulf %3, %k : f32
      linalg.yield %4 : f32
    } -> tensor<64x10xf32>
    train.yield %loss, %dx : tensor<64xf32>, tensor<64x10xf32>
  }

  // A sum of everything: no shared loop, one chunk.
  // CHECK: train.kernel @sum
  train.kernel @sum attributes {shared = 0 : i64} {
  ^bb0(%x: tensor<64xf32>, %scale: tensor<f32>):
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<f32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
    %sum = linalg.generic {doc = "sum", indexing_maps = [#v, #v0], iterator_types = ["reduction"]}
        ins(%x : tensor<64xf32>) outs(%init : tensor<f32>) {
    ^bb0(%a: f32, %acc: f32):
      %0 = arith.addf %acc, %a : f32
      linalg.yield %0 : f32
    } -> tensor<f32>
    %empty1 = tensor.empty() : tensor<f32>
    %mean = linalg.generic {doc = "mul", indexing_maps = [#s, #s, #s], iterator_types = []}
        ins(%sum, %scale : tensor<f32>, tensor<f32>) outs(%empty1 : tensor<f32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %0 = arith.mulf %a, %b : f32
      linalg.yield %0 : f32
    } -> tensor<f32>
    train.yield %mean : tensor<f32>
  }

  // The optimizer's scalars, once per step: no loops at all.
  // CHECK: train.kernel @scalars
  train.kernel @scalars attributes {shared = 0 : i64} {
  ^bb0(%lr: tensor<f64>, %beta1: tensor<f64>, %step: tensor<i64>):
    %empty = tensor.empty() : tensor<f32>
    %empty1 = tensor.empty() : tensor<f32>
    %empty2 = tensor.empty() : tensor<i64>
    %new:3 = linalg.generic {doc = "scalars", indexing_maps = [#s, #s, #s, #s, #s, #s], iterator_types = []}
        ins(%lr, %beta1, %step : tensor<f64>, tensor<f64>, tensor<i64>)
        outs(%empty, %empty1, %empty2 : tensor<f32>, tensor<f32>, tensor<i64>) {
    ^bb0(%l: f64, %b: f64, %t: i64, %o1: f32, %o2: f32, %o3: i64):
      %c1 = arith.constant 1 : i64
      %one = arith.constant 1.0 : f64
      %0 = arith.addi %t, %c1 : i64
      %1 = arith.sitofp %0 : i64 to f64
      %2 = math.powf %b, %1 : f64
      %3 = arith.subf %one, %2 : f64
      %4 = arith.divf %l, %3 : f64
      %5 = arith.truncf %4 : f64 to f32
      %6 = arith.truncf %b : f64 to f32
      linalg.yield %5, %6, %0 : f32, f32, i64
    } -> (tensor<f32>, tensor<f32>, tensor<i64>)
    train.yield %new#0, %new#1, %new#2 : tensor<f32>, tensor<f32>, tensor<i64>
  }

  // Dynamic dims: names are on the kernel, sizes in the body.
  // CHECK: train.kernel @add
  train.kernel @add attributes {shared = 2 : i64,
      arg_dims = [#nn.dims<batch, _>, unit, #nn.dims<batch, _>]} {
  ^bb0(%x: tensor<?x10xf32>, %b: tensor<10xf32>):
    %size = train.dim_size "batch" : index
    %empty = tensor.empty(%size) : tensor<?x10xf32>
    %y = linalg.generic {doc = "add", indexing_maps = [#m, #m1, #m], iterator_types = ["parallel", "parallel"]}
        ins(%x, %b : tensor<?x10xf32>, tensor<10xf32>) outs(%empty : tensor<?x10xf32>) {
    ^bb0(%a: f32, %bias: f32, %out: f32):
      %0 = arith.addf %a, %bias : f32
      linalg.yield %0 : f32
    } -> tensor<?x10xf32>
    train.yield %y : tensor<?x10xf32>
  }
}
