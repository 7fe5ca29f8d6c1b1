// Runs a function step by step, keeps state, prints states and values by name.
// RUN: dlc-interpret %s --input=x=zeros --steps=2 --print=total,doubled | FileCheck %s
// CHECK: run 1: loss 1
// CHECK: run 2: loss 2
// CHECK: total : 2xf32 = 2 2
// CHECK: doubled : 2xf32 = 2 2

// Dims and random inputs: the same seed gives the same numbers.
// RUN: dlc-interpret %s --input=x=random --seed=3 --write-outputs=%t.1
// RUN: dlc-interpret %s --input=x=random --seed=3 --write-outputs=%t.2
// RUN: cmp %t.1 %t.2

// RUN: not dlc-interpret %s --input=y=zeros 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: error: --input: the program has no input 'y'
// RUN: not dlc-interpret %s --input=x=zeros --print=nothing 2>&1 | FileCheck %s --check-prefix=PRINT
// PRINT: error: --print: no output, state or value is called 'nothing'
// RUN: not dlc-interpret %s --function=predict 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error: {{.*}}has no function @predict

train.program @test {
  train.state buffer @total : tensor<2xf32>
  train.input @x : tensor<2xf32>
  train.output prediction @sum : tensor<2xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<2xf32>
    %total = train.read @total : tensor<2xf32>
    %one = nn.constant dense<1.0> : tensor<f32>
    %moved = nn.add %x, %one : tensor<2xf32>, tensor<f32>
    %new = nn.add %total, %moved : tensor<2xf32>, tensor<2xf32>
    %doubled = nn.add %moved, %moved : tensor<2xf32>, tensor<2xf32> loc("doubled")
    %loss = nn.reduce_max %new axes [0] : tensor<2xf32>
    train.write %new, @total : tensor<2xf32>
    train.write %new, @sum : tensor<2xf32>
    train.loss %loss, %one : tensor<f32>, tensor<f32>
  }
}
