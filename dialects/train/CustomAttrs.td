//===- CustomAttrs.td - train: what users' operations take, give and run ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `train.custom_function` is made of. What may stand together, its verifier says (CustomFunction.cpp).
//===----------------------------------------------------------------------===//
#ifndef DLC_TRAIN_CUSTOM_ATTRS
#define DLC_TRAIN_CUSTOM_ATTRS

include "dialects/train/TrainBase.td"

def Train_CustomTensorAttr : AttrDef<Train_Dialect, "CustomTensor"> {
  let mnemonic = "custom_tensor";
  let summary = "an input or an output of a user's function";
  let description = [{
    The shape has a text for each dim: a size, a name of a size, or a name with three dots behind it, which stands for
    any number of dims (CustomDim). No gradient flows to a `constant` input.

    ```mlir
    #train.custom_tensor<"x" : f32["rows", "4"]>
    #train.custom_tensor<"labels" : i64["rows"], constant = true>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$name, "::mlir::Type":$element,
                        OptionalArrayRefParameter<"::mlir::StringAttr">:$shape,
                        DefaultValuedParameter<"bool", "false">:$constant);
  let assemblyFormat = "`<` $name `:` $element (`[` $shape^ `]`)? (`,` `constant` `=` $constant^)? `>`";
  let extraClassDeclaration = [{
    /// Whether a gradient flows to the input, if the function has one.
    bool isVariable() const { return !getConstant() && ::llvm::isa<::mlir::FloatType>(getElement()); }
  }];
}

def Train_CustomSettingAttr : AttrDef<Train_Dialect, "CustomSetting"> {
  let mnemonic = "custom_setting";
  let summary = "a number that an operation of the user's has as an attribute";
  let description = [{
    Without a `fallback`, each use must say it.

    ```mlir
    #train.custom_setting<"alpha" : f64 = 0.5 : f64>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$name, "::mlir::Type":$type,
                        OptionalParameter<"::mlir::TypedAttr">:$fallback);
  let assemblyFormat = "`<` $name `:` $type (`=` $fallback^)? `>`";
}

def Train_CustomCount : Train_Enum<"CustomCount", "what the factors of a user's function for GPUs count", [
    I32EnumAttrCase<"Threads", 0, "threads">, I32EnumAttrCase<"Blocks", 1, "blocks">]>;

def Train_CustomCudaAttr : AttrDef<Train_Dialect, "CustomCuda"> {
  let mnemonic = "custom_cuda";
  let summary = "the code that an operation of the user's has for GPUs, and how many threads call it";
  let description = [{
    `factors` are numbers and names of sizes. Their product is the number of blocks, or of the threads that are needed
    at least; a block has `block` threads.

    ```mlir
    #train.custom_cuda<"scale" in "ops/scale.cu", block = 256, threads["n"]>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$function, StringRefParameter<>:$source, "int64_t":$block,
                        EnumParameter<Train_CustomCount>:$count,
                        OptionalArrayRefParameter<"::mlir::StringAttr">:$factors);
  let assemblyFormat = "`<` $function `in` $source `,` `block` `=` $block `,` $count (`[` $factors^ `]`)? `>`";
  let extraClassDeclaration = [{
    bool countsBlocks() const { return getCount() == CustomCount::Blocks; }
  }];
}

#endif
