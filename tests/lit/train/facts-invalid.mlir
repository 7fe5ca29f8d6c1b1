// What stages tell each other is declared and verified: by the operation that has the attribute, or by the dialect whose
// name it begins with.
// RUN: dlc-opt %s -split-input-file -verify-diagnostics

// Attributes that nobody declares are not read by any stage, nor kept up to date.
// expected-error@+1 {{has the attribute 'note', which neither it nor a dialect declares}}
train.program @p attributes {note = "mine"} {
}

// -----

train.program @p {
  train.input @x : tensor<4xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<4xf32>
    // expected-error@+1 {{has the attribute 'note', which neither it nor a dialect declares}}
    %y = nn.relu %x {note} : tensor<4xf32>
  }
}

// -----

// expected-error@+1 {{has the attribute 'train.note', which the dialect 'train' does not have}}
train.program @p attributes {train.note} {
}

// -----

// Programs of older versions are told how it is written now.
// expected-error@+1 {{has the attribute 'arena_bytes', which neither it nor a dialect declares; it is written as 'plan', #train.program_plan or #train.function_plan now}}
train.program @p attributes {arena_bytes = 64 : i64} {
}

// -----

train.program @p {
  // expected-error@+1 {{has the attribute 'hvp', which neither it nor a dialect declares; it is written as 'derivative' now}}
  train.input target @v {hvp} : tensor<4xf32>
}

// -----

