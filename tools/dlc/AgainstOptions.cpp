//===- AgainstOptions.cpp - options of --against ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/Against.h"
#include <CLI/CLI.hpp>

namespace dlc::tool {

void addAgainstOptions(CLI::App *command, Invocation &invocation) {
  const char *group = "Comparison with PyTorch";
  CLI::Option *against = command
                             ->add_option("--against", invocation.against,
                                          "A PyTorch module, or what returns one when it is called: an "
                                          "ONNX\nfile or a .pt2 file is compared "
                                          "with it, outputs and gradients. Runs\nFILE.py with Python, which "
                                          "needs torch and, for ONNX, onnx")
                             ->option_text("FILE.py:NAME")
                             ->group(group);
  command->add_option("--python", invocation.python, "The Python that has them (default: python3 on PATH)")
      ->needs(against)
      ->option_text("PROGRAM")
      ->group(group);
}

} // namespace dlc::tool
