//===- CustomOps.td - train: operations that users bring themselves --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Generated apart from the other operations of the dialect: few files have to do with them (Custom.h).
//===----------------------------------------------------------------------===//
#ifndef DLC_TRAIN_CUSTOM_OPS
#define DLC_TRAIN_CUSTOM_OPS

include "dialects/nn/GradientInterface.td"
include "dialects/train/CustomAttrs.td"

def Train_CustomTensors
    : TypedArrayAttrBase<Train_CustomTensorAttr, "list of tensors, #train.custom_tensor<\"x\" : f32[\"n\"]>">;
def Train_CustomSettings
    : TypedArrayAttrBase<Train_CustomSettingAttr, "list of settings, #train.custom_setting<\"alpha\" : f64>">;

def Train_CustomFunctionOp : Train_Op<"custom_function", [Symbol, HasParent<"ProgramOp">,
                                                          DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a function of the user's that computes an operation";
  let description = [{
    For CPUs, `function` is defined in the C file `source`. It gets a pointer to each input, to each output, the sizes that
    names of dims stand for, in the order in which the names occur first, and the settings. Tensors lie in
    row-major order.

    An input or an output has a name, an element type and a shape with a text for each dim: a size; a name, which
    stands for the same size wherever the function's tensors have it; or a name with three dots behind it, which
    stands for any number of neighbouring dims, of which the function gets the product. No gradient flows to an
    input that is `constant` (`#train.custom_tensor`). A setting (`#train.custom_setting`) has a name, a type (f64 or i64) and perhaps a `fallback`; without one, each use
    must give the number. `inplace` has pairs (input, output) that may be one piece of memory. Where `rows` names a
    size, the function may be called for some of these rows at a time: they are the first dim of all tensors that
    have it.

    For NVIDIA GPUs, `cuda` (`#train.custom_cuda`) says the same in CUDA C++: `function` in the file `source`, which each thread calls with
    the same arguments, in blocks of `block` threads. `blocks` has the factors of how many blocks there are, numbers
    and names of sizes; or `threads` those of how many threads are needed at least. There may be the one code, the
    other or both.

    Instead of code, a function may be `collective`: the sum of its input over all ranks, on each of them, in the
    same place. The compiler itself declares such functions (compiler/backward/Distribute.cpp).

    `gradient` is the function of the operation's gradient. Its inputs have the names of the operation's inputs, its
    outputs, or `grad_` and the name of an output: that output's gradient. Its outputs have the name of an
    input with `grad_` in front.

    ```mlir
    train.custom_function @my.ops.Scale is "scale" in "ops/scale.c"
        [#train.custom_tensor<"x" : f32["n..."]>] -> [#train.custom_tensor<"y" : f32["n..."]>]
        cuda <"scale" in "ops/scale.cu", block = 256, threads["n"]>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$function, OptionalAttr<StrAttr>:$source,
                       UnitAttr:$collective, OptionalAttr<Train_CustomCudaAttr>:$cuda, Train_CustomTensors:$inputs,
                       Train_CustomTensors:$outputs, OptionalAttr<Train_CustomSettings>:$settings,
                       OptionalAttr<DenseI64ArrayAttr>:$inplace, OptionalAttr<StrAttr>:$rows,
                       OptionalAttr<FlatSymbolRefAttr>:$gradient);
  let assemblyFormat = [{$sym_name (`is` $function^ `in` $source)? (`collective` $collective^)? $inputs `->` $outputs (`settings` $settings^)?
                         (`inplace` $inplace^)? (`rows` $rows^)? (`gradient` $gradient^)? (`cuda` $cuda^)? attr-dict}];
  let extraClassDeclaration = [{
    ::llvm::SmallVector<CustomTensorAttr> inputTensors();
    ::llvm::SmallVector<CustomTensorAttr> outputTensors();
    ::llvm::SmallVector<CustomSettingAttr> settingList();
    /// What its kernels are called: the function for CPUs, or where there is none, that for GPUs; or what a collective
    /// one is.
    ::llvm::StringRef codeName();
    /// The names of sizes, in the order in which the function gets them.
    ::llvm::SmallVector<::llvm::StringRef> sizeNames();
  }];
  let hasVerifier = 1;
}

def Train_CustomOp : Train_Op<"custom", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>,
                                         DeclareOpInterfaceMethods<GradientOpInterface, ["gradient"]>]> {
  let summary = "an operation that a user's function computes";
  let description = [{
    The types of the results follow from those of the inputs, as the `train.custom_function` says. `numbers` are
    the values of its settings.

    ```mlir
    %y = train.custom @my.ops.Scale(%x) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyRankedTensor>:$inputs, OptionalAttr<ArrayAttr>:$numbers);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = [{$callee `(` $inputs `)` (`numbers` $numbers^)? attr-dict
                         `:` functional-type($inputs, $outputs)}];
  let extraClassDeclaration = [{
    static bool differentiableOperand(unsigned) { return true; }
    CustomFunctionOp definition();
  }];
}

def Train_CustomCallOp : Train_Op<"custom_call", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a call of a user's function, on plain tensors";
  let description = [{
    What the stage `lower` makes of `train.custom`: tensors are without dims of size 1 and without names of dims.
    `sizes` has a text for each size that the function gets, such as "16" or "2*batch". `dims` names the open dims of
    the results (`#nn.dims`, or unit where all are static). In a kernel it stands alone.

    ```mlir
    %y = train.custom_call @my.ops.Scale(%x) sizes ["128"] : (tensor<8x16xf32>) -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyRankedTensor>:$inputs, StrArrayAttr:$sizes,
                       OptionalAttr<ArrayAttr>:$numbers, OptionalAttr<ArrayAttr>:$dims);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = [{$callee `(` $inputs `)` `sizes` $sizes (`numbers` $numbers^)? (`dims` $dims^)? attr-dict
                         `:` functional-type($inputs, $outputs)}];
  let extraClassDeclaration = [{
    CustomFunctionOp definition();
    /// What a name of a size stands for.
    ::nn::Dim sizeOf(::llvm::StringRef name);
    /// The size that its rows have (`rows` of the function); nullopt where it has none.
    std::optional<::nn::Dim> rowCount();
  }];
}

#endif
