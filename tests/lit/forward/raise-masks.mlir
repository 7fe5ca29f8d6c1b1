// What exporters write around an attention's softmax, so that the later stages see what a mask hides.
// RUN: dlc-opt %s --dlc-raise | FileCheck %s

// Zeros for rows that see nothing, element by element: part of the softmax.
// CHECK-LABEL: func.func @rows
func.func @rows(%s: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  // CHECK: %[[Y:.+]] = nn.softmax %arg0 axis 2 {empty_to_zero}
  // CHECK-NEXT: return %[[Y]]
  %zero = nn.constant dense<0.0> : tensor<f32>
  %p = nn.softmax %s axis 2 : tensor<2x3x4xf32>
  %none = nn.compare ne %p, %p : tensor<2x3x4xf32>, tensor<2x3x4xf32>
  %y = nn.select %none, %zero, %p : tensor<2x3x4xi1>, tensor<f32>, tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// Behind a mask as well; who reads the numbers that are none gets them.
// CHECK-LABEL: func.func @causal_rows
func.func @causal_rows(%q: tensor<2x4x3xf32>, %k: tensor<2x3x4xf32>) -> (tensor<2x4x4xf32>, tensor<2x4x4xf32>) {
  // CHECK: %[[X:.+]] = nn.add
  // CHECK-DAG: %[[P:.+]] = nn.softmax %[[X]] axis 2 : tensor
  // CHECK-DAG: %[[Y:.+]] = nn.softmax %[[X]] axis 2 {empty_to_zero}
  // CHECK-NEXT: return %[[Y]], %[[P]]
  %zero = nn.constant dense<0.0> : tensor<f32>
  %never = nn.constant dense<0xFF800000> : tensor<f32>
  %row = nn.iota axis 0 : tensor<4x1xi64>
  %column = nn.iota axis 1 : tensor<1x4xi64>
  %sees = nn.compare le %column, %row : tensor<1x4xi64>, tensor<4x1xi64>
  %mask = nn.select %sees, %zero, %never : tensor<4x4xi1>, tensor<f32>, tensor<f32>
  %s = nn.matmul %q, %k : tensor<2x4x3xf32>, tensor<2x3x4xf32>
  %x = nn.add %s, %mask : tensor<2x4x4xf32>, tensor<4x4xf32>
  %p = nn.softmax %x axis 2 : tensor<2x4x4xf32>
  %none = nn.compare ne %p, %p : tensor<2x4x4xf32>, tensor<2x4x4xf32>
  %y = nn.select %none, %zero, %p : tensor<2x4x4xi1>, tensor<f32>, tensor<2x4x4xf32>
  return %y, %p : tensor<2x4x4xf32>, tensor<2x4x4xf32>
}

// Other numbers than zero, and other conditions, stay.
// CHECK-LABEL: func.func @ones
func.func @ones(%s: tensor<3x4xf32>) -> tensor<3x4xf32> {
  // CHECK-NOT: empty_to_zero
  // CHECK: return
  %one = nn.constant dense<1.0> : tensor<f32>
  %p = nn.softmax %s axis 1 : tensor<3x4xf32>
  %none = nn.compare ne %p, %p : tensor<3x4xf32>, tensor<3x4xf32>
  %y = nn.select %none, %one, %p : tensor<3x4xi1>, tensor<f32>, tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// The lowest number of float32 that is added to the scores of later positions.
// CHECK-LABEL: func.func @lowest
func.func @lowest(%q: tensor<2x4x3xf32>, %k: tensor<2x3x4xf32>) -> tensor<2x4x4xf32> {
  // CHECK: %[[NEVER:.+]] = nn.constant dense<0xFF800000> : tensor<f32>
  // CHECK: %[[MASK:.+]] = nn.select %{{.+}}, %{{.+}}, %[[NEVER]] : tensor<4x4xi1>
  // CHECK: nn.add %{{.+}}, %[[MASK]]
  %zero = nn.constant dense<0.0> : tensor<f32>
  %scale = nn.constant dense<0.5> : tensor<f32>
  %lowest = nn.constant dense<-3.40282347E+38> : tensor<f32>
  %row = nn.iota axis 0 : tensor<4x1xi64>
  %column = nn.iota axis 1 : tensor<1x4xi64>
  %sees = nn.compare le %column, %row : tensor<1x4xi64>, tensor<4x1xi64>
  %mask = nn.select %sees, %zero, %lowest : tensor<4x4xi1>, tensor<f32>, tensor<f32>
  %product = nn.matmul %q, %k : tensor<2x4x3xf32>, tensor<2x3x4xf32>
  %s = nn.mul %product, %scale : tensor<2x4x4xf32>, tensor<f32>
  %x = nn.add %s, %mask : tensor<2x4x4xf32>, tensor<4x4xf32>
  %p = nn.softmax %x axis 2 : tensor<2x4x4xf32>
  return %p : tensor<2x4x4xf32>
}

// Put in the scores' place, where later means from the next but one position on.
// CHECK-LABEL: func.func @instead
func.func @instead(%q: tensor<2x4x3xf32>, %k: tensor<2x3x4xf32>) -> tensor<2x4x4xf32> {
  // CHECK: %[[NEVER:.+]] = nn.constant dense<0xFF800000> : tensor<f32>
  // CHECK: nn.select %{{.+}}, %[[NEVER]], %{{.+}} : tensor<4x4xi1>
  %one = nn.constant dense<1> : tensor<i64>
  %lowest = nn.constant dense<-3.40282347E+38> : tensor<f32>
  %first = nn.iota axis 0 : tensor<4x1xi64>
  %row = nn.add %first, %one : tensor<4x1xi64>, tensor<i64>
  %column = nn.iota axis 1 : tensor<1x4xi64>
  %later = nn.compare gt %column, %row : tensor<1x4xi64>, tensor<4x1xi64>
  %s = nn.matmul %q, %k : tensor<2x4x3xf32>, tensor<2x3x4xf32>
  %x = nn.select %later, %lowest, %s : tensor<4x4xi1>, tensor<f32>, tensor<2x4x4xf32>
  %p = nn.softmax %x axis 2 : tensor<2x4x4xf32>
  return %p : tensor<2x4x4xf32>
}

// The first row sees nothing (each element has the same share of it); scores that are no product may be low
// themselves; and -10000 is no number that no score reaches.
// CHECK-LABEL: func.func @others
func.func @others(%q: tensor<2x4x3xf32>, %k: tensor<2x3x4xf32>, %t: tensor<2x4x4xf32>)
    -> (tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>) {
  // CHECK-NOT: 0xFF800000
  // CHECK: return
  %lowest = nn.constant dense<-3.40282347E+38> : tensor<f32>
  %low = nn.constant dense<-1.0e4> : tensor<f32>
  %row = nn.iota axis 0 : tensor<4x1xi64>
  %column = nn.iota axis 1 : tensor<1x4xi64>
  %before = nn.compare lt %column, %row : tensor<1x4xi64>, tensor<4x1xi64>
  %sees = nn.compare le %column, %row : tensor<1x4xi64>, tensor<4x1xi64>
  %s = nn.matmul %q, %k : tensor<2x4x3xf32>, tensor<2x3x4xf32>
  %x0 = nn.select %before, %s, %lowest : tensor<4x4xi1>, tensor<2x4x4xf32>, tensor<f32>
  %p0 = nn.softmax %x0 axis 2 : tensor<2x4x4xf32>
  %x1 = nn.select %sees, %t, %lowest : tensor<4x4xi1>, tensor<2x4x4xf32>, tensor<f32>
  %p1 = nn.softmax %x1 axis 2 : tensor<2x4x4xf32>
  %x2 = nn.select %sees, %s, %low : tensor<4x4xi1>, tensor<2x4x4xf32>, tensor<f32>
  %p2 = nn.softmax %x2 axis 2 : tensor<2x4x4xf32>
  return %p0, %p1, %p2 : tensor<2x4x4xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>
}
