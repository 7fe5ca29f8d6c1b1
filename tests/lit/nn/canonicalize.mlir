// Equal programs get one form.
// RUN: dlc-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @powers
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @powers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %two = nn.constant dense<2.0> : tensor<f32>
  %three = nn.constant dense<3.0> : tensor<f32>
  %minus_one = nn.constant dense<-1.0> : tensor<f32>
  %half = nn.constant dense<0.5> : tensor<f32>
  // CHECK: %[[A:.*]] = nn.mul %[[X]], %[[X]]
  %0 = nn.pow %x, %two : tensor<4xf32>, tensor<f32>
  // CHECK: %[[B:.*]] = nn.mul %[[X]], %[[X]]
  // CHECK: %[[C:.*]] = nn.mul %[[B]], %[[X]]
  %1 = nn.pow %x, %three : tensor<4xf32>, tensor<f32>
  // CHECK: %[[D:.*]] = nn.reciprocal %[[X]]
  %2 = nn.pow %x, %minus_one : tensor<4xf32>, tensor<f32>
  // sqrt(-inf) is NaN, (-inf)^0.5 is not.
  // CHECK: %[[E:.*]] = nn.pow
  %3 = nn.pow %x, %half : tensor<4xf32>, tensor<f32>
  // CHECK: return %[[A]], %[[C]], %[[D]], %[[E]]
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// What is near 0 keeps its digits.
// CHECK-LABEL: @differences
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @differences(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = nn.constant dense<1.0> : tensor<f32>
  // CHECK: %[[N:.*]] = nn.neg %[[X]]
  // CHECK: %[[A:.*]] = nn.erfc %[[N]]
  %erf = nn.erf %x : tensor<4xf32>
  %0 = nn.add %erf, %one : tensor<4xf32>, tensor<f32>
  // CHECK: %[[T:.*]] = nn.mul %{{.*}}, %[[X]]
  // CHECK: %[[S:.*]] = nn.sigmoid %[[T]]
  // CHECK: %[[B:.*]] = nn.mul %{{.*}}, %[[S]]
  %tanh = nn.tanh %x : tensor<4xf32>
  %1 = nn.add %one, %tanh : tensor<f32>, tensor<4xf32>
  // CHECK: %[[C:.*]] = nn.log1p %[[X]]
  %more = nn.add %one, %x : tensor<f32>, tensor<4xf32>
  %2 = nn.log %more : tensor<4xf32>
  // CHECK: %[[D:.*]] = nn.expm1 %[[X]]
  %exp = nn.exp %x : tensor<4xf32>
  %3 = nn.sub %exp, %one : tensor<4xf32>, tensor<f32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A tensor is not a number: its shape is the result's.
// CHECK-LABEL: @differences_of_others
func.func @differences_of_others(%x: tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>) {
  %ones = nn.constant dense<1.0> : tensor<3x4xf32>
  %two = nn.constant dense<2.0> : tensor<f32>
  // CHECK: nn.erf %
  %erf = nn.erf %x : tensor<4xf32>
  %0 = nn.add %erf, %ones : tensor<4xf32>, tensor<3x4xf32>
  // CHECK: nn.exp %
  // CHECK: nn.sub
  %exp = nn.exp %x : tensor<4xf32>
  %1 = nn.sub %exp, %two : tensor<4xf32>, tensor<f32>
  return %0, %1 : tensor<3x4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @stretched
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32, #nn.dims<batch, _>>, %[[B:.*]]: tensor<4xf32>
func.func @stretched(%x: tensor<?x4xf32, #nn.dims<batch, _>>, %b: tensor<4xf32>) -> tensor<?x4xf32, #nn.dims<batch, _>> {
  // CHECK: nn.add %[[X]], %[[B]] : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<4xf32>
  %0 = nn.expand %b : tensor<4xf32> -> tensor<?x4xf32, #nn.dims<batch, _>>
  %1 = nn.add %x, %0 : tensor<?x4xf32, #nn.dims<batch, _>>, tensor<?x4xf32, #nn.dims<batch, _>>
  return %1 : tensor<?x4xf32, #nn.dims<batch, _>>
}

// The result's shape comes from the stretched operand: it stays.
// CHECK-LABEL: @stretched_on_purpose
func.func @stretched_on_purpose(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<3x4xf32> {
  // CHECK: nn.expand
  %0 = nn.expand %b : tensor<4xf32> -> tensor<3x4xf32>
  %1 = nn.add %a, %0 : tensor<4xf32>, tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// CHECK-LABEL: @scalar
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>
func.func @scalar(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // CHECK: %[[C:.*]] = nn.constant dense<2.000000e+00> : tensor<f32>
  // CHECK: nn.mul %[[X]], %[[C]] : tensor<8x4xf32>, tensor<f32>
  %c = nn.constant dense<2.0> : tensor<8x4xf32>
  %0 = nn.mul %x, %c : tensor<8x4xf32>, tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: @product
// CHECK-SAME: %[[X:.*]]: tensor<8x4xf32>, %[[W:.*]]: tensor<5x4xf32>, %[[B:.*]]: tensor<2x4x6xf32>
func.func @product(%x: tensor<8x4xf32>, %w: tensor<5x4xf32>, %b: tensor<2x4x6xf32>) -> (tensor<8x5xf32>, tensor<2x6x5xf32>) {
  // CHECK: nn.matmul %[[X]], %[[W]] transpose_b : tensor<8x4xf32>, tensor<5x4xf32>
  %wt = nn.transpose %w [1, 0] : tensor<5x4xf32>
  %0 = nn.matmul %x, %wt : tensor<8x4xf32>, tensor<4x5xf32>
  // CHECK: nn.matmul %[[B]], %[[W]] transpose_a transpose_b : tensor<2x4x6xf32>, tensor<5x4xf32>
  %bt = nn.transpose %b [0, 2, 1] : tensor<2x4x6xf32>
  %1 = nn.matmul %bt, %w transpose_b : tensor<2x6x4xf32>, tensor<5x4xf32>
  return %0, %1 : tensor<8x5xf32>, tensor<2x6x5xf32>
}

// Of a permutation that brings the last dim in front of another, the product exchanges the two.
// CHECK-LABEL: @keys
// CHECK-SAME: %[[Q:.*]]: tensor<2x3x5x4xf32>, %[[K:.*]]: tensor<2x5x3x4xf32>
func.func @keys(%q: tensor<2x3x5x4xf32>, %k: tensor<2x5x3x4xf32>) -> (tensor<2x3x5x5xf32>, tensor<3x2x5x5xf32>, tensor<3x2x4x5xf32>) {
  // CHECK: %[[HEADS:.*]] = nn.transpose %[[K]] [0, 2, 1, 3]
  // CHECK: nn.matmul %[[Q]], %[[HEADS]] transpose_b
  %0 = nn.transpose %k [0, 2, 3, 1] : tensor<2x5x3x4xf32>
  %1 = nn.matmul %q, %0 : tensor<2x3x5x4xf32>, tensor<2x3x4x5xf32>
  // Not where others read it, too.
  // CHECK: %[[MOVED:.*]] = nn.transpose %[[Q]] [1, 0, 3, 2]
  // CHECK: nn.matmul %[[MOVED]]
  %2 = nn.transpose %q [1, 0, 3, 2] : tensor<2x3x5x4xf32>
  %3 = nn.transpose %k [2, 0, 1, 3] : tensor<2x5x3x4xf32>
  %4 = nn.matmul %2, %3 transpose_a transpose_b : tensor<3x2x4x5xf32>, tensor<3x2x5x4xf32>
  %5 = nn.relu %2 : tensor<3x2x4x5xf32>
  return %1, %4, %5 : tensor<2x3x5x5xf32>, tensor<3x2x5x5xf32>, tensor<3x2x4x5xf32>
}

// Another permutation is not a product's.
// CHECK-LABEL: @heads
func.func @heads(%x: tensor<2x3x4xf32>, %w: tensor<3x5xf32>) -> tensor<4x2x5xf32> {
  // CHECK: nn.transpose
  %0 = nn.transpose %x [2, 0, 1] : tensor<2x3x4xf32>
  %1 = nn.matmul %0, %w : tensor<4x2x3xf32>, tensor<3x5xf32>
  return %1 : tensor<4x2x5xf32>
}

// CHECK-LABEL: @ones
func.func @ones(%x: tensor<8x1x4xf32>) -> (tensor<1x8x4xf32>, tensor<8x4xf32>) {
  // CHECK: nn.reshape %{{.*}} : tensor<8x1x4xf32> -> tensor<1x8x4xf32>
  %0 = nn.transpose %x [1, 0, 2] : tensor<8x1x4xf32>
  // CHECK: nn.reshape %{{.*}} : tensor<8x1x4xf32> -> tensor<8x4xf32>
  %1 = nn.mean %x axes [1] : tensor<8x1x4xf32>
  return %0, %1 : tensor<1x8x4xf32>, tensor<8x4xf32>
}

// The gradient of a split: slices with zeros around them are the parts of a concatenation. Where nothing was
// taken, zeros stay; parts that overlap are added up.
// CHECK-LABEL: @split
// CHECK-SAME: %[[A:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<8x6xf32>, %[[C:.*]]: tensor<8x5xf32>
func.func @split(%a: tensor<8x4xf32>, %b: tensor<8x6xf32>, %c: tensor<8x5xf32>) -> (tensor<8x15xf32>, tensor<8x15xf32>, tensor<8x15xf32>) {
  // CHECK-DAG: %[[ZEROS:.*]] = nn.constant dense<0.000000e+00> : tensor<8x5xf32>
  %pa = nn.pad constant %a low [0, 0] high [0, 11] interior [0, 0] value 0.0 : tensor<8x4xf32>
  %pb = nn.pad constant %b low [0, 4] high [0, 5] interior [0, 0] value 0.0 : tensor<8x6xf32>
  %pc = nn.pad constant %c low [0, 10] high [0, 0] interior [0, 0] value 0.0 : tensor<8x5xf32>
  %0 = nn.add %pc, %pa : tensor<8x15xf32>, tensor<8x15xf32>
  // CHECK-DAG: %[[ALL:.*]] = nn.concat %[[A]], %[[B]], %[[C]] axis 1
  %1 = nn.add %0, %pb : tensor<8x15xf32>, tensor<8x15xf32>
  // CHECK-DAG: %[[TWO:.*]] = nn.concat %[[A]], %[[B]], %[[ZEROS]] axis 1
  %2 = nn.add %pa, %pb : tensor<8x15xf32>, tensor<8x15xf32>
  %pd = nn.pad constant %a low [0, 2] high [0, 9] interior [0, 0] value 0.0 : tensor<8x4xf32>
  // CHECK-DAG: %[[SUM:.*]] = nn.add
  %3 = nn.add %pa, %pd : tensor<8x15xf32>, tensor<8x15xf32>
  // CHECK: return %[[ALL]], %[[TWO]], %[[SUM]]
  return %1, %2, %3 : tensor<8x15xf32>, tensor<8x15xf32>, tensor<8x15xf32>
}

// CHECK-LABEL: @positions
// CHECK-SAME: %[[X:.*]]: tensor<8x4x3xf32>
func.func @positions(%x: tensor<8x4x3xf32>) -> (tensor<8x4xf32>, tensor<2x8x3xf32>) {
  %last = nn.constant dense<-1> : tensor<i64>
  // CHECK: %[[LAST:.*]] = nn.slice %[[X]] starts [0, 0, 2] limits [8, 4, 3] steps [1, 1, 1]
  // CHECK: %[[TAKEN:.*]] = nn.reshape %[[LAST]]
  %0 = nn.gather %x, %last axis 2 : tensor<8x4x3xf32>, tensor<i64>
  %two = nn.constant dense<[1, 3]> : tensor<2xi64>
  %1 = nn.transpose %x [1, 0, 2] : tensor<8x4x3xf32>
  // CHECK: %[[PART:.*]] = nn.slice %[[X]] starts [0, 1, 0] limits [8, 4, 3] steps [1, 2, 1]
  // CHECK: %[[MOVED:.*]] = nn.transpose %[[PART]] [1, 0, 2]
  // CHECK: return %[[TAKEN]], %[[MOVED]]
  %2 = nn.gather %1, %two axis 0 : tensor<4x8x3xf32>, tensor<2xi64>
  return %0, %2 : tensor<8x4xf32>, tensor<2x8x3xf32>
}

// The gradient of a slice would give the padding's row what it must not have.
// CHECK-LABEL: @padding_index
func.func @padding_index(%x: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %ids = nn.constant dense<[0, 1]> : tensor<2xi64>
  // CHECK: nn.gather {{.*}} padding 0
  %0 = nn.gather %x, %ids axis 0 padding 0 : tensor<3x4xf32>, tensor<2xi64>
  return %0 : tensor<2x4xf32>
}

// Masks of positions, as a comparison of constants that count and as constant matrices.
// CHECK-LABEL: @masks
// CHECK-SAME: %[[X:.*]]: tensor<3x4xf32>
func.func @masks(%x: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %low = nn.constant dense<0xFF800000> : tensor<f32>
  %rows = nn.constant dense<[[0], [1], [2]]> : tensor<3x1xi64>
  %columns = nn.constant dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>
  // CHECK-DAG: %[[LOW:.*]] = nn.constant dense<0xFF800000> : tensor<f32>
  // CHECK-DAG: %[[ZERO:.*]] = nn.constant dense<0.000000e+00> : tensor<f32>
  // CHECK-DAG: %[[ONE:.*]] = nn.constant dense<1> : tensor<i64>
  // CHECK-DAG: %[[OTHERS:.*]] = nn.constant dense<{{.*}}tensor<3x4xf32>
  // CHECK: %[[ROWS:.*]] = nn.iota axis 0 : tensor<3x1xi64>
  // CHECK: %[[COLUMNS:.*]] = nn.iota axis 1 : tensor<1x4xi64>
  // CHECK: %[[SEES:.*]] = nn.compare le %[[COLUMNS]], %[[ROWS]]
  // CHECK: %[[ADDED:.*]] = nn.select %[[SEES]], %[[ZERO]], %[[LOW]]
  // CHECK: %[[FIRST:.*]] = nn.iota axis 0 : tensor<3x1xi64>
  // CHECK: %[[LATER:.*]] = nn.add %[[FIRST]], %[[ONE]]
  // CHECK: %[[MORE:.*]] = nn.compare le %{{.*}}, %[[LATER]]
  // CHECK: %[[COUNTED:.*]] = nn.compare le
  // CHECK: nn.select %[[COUNTED]], %[[X]], %[[LOW]]
  // CHECK: nn.select %[[MORE]], %[[X]], %[[LOW]]
  // CHECK: nn.add %[[X]], %[[ADDED]]
  // CHECK: nn.add %[[X]], %[[OTHERS]]
  %sees = nn.compare le %columns, %rows : tensor<1x4xi64>, tensor<3x1xi64>
  %0 = nn.select %sees, %x, %low : tensor<3x4xi1>, tensor<3x4xf32>, tensor<f32>
  %matrix = nn.constant dense<[[true, true, false, false], [true, true, true, false], [true, true, true, true]]> : tensor<3x4xi1>
  %1 = nn.select %matrix, %x, %low : tensor<3x4xi1>, tensor<3x4xf32>, tensor<f32>
  %numbers = nn.constant dense<[[0.0, 0xFF800000, 0xFF800000, 0xFF800000], [0.0, 0.0, 0xFF800000, 0xFF800000], [0.0, 0.0, 0.0, 0xFF800000]]> : tensor<3x4xf32>
  %2 = nn.add %x, %numbers : tensor<3x4xf32>, tensor<3x4xf32>
  // No triangle.
  %others = nn.constant dense<[[0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]]> : tensor<3x4xf32>
  %3 = nn.add %x, %others : tensor<3x4xf32>, tensor<3x4xf32>
  return %0, %1, %2, %3 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}

// A matrix without elements has no diagonal.
// CHECK-LABEL: @empty_matrix
func.func @empty_matrix(%x: tensor<3x0xf32>) -> tensor<3x0xf32> {
  %empty = nn.constant dense<> : tensor<3x0xf32>
  // CHECK: nn.constant dense<> : tensor<3x0xf32>
  %0 = nn.add %x, %empty : tensor<3x0xf32>, tensor<3x0xf32>
  return %0 : tensor<3x0xf32>
}

// A group normalization keeps channels and positions apart; one group has all channels.
// CHECK-LABEL: @group_norm
// CHECK-SAME: (%[[X:.*]]: tensor<?x6x5x7xf32
func.func @group_norm(%x: tensor<?x6x5x7xf32, #nn.dims<batch, _, _, _>>, %scale: tensor<70xf32>, %bias: tensor<70xf32>,
                      %wide: tensor<210xf32>)
    -> (tensor<?x3x70xf32, #nn.dims<batch, _, _>>, tensor<?x3x1xf32, #nn.dims<batch, _, _>>, tensor<?x1x210xf32, #nn.dims<batch, _, _>>) {
  // CHECK: %[[APART:.*]] = nn.reshape %[[X]] {{.*}} -> tensor<?x3x2x5x7xf32
  // CHECK: %[[Y:.*]], %{{.*}}, %[[RSTD:.*]] = nn.layer_norm %[[APART]], %{{.*}}, %{{.*}} axis 2 {{.*}}, tensor<2x5x7xf32>, tensor<2x5x7xf32>
  // CHECK: nn.reshape %[[Y]] {{.*}} -> tensor<?x3x70xf32
  // CHECK: nn.reshape %[[RSTD]] {{.*}} -> tensor<?x3x1xf32
  %grouped = nn.reshape %x : tensor<?x6x5x7xf32, #nn.dims<batch, _, _, _>> -> tensor<?x3x70xf32, #nn.dims<batch, _, _>>
  %y, %mean, %rstd = nn.layer_norm %grouped, %scale, %bias axis 2 epsilon 1.0e-5
      : tensor<?x3x70xf32, #nn.dims<batch, _, _>>, tensor<70xf32>, tensor<70xf32>
  // CHECK: nn.layer_norm %{{.*}} axis 2 {{.*}} : tensor<?x1x6x5x7xf32
  %all = nn.reshape %x : tensor<?x6x5x7xf32, #nn.dims<batch, _, _, _>> -> tensor<?x1x210xf32, #nn.dims<batch, _, _>>
  %z, %mean_all, %rstd_all = nn.layer_norm %all, %wide, %wide axis 2 epsilon 1.0e-5
      : tensor<?x1x210xf32, #nn.dims<batch, _, _>>, tensor<210xf32>, tensor<210xf32>
  return %y, %rstd, %z : tensor<?x3x70xf32, #nn.dims<batch, _, _>>, tensor<?x3x1xf32, #nn.dims<batch, _, _>>, tensor<?x1x210xf32, #nn.dims<batch, _, _>>
}

// Rows of an attention's heads are no groups, and neither is what merges dims that are not normalized.
// CHECK-LABEL: @rows
func.func @rows(%x: tensor<2x6x3x8xf32>, %scale: tensor<24xf32>, %few: tensor<8xf32>) -> (tensor<2x6x24xf32>, tensor<12x3x8xf32>) {
  // CHECK: nn.layer_norm %{{.*}} axis 2 {{.*}} : tensor<2x6x24xf32>
  %rows = nn.reshape %x : tensor<2x6x3x8xf32> -> tensor<2x6x24xf32>
  %y, %mean, %rstd = nn.layer_norm %rows, %scale, %scale axis 2 epsilon 1.0e-5 : tensor<2x6x24xf32>, tensor<24xf32>, tensor<24xf32>
  // CHECK: nn.layer_norm %{{.*}} axis 2 {{.*}} : tensor<12x3x8xf32>
  %merged = nn.reshape %x : tensor<2x6x3x8xf32> -> tensor<12x3x8xf32>
  %z, %mean_z, %rstd_z = nn.layer_norm %merged, %few, %few axis 2 epsilon 1.0e-5 : tensor<12x3x8xf32>, tensor<8xf32>, tensor<8xf32>
  return %y, %z : tensor<2x6x24xf32>, tensor<12x3x8xf32>
}
