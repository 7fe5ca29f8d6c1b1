// sparseadam: rows of a table that were looked up, in one place or several; of all other parameters adam.
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=sparseadam --dlc-backward | FileCheck %s
// RUN: dlc-opt %s --dlc-resolve-modes --dlc-recipe=set=optimizer=adafactor --dlc-backward | FileCheck %s --check-prefix=FACTOR

// CHECK: optimizer_state @table.exp_avg of @table
// CHECK: function train_step
// CHECK-DAG: %[[TABLE:.+]] = train.read @table
// CHECK-DAG: %[[TIED:.+]] = train.read @tied
// CHECK-DAG: %[[COLUMNS:.+]] = train.read @columns
// CHECK-DAG: %{{.+}}:3 = train.sparse_adam %[[TABLE]],
// CHECK-DAG: %{{.+}}:3 = train.adam %[[TIED]],
// CHECK-DAG: %{{.+}}:3 = train.adam %[[COLUMNS]],
// CHECK: function apply
// CHECK: train.sparse_adam
// CHECK-NOT: train.sparse_adam

// FACTOR: optimizer_state @table.row_var : tensor<9x1xf32>
// FACTOR: optimizer_state @table.col_var : tensor<1x4xf32>
train.program @tables {
  train.state parameter @table : tensor<9x4xf32>
  train.state parameter @tied : tensor<9x4xf32>
  train.state parameter @columns : tensor<4x9xf32>
  train.input @ids : tensor<3xi64>
  train.input target @target : tensor<3x9xf32>
  train.function forward @forward {
    %table = train.read @table : tensor<9x4xf32>
    %tied = train.read @tied : tensor<9x4xf32>
    %columns = train.read @columns : tensor<4x9xf32>
    %ids = train.read @ids : tensor<3xi64>
    %target = train.read @target : tensor<3x9xf32>
    %0 = nn.gather %table, %ids axis 0 : tensor<9x4xf32>, tensor<3xi64>
    %1 = nn.gather %table, %ids axis 0 padding 1 : tensor<9x4xf32>, tensor<3xi64>
    %2 = nn.gather %tied, %ids axis 0 : tensor<9x4xf32>, tensor<3xi64>
    %3 = nn.gather %columns, %ids axis 1 : tensor<4x9xf32>, tensor<3xi64>
    %4 = nn.transpose %3 [1, 0] : tensor<4x3xf32>
    %5 = nn.add %0, %1 : tensor<3x4xf32>, tensor<3x4xf32>
    %6 = nn.add %5, %2 : tensor<3x4xf32>, tensor<3x4xf32>
    %7 = nn.add %6, %4 : tensor<3x4xf32>, tensor<3x4xf32>
    %8 = nn.matmul %7, %tied transpose_b : tensor<3x4xf32>, tensor<9x4xf32>
    %loss, %weight = nn.mse_loss mean %8, %target : tensor<3x9xf32>, tensor<3x9xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
}
