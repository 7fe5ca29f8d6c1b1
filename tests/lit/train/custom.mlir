// A user's function goes through all stages as one kernel, and so does that of its gradient. What stands around it is
// fused without it.
// RUN: dlc-opt %s | dlc-opt | FileCheck %s --check-prefix=TEXT
// RUN: dlc-opt %s --dlc-recipe=set=loss=mse --dlc-attach-loss --dlc-resolve-modes --dlc-backward --canonicalize --cse > %t
// RUN: FileCheck %s --check-prefix=BACKWARD --input-file=%t
// RUN: dlc-opt %t --dlc-decompose --dlc-nn-to-linalg --dlc-verify-lower > %t.lower
// RUN: FileCheck %s --check-prefix=LOWER --input-file=%t.lower
// RUN: dlc-opt %t.lower --dlc-layout --dlc-verify-layout --dlc-fuse --dlc-verify-fuse > %t.fuse
// RUN: FileCheck %s --check-prefix=FUSE --input-file=%t.fuse
// RUN: dlc-opt %t.fuse --dlc-schedule-cpu --dlc-verify-schedule --dlc-plan --dlc-verify-plan | FileCheck %s --check-prefix=PLAN
// RUN: dlc-opt %t.fuse --dlc-schedule-gpu --dlc-verify-schedule-gpu | FileCheck %s --check-prefix=GPU
// RUN: sed 's/ cuda <.*>$//' %t.fuse | not dlc-opt --dlc-schedule-gpu 2>&1 | FileCheck %s --check-prefix=CPUS
// RUN: sed 's/is "swish.*" in "swish.c"//' %t.fuse | not dlc-opt --dlc-schedule-cpu 2>&1 | FileCheck %s --check-prefix=GPUS
// RUN: sed 's/blocks\[.*c"]/blocks["1000000000000", "1000000000000"]/' %t.fuse | not dlc-opt --dlc-schedule-gpu --dlc-verify-schedule-gpu 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not dlc-opt %s --dlc-recipe=set=loss=mse --dlc-attach-loss --dlc-resolve-modes --dlc-recipe=set=function=hvp --dlc-backward 2>&1 | FileCheck %s --check-prefix=TWICE

// A file has the gradient, but not the gradient's.
// TWICE: error: --function=hvp: node 'gradient of train.custom': the custom operation 'my.ops.SwishGrad' has no gradient in its file, and a Hessian-vector product is the gradient of the gradient

