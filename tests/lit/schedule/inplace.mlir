// An elementwise result may take its operand's place; one that is read elsewhere may not: the reversal
// reads what another lane overwrites.
// RUN: dlc-opt %s --dlc-nn-to-linalg --dlc-layout=cpu=x86-64-v4 --dlc-fuse --dlc-schedule-cpu=cpu=x86-64-v4 | FileCheck %s

// CHECK: train.kernel @exp schedule({{.*}} inplace = [0, 0]>)
// CHECK: train.kernel @reverse schedule(
// CHECK-NOT: inplace
train.program @p {
  train.input @x : tensor<64xf32>
  train.output prediction @y : tensor<64xf32>
  train.output prediction @z : tensor<64xf32>
  train.function predict @predict {
    %x = train.read @x : tensor<64xf32>
    %y = nn.exp %x : tensor<64xf32>
    train.write %y, @y : tensor<64xf32>
  }
  train.function evaluate @evaluate {
    %x = train.read @x : tensor<64xf32>
    %z = nn.reverse %x axes [0] : tensor<64xf32>
    train.write %z, @z : tensor<64xf32>
  }
}
