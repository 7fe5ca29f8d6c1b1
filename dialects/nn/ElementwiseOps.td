//===- ElementwiseOps.td - nn: elementwise operations ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_ELEMENTWISE_OPS
#define DLC_NN_ELEMENTWISE_OPS

include "dialects/nn/NNBase.td"

//===-- Constants ----------------------------------------------------------===//

def NN_ConstantOp : NN_Op<"constant", [ConstantLike, NotDifferentiable, AllTypesMatch<["value", "y"]>]> {
  let summary = "a tensor known at compile time";
  let description = [{
    Rank-0 constants broadcast in binary operations, so a scalar in a formula is `tensor<f32>`.

    ```mlir
    %half = nn.constant dense<0.5> : tensor<f32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs NN_StoredTensor:$y);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

//===-- Unary --------------------------------------------------------------===//

class NN_Unary<string mnemonic, string sentence, string formula, Type type = NN_FloatTensor,
               list<Trait> traits = [], dag attributes = (ins), string constraints = "">
    : NN_Op<mnemonic, !listconcat([NN_GradientRule<"0">, NN_Elementwise, SameOperandsAndResultType],
                                  traits)> {
  let summary = sentence;
  let description = "`" # formula # "`, element by element; any shape.\n\n```mlir\n%y = nn." # mnemonic #
                    " %x : tensor<64x256xf32>\n```\n" # constraints;
  let arguments = !con((ins type:$x), attributes);
  let results = (outs type:$y);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def NN_NegOp  : NN_Unary<"neg", "negation", "y = -x", NN_NumberTensor> { let hasFolder = 1; }
def NN_AbsOp  : NN_Unary<"abs", "absolute value", "y = |x|; the derivative at 0 is 0", NN_NumberTensor>;
def NN_SignOp : NN_Unary<"sign", "sign", "y = -1, 0 or 1; the derivative is 0", NN_NumberTensor>;
def NN_ExpOp  : NN_Unary<"exp", "exponential", "y = e^x">;
def NN_LogOp  : NN_Unary<"log", "natural logarithm", "y = ln x; NaN for x < 0, -inf at 0">;
def NN_Expm1Op : NN_Unary<"expm1", "exponential less 1", "y = e^x - 1, also near 0 to all digits">;
def NN_Log1pOp : NN_Unary<"log1p", "logarithm of 1 and more", "y = ln(1 + x), also near 0 to all digits">;
def NN_SqrtOp : NN_Unary<"sqrt", "square root", "y = sqrt(x); NaN for x < 0">;
def NN_RsqrtOp : NN_Unary<"rsqrt", "reciprocal square root", "y = 1 / sqrt(x)">;
def NN_ReciprocalOp : NN_Unary<"reciprocal", "reciprocal", "y = 1 / x">;
def NN_ErfOp  : NN_Unary<"erf", "error function", "y = 2/sqrt(pi) * integral from 0 to x of e^(-t^2) dt">;
def NN_ErfcOp : NN_Unary<"erfc", "complement of the error function",
                         "y = 1 - erf(x), also for large x, where that is near 0, to all digits">;
def NN_ErfinvOp : NN_Unary<"erfinv", "inverse of the error function",
                           "erf(y) = x; infinite at -1 and 1, NaN beyond">;
def NN_SinOp  : NN_Unary<"sin", "sine", "y = sin(x), x in radians">;
def NN_CosOp  : NN_Unary<"cos", "cosine", "y = cos(x), x in radians">;
def NN_AtanOp : NN_Unary<"atan", "inverse tangent", "y = atan(x), between -pi/2 and pi/2">;
def NN_FloorOp : NN_Unary<"floor", "largest whole number not above x", "y = floor(x); the derivative is 0">;
def NN_CeilOp : NN_Unary<"ceil", "smallest whole number not below x", "y = ceil(x); the derivative is 0">;
def NN_RoundOp : NN_Unary<"round", "nearest whole number",
    "y = round(x), halves to the even number; the derivative is 0, with straight_through 1 (Bengio et al. 2013)",
    NN_FloatTensor, [], (ins UnitAttr:$straight_through)>;
def NN_TanhOp : NN_Unary<"tanh", "hyperbolic tangent", "y = tanh(x)">;
def NN_SigmoidOp : NN_Unary<"sigmoid", "logistic function", "y = 1 / (1 + e^-x)">;
def NN_ReluOp : NN_Unary<"relu", "rectified linear unit",
                         "y = max(x, 0); the derivative at 0 is 0, NaN is kept", NN_NumberTensor> {
  let hasFolder = 1;
}
def NN_LeakyReluOp : NN_Unary<"leaky_relu", "leaky rectified linear unit", "y = x > 0 ? x : alpha * x",
                              NN_FloatTensor, [], (ins F64Attr:$alpha)>;
def NN_EluOp : NN_Unary<"elu", "exponential linear unit", "y = x > 0 ? x : alpha * (e^x - 1)",
                        NN_FloatTensor, [], (ins F64Attr:$alpha)>;
def NN_GeluOp : NN_Unary<"gelu", "Gaussian error linear unit (Hendrycks and Gimpel 2016)",
    "y = x/2 * (1 + erf(x/sqrt 2)); with tanh: y = x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3)))",
    NN_FloatTensor, [], (ins UnitAttr:$tanh)>;
def NN_SiluOp : NN_Unary<"silu", "sigmoid-weighted linear unit (swish)", "y = x / (1 + e^-x)">;
def NN_SoftplusOp : NN_Unary<"softplus", "smooth rectifier", "y = ln(1 + e^x), without overflow">;
def NN_SoftsignOp : NN_Unary<"softsign", "softsign", "y = x / (1 + |x|)">;
def NN_HardSigmoidOp : NN_Unary<"hard_sigmoid", "piecewise linear sigmoid",
    "y = min(max(alpha * x + beta, 0), 1)", NN_FloatTensor, [], (ins F64Attr:$alpha, F64Attr:$beta)>;
def NN_HardSwishOp : NN_Unary<"hard_swish", "piecewise linear swish", "y = x * min(max(x/6 + 1/2, 0), 1)">;
def NN_ClipOp : NN_Unary<"clip", "limit to a range",
    "y = min(max(x, low), high); the derivative is 1 inside and at the limits, 0 outside",
    NN_NumberTensor, [], (ins F64Attr:$low, F64Attr:$high),
    "\nConstraints:\n\n- C1. `low` <= `high`.\n"> {
  let hasVerifier = 1;
}

def NN_LogicalNotOp : NN_Op<"logical_not", [NN_Elementwise, SameOperandsAndResultType, NotDifferentiable]> {
  let summary = "logical negation";
  let description = "`y = not x`, element by element.\n\n```mlir\n%y = nn.logical_not %x : tensor<4xi1>\n```";
  let arguments = (ins NN_BoolTensor:$x);
  let results = (outs NN_BoolTensor:$y);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let hasFolder = 1;
}

def NN_CastOp : NN_DifferentiableOp<"cast", "0", [NN_Elementwise]> {
  let summary = "change the element type";
  let description = [{
    A cast from float to integer truncates towards zero; a cast to `i1` gives `x != 0`, and one to `ui8` the whole
    number modulo 256. Between float types numbers are rounded to the nearest one, halves to the even one, but to
    `tf32` away from zero. A gradient flows only between float types.

    ```mlir
    %y = nn.cast %x to f32 : tensor<64xi64>
    ```

    Constraints:

    - C1. `to` is a type that elements of a tensor may have.
  }];
  let arguments = (ins NN_Tensor:$x, TypeAttr:$to);
  let results = (outs NN_Tensor:$y);
  let assemblyFormat = "$x `to` $to attr-dict `:` type($x)";
  let hasFolder = 1;
}

//===-- Binary, with broadcasting --------------------------------------------===//

class NN_Binary<string mnemonic, string sentence, string formula, list<Trait> traits = []>
    : NN_DifferentiableOp<mnemonic, "0, 1", !listconcat([NN_Elementwise], traits)> {
  let summary = sentence;
  let description = "`" # formula # "`, element by element, with broadcasting.\n\n" #
      "```mlir\n%c = nn." # mnemonic # " %a, %b : tensor<64x256xf32>, tensor<256xf32>\n```\n\nConstraints:\n\n" #
      "- C1. `a` and `b` have one dtype.\n" #
      "- C2. The shapes of `a` and `b` broadcast.\n";
  let arguments = (ins NN_NumberTensor:$a, NN_NumberTensor:$b);
  let results = (outs NN_NumberTensor:$c);
  let assemblyFormat = "$a `,` $b attr-dict `:` type($a) `,` type($b)";
}

let hasFolder = 1 in {
def NN_AddOp : NN_Binary<"add", "sum", "c = a + b">;
def NN_SubOp : NN_Binary<"sub", "difference", "c = a - b">;
def NN_MulOp : NN_Binary<"mul", "product", "c = a * b">;
def NN_DivOp : NN_Binary<"div", "quotient", "c = a / b (integers: towards zero, 0 where b is 0)">;
def NN_PowOp : NN_Binary<"pow", "power",
    "c = a^b (integers: 1 / a^-b where b is negative); d/da = b a^(b-1), d/db = c ln a (0 where a <= 0)">;
}
def NN_MaxOp : NN_Binary<"max", "larger of two",
    "c = max(a, b), NaN if either is; where equal, each gets half of the gradient">;
def NN_MinOp : NN_Binary<"min", "smaller of two",
    "c = min(a, b), NaN if either is; where equal, each gets half of the gradient">;

class NN_Logical<string mnemonic, string sentence, string formula>
    : NN_InferredOp<mnemonic, [NN_Elementwise, NotDifferentiable]> {
  let summary = sentence;
  let description = "`" # formula # "`, element by element, with broadcasting.\n\n" #
      "```mlir\n%c = nn." # mnemonic # " %a, %b : tensor<4xi1>, tensor<4xi1>\n```\n\nConstraints:\n\n" #
      "- C1. The shapes of `a` and `b` broadcast.\n";
  let arguments = (ins NN_BoolTensor:$a, NN_BoolTensor:$b);
  let results = (outs NN_BoolTensor:$c);
  let assemblyFormat = "$a `,` $b attr-dict `:` type($a) `,` type($b)";
}
def NN_LogicalAndOp : NN_Logical<"logical_and", "logical and", "c = a and b">;
def NN_LogicalOrOp  : NN_Logical<"logical_or", "logical or", "c = a or b">;
def NN_LogicalXorOp : NN_Logical<"logical_xor", "logical exclusive or", "c = a xor b">;

def NN_Comparison : I32EnumAttr<"Comparison", "how two numbers compare", [
    I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ne", 1>, I32EnumAttrCase<"lt", 2>,
    I32EnumAttrCase<"le", 3>, I32EnumAttrCase<"gt", 4>, I32EnumAttrCase<"ge", 5>]> {
  let cppNamespace = "::nn";
  let genSpecializedAttr = 0;
}
def NN_ComparisonAttr : EnumAttr<NN_Dialect, NN_Comparison, "comparison">;

def NN_CompareOp : NN_InferredOp<"compare", [NN_Elementwise, NotDifferentiable]> {
  let summary = "comparison";
  let description = [{
    `c = a <predicate> b`, element by element, with broadcasting. With a NaN, only `ne` holds.
    Predicates: `eq ne lt le gt ge`.

    ```mlir
    %c = nn.compare gt %a, %b : tensor<64xf32>, tensor<f32>
    ```

    Constraints:

    - C1. `a` and `b` have one dtype.
    - C2. The shapes of `a` and `b` broadcast.
  }];
  let arguments = (ins NN_ComparisonAttr:$predicate, NN_Tensor:$a, NN_Tensor:$b);
  let results = (outs NN_BoolTensor:$c);
  let assemblyFormat = "custom<Keyword>($predicate) $a `,` $b attr-dict `:` type($a) `,` type($b)";
}

def NN_SelectOp : NN_DifferentiableOp<"select", "1, 2", [NN_Elementwise]> {
  let summary = "choose between two tensors";
  let description = [{
    `y = condition ? a : b`, element by element, with broadcasting of all three (ONNX Where).

    ```mlir
    %y = nn.select %p, %a, %b : tensor<64x1xi1>, tensor<64x10xf32>, tensor<f32>
    ```

    Constraints:

    - C1. `a` and `b` have one dtype.
    - C2. The shapes of `condition`, `a` and `b` broadcast.
  }];
  let arguments = (ins NN_BoolTensor:$condition, NN_Tensor:$a, NN_Tensor:$b);
  let results = (outs NN_Tensor:$y);
  let assemblyFormat = "$condition `,` $a `,` $b attr-dict `:` type($condition) `,` type($a) `,` type($b)";
  let hasFolder = 1;
}

//===-- Ternary, with broadcasting -------------------------------------------===//

def NN_FmaOp : NN_DifferentiableOp<"fma", "0, 1, 2", [NN_Elementwise]> {
  let summary = "product and sum, rounded once";
  let description = [{
    `y = a * b + c`, element by element, with broadcasting. Nothing else is fused:
    a product and a sum of their own are rounded one after the other, wherever they are computed.

    ```mlir
    %y = nn.fma %a, %b, %c : tensor<f32>, tensor<64x256xf32>, tensor<64x256xf32>
    ```

    Constraints:

    - C1. `a`, `b` and `c` have one dtype.
    - C2. The shapes of `a`, `b` and `c` broadcast.
  }];
  let arguments = (ins NN_FloatTensor:$a, NN_FloatTensor:$b, NN_FloatTensor:$c);
  let results = (outs NN_FloatTensor:$y);
  let assemblyFormat = "$a `,` $b `,` $c attr-dict `:` type($a) `,` type($b) `,` type($c)";
}

#endif
