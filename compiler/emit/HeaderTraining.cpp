//===- HeaderTraining.cpp - what a header declares for training -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/HeaderWriter.h"
#include "llvm/ADT/STLExtras.h"

namespace dlc::emit {

void HeaderWriter::writeAnySize() {
  out << "/* The same three for `rows` rows ("
      << (interface.openBatch ? rowsNote() : upper + "_BATCH: training takes full batches")
      << "). Loss, gradients and statistics are those\n * of that batch alone. Where all sizes are the "
         "largest, "
         "they are the functions above.\n";
  describeSizes();
  if (!interface.openDims.empty())
    describeInputs(/*withTargets=*/true, /*atSizes=*/true);
  out << " * Errors: those above; DLC_INVALID_ARGUMENT: a size out of range. */\n";
  for (llvm::StringRef step : {"train_step_n", "grad_step_n", "accumulate_n"})
    out << "dlc_status " << name << "_" << step << "(" << name << " *model, int64_t rows" << sizeParameters()
        << inputParameters(true) << ",\n    float *loss);\n";
  out << "\n";
}

void HeaderWriter::writeRanks() {
  out << "/* Of one of several processes that train together, the ranks (dlc/collectives.h): all call the same ones. Each brings "
         "its\n * rows, "
      << (interface.openBatch ? "0 to " + upper + "_BATCH" : upper + "_BATCH or none")
      << ", of a batch that has the rows of all; inputs of none are not looked at. A step is that of one process\n"
         " * on the whole batch; loss and metrics (may be NULL) are of that, too. join_ranks comes first, and after a rank has "
         "loaded\n * a checkpoint: all go on from the state of rank 0. rank_accumulate joins further batches before rank_apply, "
         "where\n * the library was compiled with --accumulate. Errors: what one rank refuses, all do, with its sentence; "
         "DLC_DEVICE_FAILED:\n * the ranks have lost each other. */\n"
      << "dlc_status " << name << "_join_ranks(" << name << " *model, const dlc_collectives *collectives);\n";
  for (llvm::StringRef step : {"rank_step", "rank_grad_step", "rank_accumulate"})
    out << "dlc_status " << name << "_" << step << "(" << name
        << " *model, const dlc_collectives *collectives, int64_t rows" << inputParameters(true)
        << ",\n    float *loss, dlc_metrics *metrics);\n";
  out << "dlc_status " << name << "_rank_apply(" << name << " *model, const dlc_collectives *collectives);\n\n";
}

void HeaderWriter::writeNumbersOfSteps() {
  bool isOutput = llvm::any_of(interface.outputs,
                               [](auto &output) { return output.role == train::OutputRole::GradNorm; });
  out << (isOutput
              ? "/* The Euclidean norm of all gradients of the last train_step or apply, before they "
                "were clipped; "
                "DLC_UNAVAILABLE\n * before the first. */\n"
              : "/* The Euclidean norm of all gradients, as gradient_read gives them: it is computed now. "
                "DLC_UNAVAILABLE after\n * train_step, which keeps none (with --grad-norm each step "
                "computes it). */\n")
      << "dlc_status " << name << "_grad_norm(" << name << " *model, double *norm);\n\n";
  if (llvm::any_of(interface.outputs, [](auto &output) { return output.ofStep; }))
    out << "/* The sums and counts of the last train_step, grad_step or accumulate, of its own batch and "
           "before an "
           "update, as\n * eval_step gives them, but with what training does: its dropout, the statistics of "
           "the "
           "batch. They may be added up\n * over the batches of an epoch. DLC_UNAVAILABLE before the first. "
           "*/\n"
        << "dlc_status " << name << "_step_metrics(" << name << " *model, dlc_metrics *metrics);\n\n";
  if (llvm::any_of(interface.states, [](auto &state) { return state.isAverage; }))
    out << "/* 1: the moving averages take the places of the parameters, so that eval_step, predict, "
           "parameter_read "
           "and\n * save_weights use them; functions that train, save and load answer DLC_UNAVAILABLE "
           "meanwhile. "
           "0: back to the\n * parameters. DLC_UNAVAILABLE before the first update. */\n"
        << "dlc_status " << name << "_use_average(" << name << " *model, int32_t use);\n\n";
}

void HeaderWriter::writeSlices() {
  out << "/* The same step in slices, with the same bits: begin checks and takes the inputs, which must stay "
         "as they are until "
         "the\n * step is done; continue computes for about so many microseconds, at least a piece of a "
         "kernel, and sets *done "
         "to 1 when\n * the step is done. Until then other functions answer DLC_BUSY, but "
      << name << "_step_count, which counts the steps before,\n * and " << name << "_destroy. " << name
      << "_sync then gives the loss. Errors: begin: those of train_step; continue: DLC_UNAVAILABLE: no "
         "step\n * has begun; "
         "DLC_NOT_FINITE, DLC_INDEX_OUT_OF_RANGE: the step is done and undone. On a GPU the step is one "
         "piece. */\n"
      << "dlc_status " << name << "_train_step_begin(" << name << " *model" << inputParameters(true)
      << ");\n";
  if (interface.takesSizes)
    out << "dlc_status " << name << "_train_step_begin_n(" << name << " *model, int64_t rows"
        << sizeParameters() << inputParameters(true) << ");\n";
  out << "dlc_status " << name << "_train_step_continue(" << name
      << " *model, int64_t microseconds, int32_t *done);\n\n";
}

void HeaderWriter::writeTraining() {
  out << "/* One training step on a full batch: forward, loss, backward, update of all trained parameters.\n";
  describeInputs(/*withTargets=*/true, /*atSizes=*/false);
  out << " *   loss: receives the loss of the batch before the update; may be NULL\n"
      << " * Errors: DLC_INVALID_ARGUMENT: an input is NULL or misaligned; DLC_NOT_FINITE: check_finite was "
         "set at create\n"
      << " * and the loss is NaN or infinite. */\n"
      << "dlc_status " << name << "_train_step(" << name << " *model" << inputParameters(true)
      << ",\n    float *loss);\n\n";
  writeSlices();
  out << "/* The two halves of a training step: gradients of a batch, then the update. grad_step overwrites "
         "the gradients\n"
      << " * that the model keeps, accumulate adds to them, and apply uses them (DLC_UNAVAILABLE if there "
         "are "
         "none).\n"
      << " * grad_step and then apply give the same bits as train_step.";
  for (const StateInterface &state : interface.states)
    if (state.isWeight)
      out << " What accumulate makes of several\n"
          << " * batches are the gradients of one that has all of their samples; gradient_read gives the "
             "weight of its\n"
          << " * labels, or the number of what its loss is the mean of, as \"" << state.name
          << "\", a double. The loss is that\n"
          << " * of the call's own batch.";
  out << " */\n";
  for (llvm::StringRef half : {"grad_step", "accumulate"})
    out << "dlc_status " << name << "_" << half << "(" << name << " *model" << inputParameters(true)
        << ",\n    float *loss);\n";
  out << "dlc_status " << name << "_apply(" << name << " *model);\n\n";
  writeNumbersOfSteps();
  if (interface.takesSizes)
    writeAnySize();
  if (interface.isOfRank)
    writeRanks();
  out << "/* The loss of the last training step, gradient step or accumulation; DLC_UNAVAILABLE before the "
         "first. */\n"
      << "dlc_status " << name << "_sync(" << name << " *model, float *loss);\n\n"
      << "/* Evaluates `rows` rows (" << rowsNote()
      << ") without training: without dropout, and with running\n"
      << " * statistics. The inputs are those of train_step, with `rows` rows. The sums and counts in "
         "`metrics` "
         "may be added\n * up over batches. */\n"
      << "dlc_status " << name << "_eval_step(" << name << " *model, int64_t rows"
      << (interface.takesSizes ? sizeParameters() : "") << inputParameters(true)
      << ",\n    dlc_metrics *metrics);\n\n"
      << "/* Training steps done: updates of the parameters, kept by save and load. */\n"
      << "int64_t " << name << "_step_count(const " << name << " *model);\n\n"
      << "/* Seeds the random numbers of dropout; the same seed gives the same numbers, on any number of "
         "threads. */\n"
      << "dlc_status " << name << "_set_seed(" << name << " *model, uint64_t seed);\n\n";
}

void HeaderWriter::writeHyperparameters() {
  out << "/* Settings of training; each step reads them anew. set answers DLC_INVALID_ARGUMENT for a value "
         "out of range. */\n";
  for (const StateInterface &state : interface.states) {
    if (state.kind != train::StateKind::Hyperparameter)
      continue;
    out << "dlc_status " << name << "_set_" << state.name << "(" << name << " *model, double value);";
    out << " /* " << rangeOf(state) << " */\ndlc_status " << name << "_get_" << state.name << "(" << name
        << " *model, double *value);\n";
  }
  out << "\n";
}

} // namespace dlc::emit
