// States come first in the arena; a state's new value is produced in the state's place where its old
// value is dead or may be overwritten, and copied there otherwise.
// RUN: dlc-opt %s --dlc-plan --dlc-verify-plan | FileCheck %s

#id = affine_map<(i) -> (i)>
// CHECK: train.program @states attributes {plan = #train.program_plan<states = 704, arena = 1344, bound = 1344>}
train.program @states {
  // CHECK: train.state parameter @w at 0 :
  train.state parameter @w : tensor<65xf32>
  // CHECK: train.state parameter @v at 320 :
  train.state parameter @v : tensor<65xf32>
  // CHECK: train.state step_count @step at 640 :
  train.state step_count @step : tensor<i64>
  train.kernel @update schedule(#cpu.schedule<#cpu.columns<vectors = 1>, lanes = 1 inplace = [0, 0]>) {
  ^bb0(%w: tensor<65xf32>, %v: tensor<65xf32>):
    %0 = tensor.empty() : tensor<65xf32>
    %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%w, %v : tensor<65xf32>, tensor<65xf32>) outs(%0 : tensor<65xf32>) {
    ^bb0(%a: f32, %b: f32, %out: f32):
      %2 = arith.subf %a, %b : f32
      linalg.yield %2 : f32
    } -> tensor<65xf32>
    train.yield %1 : tensor<65xf32>
  }
  train.kernel @count {
  ^bb0(%t: tensor<i64>):
    train.yield %t : tensor<i64>
  }
  // CHECK-LABEL: train.function train_step
  train.function train_step @train_step {
    %w = train.read @w : tensor<65xf32>
    %v = train.read @v : tensor<65xf32>
    %t = train.read @step : tensor<i64>
    // The schedule lets the result take @w's place.
    // CHECK: %[[W:.*]] = train.place of @w
    // CHECK: %[[V:.*]] = train.place of @v
    // CHECK: %[[W1:.*]] = train.place of @w
    // CHECK: train.launch @update(%[[W]], %[[V]]) into{{ ?}}(%[[W1]])
    %w1 = train.launch @update(%w, %v) : (tensor<65xf32>, tensor<65xf32>) -> tensor<65xf32>
    // @v is read by this launch at a place that the result may not take, so it is copied later.
    // CHECK: %[[V1:.*]] = train.place at 704
    // CHECK: train.launch @update(%[[W1]], %[[V]]) into{{ ?}}(%[[V1]])
    %v1 = train.launch @update(%w1, %v) : (tensor<65xf32>, tensor<65xf32>) -> tensor<65xf32>
    // Nothing is known of @count.
    // CHECK: train.launch @count
    %t1 = train.launch @count(%t) : (tensor<i64>) -> tensor<i64>
    train.write %w1, @w : tensor<65xf32>
    train.write %v1, @v : tensor<65xf32>
    train.write %t1, @step : tensor<i64>
    // CHECK: train.copy %[[V1]] to
    // CHECK: train.copy
    // CHECK-NOT: train.copy
  }
  // A later launch wants the old value of @w: the new one is made elsewhere, and copied at the end.
  // CHECK-LABEL: train.function accumulate
  train.function accumulate @accumulate {
    %w = train.read @w : tensor<65xf32>
    %v = train.read @v : tensor<65xf32>
    // CHECK: %[[W1:.*]] = train.place at 704
    // CHECK: train.launch @update({{.*}}) into{{ ?}}(%[[W1]])
    %w1 = train.launch @update(%w, %v) : (tensor<65xf32>, tensor<65xf32>) -> tensor<65xf32>
    // CHECK: %[[V1:.*]] = train.place of @v
    // CHECK: train.launch @update({{.*}}) into{{ ?}}(%[[V1]])
    %v1 = train.launch @update(%v, %w) : (tensor<65xf32>, tensor<65xf32>) -> tensor<65xf32>
    // CHECK: train.copy %[[W1]] to
    // CHECK-NOT: train.copy
    train.write %w1, @w : tensor<65xf32>
    train.write %v1, @v : tensor<65xf32>
  }
  // The states change places: without a rescued copy one value would be lost.
  // CHECK-LABEL: train.function apply
  train.function apply @apply {
    %w = train.read @w : tensor<65xf32>
    %v = train.read @v : tensor<65xf32>
    train.write %w, @v : tensor<65xf32>
    train.write %v, @w : tensor<65xf32>
    // CHECK-COUNT-4: train.copy
  }
  // CHECK-LABEL: train.function predict
  train.function predict @predict {
    %w = train.read @w : tensor<65xf32>
    train.write %w, @w : tensor<65xf32>
    // CHECK-NOT: train.copy
  }
}
