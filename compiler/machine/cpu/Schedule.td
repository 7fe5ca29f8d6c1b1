//===- Schedule.td - how kernels run on CPUs -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stage schedule chooses, codegen carries out: what is not said here, codegen has no choice about.
//===----------------------------------------------------------------------===//
#ifndef DLC_CPU_SCHEDULE
#define DLC_CPU_SCHEDULE

include "mlir/IR/AttrTypeBase.td"
include "dialects/train/ScheduleInterface.td"

def Cpu_Dialect : Dialect {
  let name = "cpu";
  let summary = "How kernels run on CPUs";
  let description = [{
    `#cpu.schedule` is the `train.schedule` of a kernel that is compiled for a CPU.
  }];
  let cppNamespace = "::dlc::cpu";
  let dependentDialects = ["::train::TrainDialect"];
  let useDefaultAttributePrinterParser = 1;
}

class Cpu_Attr<string name, string keyword, list<Trait> traits = []> : AttrDef<Cpu_Dialect, name, traits> {
  let mnemonic = keyword;
}

def Cpu_SplitAttr : Cpu_Attr<"Split", "split"> {
  let summary = "a loop that is cut into chunks, which threads share";
  let description = [{
    Chunk number i is the iterations from `i * size` on, `size` of them or what is left. `chunks` is their
    number at the bounds of open dims. If several loops are cut, chunks are counted along the last of them first.
  }];
  let parameters = (ins "int64_t":$loop, "int64_t":$size, "int64_t":$chunks);
  let assemblyFormat = "`<` `loop` `=` $loop `,` `size` `=` $size `,` `chunks` `=` $chunks `>`";
}

def Cpu_BlockAttr : Cpu_Attr<"Block", "block"> {
  let summary = "a loop that runs in blocks of `size` iterations";
  let parameters = (ins "int64_t":$loop, "int64_t":$size);
  let assemblyFormat = "`<` `loop` `=` $loop `,` `size` `=` $size `>`";
}

def Cpu_TileAttr : Cpu_Attr<"Tile", "tile"> {
  let summary = "a register tile of a contraction";
  let description = [{
    A tile is `rows` neighbours along the loop `row` by `vectors` vectors along the loop `lane`; its sums stay in
    registers over what the nest leaves of the reduction. `row` is -1 where no loop but `lane` is parallel.
  }];
  let parameters = (ins "int64_t":$lane, DefaultValuedParameter<"int64_t", "-1">:$row, "int64_t":$rows,
      "int64_t":$vectors);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    /// Columns of a tile, whose vectors have so many lanes.
    int64_t width(int64_t lanes) const { return getVectors() * lanes; }
  }];
  let genVerifyDecl = 1;
}

def Cpu_ReductionAttr : Cpu_Attr<"Reduction", "reduction"> {
  let summary = "how the sums of a tile are added up";
  let description = [{
    `pairs`: a reduction loop, two iterations of which are one step: the operands are bf16, and the CPU adds the
    products of two neighbours to a sum at once. Blocks of the loop have an even size. In copies, both elements of a pair
    lie side by side.

    `amx`: sums are in tile registers, and a step is 32 iterations of the loop `pairs` (cpu::tileSteps). A tile is 16
    or 32 rows by one or two vectors of 16 lanes; more rows than there are cost nothing. The columns are copied in the
    order that the unit wants. So are the rows, or they are read as they lie: then neighbours lie along `pairs`,
    whose length is a multiple of 32. In copies, what is missing to such a multiple is zero.

    `accumulators`: each element is summed up in so many accumulators, which take its terms in turn and are added
    up at the end. Then the reduction is one loop, which is not in the nest.

    `descending`: reduction loops that run from their last iteration to the first, in the nest and in tiles.

    `unroll`: steps of the last reduction loop between two jumps.
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "-1">:$pairs,
      DefaultValuedParameter<"bool", "false">:$amx, DefaultValuedParameter<"int64_t", "1">:$accumulators,
      OptionalArrayRefParameter<"int64_t">:$descending, DefaultValuedParameter<"int64_t", "1">:$unroll);
  let assemblyFormat = "`<` struct($pairs, $amx, $accumulators, custom<Numbers>($descending), $unroll) `>`";
  let extraClassDeclaration = [{
    /// Steps of one iteration, in one accumulator.
    static ReductionAttr plain(::mlir::MLIRContext *context) { return get(context, -1, false, 1, {}, 1); }
    /// How many of a loop's iterations are one step.
    int64_t perStep(int64_t loop) const { return loop != getPairs() ? 1 : getAmx() ? tileSteps : 2; }
    /// Whether vectors add products in pairs.
    bool addsPairs() const { return getPairs() >= 0 && !getAmx(); }
    bool descends(int64_t loop) const { return ::llvm::is_contained(getDescending(), loop); }
  }];
  let genVerifyDecl = 1;
}

def Cpu_PackingAttr : Cpu_Attr<"Packing", "packing"> {
  let summary = "which operands of a contraction are copied into panels, and where in the nest";
  let description = [{
    `columns`: after so many loops of the nest, the operand along the lanes is copied, as much of it as what is
    inside reads, to scratch in panels as wide as a tile; the loop over the columns of tiles counts as one more. If
    its neighbours in memory lie along the last reduction loop, the copy transposes it. `rows`: the same for the other
    operand, in panels as high as a tile. Without them (-1), tiles read operands as they lie.

    `ahead`: above 0, copies that transpose nothing prefetch what they read so many steps later along their innermost
    loop: steps far apart are pieces of memory that no cache prefetches by itself.
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "-1">:$columns,
      DefaultValuedParameter<"int64_t", "-1">:$rows, DefaultValuedParameter<"int64_t", "0">:$ahead);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    static PackingAttr none(::mlir::MLIRContext *context) { return get(context, -1, -1, 0); }
    bool packsColumns() const { return getColumns() >= 0; }
    bool packsRows() const { return getRows() >= 0; }
  }];
  let genVerifyDecl = 1;
}

