"""Prints a program: `sys.argv[1]` products, each followed by `sys.argv[2]` elementwise operations.

Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

products, elementwise = int(sys.argv[1]), int(sys.argv[2])
tensor = "tensor<?x4xf32, #nn.dims<batch, _>>"
print("train.program @chain {\n  train.dim @batch = 8")
for i in range(products):
    print(f"  train.state parameter @w{i} : tensor<4x4xf32> = dense<0.5>")
print(f"  train.input @x : {tensor}\n  train.output prediction @y : {tensor}")
print(f"  train.function forward @forward {{\n    %v = train.read @x : {tensor}")
last = "%v"
for i in range(products):
    print(f"    %w{i} = train.read @w{i} : tensor<4x4xf32>")
    print(f"    %p{i} = nn.matmul {last}, %w{i} : {tensor}, tensor<4x4xf32>")
    last = f"%p{i}"
    for j in range(elementwise):
        op = "sigmoid" if j % 2 else "tanh"
        print(f"    %e{i}_{j} = nn.{op} {last} : {tensor}")
        last = f"%e{i}_{j}"
print(f"    train.write {last}, @y : {tensor}\n  }}\n}}")
