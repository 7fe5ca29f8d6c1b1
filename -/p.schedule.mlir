#map = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1) -> (d1, d0)>
#map4 = affine_map<(d0, d1) -> (d0)>
#map5 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map6 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map8 = affine_map<(d0, d1, d2) -> (d2, d0)>
#map9 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map10 = affine_map<(d0, d1) -> (d0, d1)>
#map11 = affine_map<(d0) -> (d0)>
module {
  train.program @p {
    train.input @x : tensor<2048x768xf32>
    train.input @dy : tensor<2048x768xf32>
    train.state parameter @w : tensor<768x768xf32>
    train.input @a : tensor<128x64xf32>
    train.input @b : tensor<128x64xf32>
    train.input @q : tensor<4096x64xf32>
    train.output prediction @dw : tensor<768x768xf32>
    train.output prediction @y : tensor<2048x768xf32>
    train.output prediction @c : tensor<64x64xf32>
    train.output prediction @attended : tensor<4096x64xf32>
    train.kernel @matmul schedule(#cuda.schedule<#cuda.contraction<rows = 128 columns = 64 steps = 8 thread_rows = 8 thread_columns = 4 stages = 4 left = <bytes = 16> right = <bytes = 16>>, threads = 256 grid = 144>) attributes {shared = 3 : i64} {
    ^bb0(%arg0: tensor<2x1024x768xf32>, %arg1: tensor<2x1024x768xf32>):
      %cst = arith.constant 0.000000e+00 : f32
      %0 = tensor.empty() : tensor<2x768x768xf32>
      %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x768x768xf32>) -> tensor<2x768x768xf32>
      %2 = linalg.generic {doc = "matmul", indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x1024x768xf32>, tensor<2x1024x768xf32>) outs(%1 : tensor<2x768x768xf32>) {
      ^bb0(%in: f32, %in_0: f32, %out: f32):
        %3 = arith.mulf %in, %in_0 : f32
        %4 = arith.addf %out, %3 : f32
        linalg.yield %4 : f32
      } -> tensor<2x768x768xf32>
      train.yield %2 : tensor<2x768x768xf32>
    }
    train.kernel @matmul_0 schedule(#cuda.schedule<#cuda.points<members = 1>, threads = 256 grid = 2304>) attributes {shared = 1 : i64} {
    ^bb0(%arg0: tensor<2x589824xf32>):
      %0 = tensor.empty() : tensor<589824xf32>
      %cst = arith.constant 0.000000e+00 : f32
      %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<589824xf32>) -> tensor<589824xf32>
      %2 = linalg.generic {doc = "matmul", indexing_maps = [#map3, #map4], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<2x589824xf32>) outs(%1 : tensor<589824xf32>) {
      ^bb0(%in: f32, %out: f32):
        %3 = arith.addf %out, %in : f32
        linalg.yield %3 : f32
      } -> tensor<589824xf32>
      train.yield %2 : tensor<589824xf32>
    }
    train.kernel @matmul_1 schedule(#cuda.schedule<#cuda.contraction<rows = 128 columns = 128 steps = 8 thread_rows = 8 thread_columns = 8 stages = 4 left = <bytes = 16 along_steps = true> right = <bytes = 16>>, threads = 256 grid = 96>) attributes {shared = 2 : i64} {
    ^bb0(%arg0: tensor<2048x768xf32>, %arg1: tensor<768x768xf32>):
      %cst = arith.constant 0.000000e+00 : f32
      %0 = tensor.empty() : tensor<2048x768xf32>
      %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2048x768xf32>) -> tensor<2048x768xf32>
      %2 = linalg.generic {doc = "matmul", indexing_maps = [#map5, #map6, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2048x768xf32>, tensor<768x768xf32>) outs(%1 : tensor<2048x768xf32>) {
      ^bb0(%in: f32, %in_0: f32, %out: f32):
        %3 = arith.mulf %in, %in_0 : f32
        %4 = arith.addf %out, %3 : f32
        linalg.yield %4 : f32
      } -> tensor<2048x768xf32>
      train.yield %2 : tensor<2048x768xf32>
    }
    train.kernel @matmul_2 schedule(#cuda.schedule<#cuda.contraction<rows = 32 columns = 32 steps = 16 thread_rows = 2 thread_columns = 2 stages = 4 left = <bytes = 16> right = <bytes = 16>>, threads = 256 grid = 4>) attributes {shared = 2 : i64} {
    ^bb0(%arg0: tensor<128x64xf32>, %arg1: tensor<128x64xf32>):
      %cst = arith.constant 0.000000e+00 : f32
      %0 = tensor.empty() : tensor<64x64xf32>
      %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<64x64xf32>) -> tensor<64x64xf32>
      %2 = linalg.generic {doc = "matmul", indexing_maps = [#map8, #map6, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<128x64xf32>, tensor<128x64xf32>) outs(%1 : tensor<64x64xf32>) {
      ^bb0(%in: f32, %in_0: f32, %out: f32):
        %3 = arith.mulf %in, %in_0 : f32
        %4 = arith.addf %out, %3 : f32
        linalg.yield %4 : f32
      } -> tensor<64x64xf32>
      train.yield %2 : tensor<64x64xf32>
    }
    train.kernel @matmul_3 schedule(#cuda.schedule<#cuda.contraction<rows = 128 columns = 128 steps = 8 thread_rows = 8 thread_columns = 8 stages = 4 left = <bytes = 16 along_steps = true> right = <bytes = 16 along_steps = true>>, threads = 256 grid = 1024>) attributes {shared = 2 : i64} {
    ^bb0(%arg0: tensor<4096x64xf32>):
      %cst = arith.constant 0.000000e+00 : f32
      %0 = tensor.empty() : tensor<4096x4096xf32>
      %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      %2 = linalg.generic {doc = "matmul", indexing_maps = [#map5, #map9, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg0 : tensor<4096x64xf32>, tensor<4096x64xf32>) outs(%1 : tensor<4096x4096xf32>) {
      ^bb0(%in: f32, %in_0: f32, %out: f32):
        %3 = arith.mulf %in, %in_0 : f32
        %4 = arith.addf %out, %3 : f32
        linalg.yield %4 : f32
      } -> tensor<4096x4096xf32>
      train.yield %2 : tensor<4096x4096xf32>
    }
    train.kernel @softmax schedule(#cuda.schedule<#cuda.points<members = 256 partials = [256, 1, 256, 1, 1] shared = 16384>, threads = 256 grid = 4096 inplace = [0, 0]>) attributes {shared = 1 : i64} {
    ^bb0(%arg0: tensor<4096x4096xf32>):
      %cst = arith.constant 0xFF800000 : f32
      %0 = tensor.empty() : tensor<4096xf32>
      %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4096xf32>) -> tensor<4096xf32>
      %2 = tensor.empty() : tensor<4096x4096xf32>
      %cst_0 = arith.constant 0.000000e+00 : f32
      %3 = tensor.empty() : tensor<4096xf32>
      %4 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<4096xf32>) -> tensor<4096xf32>
      %5 = tensor.empty() : tensor<4096xf32>
      %6 = tensor.empty() : tensor<4096x4096xf32>
      %7 = linalg.generic {doc = "softmax", indexing_maps = [#map10, #map4], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<4096x4096xf32>) outs(%1 : tensor<4096xf32>) {
      ^bb0(%in: f32, %out: f32):
        %12 = arith.maximumf %out, %in : f32
        linalg.yield %12 : f32
      } -> tensor<4096xf32>
      %8 = linalg.generic {doc = "softmax", indexing_maps = [#map10, #map4, #map10], iterator_types = ["parallel", "parallel"]} ins(%arg0, %7 : tensor<4096x4096xf32>, tensor<4096xf32>) outs(%2 : tensor<4096x4096xf32>) {
      ^bb0(%in: f32, %in_1: f32, %out: f32):
        %12 = arith.subf %in, %in_1 : f32
        %13 = math.exp %12 : f32
        linalg.yield %13 : f32
      } -> tensor<4096x4096xf32>
      %9 = linalg.generic {doc = "softmax", indexing_maps = [#map10, #map4], iterator_types = ["parallel", "reduction"]} ins(%8 : tensor<4096x4096xf32>) outs(%4 : tensor<4096xf32>) {
      ^bb0(%in: f32, %out: f32):
        %12 = arith.addf %out, %in : f32
        linalg.yield %12 : f32
      } -> tensor<4096xf32>
      %10 = linalg.generic {doc = "softmax", indexing_maps = [#map11, #map11], iterator_types = ["parallel"]} ins(%9 : tensor<4096xf32>) outs(%5 : tensor<4096xf32>) {
      ^bb0(%in: f32, %out: f32):
        %cst_1 = arith.constant 1.000000e+00 : f32
        %12 = arith.divf %cst_1, %in : f32
        linalg.yield %12 : f32
      } -> tensor<4096xf32>
      %11 = linalg.generic {doc = "softmax", indexing_maps = [#map10, #map4, #map10], iterator_types = ["parallel", "parallel"]} ins(%8, %10 : tensor<4096x4096xf32>, tensor<4096xf32>) outs(%6 : tensor<4096x4096xf32>) {
      ^bb0(%in: f32, %in_1: f32, %out: f32):
        %12 = arith.mulf %in, %in_1 : f32
        linalg.yield %12 : f32
      } -> tensor<4096x4096xf32>
      train.yield %11 : tensor<4096x4096xf32>
    }
    train.kernel @matmul_4 schedule(#cuda.schedule<#cuda.contraction<rows = 32 columns = 32 steps = 16 thread_rows = 2 thread_columns = 2 stages = 4 left = <bytes = 16 along_steps = true> right = <bytes = 16>>, threads = 256 grid = 256>) attributes {shared = 2 : i64} {
    ^bb0(%arg0: tensor<4096x4096xf32>, %arg1: tensor<4096x64xf32>):
      %cst = arith.constant 0.000000e+00 : f32
      %0 = tensor.empty() : tensor<4096x64xf32>
      %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4096x64xf32>) -> tensor<4096x64xf32>
      %2 = linalg.generic {doc = "matmul", indexing_maps = [#map5, #map6, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<4096x4096xf32>, tensor<4096x64xf32>) outs(%1 : tensor<4096x64xf32>) {
      ^bb0(%in: f32, %in_0: f32, %out: f32):
        %3 = arith.mulf %in, %in_0 : f32
        %4 = arith.addf %out, %3 : f32
        linalg.yield %4 : f32
      } -> tensor<4096x64xf32>
      train.yield %2 : tensor<4096x64xf32>
    }
    train.function predict @predict {
      %0 = train.read @x : tensor<2048x768xf32>
      %1 = train.read @dy : tensor<2048x768xf32>
      %expanded = tensor.expand_shape %0 [[0, 1], [2]] output_shape [2, 1024, 768] : tensor<2048x768xf32> into tensor<2x1024x768xf32>
      %expanded_0 = tensor.expand_shape %1 [[0, 1], [2]] output_shape [2, 1024, 768] : tensor<2048x768xf32> into tensor<2x1024x768xf32>
      %2 = train.launch @matmul(%expanded, %expanded_0) : (tensor<2x1024x768xf32>, tensor<2x1024x768xf32>) -> tensor<2x768x768xf32>
      %collapsed = tensor.collapse_shape %2 [[0], [1, 2]] : tensor<2x768x768xf32> into tensor<2x589824xf32>
      %3 = train.launch @matmul_0(%collapsed) : (tensor<2x589824xf32>) -> tensor<589824xf32>
      %expanded_1 = tensor.expand_shape %3 [[0, 1]] output_shape [768, 768] : tensor<589824xf32> into tensor<768x768xf32>
      %4 = train.read @w : tensor<768x768xf32>
      %5 = train.launch @matmul_1(%0, %4) : (tensor<2048x768xf32>, tensor<768x768xf32>) -> tensor<2048x768xf32>
      %6 = train.read @a : tensor<128x64xf32>
      %7 = train.read @b : tensor<128x64xf32>
      %8 = train.launch @matmul_2(%6, %7) : (tensor<128x64xf32>, tensor<128x64xf32>) -> tensor<64x64xf32>
      %9 = train.read @q : tensor<4096x64xf32>
      %10 = train.launch @matmul_3(%9) : (tensor<4096x64xf32>) -> tensor<4096x4096xf32>
      %11 = train.launch @softmax(%10) : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
      %12 = train.launch @matmul_4(%11, %9) : (tensor<4096x4096xf32>, tensor<4096x64xf32>) -> tensor<4096x64xf32>
      train.write %expanded_1, @dw : tensor<768x768xf32>
      train.write %5, @y : tensor<2048x768xf32>
      train.write %8, @c : tensor<64x64xf32>
      train.write %12, @attended : tensor<4096x64xf32>
    }
  }
}

