//===- Passes.td - passes of the stage fuse --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FUSE_PASSES
#define DLC_FUSE_PASSES

include "mlir/Pass/PassBase.td"

// The stage's passes stand here in the order in which they run (Fuse.cpp). The first ones rewrite the loop nests of
// functions; a grouping of these says which kernels there would be, where a rewrite has to know it. Then the nests
// are grouped for good, become kernels, and each kernel is made simpler by itself.

class Fuse_Pass<string argument> : Pass<argument, "mlir::ModuleOp"> {
  let dependentDialects = ["::train::TrainDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

// What decides which nests become one kernel.
defvar GroupingOptions = [
  Option<"minShared", "min-shared", "int64_t", "8",
         "Generics with different loops share a kernel only if their common loops have at least this many "
         "iterations">,
  Option<"anyOrder", "any-order", "bool", "false",
         "Reads cost the same in whichever order they go through memory, as without vectors and caches">,
  Option<"nearBytes", "near-bytes", "int64_t", "1048576",
         "Bytes of the cache in which a core keeps what it works on">,
  Option<"operationsPerByte", "operations-per-byte", "int64_t", "16",
         "Simple operations that a core computes while memory moves a byte">,
  Option<"attentions", "attentions", "bool", "false",
         "Each attention becomes one kernel, its backward pass two or three, and others none of steps: the "
         "target computes matrices of scores tile by tile">
];

//===-- Loop nests of functions ------------------------------------------------===//


def RecomputeForward : Fuse_Pass<"dlc-recompute-forward"> {
  let summary = "what the backward pass reads of the forward pass is kept, or computed again";
  let description = [{
    In functions that compute a loss and gradients. Given the price of a byte in operations, the choice for all values
    is the cheapest one. Without a price, only what takes little time is computed again: few simple operations on what
    is kept anyway, or a function of it where much is kept, whose result would have left the cache by then; and the
    product of an attention's probabilities, which are made again anyway. Nothing is computed in another way than
    before, and a random number is drawn again with the same counter, so results are the same. docs/rationale/memory.md says how it is chosen.
  }];
  let options = [
    Option<"price", "price", "int64_t", "0",
           "Operations that it may take to keep one byte less until the backward pass">,
    Option<"layers", "layers", "int64_t", "1",
           "Equal parts of the forward pass, over the last of which the price falls to 0">,
    Option<"nearBytes", "near-bytes", "int64_t", "1048576",
           "Bytes of the cache in which a core keeps what it works on">,
    Option<"operationsPerByte", "operations-per-byte", "int64_t", "16",
           "Simple operations that a core computes while memory moves a byte">
  ];
}

def InlineProducers : Fuse_Pass<"dlc-inline-producers"> {
  let summary = "cheap values are computed where they are read";
  let description = [{
    A value that one nest alone reads, once, is computed inside that nest; moves of elements, and simple functions of
    what is in memory anyway, inside each of their readers. Operands of products stay tensors. Takes and leaves
    functions of loop nests; removes nests that nothing reads.
  }];
}

def StoreOnce : Fuse_Pass<"dlc-store-once"> {
  let summary = "a product stores one tensor that two readers compute theirs from, instead of two";
  let description = [{
    Where two results are elementwise functions of one that a product computes, and a sum of everything alone reads the
    first of them, the sum computes it itself; a view in front of the other reader keeps this out of the product's kernel.
  }];
  let options = [
    Option<"nearBytes", "near-bytes", "int64_t", "1048576", "The fewest bytes of a tensor for which it pays">
  ];
}

def ComputeBeside : Fuse_Pass<"dlc-compute-beside"> {
  let summary = "what is made again for products is made by a nest that reads the same elements";
  let description = [{
    Takes the copies that dlc-recompute-forward leaves, which read what is kept through views that show all of it. A nest of
    the backward pass that reads the same elements computes the copy as its second result.
  }];
}

def MergeSiblings : Fuse_Pass<"dlc-merge-siblings"> {
  let summary = "reductions of the same elements become one nest with two results";
  let description = [{
    Two reductions over the same loops that read a tensor in the same way, and of which neither needs the other, read it
    once.
  }];
}

def SplitReductions : Fuse_Pass<"dlc-split-reductions"> {
  let summary = "long reductions with few results become partial results, and a sum of these";
  let description = [{
    Leaves two nests for one: the first has results for each part of a loop, and the second combines them in order. The
    number of parts depends on sizes alone, and so do the bits.
  }];
  let options = [
    Option<"areThreads", "threads", "bool", "false", "The target works on thousands of elements at once">
  ];
}

def ReuseRowSums : Fuse_Pass<"dlc-reuse-row-sums"> {
  let summary = "the row sums of a softmax's gradient are made of the attention's output";
  let description = [{
    rowsum(P * dP) equals rowsum(O * dO), which needs no product of its own: the second takes the place of the first. Removes
    nests that nothing reads any more.
  }];
}

def ComputeTwice : Fuse_Pass<"dlc-compute-twice"> {
  let summary = "later kernels compute what they would otherwise load";
  let description = [{
    Where a kernel makes a value for itself and for later kernels, and these compute it in less time than it takes to
    store it, each gets a copy of what makes it, which is computed inside of it. Which kernels there will be, a grouping
    says.
  }];
  let options = GroupingOptions;
}

def RecomputeHanded : Fuse_Pass<"dlc-recompute-handed"> {
  let summary = "what steps of a kernel hand on is made again for later kernels";
  let description = [{
    What one step of a kernel hands to another stays in the cache. If later kernels read it as well, and to make it again costs
    less than to store it, they get copies of what makes it. Which kernels and steps there will be, a grouping says.
  }];
  let options = GroupingOptions;
}

def SeparateTransients : Fuse_Pass<"dlc-separate-transients"> {
  let summary = "each kernel that consumes transient matrices gets producers of its own";
  let description = [{
    Matrices of which only tiles exist (compiler/analysis/Transient.h) are taken up along one side by a kernel. Where consumers go along
    both sides, or need each other's results, the products that make the elements are copied for each kernel.
  }];
}

def SplitProducts : Fuse_Pass<"dlc-split-products"> {
  let summary = "products with few tiles of results become partial sums, and a sum of these";
  let description = [{
    A product whose results make fewer tiles than the target computes at once is cut along its reduction (split-k), where
    that pays. Products of attentions and of transient matrices stay whole.
  }];
  let options = [
    Option<"tilesAtOnce", "tiles-at-once", "int64_t", "132", "Tiles of products that the target computes at once">
  ];
}

//===-- From loop nests to kernels ---------------------------------------------===//

def GroupLoopNests : Fuse_Pass<"dlc-group-loop-nests"> {
  let summary = "decide which loop nests become one kernel";
  let description = [{
    Decides by indexing maps and dependencies, and writes for each nest its kernel, its step and the loops that it shares
    (`train.member`), and for all operations their places in the program's order (`train.position`). Why a tensor is handed on through
    memory goes along in locations. Views that kept kernels apart are dropped. docs/rationale/fusion.md describes kernels.
  }];
  let options = GroupingOptions;
}

def WritePanels : Fuse_Pass<"dlc-write-panels"> {
  let summary = "what only products read is written in the panels that they read";
  let description = [{
    Takes nests that are grouped. A large matrix that one kernel makes for products alone, each of which reads some columns at a time,
    gets the columns of a panel next to each other.
  }];
  let options = [
    Option<"width", "width", "int64_t", "32", "Columns of a panel">,
    Option<"nearBytes", "near-bytes", "int64_t", "1048576", "The fewest bytes of a matrix for which it pays">
  ];
}

def OutlineKernels : Fuse_Pass<"dlc-outline-kernels"> {
  let summary = "nests of one group become a kernel, and a launch of it";
  let description = [{
    Takes nests that are grouped, and calls of users' functions. Leaves functions of launches, views and joins; each
    launch has a kernel of its own, whose body has the nests as they were, step by step.
  }];
}

def MergeLoopNests : Fuse_Pass<"dlc-merge-loop-nests"> {
  let summary = "few loop nests in each kernel";
  let description = [{
    Elementwise nests of a kernel, or of one of its steps, that have the same loops become one, and cheap values are computed where they are read.
    Then the loops that all steps share come first in each nest.
  }];
}

def LeaveOutMasked : Fuse_Pass<"dlc-leave-out-masked"> {
  let summary = "iterations that a mask makes zero are left out";
  let description = [{
    Where a causal mask makes terms of sums zero, the nests of a kernel's steps say which of their iterations count
    (`train.nonzero`), and so do nests whose results only such sums read.
  }];
}

def CollapseLoops : Fuse_Pass<"dlc-collapse-loops"> {
  let summary = "neighbouring loops that move together become one";
  let description = [{
    Collapses loops of each kernel, and the dims that they walk. Launches get views of their operands and results.
  }];
}

def UniqueKernels : Fuse_Pass<"dlc-unique-kernels"> {
  let summary = "equal kernels are one symbol, named by what it computes";
}

def OrderLaunches : Fuse_Pass<"dlc-order-launches"> {
  let summary = "an update comes after the last reader of the value that it replaces";
  let description = [{
    Orders the operations of each function: operands first, and the launch that makes the new value of a state after all launches that
    read the old one. Where neither decides, the program's order does (`train.position`), which this pass removes.
  }];
}

def AssignRoles : Fuse_Pass<"dlc-assign-roles"> {
  let summary = "say what each nest does in an attention, or in what makes matrices tile by tile";
  let description = [{
    Kernels that are attentions, or that compute with transient matrices, get the roles of their nests (`train.role`), by which schedule and
    codegen know them.
  }];
}

def VerifyFuse : Pass<"dlc-verify-fuse", "mlir::ModuleOp"> {
  let summary = "check what the stage fuse promises";
  let description = [{
    Functions hold reads, launches, views and writes; kernels hold what docs/rationale/fusion.md allows,
    and the generics of a kernel really share its first `shared` loops.
  }];
}

#endif
