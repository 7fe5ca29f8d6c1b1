// What has no derivative is named.
// RUN: dlc-opt %s --split-input-file --verify-diagnostics --dlc-resolve-modes --dlc-recipe=set=function=vjp --dlc-backward
// RUN: not dlc-opt %s --split-input-file --dlc-resolve-modes --dlc-recipe=set=function=jvp --dlc-backward 2>&1 | FileCheck %s
// CHECK: --function=jvp: a gradient of the description's own (a hook, or a function with a backward) is not linear

// expected-error@+1 {{--function=vjp: 'integers' has no input of floating-point numbers, by which its predictions could be differentiated}}
train.program @integers {
  train.input @ids : tensor<2xi64>
  train.output prediction @y : tensor<2xf32>
  train.function forward @forward {
    %ids = train.read @ids : tensor<2xi64>
    %y = nn.cast %ids to f32 : tensor<2xi64>
    train.write %y, @y : tensor<2xf32>
  }
}

// -----

// expected-error@+1 {{--function=vjp: 'classes' has no prediction of floating-point numbers, which could be differentiated}}
train.program @classes {
  train.input @x : tensor<2x3xf32>
  train.output prediction @best : tensor<2xi64>
  train.function forward @forward {
    %x = train.read @x : tensor<2x3xf32>
    %best = nn.argmax %x axis 1 : tensor<2x3xf32>
    train.write %best, @best : tensor<2xi64>
  }
}

// -----

train.program @weights {
  train.input @x : tensor<3xf32>
  train.input @labels range [0, 3) : tensor<2xi64>
  train.output prediction @y : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<3xf32>
    %labels = train.read @labels : tensor<2xi64>
    %scores = nn.constant dense<0.5> : tensor<2x3xf32>
    // expected-error@+1 {{--function=vjp: 'softmax_cross_entropy' has no gradient, but lies between the inputs and the predictions}}
    %loss, %weight = nn.softmax_cross_entropy sum %scores, %labels weights %x ignore_index -100
        : tensor<2x3xf32>, tensor<2xi64>, tensor<3xf32>
    train.write %loss, @y : tensor<f32>
  }
}

// -----

// A gradient that is kept between two numbers has a derivative in one direction only.
train.program @hooked {
  train.input @x : tensor<3xf32>
  train.output prediction @y : tensor<3xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<3xf32>
    %y = train.custom_gradient (%x : tensor<3xf32>) of (%x : tensor<3xf32>) {
    ^bb0(%dy: tensor<3xf32>, %result: tensor<3xf32>):
      %d = nn.mul %dy, %dy : tensor<3xf32>, tensor<3xf32>
      train.yield %d : tensor<3xf32>
    }
    train.write %y, @y : tensor<3xf32>
  }
}
