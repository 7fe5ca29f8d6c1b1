// Formulas of GELU and SiLU become whole operations, whatever the order of their factors.
// RUN: dlc-opt %s --dlc-raise | FileCheck %s

// CHECK-LABEL: func.func @by_erf
func.func @by_erf(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: %[[Y:.+]] = nn.gelu %arg0 : tensor<2x3xf32>
  // CHECK-NEXT: return %[[Y]]
  %root = nn.constant dense<1.41421354> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %half = nn.constant dense<0.5> : tensor<f32>
  %0 = nn.div %x, %root : tensor<2x3xf32>, tensor<f32>
  %1 = nn.erf %0 : tensor<2x3xf32>
  %2 = nn.add %1, %one : tensor<2x3xf32>, tensor<f32>
  %3 = nn.mul %x, %2 : tensor<2x3xf32>, tensor<2x3xf32>
  %4 = nn.mul %3, %half : tensor<2x3xf32>, tensor<f32>
  return %4 : tensor<2x3xf32>
}

// What the canonicalizer makes of it; x is a sum, and is not looked into.
// CHECK-LABEL: func.func @by_erfc
func.func @by_erfc(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: %[[X:.+]] = nn.add %arg0, %arg1
  // CHECK-NEXT: nn.gelu %[[X]] : tensor<2x3xf32>
  // CHECK-NEXT: return
  %x = nn.add %a, %b : tensor<2x3xf32>, tensor<3xf32>
  %factor = nn.constant dense<0.707106769> : tensor<f32>
  %half = nn.constant dense<0.5> : tensor<f32>
  %0 = nn.mul %x, %factor : tensor<2x3xf32>, tensor<f32>
  %1 = nn.neg %0 : tensor<2x3xf32>
  %2 = nn.erfc %1 : tensor<2x3xf32>
  %3 = nn.mul %half, %x : tensor<f32>, tensor<2x3xf32>
  %4 = nn.mul %2, %3 : tensor<2x3xf32>, tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @by_tanh
func.func @by_tanh(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: nn.gelu %arg0 {tanh} : tensor<4xf32>
  // CHECK-NEXT: return
  %cubic = nn.constant dense<4.471500e-02> : tensor<f32>
  %slope = nn.constant dense<0.797884583> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %half = nn.constant dense<0.5> : tensor<f32>
  %0 = nn.mul %x, %x : tensor<4xf32>, tensor<4xf32>
  %1 = nn.mul %0, %cubic : tensor<4xf32>, tensor<f32>
  %2 = nn.add %1, %one : tensor<4xf32>, tensor<f32>
  %3 = nn.mul %2, %x : tensor<4xf32>, tensor<4xf32>
  %4 = nn.mul %slope, %3 : tensor<f32>, tensor<4xf32>
  %5 = nn.tanh %4 : tensor<4xf32>
  %6 = nn.add %one, %5 : tensor<f32>, tensor<4xf32>
  %7 = nn.mul %x, %half : tensor<4xf32>, tensor<f32>
  %8 = nn.mul %7, %6 : tensor<4xf32>, tensor<4xf32>
  return %8 : tensor<4xf32>
}

// A gate times another value stays outside.
// CHECK-LABEL: func.func @gated
func.func @gated(%x: tensor<4xf32>, %up: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[GATE:.+]] = nn.silu %arg0 : tensor<4xf32>
  // CHECK-NEXT: nn.mul %[[GATE]], %arg1
  // CHECK-NEXT: return
  %0 = nn.sigmoid %x : tensor<4xf32>
  %1 = nn.mul %x, %0 : tensor<4xf32>, tensor<4xf32>
  %2 = nn.mul %1, %up : tensor<4xf32>, tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Another slope, another value, and a square are other functions.
// CHECK-LABEL: func.func @others
func.func @others(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NOT: nn.silu
  // CHECK-NOT: nn.gelu
  %slope = nn.constant dense<1.702> : tensor<f32>
  %0 = nn.mul %x, %slope : tensor<4xf32>, tensor<f32>
  %1 = nn.sigmoid %0 : tensor<4xf32>
  %2 = nn.mul %x, %1 : tensor<4xf32>, tensor<4xf32>
  %3 = nn.sigmoid %y : tensor<4xf32>
  %4 = nn.mul %x, %3 : tensor<4xf32>, tensor<4xf32>
  %5 = nn.sigmoid %x : tensor<4xf32>
  %6 = nn.mul %5, %5 : tensor<4xf32>, tensor<4xf32>
  %7 = nn.mul %6, %x : tensor<4xf32>, tensor<4xf32>
  // CHECK: return
  return %2, %4, %7 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
