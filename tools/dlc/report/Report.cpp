//===- Report.cpp - dlc report: a page about a compiled model --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/report/Report.h"
#include "tools/dlc/report/Sections.h"
#include <cstdio>
#include <functional>
#include <optional>
#include <stdexcept>

namespace dlc::tool {
namespace {

std::string pageOf(const ManifestJson &manifest, const ReportOptions &options, const Measurement *measured) {
  const std::vector<report::CompiledProgram> programs = report::readPrograms(manifest);
  report::Document document(programs.front().name);
  if (!options.logs.empty())
    report::addCurves(document, options.logs);
  for (const report::CompiledProgram &program : programs) {
    report::addFacts(document, program);
    if (measured && (programs.size() == 1 || program.target == "cpu"))
      report::addTimes(document, program, *measured);
    report::addFusion(document, program);
    report::addApart(document, program);
    report::addMemory(document, program);
    report::addKernels(document, program);
  }
  if (!options.stages.empty())
    report::addStages(document, options.stages);
  return document.text();
}

} // namespace

std::string pageWhileTraining(const std::string &manifest, const std::string &name, const std::string &log) {
  ReportOptions options;
  options.logs = {log};
  return pageOf(ManifestJson(manifest, name), options, /*measured=*/nullptr);
}

/// An exit code; what goes wrong is printed.
static int guarded(const std::function<void()> &work) {
  try {
    work();
    return 0;
  } catch (const std::exception &error) {
    if (*error.what())
      std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

static void writeTo(const std::string &path, const std::string &text, const ProfileServices &services) {
  if (const std::string problem = services.writeFile(path, text); !problem.empty())
    throw std::runtime_error("dlc: error: " + problem);
}

int writeReport(const std::string &manifest, const ReportOptions &options, const ProfileOptions &profile,
                const ProfileServices &services) {
  return guarded([&] {
    const ManifestJson json(manifest);
    std::optional<Measurement> measured;
    if (options.profile)
      measured = measure(manifest, profile, services);
    writeTo(options.output, pageOf(json, options, measured ? &*measured : nullptr), services);
  });
}

int writePlot(const std::vector<std::string> &tables, const std::string &output,
              const ProfileServices &services) {
  return guarded([&] { writeTo(output, report::svgFile(report::chartsOf(tables)), services); });
}

} // namespace dlc::tool
