//===- Schedule.td - how kernels run on GPUs -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stage schedule chooses, codegen carries out. The dialect is called cuda, because gpu is one of MLIR's
// own.
//===----------------------------------------------------------------------===//
#ifndef DLC_GPU_SCHEDULE
#define DLC_GPU_SCHEDULE

include "mlir/IR/AttrTypeBase.td"
include "dialects/train/ScheduleInterface.td"

def Gpu_Dialect : Dialect {
  let name = "cuda";
  let summary = "How kernels run on NVIDIA GPUs";
  let description = [{
    `#cuda.schedule` is the `train.schedule` of a kernel that is compiled for a GPU.
  }];
  let cppNamespace = "::dlc::gpu";
  let dependentDialects = ["::train::TrainDialect"];
  let useDefaultAttributePrinterParser = 1;
}

class Gpu_Attr<string name, string keyword, list<Trait> traits = []> : AttrDef<Gpu_Dialect, name, traits> {
  let mnemonic = keyword;
}

def Gpu_PointsAttr : Gpu_Attr<"Points", "points"> {
  let summary = "threads share the points of the loops that all operations have in common";
  let description = [{
    `members` threads work on one point of the shared loops. With one, a thread computes all operations of its point
    by itself. With more, they take the iterations of an operation's own parallel loops in turn, and the terms of a
    reduction; where one needs what another one has written, a barrier of the block stands between. `across`: neighbouring threads have neighbouring
    points, where these lie side by side in memory; otherwise they are members of one point, whose elements do.

    `partials`: for each operation, into how many partial results its reduction is cut, a power of two of at most
    `members`: term i belongs to number i mod `partials`, and they are combined in a fixed tree. It follows from the
    sizes of the operation's loops alone, so that the same sum has the same bits in all kernels.

    `elements`: so many neighbouring points, along the last shared loop, are one thread's, which reads all before it
    writes any: its accesses are wide. With one member, and operations of an element each.

    `turns`: so many elements of a point's row are one thread's, the same of each operation that goes along the row:
    what it has read or computed of them once stays in its registers. 0: it reads them again.

    `shared`: what one operation hands to the next at a point lies in so many bytes of the block's shared memory
    for each point; 0: in registers, in the thread's own memory, or in scratch.
  }];
  let parameters = (ins "int64_t":$members, DefaultValuedParameter<"bool", "false">:$across,
      OptionalArrayRefParameter<"int64_t">:$partials, DefaultValuedParameter<"int64_t", "0">:$shared,
      DefaultValuedParameter<"int64_t", "1">:$elements, DefaultValuedParameter<"int64_t", "0">:$turns);
  let assemblyFormat = [{`<` `members` `=` $members (`across` `=` $across^)?
    (`partials` `=` `[` $partials^ `]`)? (`turns` `=` $turns^)? (`shared` `=` $shared^)? (`elements` `=` $elements^)? `>`}];
}

def Gpu_CopyAttr : Gpu_Attr<"Copy", "copy"> {
  let summary = "how an operand of a contraction comes to shared memory";
  let description = [{
    `bytes`: of one copy from memory to shared memory, 4, 8 or 16, which runs beside the products; 0: threads bring
    elements one by one through their registers. `along_steps`: what lies side by side in memory, and then in
    shared memory, too: steps of a row or column; otherwise rows or columns of a step.
  }];
  let parameters = (ins "int64_t":$bytes, DefaultValuedParameter<"bool", "false">:$alongSteps);
  let assemblyFormat = "`<` `bytes` `=` $bytes (`along_steps` `=` $alongSteps^)? `>`";
  let genVerifyDecl = 1;
}