// A set of iterations has a dim for each loop.
#set = affine_set<(d0) : (d0 >= 0)>
#map = affine_map<(d0, d1) -> (d0, d1)>
train.program @p {
  train.kernel @k {
  ^bb0(%x: tensor<2x3xf32>):
    %e = tensor.empty() : tensor<2x3xf32>
    // expected-error@+1 {{expects in 'train.nonzero' a set of inequalities over its 2 loops, got affine_set<(d0) : (d0 >= 0)>}}
    %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) attrs = {train.nonzero = #set} {
    ^bb1(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<2x3xf32>
    train.yield %y : tensor<2x3xf32>
  }
}

// -----

#set = affine_set<(d0, d1) : (d0 - d1 == 0)>
#map = affine_map<(d0, d1) -> (d0, d1)>
train.program @p {
  train.kernel @k {
  ^bb0(%x: tensor<2x3xf32>):
    %e = tensor.empty() : tensor<2x3xf32>
    // expected-error@+1 {{expects in 'train.nonzero' a set of inequalities over its 2 loops}}
    %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) attrs = {train.nonzero = #set} {
    ^bb1(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<2x3xf32>
    train.yield %y : tensor<2x3xf32>
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
train.program @p {
  train.kernel @k {
  ^bb0(%x: tensor<2x3xf32>):
    %e = tensor.empty() : tensor<2x3xf32>
    // expected-error@+1 {{expects in 'train.zeros_before' a number for each of its 2 loops, 0 or more, got array<i64: 0>}}
    %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) attrs = {train.zeros_before = array<i64: 0>} {
    ^bb1(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<2x3xf32>
    train.yield %y : tensor<2x3xf32>
  }
}

// -----

// expected-error@+1 {{has the attribute 'train.zeros_before', which loop nests have}}
train.program @p attributes {train.zeros_before = array<i64: 0>} {
}

// -----

// expected-error@+1 {{expected 0 <= states <= bound <= arena, got 128, 64, 64}}
train.program @p attributes {plan = #train.program_plan<states = 128, arena = 64, bound = 64>} {
}

// -----

// expected-error@+1 {{expects batch_parts of 1 or more, got 0}}
train.program @p attributes {batch_parts = 0 : i64} {
}

// -----

// expected-error@+1 {{expects loss_scale to name a hyperparameter, got @w}}
train.program @p attributes {loss_scale = @w} {
  train.state parameter @w : tensor<f32>
}

// -----

train.program @p {
  // expected-error@+1 {{works on one part of a batch, but the program has no batch_parts}}
  train.function grad_step @first attributes {one_part} {
  }
}

// -----

train.program @p attributes {batch_parts = 2 : i64} {
  // expected-error@+1 {{expects phases to name functions for one part, got @predict}}
  train.function grad_step @grad_step attributes {phases = [#train.phase<@predict, 0>]} {
  }
  train.function predict @predict {
  }
}

// -----

train.program @p attributes {batch_parts = 2 : i64} {
  train.function grad_step @first attributes {one_part} {
  }
  // expected-error@+1 {{has a phase of part 2, but the batch has 2}}
  train.function grad_step @grad_step attributes {phases = [#train.phase<@first, 2>]} {
  }
}

// -----

train.program @p attributes {batch_parts = 2 : i64} {
  // expected-error@+1 {{attribute 'phases' failed to satisfy constraint: list of phases, #train.phase<@function, part>}}
  train.function grad_step @grad_step attributes {phases = [[@first, 0]]} {
  }
}

// -----

train.program @p {
  // expected-error@+1 {{expects a derivative to be of the kind predict, got train_step}}
  train.function train_step @vjp derivative vjp {
  }
}

// -----

train.program @p {
  // expected-error@+1 {{expects 'jacobian' on derivatives only}}
  train.function predict @predict attributes {jacobian} {
  }
}

// -----

train.program @p {
  // expected-error@+1 {{is of the derivative of @x, which is no input or output}}
  train.output prediction @x_gradient derivative <vjp of @x> : tensor<4xf32>
}

// -----

train.program @p {
  // expected-error@+1 {{expected `of` and the name of an input or a prediction}}
  train.output prediction @x_gradient derivative <vjp> : tensor<4xf32>
}

// -----

train.program @p {
  // expected-error@+1 {{expects 'average' on an optimizer's states of parameters only}}
  train.state buffer @b {average} : tensor<4xf32>
}

// -----

train.program @p {
  // expected-error@+1 {{expects 'gradient_weight' and 'part_loss' on gradients of type tensor<f64> of no parameter only}}
  train.state buffer @b {part_loss} : tensor<4xf32>
}

// -----

train.program @p {
  // expected-error@+1 {{expects 'of_step' on roles of eval_step only, got prediction}}
  train.output prediction @y {of_step} : tensor<4xf32>
}

// -----

train.program @p {
  // expected-error@+1 {{expects 'index_range' on outputs of the role correct and the type tensor<4xi64> only}}
  train.output correct @y {index_range} : tensor<i64>
}

// -----

train.program @p {
  train.input @x : tensor<4xf32>
  train.function predict @predict {
    // expected-error@+1 {{expects a value's number that is not negative, got -1}}
    %x = train.place of @x value -1 : memref<4xf32>
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
train.program @p {
  // expected-error@+1 {{expects steps of all its 1 generics, one or more in each}}
  train.kernel @k attributes {steps = array<i64: 1, 1>} {
  ^bb0(%x: tensor<2x3xf32>):
    %e = tensor.empty() : tensor<2x3xf32>
    %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) {
    ^bb1(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<2x3xf32>
    train.yield %y : tensor<2x3xf32>
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
train.program @p {
  train.kernel @k {
  ^bb0(%x: tensor<2x3xf32>):
    %e = tensor.empty() : tensor<2x3xf32>
    // expected-error@+1 {{expects shared loops among its 2, each once, got #train.member<0, shared [0, 2]>}}
    %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) attrs = {train.member = #train.member<0, shared [0, 2]>} {
    ^bb1(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<2x3xf32>
    train.yield %y : tensor<2x3xf32>
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
train.program @p {
  train.input @x : tensor<2x3xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<2x3xf32>
    %e = tensor.empty() : tensor<2x3xf32>
    // expected-error@+1 {{expects a #train.role that says for each of its 2 loops which one it is, -1 or more, got #train.role<mask, loops [0]>}}
    %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) attrs = {train.role = #train.role<mask, loops [0]>} {
    ^bb1(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<2x3xf32>
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
train.program @p {
  train.kernel @k {
  ^bb0(%x: tensor<2x3xf32>):
    %e = tensor.empty() : tensor<2x3xf32>
    // expected-error@+1 {{has the role #train.role<producer, loops [0, 1]>, whose nests have one result, two operands and dims that are loops}}
    %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) attrs = {train.role = #train.role<producer, loops [0, 1]>} {
    ^bb1(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<2x3xf32>
    train.yield %y : tensor<2x3xf32>
  }
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
train.program @p {
  // expected-error@+1 {{expects one nest each with the roles scores, row_max, exponentials, row_sum and values, or producers and consumers}}
  train.kernel @k {
  ^bb0(%x: tensor<2x3xf32>):
    %e = tensor.empty() : tensor<2x3xf32>
    %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) attrs = {train.role = #train.role<mask, loops [0, 1]>} {
    ^bb1(%a: f32, %o: f32):
      linalg.yield %a : f32
    } -> tensor<2x3xf32>
    train.yield %y : tensor<2x3xf32>
  }
}

// -----

train.program @p {
  train.input @x : tensor<4xf32>
  train.function predict @predict {
    // expected-error@+1 {{expects a position of 0 or more as i64, got -1 : i64}}
    %x = train.read @x {train.position = -1 : i64} : tensor<4xf32>
  }
}