def Cpu_PrefetchAttr : Cpu_Attr<"Prefetch", "prefetch"> {
  let summary = "what the tiles of a contraction ask for before they read it";
  let description = [{
    `rows`: a tile's reduction prefetches the next tile's rows of the other operand. `columns`: above 0, it prefetches the
    columns so many steps before it reads them. With either of them, the reduction is one loop, which is not in the
    nest. `epilogue`: above 0, what a tile's epilogue reads is prefetched before its reduction (1), or so many tiles
    before.

    `next`: a loop of the nest. Tiles prefetch what its next iteration reads: in each iteration of the first reduction
    loop inside the nest so many cache lines of each operand (`lines`), which lie one behind the other. Of loops that
    are split, only the first tile of a call does so.
  }];
  let parameters = (ins DefaultValuedParameter<"bool", "false">:$rows,
      DefaultValuedParameter<"int64_t", "0">:$columns, DefaultValuedParameter<"int64_t", "0">:$epilogue,
      DefaultValuedParameter<"int64_t", "-1">:$next, OptionalArrayRefParameter<"int64_t">:$lines);
  let assemblyFormat = "`<` struct($rows, $columns, $epilogue, $next, custom<Numbers>($lines)) `>`";
  let extraClassDeclaration = [{
    static PrefetchAttr none(::mlir::MLIRContext *context) { return get(context, false, 0, 0, -1, {}); }
    /// Whether the steps of a tile's reduction prefetch rows or columns.
    bool ofSteps() const { return getRows() || getColumns() > 0; }
    /// What of it is not of the operands: the epilogue's part.
    PrefetchAttr epilogueAlone() const { return get(getContext(), false, 0, getEpilogue(), -1, {}); }
    /// The same without the next iteration of a loop.
    PrefetchAttr withoutNext() const {
      return get(getContext(), getRows(), getColumns(), getEpilogue(), -1, {});
    }
  }];
  let genVerifyDecl = 1;
}

def Cpu_EpilogueAttr : Cpu_Attr<"Epilogue", "epilogue"> {
  let summary = "how the elementwise work on the sums of a tile runs";
  let description = [{
    By default it runs after the tile, vector by vector.

    `pipeline`: above 0, the epilogue runs inside the reduction of the next tile, one vector of it every
    `pipeline` steps. `stages`: 2 if the epilogue of a vector is cut in two (compiler/machine/cpu/EpilogueStages.h), with
    these steps in between. `side_by_side`: the epilogue runs after a tile, on all vectors of a row at once, so that
    none waits for its own results alone.

    `masks`: what the epilogue decides at random is decided for all rows of a column of tiles before these run,
    and kept on the stack, a bit for each element. Otherwise eight aligned rows of a tile share their random words.
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "0">:$pipeline,
      DefaultValuedParameter<"int64_t", "1">:$stages, DefaultValuedParameter<"bool", "false">:$side_by_side,
      DefaultValuedParameter<"bool", "false">:$masks);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    static EpilogueAttr plain(::mlir::MLIRContext *context) { return get(context, 0, 1, false, false); }
    bool isPipelined() const { return getPipeline() > 0; }
    /// The same, but after its own tile.
    EpilogueAttr notPipelined() const { return get(getContext(), 0, 1, getSideBySide(), getMasks()); }
  }];
  let genVerifyDecl = 1;
}