// TEXT: train.custom_function @my.ops.Swish is "swish" in "swish.c"
// TEXT-SAME: inplace [0, 0] rows "rows" gradient @my.ops.SwishGrad
// TEXT: train.custom @my.ops.Swish(%{{.*}}, %{{.*}}) numbers [2.000000e+00]
train.program @m {
  train.dim @batch = 8
  train.custom_function @my.ops.Swish is "swish" in "swish.c"
      [#train.custom_tensor<"x" : f32["rows...", "c"]>, #train.custom_tensor<"beta" : f32["c"]>]
      -> [#train.custom_tensor<"y" : f32["rows...", "c"]>]
      settings [#train.custom_setting<"scale" : f64 = 1.0 : f64>]
      inplace [0, 0] rows "rows" gradient @my.ops.SwishGrad
      cuda <"swish" in "swish.cu", block = 96, threads["rows...", "c"]>
  train.custom_function @my.ops.SwishGrad is "swish_grad" in "swish.c"
      [#train.custom_tensor<"x" : f32["rows...", "c"]>, #train.custom_tensor<"beta" : f32["c"]>,
       #train.custom_tensor<"grad_y" : f32["rows...", "c"]>]
      -> [#train.custom_tensor<"grad_x" : f32["rows...", "c"]>, #train.custom_tensor<"grad_beta" : f32["c"]>]
      settings [#train.custom_setting<"scale" : f64>]
      cuda <"swish_grad" in "swish.cu", block = 128, blocks["2", "c"]>
  train.input @x : tensor<?x16xf32, #nn.dims<batch, _>>
  train.state parameter @w : tensor<32x16xf32> = dense<0.5>
  train.state parameter @beta : tensor<32xf32> = dense<1.0>
  train.output prediction @y : tensor<?x1x32xf32, #nn.dims<batch, _, _>>
  train.function forward @forward {
    %0 = train.read @x : tensor<?x16xf32, #nn.dims<batch, _>>
    %1 = train.read @w : tensor<32x16xf32>
    %2 = nn.matmul %0, %1 transpose_b : tensor<?x16xf32, #nn.dims<batch, _>>, tensor<32x16xf32>
    %3 = nn.reshape %2 : tensor<?x32xf32, #nn.dims<batch, _>> -> tensor<?x1x32xf32, #nn.dims<batch, _, _>>
    %b = train.read @beta : tensor<32xf32>
    %4 = train.custom @my.ops.Swish(%3, %b) numbers [2.0 : f64] : (tensor<?x1x32xf32, #nn.dims<batch, _, _>>, tensor<32xf32>) -> tensor<?x1x32xf32, #nn.dims<batch, _, _>>
    %5 = nn.relu %4 : tensor<?x1x32xf32, #nn.dims<batch, _, _>>
    train.write %5, @y : tensor<?x1x32xf32, #nn.dims<batch, _, _>>
  }
}

// The gradient's function gets what its names say, and the same number.
// BACKWARD: train.function train_step
// BACKWARD: %[[Y:.*]] = train.custom @my.ops.Swish(%[[X:.*]], %[[B:.*]]) numbers [2.000000e+00]
// BACKWARD: %{{.*}}:2 = train.custom @my.ops.SwishGrad(%[[X]], %[[B]], %{{.*}}) numbers [2.000000e+00] : (tensor<8x1x32xf32>, tensor<32xf32>, tensor<8x1x32xf32>) -> (tensor<8x1x32xf32>, tensor<32xf32>)

// "rows..." is the product of two dims, one of which is not there any more.
// LOWER: train.custom_call @my.ops.Swish(%{{.*}}, %{{.*}}) sizes ["8", "32"] numbers [2.000000e+00] : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
// LOWER: train.function predict
// LOWER: train.custom_call @my.ops.Swish(%{{.*}}, %{{.*}}) sizes ["batch", "32"] numbers [2.000000e+00] dims [#nn.dims<batch, _>] : (tensor<?x32xf32>, tensor<32xf32>) -> tensor<?x32xf32>

// FUSE: train.kernel @swish attributes {shared = 0 : i64} {
// FUSE-NEXT: ^bb0(%[[X:.*]]: tensor<8x32xf32>, %[[B:.*]]: tensor<32xf32>):
// FUSE-NEXT: %[[Y:.*]] = train.custom_call @my.ops.Swish(%[[X]], %[[B]])
// FUSE-NEXT: train.yield %[[Y]]
// FUSE: train.function train_step
// FUSE: %[[X:.*]] = train.launch @matmul(
// FUSE: %[[Y:.*]] = train.launch @swish(%[[X]], %{{.*}})
// FUSE: train.launch @swish_grad(%[[X]], %{{.*}}, %{{.*}})

// Rows are cut into chunks where the function says that it has rows, and a result takes its operand's place.
// PLAN: train.kernel @swish schedule(#cpu.schedule<"call", lanes = 1 split = <loop = 0, size = 1, chunks = 8> inplace = [0, 0]>)
// PLAN: train.kernel @swish_grad schedule(#cpu.schedule<"call", lanes = 1>)
// PLAN: train.function predict
// PLAN: %[[H:.*]] = train.place at [[AT:[0-9]+]] {{.*}} : memref<?x32xf32>
// PLAN: %[[SAME:.*]] = train.place at [[AT]] {{.*}} : memref<?x32xf32>
// PLAN: train.launch @swish_{{[0-9]+}}(%[[H]], %{{.*}}) into(%[[SAME]])

// On GPUs a kernel has the threads that its function wants: 8 * 32 in whole blocks of 96, and 2 * 32 blocks of 128.
// GPU: train.kernel @swish schedule(#cuda.schedule<#cuda.call, threads = 96 grid = 3 inplace = [0, 0]>)
// GPU: train.kernel @swish_grad schedule(#cuda.schedule<#cuda.call, threads = 128 grid = 64>)
// CPUS: the custom operation 'my.ops.Swish' has code for CPUs only, which --target=nvptx cannot use
// GPUS: the custom operation 'my.ops.Swish' has code for GPUs only, which --target=cpu cannot use
// LARGE: needs 9223372036854775807 blocks of threads, a launch has at most 2147483647
