//===- Report.h - dlc report: a page about a compiled model ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_REPORT_REPORT_H
#define DLC_TOOLS_DLC_REPORT_REPORT_H

#include "tools/dlc/profile/Profile.h"
#include <string>
#include <vector>

namespace dlc::tool {

struct ReportOptions {
  std::vector<std::string> logs; ///< tables that `dlc train --log=FILE.csv` wrote
  std::string stages;            ///< a folder of `dlc compile --dump-ir`; empty: none
  bool profile = false;          ///< the library beside the manifest is run, as dlc profile does
  std::string output = "report.html";
};

/// Writes a page about the model of a manifest; an exit code. Messages have been printed. The library is run
/// only where `profile` asks for it.
int writeReport(const std::string &manifest, const ReportOptions &options, const ProfileOptions &profile,
                const ProfileServices &services);

/// Draws the curves of tables that `dlc train --log=FILE.csv` wrote into a picture (.svg); an exit code.
int writePlot(const std::vector<std::string> &tables, const std::string &output,
              const ProfileServices &services);

/// The page about a model that is being trained: `manifest` is the text of its manifest, `name` what errors
/// call it, `log` the table of the epochs so far. Errors are std::runtime_error.
std::string pageWhileTraining(const std::string &manifest, const std::string &name, const std::string &log);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_REPORT_REPORT_H