def Gpu_ContractionAttr : Gpu_Attr<"Contraction", "contraction"> {
  let summary = "a contraction in tiles of a block, whose operands go through shared memory";
  let description = [{
    All loops that move the left operand alone are one loop of rows, those that move the right one alone are one of
    columns, and reductions are one loop of steps. A block computes `rows` by `columns` elements in rounds of `steps`
    steps: it brings that much of both operands to shared memory, as `left` and `right` say, from which each thread
    makes `thread_rows` by `thread_columns` sums. Shared memory has room for `stages` rounds: one is multiplied while
    the next ones come. Each element is summed up in the order of its steps, so results do not depend on tiles.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$steps, "int64_t":$threadRows,
      "int64_t":$threadColumns, "int64_t":$stages, "::dlc::gpu::CopyAttr":$left,
      "::dlc::gpu::CopyAttr":$right);
  let assemblyFormat = [{`<` `rows` `=` $rows `columns` `=` $columns `steps` `=` $steps
    `thread_rows` `=` $threadRows `thread_columns` `=` $threadColumns
    `stages` `=` $stages `left` `=` $left `right` `=` $right `>`}];
}

def Gpu_MmaAttr : Gpu_Attr<"Mma", "mma"> {
  let summary = "a contraction in tiles of a block, computed by tensor cores";
  let description = [{
    As `contraction`, with operands of bf16 or f16, or of f32 rounded to tf32. Each warp computes `warp_rows` by `warp_columns`
    elements with instructions that multiply 16 rows by 8 columns in 16 steps (tf32: 8). The order in which one
    of them adds up its steps is the machine's own; instructions follow each other in the order of the steps, so
    results do not depend on tiles. Where a block is a group of four warps, with 64 rows or 128, and operands have 16 bits,
    GPUs that multiply in such groups (sm_90a) use instructions of 64 rows by all `columns` in 16 steps instead.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "int64_t":$steps, "int64_t":$warpRows,
      "int64_t":$warpColumns, "int64_t":$stages, "::dlc::gpu::CopyAttr":$left, "::dlc::gpu::CopyAttr":$right);
  let assemblyFormat = [{`<` `rows` `=` $rows `columns` `=` $columns `steps` `=` $steps
    `warp_rows` `=` $warpRows `warp_columns` `=` $warpColumns
    `stages` `=` $stages `left` `=` $left `right` `=` $right `>`}];
}

def Gpu_AttentionAttr : Gpu_Attr<"Attention", "attention"> {
  let summary = "an attention, keys by keys, with the largest score and the sum of each row so far";
  let description = [{
    The kernel is an attention (analysis::attentionOf). A block has `rows` queries of one head, 16 for each of its warps.
    It goes through the keys, `keys` at a time: both products are the warps' own, in registers, as in `mma`, or with
    fused multiply-adds where the operands are f32. `steps` and `columns`: how long the first product's sums are, and
    how many columns the second one has, with what fills up fragments. What a causal mask hides is left out, `keys` at a
    time. The order of sums follows from `keys` alone.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$keys, "int64_t":$steps, "int64_t":$columns);
  let assemblyFormat =
      [{`<` `rows` `=` $rows `keys` `=` $keys `steps` `=` $steps `columns` `=` $columns `>`}];
  let extraClassDeclaration = [{
    static constexpr int64_t warpRows = 16;
    /// Words of 32 bits between positions in shared memory: what a warp reads together lies in other banks.
    static constexpr int64_t padding = 4;
    /// Shared memory of a block, for queries, keys and values of which a word has `perWord`.
    int64_t sharedBytes(int64_t perWord) const;
  }];
}

def Gpu_TransientAttr : Gpu_Attr<"Transient", "transient"> {
  let summary = "matrices of which only tiles exist, in registers, between products";
  let description = [{
    The kernel makes elements of matrices and takes them up along one side (analysis::transientOf). A block has `rows`
    positions along the side that is kept, 16 for each of its warps, and goes through the other side, `along` positions
    at a time: it makes the elements of such a tile in registers, as in `attention`, and adds to what it takes up. `kept`:
    how many numbers of each position of the kept side lie in shared memory, for each operand that products read, with
    what fills up fragments; `brought`: the same along the other side. What a causal mask hides is left out, `along`
    positions at a time. The order of sums follows from `along` alone.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$along, ArrayRefParameter<"int64_t">:$kept,
      ArrayRefParameter<"int64_t">:$brought);
  let assemblyFormat = [{`<` `rows` `=` $rows `along` `=` $along `kept` `=` `[` $kept `]`
    `brought` `=` `[` $brought `]` `>`}];
  let extraClassDeclaration = [{
    static constexpr int64_t warpRows = 16;
    /// Words of 32 bits between positions in shared memory: what a warp reads together lies in other banks.
    static constexpr int64_t padding = 4;
    /// Shared memory of a block, for numbers of which a word has `perWord`.
    int64_t sharedBytes(int64_t perWord) const;
  }];
}

def Gpu_TransposeAttr : Gpu_Attr<"Transpose", "transpose"> {
  let summary = "a copy that exchanges the last two dims, square by square in shared memory";
  let description = [{
    The kernel is one operation that copies a tensor. Squares have `size` by `size` elements. Its first dim, if there
    are three, stays.
  }];
  let parameters = (ins "int64_t":$size);
  let assemblyFormat = "`<` `size` `=` $size `>`";
}

def Gpu_ScatterAttr : Gpu_Attr<"Scatter", "scatter"> {
  let summary = "a sum at computed positions, which goes to each of them";
  let description = [{
    The kernel is one `linalg.generic` that adds to its result only where the position along `loop` is one that it
    computes (analysis::scatterOf). A block owns `rows` positions along `loop` and `columns` of the parallel loops that do
    not move these positions, at one of all others. Its threads list which steps of the reduction go to its rows, in
    order, a round of them at a time; each thread adds those of its column, and of its share of the rows if there are
    more threads than columns. Nothing depends on the order in which threads run.
  }];
  let parameters = (ins "int64_t":$loop, "int64_t":$rows, "int64_t":$columns);
  let assemblyFormat = "`<` `loop` `=` $loop `rows` `=` $rows `columns` `=` $columns `>`";
  let extraClassDeclaration = [{
    /// Steps that a thread of a block looks at in a round, and those that all do.
    static constexpr int64_t stepsOfThread = 8;
    static int64_t stepsOfRound(int64_t threads) { return stepsOfThread * threads; }
    /// Shared memory of a block: a number for each step and each thread.
    static int64_t sharedBytes(int64_t threads) { return 8 * (stepsOfRound(threads) + threads); }
  }];
}

def Gpu_CallAttr : Gpu_Attr<"Call", "call"> {
  let summary = "a call of a user's function by each thread";
  let description = [{
    The kernel is one `train.custom_call`. Threads and blocks are as its function's `cuda` says.
  }];
}

def Gpu_ScheduleAttr
    : Gpu_Attr<"Schedule", "schedule", [DeclareAttrInterfaceMethods<Train_ScheduleInterface>]> {
  let summary = "how a kernel runs on a GPU";
  let description = [{
    `form`: the shape of the code (`#cuda.points`, `#cuda.contraction`, `#cuda.mma`, `#cuda.attention`,
    `#cuda.transient`, `#cuda.transpose`, `#cuda.scatter` or `#cuda.call`).
    `threads`: of a block. `grid`: blocks at the bounds of open dims; those beyond actual sizes return. `scratch`:
    bytes of global memory that each block needs beside the kernel's arguments and results. `inplace`: pairs
    (argument, result) that may share storage.

    ```mlir
    #cuda.schedule<#cuda.points<members = 1>, threads = 256 grid = 4>
    ```
  }];
  let parameters = (ins "::mlir::Attribute":$form, "int64_t":$threads, "int64_t":$grid,
      DefaultValuedParameter<"int64_t", "0">:$scratch, OptionalArrayRefParameter<"int64_t">:$inplace);
  let assemblyFormat = [{`<` $form `,` `threads` `=` $threads `grid` `=` $grid
    (`scratch` `=` $scratch^)? (`inplace` `=` `[` $inplace^ `]`)? `>`}];
  let extraClassDeclaration = [{
    /// The form, null where it is another one.
    PointsAttr points() const;
    ContractionAttr contraction() const;
    MmaAttr mma() const;
    AttentionAttr attention() const;
    TransientAttr transient() const;
    TransposeAttr transpose() const;
    ScatterAttr scatter() const;
    CallAttr call() const;
  }];
  let genVerifyDecl = 1;
}

#endif
