//===- HeaderParameters.cpp - what a header declares of parameters ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/HeaderWriter.h"

namespace dlc::emit {

void HeaderWriter::writeParameters() {
  out << "/* Parameters and buffers by index, 0 <= index < count, or by name:\n";
  for (const StateInterface &state : interface.states) {
    if (state.kind != train::StateKind::Parameter && state.kind != train::StateKind::Buffer)
      continue;
    out << " *   \"" << inComment(state.name) << "\" " << cArray(state);
    if (state.kind == train::StateKind::Buffer)
      out << ", a running statistic";
    else if (interface.hasLoss && !state.trainable)
      out << ", frozen";
    out << "\n";
  }
  out << " * read and write copy a whole tensor of that shape, `bytes` long. Errors: DLC_NOT_FOUND: no such "
         "name;\n"
      << " * DLC_INVALID_ARGUMENT: wrong size, index or NULL. */\n"
      << "int64_t " << name << "_parameter_count(const " << name << " *model);\n"
      << "dlc_status " << name << "_parameter_info(const " << name
      << " *model, int64_t index, dlc_parameter_info *info);\n"
      << "dlc_status " << name << "_parameter_read(" << name
      << " *model, const char *parameter, void *buffer, size_t bytes);\n"
      << "dlc_status " << name << "_parameter_write(" << name
      << " *model, const char *parameter, const void *buffer, size_t bytes);\n\n"
      << "/* The parameter's own memory, valid until destroy; DLC_UNAVAILABLE if it is stored in another "
         "layout. */\n"
      << "dlc_status " << name << "_parameter_view(" << name
      << " *model, const char *parameter, void **data);\n\n";
  writeAllParameters();
  if (!interface.hasLoss)
    return;
  out << "/* The gradient that grad_step and accumulate have kept, shaped like its parameter; "
         "DLC_UNAVAILABLE "
         "before them. */\n"
      << "dlc_status " << name << "_gradient_read(" << name
      << " *model, const char *parameter, void *buffer, size_t bytes);\n\n"
      << "/* Sets the gradient that apply will use, e.g. to a mean over several machines. The weight of "
         "gradients, where\n"
      << " * there is one, is a number of at least 0: DLC_INVALID_ARGUMENT if it is not. */\n"
      << "dlc_status " << name << "_gradient_write(" << name
      << " *model, const char *parameter, const void *buffer, size_t bytes);\n\n";
  writeAllGradients();
}

/// All parameters as one array, in the order in which they are listed above.
void HeaderWriter::writeAllParameters() {
  const AllValues all = interface.allValues();
  const std::string number = cTypeName(all.dtype).str();
  out << "/* All parameters and buffers as one array of " << number << ": " << all.count
      << " numbers, one tensor after the other in the\n * order above, each row-major. With trainable_only "
         "1, the "
         "parameters that training changes alone: "
      << all.trainable << " numbers.\n * `count` must be that number";
  if (all.hasOthers)
    out << ". What is neither float nor double has no part in it";
  if (all.isMixed)
    out << ". Tensors of\n * floats are read as doubles, and rounded to float when they are written, which "
           "allocates "
           "memory (DLC_OUT_OF_MEMORY)";
  out << ". Errors: DLC_INVALID_ARGUMENT: another count, or NULL. */\n"
      << "#define " << upper << "_PARAMETERS_COUNT " << all.count << "\n#define " << upper
      << "_TRAINABLE_COUNT " << all.trainable << "\n"
      << "int64_t " << name << "_parameters_count(const " << name << " *model, int32_t trainable_only);\n"
      << "dlc_status " << name << "_parameters_read_all(" << name << " *model, " << number
      << " *values, int64_t count, int32_t trainable_only);\n"
      << "dlc_status " << name << "_parameters_write_all(" << name << " *model, const " << number
      << " *values, int64_t count, int32_t trainable_only);\n\n";
}

/// The gradients in the same way.
void HeaderWriter::writeAllGradients() {
  const std::string number = cTypeName(interface.allValues().dtype).str();
  out << "/* The gradients of all trained parameters as one array of " << upper
      << "_TRAINABLE_COUNT numbers, in the order of\n * " << name
      << "_parameters_read_all with trainable_only 1. read_all: DLC_UNAVAILABLE before grad_step and "
         "accumulate. */\n"
      << "dlc_status " << name << "_gradients_read_all(" << name << " *model, " << number
      << " *values, int64_t count);\n"
      << "dlc_status " << name << "_gradients_write_all(" << name << " *model, const " << number
      << " *values, int64_t count);\n\n";
}

} // namespace dlc::emit
