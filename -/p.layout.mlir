#map = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d1 + d5, d2 + d6)>
#map1 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d3)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map5 = affine_map<(d0, d1, d2, d3, d4) -> (d4, d3)>
#map6 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map7 = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d4, d2 + d5, d6)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>
#set = affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d1 + d4 - 1 >= 0, -(d1 + d4) + 7 >= 0, d2 + d5 - 1 >= 0, -(d2 + d5) + 7 >= 0)>
module {
  train.program @p {
    train.input @x : tensor<4x3x9x9xf32>
    train.state parameter @w0 layout <[1, 2, 3, 0]> : tensor<16x3x3x3xf32>
    train.state parameter @w1 layout <[1, 2, 3, 0]> : tensor<16x16x1x1xf32>
    train.state parameter @w2 layout <[2, 3, 1, 0]> : tensor<4x16x3x3xf32>
    train.state parameter @w3 layout <[2, 3, 1, 0]> : tensor<16x4x3x3xf32>
    train.output prediction @y : tensor<4x16x7x7xf32>
    train.output prediction @z : tensor<4x16x7x7xf32>
    train.function predict @predict {
      %0 = train.read @x : tensor<4x3x9x9xf32>
      %1 = train.read @w0 : tensor<3x3x3x16xf32>
      %2 = train.read @w1 : tensor<16x1x1x16xf32>
      %collapsed = tensor.collapse_shape %2 [[0, 1, 2], [3]] : tensor<16x1x1x16xf32> into tensor<16x16xf32>
      %3 = train.read @w2 : tensor<3x3x16x4xf32>
      %4 = train.read @w3 : tensor<3x3x4x16xf32>
      %cst = arith.constant 0.000000e+00 : f32
      %5 = tensor.empty() : tensor<4x7x7x16xf32>
      %6 = linalg.fill ins(%cst : f32) outs(%5 : tensor<4x7x7x16xf32>) -> tensor<4x7x7x16xf32>
      %7 = linalg.generic {doc = "conv", indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%0, %1 : tensor<4x3x9x9xf32>, tensor<3x3x3x16xf32>) outs(%6 : tensor<4x7x7x16xf32>) {
      ^bb0(%in: f32, %in_3: f32, %out: f32):
        %29 = arith.mulf %in, %in_3 : f32
        %30 = arith.addf %out, %29 : f32
        linalg.yield %30 : f32
      } -> tensor<4x7x7x16xf32>
      %8 = tensor.empty() : tensor<4x7x7x16xf32>
      %9 = linalg.generic {doc = "relu", indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7 : tensor<4x7x7x16xf32>) outs(%8 : tensor<4x7x7x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        %cst_3 = arith.constant 0.000000e+00 : f32
        %29 = arith.cmpf olt, %in, %cst_3 : f32
        %30 = arith.select %29, %cst_3, %in : f32
        linalg.yield %30 : f32
      } -> tensor<4x7x7x16xf32>
      %cst_0 = arith.constant 0.000000e+00 : f32
      %10 = tensor.empty() : tensor<4x7x7x16xf32>
      %11 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<4x7x7x16xf32>) -> tensor<4x7x7x16xf32>
      %12 = linalg.generic {doc = "conv", indexing_maps = [#map4, #map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%9, %collapsed : tensor<4x7x7x16xf32>, tensor<16x16xf32>) outs(%11 : tensor<4x7x7x16xf32>) {
      ^bb0(%in: f32, %in_3: f32, %out: f32):
        %29 = arith.mulf %in, %in_3 : f32
        %30 = arith.addf %out, %29 : f32
        linalg.yield %30 : f32
      } -> tensor<4x7x7x16xf32>
      %13 = tensor.empty() : tensor<4x9x9x16xf32>
      %14 = linalg.generic {doc = "conv", indexing_maps = [#map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%13 : tensor<4x9x9x16xf32>) {
      ^bb0(%out: f32):
        %true = arith.constant true
        %29 = linalg.index 0 : index
        %30 = linalg.index 3 : index
        %31 = linalg.index 1 : index
        %c0 = arith.constant 0 : index
        %c7 = arith.constant 7 : index
        %c1 = arith.constant 1 : index
        %32 = arith.subi %31, %c1 : index
        %c0_3 = arith.constant 0 : index
        %33 = arith.cmpi sge, %32, %c0_3 : index
        %34 = arith.andi %true, %33 : i1
        %c7_4 = arith.constant 7 : index
        %35 = arith.cmpi slt, %32, %c7_4 : index
        %36 = arith.andi %34, %35 : i1
        %c1_5 = arith.constant 1 : index
        %37 = arith.subi %c7, %c1_5 : index
        %c0_6 = arith.constant 0 : index
        %38 = arith.maxsi %32, %c0_6 : index
        %39 = arith.minsi %38, %37 : index
        %40 = linalg.index 2 : index
        %c0_7 = arith.constant 0 : index
        %c7_8 = arith.constant 7 : index
        %c1_9 = arith.constant 1 : index
        %41 = arith.subi %40, %c1_9 : index
        %c0_10 = arith.constant 0 : index
        %42 = arith.cmpi sge, %41, %c0_10 : index
        %43 = arith.andi %36, %42 : i1
        %c7_11 = arith.constant 7 : index
        %44 = arith.cmpi slt, %41, %c7_11 : index
        %45 = arith.andi %43, %44 : i1
        %c1_12 = arith.constant 1 : index
        %46 = arith.subi %c7_8, %c1_12 : index
        %c0_13 = arith.constant 0 : index
        %47 = arith.maxsi %41, %c0_13 : index
        %48 = arith.minsi %47, %46 : index
        %extracted = tensor.extract %9[%29, %39, %48, %30] : tensor<4x7x7x16xf32>
        %cst_14 = arith.constant 0.000000e+00 : f32
        %49 = arith.select %45, %extracted, %cst_14 : f32
        linalg.yield %49 : f32
      } -> tensor<4x9x9x16xf32>
      %cst_1 = arith.constant 0.000000e+00 : f32
      %15 = tensor.empty() : tensor<4x7x7x4xf32>
      %16 = linalg.fill ins(%cst_1 : f32) outs(%15 : tensor<4x7x7x4xf32>) -> tensor<4x7x7x4xf32>
      %17 = linalg.generic {doc = "conv", indexing_maps = [#map7, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%14, %3 : tensor<4x9x9x16xf32>, tensor<3x3x16x4xf32>) outs(%16 : tensor<4x7x7x4xf32>) attrs =  {nonzero = #set} {
      ^bb0(%in: f32, %in_3: f32, %out: f32):
        %29 = arith.mulf %in, %in_3 : f32
        %30 = arith.addf %out, %29 : f32
        linalg.yield %30 : f32
      } -> tensor<4x7x7x4xf32>
      %18 = tensor.empty() : tensor<4x7x7x4xf32>
      %19 = linalg.generic {doc = "tanh", indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<4x7x7x4xf32>) outs(%18 : tensor<4x7x7x4xf32>) {
      ^bb0(%in: f32, %out: f32):
        %29 = math.tanh %in : f32
        linalg.yield %29 : f32
      } -> tensor<4x7x7x4xf32>
      %20 = tensor.empty() : tensor<4x9x9x4xf32>
      %21 = linalg.generic {doc = "conv", indexing_maps = [#map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%20 : tensor<4x9x9x4xf32>) {
      ^bb0(%out: f32):
        %true = arith.constant true
        %29 = linalg.index 0 : index
        %30 = linalg.index 3 : index
        %31 = linalg.index 1 : index
        %c0 = arith.constant 0 : index
        %c7 = arith.constant 7 : index
        %c1 = arith.constant 1 : index
        %32 = arith.subi %31, %c1 : index
        %c0_3 = arith.constant 0 : index
        %33 = arith.cmpi sge, %32, %c0_3 : index
        %34 = arith.andi %true, %33 : i1
        %c7_4 = arith.constant 7 : index
        %35 = arith.cmpi slt, %32, %c7_4 : index
        %36 = arith.andi %34, %35 : i1
        %c1_5 = arith.constant 1 : index
        %37 = arith.subi %c7, %c1_5 : index
        %c0_6 = arith.constant 0 : index
        %38 = arith.maxsi %32, %c0_6 : index
        %39 = arith.minsi %38, %37 : index
        %40 = linalg.index 2 : index
        %c0_7 = arith.constant 0 : index
        %c7_8 = arith.constant 7 : index
        %c1_9 = arith.constant 1 : index
        %41 = arith.subi %40, %c1_9 : index
        %c0_10 = arith.constant 0 : index
        %42 = arith.cmpi sge, %41, %c0_10 : index
        %43 = arith.andi %36, %42 : i1
        %c7_11 = arith.constant 7 : index
        %44 = arith.cmpi slt, %41, %c7_11 : index
        %45 = arith.andi %43, %44 : i1
        %c1_12 = arith.constant 1 : index
        %46 = arith.subi %c7_8, %c1_12 : index
        %c0_13 = arith.constant 0 : index
        %47 = arith.maxsi %41, %c0_13 : index
        %48 = arith.minsi %47, %46 : index
        %extracted = tensor.extract %19[%29, %39, %48, %30] : tensor<4x7x7x4xf32>
        %cst_14 = arith.constant 0.000000e+00 : f32
        %49 = arith.select %45, %extracted, %cst_14 : f32
        linalg.yield %49 : f32
      } -> tensor<4x9x9x4xf32>
      %cst_2 = arith.constant 0.000000e+00 : f32
      %22 = tensor.empty() : tensor<4x7x7x16xf32>
      %23 = linalg.fill ins(%cst_2 : f32) outs(%22 : tensor<4x7x7x16xf32>) -> tensor<4x7x7x16xf32>
      %24 = linalg.generic {doc = "conv", indexing_maps = [#map7, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%21, %4 : tensor<4x9x9x4xf32>, tensor<3x3x4x16xf32>) outs(%23 : tensor<4x7x7x16xf32>) attrs =  {nonzero = #set} {
      ^bb0(%in: f32, %in_3: f32, %out: f32):
        %29 = arith.mulf %in, %in_3 : f32
        %30 = arith.addf %out, %29 : f32
        linalg.yield %30 : f32
      } -> tensor<4x7x7x16xf32>
      %25 = tensor.empty() : tensor<4x16x7x7xf32>
      %26 = linalg.generic {doc = "layout", indexing_maps = [#map8, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12 : tensor<4x7x7x16xf32>) outs(%25 : tensor<4x16x7x7xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<4x16x7x7xf32>
      train.write %26, @y : tensor<4x16x7x7xf32>
      %27 = tensor.empty() : tensor<4x16x7x7xf32>
      %28 = linalg.generic {doc = "layout", indexing_maps = [#map8, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24 : tensor<4x7x7x16xf32>) outs(%27 : tensor<4x16x7x7xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<4x16x7x7xf32>
      train.write %28, @z : tensor<4x16x7x7xf32>
    }
  }
}

