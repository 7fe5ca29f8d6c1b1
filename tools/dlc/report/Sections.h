//===- Sections.h - the parts of a report ----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_REPORT_SECTIONS_H
#define DLC_TOOLS_DLC_REPORT_SECTIONS_H

#include "tools/dlc/profile/Measure.h"
#include "tools/dlc/report/Chart.h"
#include "tools/dlc/report/CompiledProgram.h"
#include "tools/dlc/report/Document.h"

namespace dlc::tool::report {

/// What the model is and how it was compiled.
void addFacts(Document &document, const CompiledProgram &program);

/// The curves of training: of each table that `dlc train --log=FILE.csv` wrote, all columns over the steps.
/// Columns that mean the same (loss, valid_loss) and the same column of several tables are in one chart.
std::vector<Chart> chartsOf(const std::vector<std::string> &tables);
void addCurves(Document &document, const std::vector<std::string> &tables);

/// Which nodes of the model became which launches.
void addFusion(Document &document, const CompiledProgram &program);

/// Which tensors launches hand to each other through memory, and why they are not one.
void addApart(Document &document, const CompiledProgram &program);

/// The working memory: values as rectangles, from the launch that makes them to the last that uses them.
void addMemory(Document &document, const CompiledProgram &program);

/// What each kernel computes and moves.
void addKernels(Document &document, const CompiledProgram &program);

/// Where the time went: the machine's limits and the kernels below them, shares, and one call launch by
/// launch.
void addTimes(Document &document, const CompiledProgram &program, const Measurement &measured);

/// The program after each stage, side by side: the files of `dlc compile --dump-ir=FOLDER`.
void addStages(Document &document, const std::string &folder);

} // namespace dlc::tool::report

#endif // DLC_TOOLS_DLC_REPORT_SECTIONS_H
