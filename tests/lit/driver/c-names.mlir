// Names of the model may be no C identifiers, or taken, or end a comment: the header compiles all the same.
// RUN: rm -rf %t && dlc compile %s --loss=mse -o %t
// RUN: FileCheck %s < %t/names.h
// RUN: dlc inspect %t/names.json | FileCheck %s --check-prefix=INSPECT
// RUN: echo '#include "names.h"' > %t/use.c && cp %t/use.c %t/use.cpp
// RUN: %cc -std=c11 -Wall -Wextra -Wpedantic -Werror -I%t -I%source_dir/runtime/include -fsyntax-only %t/use.c
// RUN: %cxx -std=c++17 -Wall -Wextra -Wpedantic -Werror -I%t -I%source_dir/runtime/include -fsyntax-only %t/use.cpp

// CHECK: model_2 ('model'): float[8][4]
// CHECK: _0_x_y ('0/x.y'): float[8][4]
// CHECK: _0_x_y_2 ('0/x y'): float[8][4]
// CHECK: EOF_ ('EOF'): float[8][4]
// CHECK: NAMES_BATCH_2 ('NAMES_BATCH'): float[8][4]
// CHECK: class_ ('class'): receives float[8][4]
// CHECK: "bell? and escape?[31m" float
// CHECK: "a* /b" float[4]
// INSPECT: bell? and escape?[31m
train.program @names {
  train.dim @batch = 8
  train.state buffer @"bell\07 and escape\1B[31m" : tensor<f32>
  train.state parameter @"a*/b" : tensor<4xf32> = dense<0.5>
  train.input @model : tensor<?x4xf32, #nn.dims<batch, _>>
  train.input @"0/x.y" : tensor<?x4xf32, #nn.dims<batch, _>>
  train.input @"0/x y" : tensor<?x4xf32, #nn.dims<batch, _>>
  train.input @EOF : tensor<?x4xf32, #nn.dims<batch, _>>
  train.input @NAMES_BATCH : tensor<?x4xf32, #nn.dims<batch, _>>
  train.output prediction @class : tensor<?x4xf32, #nn.dims<batch, _>>
  train.function forward @forward {
    %w = train.read @"a*/b" : tensor<4xf32>
    %x = train.read @model : tensor<?x4xf32, #nn.dims<batch, _>>
    %y = train.read @"0/x.y" : tensor<?x4xf32, #nn.dims<batch, _>>
    %z = train.read @"0/x y" : tensor<?x4xf32, #nn.dims<batch, _>>
    %0 = nn.mul %x, %w : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<4xf32>
    %1 = nn.mul %0, %y : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<?x4xf32, #nn.dims<batch, _>>
    %2 = nn.add %1, %z : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<?x4xf32, #nn.dims<batch, _>>
    train.write %2, @class : tensor<?x4xf32, #nn.dims<batch, _>>
  }
}