def Cpu_ContractionAttr : Cpu_Attr<"Contraction", "contraction"> {
  let summary = "a contraction in register tiles";
  let description = [{
    The kernel is a contraction with at most one elementwise operation, the epilogue. It is computed in tiles (`tile`),
    whose sums are added up as `reduction` says; `packing`, `prefetch` and `epilogue` say what surrounds that.

    `nest`: the loops outside, the outermost first, each in blocks. All parallel loops but `lane` and `row` are
    there, in blocks of one; `lane`, `row` and reduction loops are there if they are cut into blocks. Inside the
    nest run the columns of tiles, and inside these the tiles. If reduction loops are in the nest, sums are kept in
    memory between their blocks: in the result, or, where only the epilogue sees it, in scratch; the epilogue
    follows the last block.

    ```mlir
    #cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2> nest = [<loop = 2, size = 1024>]
                     packing = <columns = 1>>
    ```
  }];
  let parameters = (ins "TileAttr":$tile,
      DefaultValuedParameter<"ReductionAttr", "ReductionAttr::plain($_ctxt)">:$reduction,
      OptionalArrayRefParameter<"BlockAttr">:$nest,
      DefaultValuedParameter<"PackingAttr", "PackingAttr::none($_ctxt)">:$packing,
      DefaultValuedParameter<"PrefetchAttr", "PrefetchAttr::none($_ctxt)">:$prefetch,
      DefaultValuedParameter<"EpilogueAttr", "EpilogueAttr::plain($_ctxt)">:$epilogue);
  let assemblyFormat = [{`<` `tile` `=` $tile (`reduction` `=` $reduction^)? (`nest` `=` `[` $nest^ `]`)?
    (`packing` `=` $packing^)? (`prefetch` `=` $prefetch^)? (`epilogue` `=` $epilogue^)? `>`}];
  let extraClassDeclaration = [{
    /// Where the packing's `columns` says that each column of tiles copies its own.
    int64_t perColumnOfTiles() const { return int64_t(getNest().size()) + 1; }
    bool packsColumnsInTurn() const { return getPacking().getColumns() == perColumnOfTiles(); }
    /// The number of this loop in the nest; -1 where it runs inside of tiles, or is that of columns or rows.
    int64_t depthOf(int64_t loop) const;
  }];
  let genVerifyDecl = 1;
}

def Cpu_ColumnsAttr : Cpu_Attr<"Columns", "columns"> {
  let summary = "vectors along the last shared loop";
  let description = [{
    `vectors` vectors of the last shared loop run through all operations of the kernel together; each operation's
    own loops are scalar.

    `exchanged`: matrices of short rows, as positions among the kernel's arguments and, after them, its results.
    The rows of a group of lanes are one piece of memory: they are read and written whole, and brought into the
    lanes, and back, in registers.

    `accumulators`: for each operation of the kernel, in how many accumulators a reduction's terms are taken in turn;
    nothing where it is one for all.
  }];
  let parameters = (ins "int64_t":$vectors, OptionalArrayRefParameter<"int64_t">:$exchanged,
      OptionalArrayRefParameter<"int64_t">:$accumulators);
  let assemblyFormat = [{`<` `vectors` `=` $vectors (`exchanged` `=` `[` $exchanged^ `]`)?
    (`accumulators` `=` `[` $accumulators^ `]`)? `>`}];
}

def Cpu_RowsAttr : Cpu_Attr<"Rows", "rows"> {
  let summary = "vectors along the operations' own loops";
  let description = [{
    `along`: for each operation of the kernel, the loop that its vectors run along; -1 where it is computed
    element by element. A row of at most `unroll` vectors is straight code: then what one operation hands to
    the next stays in registers.
  }];
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$along, "int64_t":$unroll);
  let assemblyFormat = "`<` `unroll` `=` $unroll (`along` `=` `[` $along^ `]`)? `>`";
}

def Cpu_TransposeAttr : Cpu_Attr<"Transpose", "transpose"> {
  let summary = "a copy that exchanges the last two dims, square by square in registers";
  let description = [{
    The kernel is one operation that copies a tensor of static shape and 32-bit elements. Its first dim, if
    there are three, stays.
  }];
}

