//===- KernelOps.td - train: kernels, launches, places ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TRAIN_KERNEL_OPS
#define DLC_TRAIN_KERNEL_OPS

include "dialects/train/ScheduleInterface.td"
include "dialects/train/TrainBase.td"

def Train_DimsAttr : Attr<CPred<"::llvm::isa<::nn::DimsAttr>($_self)">, "names of dims, #nn.dims"> {
  let storageType = "::nn::DimsAttr";
  let returnType = "::nn::DimsAttr";
  let convertFromStorage = "$_self";
}

def Train_KernelOp : Train_Op<"kernel", [Symbol, HasParent<"ProgramOp">, IsolatedFromAbove, SingleBlock]> {
  let summary = "a computation of whole tensors from whole tensors, in one pass";
  let description = [{
    The body holds `linalg` operations on the kernel's arguments; it ends in `train.yield` of its results
    (docs/rationale/fusion.md says exactly what a body may hold). `shared` is how many leading parallel loops
    all its operations share; it is chosen when kernels are formed. `arg_dims` names the dynamic dims of the
    arguments and then of the results (`#nn.dims`, or unit where all are static). `arg_strides` says in the
    same order which of them lie in row-major order (unit), and how the others lie, which are parts of larger
    tensors: for each dim, how many elements its neighbours are apart (texts, because named dims may be
    factors). A kernel that consists of steps, one after the other, says in `steps` how many of its operations each has.
    `schedule` is set by the stage of that name: an attribute of the target, which says how the
    kernel runs there.

    ```mlir
    train.kernel @forward1 schedule(#cpu.schedule<...>) attributes {shared = 2 : i64} {
    ^bb0(%x: tensor<64x784xf32>, %w: tensor<784x256xf32>, %b: tensor<256xf32>):
      ...
      train.yield %y : tensor<64x256xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<Train_ScheduleInterface>:$schedule,
                       OptionalAttr<I64Attr>:$shared, OptionalAttr<ArrayAttr>:$arg_dims,
                       OptionalAttr<ArrayAttr>:$arg_strides, OptionalAttr<DenseI64ArrayAttr>:$steps);
  let regions = (region SizedRegion<1>:$body);
  let extraClassDeclaration = [{
    /// The distance of neighbours along each dim of an argument or a result (results count after the
    /// arguments) that is a part of a larger tensor; nullopt where it lies in row-major order.
    std::optional<::nn::Shape> stridesOf(unsigned index);
  }];
  let assemblyFormat = "$sym_name (`schedule` `(` $schedule^ `)`)? attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Train_YieldOp : Train_Op<"yield", [Pure, Terminator, ParentOneOf<["KernelOp", "CustomGradientOp"]>]> {
  let summary = "the results of a kernel, or the gradients of train.custom_gradient";
  let description = [{
    ```mlir
    train.yield %y, %mean : tensor<64x256xf32>, tensor<64xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Train_RandomBitsOp : Train_Op<"random_bits", [Pure]> {
  let summary = "16 random bits of one element";
  let description = [{
    The result is the number, 0 to 65535, that `nn.dropout` compares for the element (`row`, `column`) of a
    matrix with `columns` columns; the description of `nn.dropout` says more. `seed` and `draws` are the two
    numbers of the rng state. Bits depend on the operands only; a code generator may compute the eight rows
    of one counter at once.

    ```mlir
    %bits = train.random_bits %seed, %draws, %row, %column, %columns stream 0 : i32
    ```
  }];
  let arguments = (ins I64:$seed, I64:$draws, Index:$row, Index:$column, Index:$columns, I64Attr:$stream);
  let results = (outs I32:$bits);
  let assemblyFormat = "$seed `,` $draws `,` $row `,` $column `,` $columns `stream` $stream attr-dict "
                       "`:` type($bits)";
}

def Train_LaunchOp : Train_Op<"launch", [AttrSizedOperandSegments,
                                         DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "run a kernel";
  let description = [{
    Up to the stage `schedule`, launches work on tensors and have results. From the stage `plan` on they
    work on places: `inputs` and `destinations` are memrefs, and there are no results. A kernel whose
    schedule asks for scratch memory gets it as one more destination, after those of its results.

    ```mlir
    %h = train.launch @forward1(%x, %w, %b) : (tensor<...>, tensor<...>, tensor<...>) -> tensor<...>
    train.launch @forward1(%x, %w, %b) into (%h) : (memref<...>, ..., memref<...>) -> ()
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$inputs, Variadic<AnyType>:$destinations);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = [{$kernel `(` $inputs `)` (`into` `(` $destinations^ `)`)? attr-dict `:`
                         functional-type(operands, $outputs)}];
}

def Train_JoinOp : Train_Op<"join", [Pure]> {
  let summary = "parts that lie side by side in one tensor";
  let description = [{
    The parts follow each other along dim `axis` of the result and have its other dims. A part that lacks a dim
    has one element there. Nothing is copied: who makes a part writes it where it lies in the whole.

    ```mlir
    %y = train.join %a, %b axis 1 : (tensor<64x32xf32>, tensor<64xf32>) -> tensor<64x33xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$parts, I64Attr:$axis);
  let results = (outs AnyRankedTensor:$whole);
  let assemblyFormat = "$parts `axis` $axis attr-dict `:` functional-type($parts, $whole)";
  let extraClassDeclaration = [{
    /// Where a part begins along the axis.
    int64_t startOf(unsigned part);
    /// The size of a part along the axis.
    int64_t sizeOf(unsigned part);
    /// Whether a part has no dim for the axis, because it has one element there.
    bool lacksAxis(unsigned part);
  }];
  let hasVerifier = 1;
}

def Train_PlaceOp : Train_Op<"place", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a place in memory";
  let description = [{
    The place is that of a state, input or output (`symbol`), or a part of it that begins `offset` bytes
    after its start, or it begins `offset` bytes after the start of the arena. Which value lies there, `value` says, a
    number that places of one value have in common; the place of scratch memory has none. A place may be that of a
    `part` of the value, which has a type with strides if it does not lie in one piece.

    ```mlir
    %w = train.place of @fc1.weight value 0 : memref<784x256xf32>
    %h = train.place at 1024 value 1 : memref<64x256xf32>
    %part = train.place at 1280 part value 1 : memref<64x64xf32, strided<[256, 1]>>
    ```
  }];
  let arguments = (ins OptionalAttr<FlatSymbolRefAttr>:$symbol, OptionalAttr<I64Attr>:$offset, UnitAttr:$part,
                       OptionalAttr<I64Attr>:$value);
  let results = (outs AnyMemRef:$memory);
  let assemblyFormat = "(`of` $symbol^)? (`at` $offset^)? (`part` $part^)? (`value` $value^)? attr-dict `:` type($memory)";
  let hasVerifier = 1;
}

def Train_CopyOp : Train_Op<"copy"> {
  let summary = "copy a place's whole content to another";
  let description = [{
    `dims` names the open dims of what is copied, where it has some.

    ```mlir
    train.copy %a to %b : memref<64xf32> to memref<64xf32>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, AnyMemRef:$destination, OptionalAttr<Train_DimsAttr>:$dims);
  let assemblyFormat = "$source `to` $destination attr-dict `:` type($source) `to` type($destination)";
  let hasVerifier = 1;
}

#endif
