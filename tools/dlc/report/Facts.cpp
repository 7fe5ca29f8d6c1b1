//===- Facts.cpp - what the model is and how it was compiled ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/report/Sections.h"

namespace dlc::tool::report {

void addFacts(Document &document, const CompiledProgram &program) {
  document.section("model", program.target.empty() ? "The model" : "The model for " + program.target);
  std::string html = "<div class=\"table\"><table>";
  for (const auto &[name, value] : program.facts)
    html += "<tr><th scope=\"row\">" + escaped(name) + "</th><td>" + escaped(value) + "</td></tr>\n";
  document.add(html + "</table></div>\n");
}

} // namespace dlc::tool::report