def Cpu_ScatterAttr : Cpu_Attr<"Scatter", "scatter"> {
  let summary = "a sum at computed positions, which goes to each of them";
  let description = [{
    The kernel is one `linalg.generic` that adds to its result only where the position along `loop` is one that it
    computes (analysis::scatterOf). A chunk owns a part of the result: it fills this part, then runs the reduction in
    order, and for each step adds to the one position, where that is in its part. So it is independent of the number of
    threads, and of the order of their work, what is added first. Vectors run along `lane`; -1: there are none.
  }];
  let parameters = (ins "int64_t":$loop, DefaultValuedParameter<"int64_t", "-1">:$lane);
  let assemblyFormat = "`<` `loop` `=` $loop (`lane` `=` $lane^)? `>`";
}

def Cpu_StepsAttr : Cpu_Attr<"Steps", "steps"> {
  let summary = "steps, one after the other inside the loops that they share";
  let description = [{
    `steps`: how each step of the kernel runs (`#cpu.schedule`, not split), as if it were a kernel by itself; but the
    loops that all steps share run outside, one iteration at a time. What one step hands to another lies in the
    chunk's scratch: `places` are the offsets in bytes, in the order of the operations that make it. Those that
    are not needed at the same time may share a place. Behind them, from `own` on, lies what each step needs for itself.
    `block`: above 0, the last of the shared loops runs in blocks of so many iterations, which each step does together:
    tiles and groups of vectors along it lie in one block. What steps hand to each other then has room for a block;
    what a step needs for itself lies behind that of the step before, because copies of operands that the loop does
    not move are made for the first block and stay for the others.
    `unit`: above 0, iterations that do not count (compiler/support/Nonzero.h) are left out in blocks of `unit` by
    `unit`; no vector or tile that does so is in two blocks.
  }];
  let parameters = (ins ArrayRefParameter<"::dlc::cpu::ScheduleAttr">:$steps,
      OptionalArrayRefParameter<"int64_t">:$places, DefaultValuedParameter<"int64_t", "0">:$own,
      DefaultValuedParameter<"int64_t", "0">:$block, DefaultValuedParameter<"int64_t", "0">:$unit);
  let assemblyFormat = [{`<` `[` $steps `]` (`places` `=` `[` $places^ `]`)? (`own` `=` $own^)?
    (`block` `=` $block^)? (`unit` `=` $unit^)? `>`}];
}

def Cpu_ScheduleAttr
    : Cpu_Attr<"Schedule", "schedule", [DeclareAttrInterfaceMethods<Train_ScheduleInterface>]> {
  let summary = "how a kernel runs on a CPU";
  let description = [{
    `form`: the shape of the code (`#cpu.contraction`, `#cpu.columns`, `#cpu.rows`, `#cpu.scatter`, `#cpu.transpose`,
    `#cpu.steps`, which has several of them, or "call", see CallForm.h). `lanes`: elements of a vector; 1 is scalar
    code. `split`: the loops that are cut so that the work is shared; without it, the kernel runs on the calling thread.
    `scratch`: bytes that each chunk needs beside the kernel's arguments and results. `inplace`: pairs (argument,
    result) that may share storage.

    ```mlir
    #cpu.schedule<#cpu.contraction<tile = <lane = 1, row = 0, rows = 8, vectors = 2>>, lanes = 16
                  split = <loop = 1, size = 32, chunks = 8>>
    ```
  }];
  let parameters = (ins "::mlir::Attribute":$form, "int64_t":$lanes,
      OptionalArrayRefParameter<"SplitAttr">:$split, DefaultValuedParameter<"int64_t", "0">:$scratch,
      OptionalArrayRefParameter<"int64_t">:$inplace);
  let assemblyFormat = [{`<` $form `,` `lanes` `=` $lanes (`split` `=` $split^)?
    (`scratch` `=` $scratch^)? (`inplace` `=` `[` $inplace^ `]`)? `>`}];
  let extraClassDeclaration = [{
    /// The form, null where it is another one.
    ContractionAttr contraction() const;
    ColumnsAttr columns() const;
    RowsAttr rows() const;
    ScatterAttr scatter() const;
    StepsAttr steps() const;
    /// Whether products are added in pairs, in any of the steps.
    bool addsPairs() const;
    /// Whether a matrix unit adds them, in any of the steps.
    bool usesAmx() const;
    /// How a loop is cut; null where it is not.
    SplitAttr splitOf(int64_t loop) const;
  }];
  let genVerifyDecl = 1;
}

#endif
